// kernels/ref/ref_mixed.h: mixed-precision convolution in the plainest C, for host and target.
#ifndef REF_MIXED_H
#define REF_MIXED_H

#include "kernels/nn/nn_mixed.h"

// Weights and scales as they are before packing.
struct ref_mixed {
  const void *weights;
  const int32_t *kappa, *lambda; // NULL: 0
};

// One output: row y, column x, filter f; the low out_bits of it.
uint32_t ref_mixed(const struct nn_mixed *layer, const struct ref_mixed *ref, uint32_t y,
                   uint32_t x, uint32_t f);

#endif
