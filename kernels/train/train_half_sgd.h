// kernels/train/train_half_sgd.h: a step of stochastic gradient descent in L1 by gradients of 16
// bits, and whether these are finite, by the calling core; see train_half_sgd.S.
#ifndef TRAIN_HALF_SGD_H
#define TRAIN_HALF_SGD_H

#include <stdint.h>

// Of `pairs` pairs: out = w + *factor * grad, rounded once, and the same in 16 bits in `half`. All
// begin at words. `_h`: binary16, `_ah`: bfloat16.
typedef void train_half_sgd_fn(float *out, const float *w, const void *grad, void *half,
                               uint32_t pairs, const float *factor);
train_half_sgd_fn train_half_sgd_h, train_half_sgd_ah;

// *sum += 0 * x of `pairs` pairs from any element on: a NaN from then on if one of them is not
// finite.
typedef void train_half_zero_fn(float *sum, const void *x, uint32_t pairs);
train_half_zero_fn train_half_zero_h, train_half_zero_ah;

#endif
