// kernels/bench/data.h: what a training program learns from. DATA names the set: spirals or
// fashion. Each header of a set gives:
//
//   DATA_INPUTS, DATA_CLASSES      numbers per example; classes
//   DATA_TRAINED, DATA_HELD        examples to learn from, then examples held out
//   data_make()                    called once, by core 0, before anything else
//   data_get(n, values)            the inputs of example n, by the calling core alone
//   data_label(n)                  its class
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include "bench.h"

#define DATA_HEADER_(set) BENCH_TEXT(data_##set.h)
#define DATA_HEADER(set)  DATA_HEADER_(set)
#include DATA_HEADER(DATA)

// Thousandths of `count` that `right` are.
static inline uint32_t data_thousandths(uint32_t right, uint32_t count) {
  return right * 1000 / count;
}

// A line of the learning curve, by core 0.
static inline void data_report(uint32_t epoch, float loss, uint32_t thousandths) {
  if (rt_core_id() == 0)
    rt_printf("epoch %3u: loss %u.%06u, held-out accuracy %u.%u %%\n", (unsigned)epoch,
              (unsigned)loss, (unsigned)((loss - (float)(uint32_t)loss) * 1e6f),
              (unsigned)(thousandths / 10), (unsigned)(thousandths % 10));
}

// A checksum of what was learned, by core 0: the same on any number of cores.
static inline void data_report_weights(const float *weights, uint32_t count) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < count; i++)
    sum = sum * 31 + rt_float_bits(weights[i]);
  if (rt_core_id() == 0)
    rt_printf("weights %08x\n", (unsigned)sum);
}

// Uniform in [-1, 1).
static inline float data_uniform(uint32_t *seed) {
  return (float)(int16_t)(rt_random(seed) >> 7) * 0x1p-15f;
}

#endif
