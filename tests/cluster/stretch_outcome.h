// tests/cluster/stretch_outcome.h: what a run of a guest program comes to, to compare those with
// stretches that are looked up (sim/core/stretch.h) with others.
#ifndef PULPSIM_TESTS_STRETCH_OUTCOME_H
#define PULPSIM_TESTS_STRETCH_OUTCOME_H

#include "core/stretch_parts.h"
#include "guest.h"

enum { STRETCH_OUTCOME_L1 = 0x4800, STRETCH_OUTCOME_L2 = 0x10000 };

struct stretch_outcome {
  enum pulpsim_state state;
  char *statistics; // as text
  size_t size;
  uint8_t l1[STRETCH_OUTCOME_L1]; // the first bytes of it
  uint8_t l2[STRETCH_OUTCOME_L2]; // those of its data
};

// As it is now. `o` holds an older one, or zeros.
void stretch_outcome(struct pulpsim *sim, struct stretch_outcome *o);

// They must be the same; `which` and the numbers are for the message.
void stretch_outcome_compare(const struct stretch_outcome *a, const struct stretch_outcome *b,
                             const char *which, unsigned machine, uint64_t seed);

// Adds what the machine has counted.
void stretch_outcome_tally(struct stretch_tally *sum, const struct pulpsim *sim);

#endif
