// tests/cluster/rtl/whole_run.h: what a whole cluster has executed, on the RTL or on the model.
#ifndef PULPSIM_TESTS_WHOLE_RUN_H
#define PULPSIM_TESTS_WHOLE_RUN_H

#include "../whole_program.h"

enum { WHOLE_L1_WORDS = WHOLE_L1 / 4 };

struct whole_event {
  uint64_t cycle;
  uint32_t pc;
};

struct whole_run {
  struct whole_event *event[WHOLE_CORES];
  unsigned count[WHOLE_CORES], room[WHOLE_CORES];
  uint64_t first, last; // cycles, of all cores
  uint64_t known;       // up to this cycle all that has left ID is there
  bool ended;
  uint32_t l1[WHOLE_L1_WORDS]; // from GUEST_TCDM on
  // Of the model: what a core does first where the RTL goes another way, and has to: it fetches or
  // accesses where nothing is, or meets flw or fsw, which RI5CY executes on integer registers.
  // Empty if nothing.
  char stray[160];
};

// The RTL's, from a trace (docs/timing.md, "With your own simulation"). Says on stderr what is
// wrong with it, and returns false.
bool whole_run_read(struct whole_run *r, const char *path);

// The model's: a machine by name, with settings up to NULL, and the program's file, up to that
// cycle.
bool whole_run_model(struct whole_run *r, const char *machine, char *const *settings,
                     const char *elf, uint64_t cycles);

#endif
