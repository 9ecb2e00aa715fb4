// deploy/quant/ranges.h: the range of real numbers that a tensor's codes stand for, from what was
// seen of it.
#ifndef RANGES_H
#define RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANGES_BINS = 2048 };

enum ranges_method {
  RANGES_AUTO,       // all of it at 8 bits, entropy below
  RANGES_MINMAX,     // all of it
  RANGES_PERCENTILE, // all but a part in 10,000 at each end
  RANGES_ENTROPY,    // least Kullback-Leibler divergence (Migacz, "8-bit inference with TensorRT",
                     // GTC 2017)
  RANGES_SQUARES     // least squared error of the codes
};

struct ranges {
  float low, high; // seen
  bool any;
  uint64_t bins[RANGES_BINS]; // of low..high
};

void ranges_see(struct ranges *ranges, const float *values, size_t count);   // first pass
void ranges_count(struct ranges *ranges, const float *values, size_t count); // second pass

// An affine code: real = scale * (code - zero), code in 0..2^bits - 1.
struct ranges_code {
  float scale;
  int32_t zero;
};

// The range contains 0, which has a code of its own.
struct ranges_code ranges_choose(const struct ranges *ranges, enum ranges_method method,
                                 uint32_t bits);

#endif
