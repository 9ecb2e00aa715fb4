// tests/timing/interrupt_plan.h: when interrupt lines rise, from a seed; the same for the RTL and
// the model. A line stays high until it is taken.
#ifndef TESTS_INTERRUPT_PLAN_H
#define TESTS_INTERRUPT_PLAN_H

#include <stdint.h>

enum { INTERRUPT_PERIOD = 61 }; // a line rises in one of so many cycles

// Lines that rise in `cycle`: those from then on seen by the core. Seed 0: never.
static inline uint32_t interrupt_plan(uint32_t seed, uint64_t cycle) {
  static const uint8_t line[16] = {3, 7, 11, 16, 17, 18, 19, 20, 22, 24, 25, 27, 28, 29, 30, 31};
  uint32_t x = (uint32_t)cycle * UINT32_C(2654435761) + seed * UINT32_C(40503);
  x ^= x >> 15;
  x *= UINT32_C(0x2c1b3c6d);
  x ^= x >> 12;
  x *= UINT32_C(0x297a2d39);
  x ^= x >> 15;
  return seed && x % INTERRUPT_PERIOD == 0 ? UINT32_C(1) << line[x >> 28] : 0;
}

#endif
