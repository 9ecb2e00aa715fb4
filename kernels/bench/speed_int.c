// kernels/bench/speed_int.c: a workload for the speed of the simulator: plain RV32IM integer code
// in a loop, with loads, stores and branches that depend on data. Each core works on its own words.
#include "bench.h"

enum { WORDS = 64, CORE_WORDS = WORDS + 1 };

static RT_L1_BSS uint32_t words[RT_MAX_CORES * CORE_WORDS];
volatile uint32_t bench_repeat = 4;
volatile uint32_t bench_awake = RT_MAX_CORES; // cores that take part; the others sleep

// A sum that every word takes part in, through a shift register.
static __attribute__((noinline)) uint32_t mix(uint32_t *w, uint32_t sum) {
  for (uint32_t i = 0; i < WORDS; i++) {
    uint32_t x = w[i] + sum;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    if (x & 4)
      sum += x * 3;
    else
      sum ^= x;
    w[i] = x;
  }
  return sum;
}

int main(void) {
  uint32_t *w = words + rt_core_id() * CORE_WORDS;
  uint32_t sum = 1;
  for (uint32_t i = 0; i < WORDS; i++)
    w[i] = i;
  for (uint32_t n = bench_repeat; n > 0 && rt_core_id() < bench_awake; n--)
    sum = mix(w, sum);
  words[rt_core_id() * CORE_WORDS + WORDS] = sum;
  rt_barrier();
  for (uint32_t core = 1; core < rt_core_count() && core < bench_awake; core++) { // did the same
    if (words[core * CORE_WORDS + WORDS] != words[WORDS])
      return 1;
  }
  return 0;
}
