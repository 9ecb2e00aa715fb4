// kernels/nn/nn_finish.h: the ends of a strip's blocks (nn_strip_mixed.h) by the schemes of
// nn_requant_i32.h: sums to outputs, four to a store. In assembly on the target (nn_finish.S), in C
// on the host (nn_finish.c).
#ifndef NN_FINISH_H
#define NN_FINISH_H

#include "nn_requant_i32.h"
#include "nn_strip_mixed.h"

// Whether there is an end for these parameters; else nn_requant_i32_pixel() takes the sums.
// NN_SCALE: m in 1..2^shift, shift + bits at most 31. NN_ICN: factors of `channels` filters not
// negative, N0 in -22..0, Bq whole; with a zero point, biases within 2^29: so are sums, as a block
// of four filters is in L1. NN_TFLITE: rounding twice, factors not negative, shifts in -20..-1. Of
// NN_WIDE, and of signed outputs but NN_TFLITE's, there is none.
bool nn_finish_fits(const struct nn_requant_i32 *rq, uint32_t channels);

// The pair of words of filter f's {kappa, lambda} in a packed block; `lambda` is what belongs to
// its sum beside the scheme's bias.
void nn_finish_pair(const struct nn_requant_i32 *rq, uint32_t f, uint32_t lambda, uint32_t pair[2]);

// Prepares a strip whose first filter is `first` of `channels`, all but `finish`.
void nn_finish_prepare(struct nn_strip_mixed *strip, const struct nn_requant_i32 *rq,
                       uint32_t first, uint32_t channels);

// `pixels` is 1..4.
nn_finish_fn *nn_finish(const struct nn_requant_i32 *rq, uint32_t pixels);

#endif
