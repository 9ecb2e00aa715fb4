// tests/cluster/mixed_program.h: programs by chance of everything that cores do, in any order.
//
// All cores go a few times through the same lines: instructions of any row, on few registers;
// accesses to few words of L1, to L2, and to peripherals; hardware loops of any form, nested, of
// any length, with anything in them; calls, empty functions, jumps by their own link register;
// traps, fences, barriers, the mutex and software events. With a timer, interrupts come at any
// time. It may run for ever; whoever runs it sets a limit.
#ifndef PULPSIM_TESTS_MIXED_PROGRAM_H
#define PULPSIM_TESTS_MIXED_PROGRAM_H

#include <stdbool.h>

#include "guest.h"
#include "isa/isa.h"

struct mixed_machine {
  const struct isa_decoder *decoder;
  uint32_t sets; // of its instructions
  unsigned cores;
  // Floats too, and then neither high products nor accesses that cross a word, which RI5CY computes
  // wrong beside a float's result (docs/timing.md).
  bool floats;
  bool caches; // and stores to the caches' control unit: flushes, the prefetchers' switches
};

// The same seed gives the same program on every host.
void mixed_program(struct guest *g, uint64_t seed, const struct mixed_machine *machine);

#endif
