// sim/observe/gdb_history.h: going back in time: snapshots, and running again from one of them.
//
// A machine is deterministic, so any moment of its past can be reached from a snapshot before
// it. A moment is named by one core and how many instructions it has retired.
#ifndef PULPSIM_GDB_HISTORY_H
#define PULPSIM_GDB_HISTORY_H

#include "sim/pulpsim.h"

enum { HISTORY_SNAPSHOTS = 64 };

struct history {
  struct pulpsim *sim;
  struct pulpsim_snapshot *snapshot[HISTORY_SNAPSHOTS]; // by time
  unsigned count, most;
  uint64_t interval; // cycles between them
  bool replaying;    // output that the guest produces now has been seen before
  uint64_t seen;     // ... as all up to this cycle
};

void history_start(struct history *h, struct pulpsim *sim);
void history_end(struct history *h);

// Call it now and then while the machine runs forward.
void history_reach(struct history *h);

// The past is no longer what leads here (a debugger has written something): it begins now.
void history_forget(struct history *h);

// Whether the guest's output is new.
bool history_output_is_new(const struct history *h);

// One instruction of core `core` back. False at the beginning of history.
bool history_step_back(struct history *h, unsigned core);

// Back to the last breakpoint or watchpoint before the present; to the beginning, and false, if
// there is none. Sets `stop`.
bool history_run_back(struct history *h, unsigned core, struct pulpsim_stop *stop);

// Runs core `core` up to `count` retired instructions, past all breakpoints.
void history_run_exactly(struct history *h, unsigned core, uint64_t count);

// Back to the beginning.
void history_rewind(struct history *h);

#endif
