// kernels/bench/train.h: what the training programs share: an arena in L1, and checks against
// double precision on a sample of the results.
#ifndef BENCH_TRAIN_H
#define BENCH_TRAIN_H

#include "bench.h"
#include "kernels/ref/ref_train.h"

#ifndef ARENA_BYTES
#define ARENA_BYTES (55 * 1024 + 512)
#endif
static RT_L1_BSS float arena[ARENA_BYTES / 4];

// `count` floats; ends the program when there are no more.
static inline float *take(uint32_t count, unsigned core, uint32_t seed) {
  static uint32_t used[RT_MAX_CORES];
  float *place = arena + used[core];
  used[core] += count;
  if (used[core] > ARENA_BYTES / 4) {
    rt_printf("%u bytes of L1 wanted\n", (unsigned)used[core] * 4);
    rt_exit(1);
  }
  if (core == 0 && seed)
    bench_fill_floats(place, count, seed);
  return place;
}

// Every `step`-th element of `count`, the cores sharing the work.
#define CHECK(what, got, count, step, reference)                                                   \
  ({                                                                                               \
    int failed_ = 0;                                                                               \
    uint32_t each_ = (step)*rt_core_count();                                                       \
    for (uint32_t i_ = (step)*rt_core_id(); i_ < (count) && !failed_; i_ += each_) {               \
      struct ref_sum want_ = (reference);                                                          \
      failed_ = !ref_near((got)[i_], &want_);                                                      \
      if (failed_)                                                                                 \
        rt_printf("%s[%u] = %08x, expected %08x\n", (what), (unsigned)i_,                          \
                  (unsigned)rt_float_bits((got)[i_]),                                              \
                  (unsigned)rt_float_bits((float)ref_value(&want_)));                              \
    }                                                                                              \
    failed_;                                                                                       \
  })

#endif
