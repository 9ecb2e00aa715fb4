// tests/cluster/fetch_program.h: programs by chance whose time is that of their fetches.
//
// Blocks of instructions without data accesses lie in L2 in one order and are executed in another,
// round and round: runs, branches forward, hardware loops, divisions that let the fetch run ahead.
// Each core enters at a block of its own. It goes on for ever; whoever runs it sets a limit.
#ifndef PULPSIM_TESTS_FETCH_PROGRAM_H
#define PULPSIM_TESTS_FETCH_PROGRAM_H

#include <stdbool.h>

#include "guest.h"

// The same seed gives the same program on every host. `corev`: hardware loops as the CV32E40P
// encodes them, else as RI5CY. From seed FETCH_PROGRAM_FLUSHES on, cores flush instruction caches,
// now and then, those of all.
#define FETCH_PROGRAM_FLUSHES (UINT64_C(1) << 32)
void fetch_program(struct guest *g, uint64_t seed, bool corev);

// Runs it for `limit` cycles; `settings` as guest_load()'s. What each core executed:
struct fetch_trace {
  uint64_t instructions, last; // cycle of the last one
  uint64_t hash;               // of cycle and pc of all, see fetch_trace_note()
};
void fetch_run(const struct guest *g, unsigned cores, const char *settings,
               enum pulpsim_engine engine, uint64_t limit, struct fetch_trace *trace);
void fetch_trace_note(struct fetch_trace *trace, uint64_t cycle, uint32_t pc);

#endif
