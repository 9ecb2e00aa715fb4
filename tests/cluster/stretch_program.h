// tests/cluster/stretch_program.h: programs by chance whose cores meet at the same banks again and
// again: what sim/core/stretch.h looks up.
//
// All cores go many rounds through the same loops of loads, stores and little else, most of them to
// one bank. What they do there depends on data, now and then: which word they store to, which bank
// they ask, whether they divide, raise a float flag, jump, read the time, leave for L2. Between the
// rounds one of them changes what the others read, starts a transfer, writes code. All leave their
// registers in L1, at the end.
#ifndef PULPSIM_TESTS_STRETCH_PROGRAM_H
#define PULPSIM_TESTS_STRETCH_PROGRAM_H

#include <stdbool.h>

#include "guest.h"

struct stretch_program {
  uint64_t seed; // the same gives the same program on every host
  unsigned cores;
  bool corev;   // hardware loops as the CV32E40P encodes them, else as RI5CY
  bool floats;  // there is a float unit
  bool streams; // a long transfer in each round, while all cores go through the loops in step
};

// May end with a trap.
void stretch_program(struct guest *g, const struct stretch_program *what);

#endif
