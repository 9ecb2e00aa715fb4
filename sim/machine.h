// sim/machine.h: a machine: what pulpsim_new() builds from a configuration.
//
// Only the files that make up the public interface include this.
#ifndef PULPSIM_MACHINE_H
#define PULPSIM_MACHINE_H

#include "cluster/fpu_share.h"
#include "cluster/tcdm.h"
#include "core/core.h"
#include "core/core_group.h"
#include "engine/clocks.h"
#include "sim/config.h"
#include "sim/control.h"
#include "sim/elf.h"
#include "sim/host_files.h"
#include "sim/pulpsim.h"
#include "sim/rollback.h"
#include "sim/start.h"
#include "soc/memory.h"

enum { MACHINE_CORES = 17, MACHINE_MEMORIES = 4, MACHINE_REGIONS = 64, MACHINE_LINE = 256 };

// Of a cluster machine. The map pulp adds the fabric controller's own memory, and L3 if the
// configuration has one; the uDMA reaches that, cores do not.
enum {
  MEMORY_L1,
  MEMORY_L2,
  MEMORY_FC,
  MEMORY_L3,
  MEMORY_FC_BASE = 0x1b000000,
  MEMORY_FC_SIZE = 0x4000, // GAP8
  MEMORY_L3_BASE = 0x60000000,
};

struct markers {
  struct pulpsim_marker *item;
  size_t count, room;
};

// A region as the running program marks it (see kernels/rt).
struct region {
  bool used;
  uint64_t entries;
  unsigned inside;     // cores that are in it
  cycle_t began, left; // first in, last out
  uint64_t cycles;
  struct {
    bool inside;
    struct pulpsim_counts at_begin, sum;
  } core[MACHINE_CORES];
};

// What ended a run, for its reason: a trap, or cores that spin.
struct failure {
  uint32_t spinning; // a bit each; 0: none
  uint32_t spin_pc[MACHINE_CORES];
  unsigned core;
  uint32_t pc, address; // of its access, if it is about one
  bool accesses;
  uint8_t size;
  char text[200];
};

struct pulpsim {
  struct pulpsim_config config;
  uint64_t config_hash;
  struct elf_image *elf;
  int argc;
  char *const *argv;
  struct start start;
  struct rollbacks rollbacks;
  struct host_files files;
  struct isa_decoder *decoder; // who writes a trace may be at it while the machine starts over

  // From here to `output`: what is built, and changes while it runs. See machine_start_over().
  struct engine engine;     // the cluster's clock, in which time is counted
  struct engine soc_engine; // the SoC's, if it differs
  struct clocks clocks;
  struct tcdm tcdm;
  struct fpu_share fpu_share; // used if cluster.fpu.sharing is shared
  struct memory memory[MACHINE_MEMORIES];
  unsigned memory_count;
  struct pipeline_memo *memo; // of the cluster's cores
  uint64_t code_epoch;        // changes, by CODE_EPOCH, when marked code does; not 0
  unsigned core_count; // that take part: the cluster's, and the fabric controller if it boots
  struct core core[MACHINE_CORES];
  unsigned built;               // of the cores: the fabric controller, if there is one, too
  struct core_group cores;      // those with the cluster's clock
  struct core_group controller; // the fabric controller, if the SoC's clock differs
  struct core_host host;
  struct platform *platform; // units around the cores of a cluster; NULL: one-core machine
  struct markers marker[MACHINE_CORES];
  struct region region[MACHINE_REGIONS];
  uint32_t heap;                    // program break of the host calls
  size_t files_done[MACHINE_CORES]; // calls of each core: host_files.h
  int semihosting_errno[MACHINE_CORES];
  uint32_t semihosting_features_at; // where a program is in ":semihosting-features"
  struct spin {
    unsigned looks, tries; // windows that have passed, and cycles of this one
    uint32_t seen;         // cores that spin, a bit each; where:
    uint32_t pc[MACHINE_CORES];
    uint64_t stores; // of all cores, when this window began
  } spin;            // sim/spin.h

  enum pulpsim_state state;
  int exit_status;
  struct failure failure;   // of a trap
  char reason[4096];        // pulpsim_reason(), found behind the run: sim/reason.h
  char notice[512];         // pulpsim_notice()
  cycle_t ended, soc_ended; // in the cluster's cycle, and the SoC's
  const struct core *ender; // by this one

  bool computes, computes_part; // the plain engine: machine_compute(), machine_compute_part()
  uint64_t printed;             // bytes of text
  struct {                      // stdout registers: the line each core is printing
    char text[MACHINE_LINE];
    size_t length;
  } line[MACHINE_CORES];

  pulpsim_output *output;
  void *output_user;
  volatile bool interrupted;
  bool plain_end;          // the plain engine computes the run's end: see sim/run_end.h
  struct control *control; // observers, breakpoints

  struct pulpsim_stats stats; // what pulpsim_stats() returned last, with its arrays
  struct pulpsim_core_stats *core_stats;
  struct pulpsim_region *region_stats;
  struct pulpsim_counts *region_counts;
  struct pulpsim_bank_stats *bank_stats;
};

// Memory that holds `address`, or NULL.
struct memory *machine_memory(struct pulpsim *sim, uint32_t address);

// Cycle of the cluster in which cycle `when` of a core's own clock begins, or the next one; and the
// core's cycle in which the cluster's cycle `when`, not behind the end, begins. Only the fabric
// controller's differ.
cycle_t machine_time(const struct pulpsim *sim, const struct core *c, cycle_t when);
cycle_t machine_core_time(const struct pulpsim *sim, const struct core *c, cycle_t when);

// Counters of a core as of its cycle `now`: a wait in progress counts up to then.
struct pulpsim_counts machine_counts(struct pulpsim *sim, unsigned core, cycle_t now);

// The machine as it was when pulpsim_run() was first called: everything is built anew. `plain`: as
// by machine_compute().
void machine_start_over(struct pulpsim *sim, bool plain);

// From now on, from each core's next block on, the plain engine decides; or that of the machine.
void machine_compute(struct pulpsim *sim, bool plain);
// The same for a part of a run; either will do.
void machine_compute_part(struct pulpsim *sim, bool plain);

// Ports for cores in the cluster's interconnects.
unsigned machine_core_ports(const struct pulpsim_config *k);

void machine_mark(struct pulpsim *sim, struct core *c, uint32_t value, cycle_t now);
// A character of the line that core `core` is printing, which appears whole.
void machine_put(struct pulpsim *sim, unsigned core, char character);
void machine_print(struct pulpsim *sim, int fd, const char *bytes, size_t count);

// pulpsim_write(), which the program does itself.
bool machine_write(struct pulpsim *sim, uint32_t address, const void *buffer, size_t count);

// Host call of core `c` (arguments in a0..a2, number in a7); see host_calls.c.
bool machine_host_call(void *self, struct core *c, cycle_t now);
void machine_region(void *self, struct core *c, unsigned id, bool begin, cycle_t now);

#endif
