// kernels/ref/ref_depthwise.h: depthwise convolution in the plainest C.
#ifndef REF_DEPTHWISE_H
#define REF_DEPTHWISE_H

#include "kernels/nn/nn_depthwise.h"

// One output: row y, column x, channel c; the low out_bits of it.
uint32_t ref_depthwise(const struct nn_depthwise *layer, uint32_t y, uint32_t x, uint32_t c);
// The same element of the kernel's output.
uint32_t ref_depthwise_got(const struct nn_depthwise *layer, uint32_t y, uint32_t x, uint32_t c);

#endif
