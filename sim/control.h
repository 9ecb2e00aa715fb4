// sim/control.h: observers, breakpoints and steps of a machine.
#ifndef PULPSIM_CONTROL_H
#define PULPSIM_CONTROL_H

#include "observe/tap.h"

enum { CONTROL_CORES = 17, CONTROL_BREAKPOINTS = 256, CONTROL_WATCHPOINTS = 16 };

struct watchpoint {
  uint32_t address, size;
  unsigned kinds; // PULPSIM_WATCH_*
};

struct control {
  struct tap_hub hub;
  struct tap tap[CONTROL_CORES];
  struct pulpsim *sim;
  bool attached; // the cores are watched: they tell their taps
  unsigned breakpoints, watchpoints;
  uint32_t breakpoint[CONTROL_BREAKPOINTS];
  struct watchpoint watchpoint[CONTROL_WATCHPOINTS];
  bool watching;  // the observer that looks for watched accesses is installed
  bool debugging; // ebreak stops
  bool stepping;  // until core `step_core` has retired `step_to` instructions
  unsigned step_core;
  uint64_t step_to;
  struct pulpsim_stop stop;
  bool only; // nobody but core `only_core` stops; others pass by
  unsigned only_core;
  bool passed; // ... as one did
  struct pulpsim_stop passed_stop;
  uint64_t passed_retired;
  struct {
    cycle_t passed_at; // in front of an instruction in this cycle: let it pass next time
    bool watch_hit;    // its last access was watched
    uint32_t address;  // that one
  } core[CONTROL_CORES];
};

struct core;
struct pulpsim;

// Like pulpsim_observe() for who wants a log of all instructions (observe/log_record.h). Returns
// false if somebody has them already.
bool control_log(struct pulpsim *sim, struct ordered *log, struct sites *sites);

struct control *control_new(struct pulpsim *sim);
void control_free(struct pulpsim *sim);

// The machine has been built anew, or is as it was at another time: it is observed as before.
void control_attach(struct pulpsim *sim);

// Nobody is told anything, or stops the run, until control_unmute().
void control_mute(struct control *k, struct tap_hub *kept);
void control_unmute(struct control *k, const struct tap_hub *kept);

// The machine is about to run on: unwatched if nobody asks for more.
void control_resume(struct pulpsim *sim);

void control_region(struct pulpsim *sim, const struct core *c, unsigned id, bool begin,
                    cycle_t now);

#endif
