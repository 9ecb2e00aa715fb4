// kernels/bench/bench.h: what the benchmark programs share: seeded data, and a check that says
// where.
//
// A program fills its inputs (core 0), runs the kernel several times, then checks every output, the
// cores sharing the work. It returns 0, or 1 after printing the first mismatch of each core that
// found one. The first runs fill the instruction caches; the last is region 1, with a
// barrier on both sides.
#ifndef BENCH_H
#define BENCH_H

#include "kernels/rt/rt.h"
#include "kernels/status.h"

#define BENCH_TEXT_(...) #__VA_ARGS__
#define BENCH_TEXT(...)  BENCH_TEXT_(__VA_ARGS__)

// Initializers that take the window of a layer's shape `s`: kernel, strides and padding.
#define BENCH_WINDOW(s)                                                                            \
  .kernel_h = (s).kernel_h, .kernel_w = (s).kernel_w, .stride_h = (s).stride_h,                    \
  .stride_w = (s).stride_w, .pad_top = (s).pad_top, .pad_bottom = (s).pad_bottom,                  \
  .pad_left = (s).pad_left, .pad_right = (s).pad_right

// Assigns the kernel's status (of the second run: the first would have refused the same). `call`
// is a call of a function that is not inlined, so that both runs are the same code.
#define bench_measure(status, call)                                                                \
  do {                                                                                             \
    (void)(call);                                                                                  \
    rt_barrier();                                                                                  \
    rt_region_begin(1);                                                                            \
    (status) = (call);                                                                             \
    rt_barrier();                                                                                  \
    rt_region_end(1);                                                                              \
  } while (0)

// The same for a layer or a step of training, warm and cold. One call does not fill the caches: the
// shared one replaces at random, even lines that are needed again while others are free. After
// four calls the cycles stay. The first, cold call is region 2. The branches are in assembly, or
// the compiler would make a copy of the call, and the measured one would not be warm.
enum { BENCH_WARM_CALLS = 4 };
#define bench_measure_step(status, call) bench_measure_call(BENCH_WARM_CALLS, status, call)
#define bench_measure_call(warm, status, call)                                                     \
  do {                                                                                             \
    rt_barrier();                                                                                  \
    for (uint32_t calls_ = 0, last_ = (warm); calls_ <= last_; calls_++) {                         \
      rt_region_begin_if(2, calls_ == 0);                                                          \
      rt_region_begin_if(1, calls_ == last_);                                                      \
      (status) = (call);                                                                           \
      rt_barrier();                                                                                \
      rt_region_end_if(1, calls_ == last_);                                                        \
      rt_region_end_if(2, calls_ == 0);                                                            \
    }                                                                                              \
  } while (0)

static inline void bench_fill_bytes(void *data, uint32_t count, uint32_t seed) {
  for (uint32_t i = 0; i < count; i++)
    ((uint8_t *)data)[i] = (uint8_t)(rt_random(&seed) >> 11);
}

// Floats in [-1, 1), multiples of 2^-15.
static inline void bench_fill_floats(float *data, uint32_t count, uint32_t seed) {
  for (uint32_t i = 0; i < count; i++)
    data[i] = (float)(int16_t)(rt_random(&seed) >> 7) * 0x1p-15f;
}

// True if equal; else says which element of `what` (by its indices, or what they stand for) is
// wrong. Floats are compared, and printed, by their bits.
static inline bool bench_equal(const char *what, uint32_t i, uint32_t j, uint32_t got,
                               uint32_t want) {
  if (got != want)
    rt_printf("%s[%u][%u] = %d (%08x), expected %d (%08x)\n", what, (unsigned)i, (unsigned)j,
              (int)got, (unsigned)got, (int)want, (unsigned)want);
  return got == want;
}

#endif
