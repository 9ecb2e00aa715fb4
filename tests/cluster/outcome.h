// tests/cluster/outcome.h: what a run of a guest program comes to, to compare runs of one engine
// with those of the other.
#ifndef PULPSIM_TESTS_OUTCOME_H
#define PULPSIM_TESTS_OUTCOME_H

#include "guest.h"

enum { OUTCOME_L1 = 0x4800, OUTCOME_L2 = 0x10000 };

struct outcome {
  enum pulpsim_state state;
  char *statistics; // as text
  size_t size;
  uint8_t l1[OUTCOME_L1]; // the first bytes of it
  uint8_t l2[OUTCOME_L2]; // those of its data
};

// As it is now. `o` holds an older one, or zeros.
void outcome_take(struct pulpsim *sim, struct outcome *o);

// The machines on which most kinds of programs are compared: settings for guest_load_on(). Both
// cores, ideal memory and caches, both arbiters.
enum { OUTCOME_MACHINES = 5 };
extern const char *const outcome_machine[OUTCOME_MACHINES];
bool outcome_is_corev(unsigned machine); // a CV32E40P

// Runs a program on `settings` to its end, or for that many cycles, and takes what it comes to.
// Every cycle of every core must have one cause. Every third run of the fast engine is made once
// more, with its keys checked (core/pipeline_memo.h).
enum pulpsim_state outcome_run(const struct guest *g, unsigned cores, const char *settings,
                               enum pulpsim_engine engine, uint64_t cycles, struct outcome *o);

// From now on cycles are computed from their keys, and compared with what such cycles were before
// (memo_checks_keys); until then none of them may have differed.
void outcome_check_keys(bool on);

// They must be the same; `which` and the numbers are for the message.
void outcome_compare(const struct outcome *a, const struct outcome *b, const char *which,
                     unsigned machine, uint64_t seed);

#endif
