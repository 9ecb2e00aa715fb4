// kernels/nn/nn_finish.h: the ends of a strip's blocks (nn_strip_mixed.h) by the schemes of
// nn_requant_i32.h: sums to outputs, four to a store. In assembly on the target (nn_finish.S), in C
// on the host (nn_finish.c).
#ifndef NN_FINISH_H
#define NN_FINISH_H

#include "nn_requant_i32.h"
#include "nn_strip_mixed.h"

// The largest sum of a filter of so many weights, up to its sign.
static inline uint32_t nn_end_sums(uint32_t weights, uint32_t in_bits, uint32_t weight_bits) {
  return weights << (in_bits + weight_bits - 1);
}

// The end that there is for these parameters of `channels` filters, whose sums are within `sums`
// and their lambdas too; of NN_END_NONE nn_requant_i32_pixel() takes the sums. NN_SCALE: m in
// 1..2^shift, shift + bits at most 31. NN_ICN: factors not negative, N0 in -22..0, Bq whole; with a
// zero point, biases within 2^29: so are sums, as a block of four filters is in L1. NN_ICN to the
// left: by as much as the largest N0 asks for, or bits of Bq behind the point; N0 no smaller than
// that less 22; sums and biases within 2^28 and 2^29 then. NN_TFLITE: rounding twice, factors not
// negative, shifts in -31..-1 (of 8 bits with low = zero, a ReLU's, also 0; so of factors of 0),
// and biases that let no product, rounded, pass 32 bits, as those below 2^30 do. Of NN_WIDE, and of
// signed outputs but NN_TFLITE's, there is none.
struct nn_end nn_end_of(const struct nn_requant_i32 *rq, uint32_t channels, uint32_t sums);

// Whether NN_TFLITE, rounding twice, can be computed for channels begin..end - 1 by the high and
// the low word of a product, with shifts of at most `most_shift`: 0, or, where results may be below
// the zero point, -1.
bool nn_end_tflite(const struct nn_requant_i32 *requant, uint32_t begin, uint32_t end,
                   uint32_t sums, int32_t most_shift);

// The pair of words of filter f's {kappa, lambda} in a packed block; `lambda` is what belongs to
// its sum beside the scheme's bias.
void nn_finish_pair(const struct nn_requant_i32 *rq, struct nn_end end, uint32_t f, uint32_t lambda,
                    uint32_t pair[2]);

// Prepares a strip whose first filter is `first` of `channels`, all but `finish`.
void nn_finish_prepare(struct nn_strip_mixed *strip, const struct nn_requant_i32 *rq,
                       struct nn_end end, uint32_t first, uint32_t channels);

// The end for outputs of `bits`; `pixels` is 1..4. Of NN_END_NONE there is none.
nn_finish_fn *nn_finish(enum nn_end_kind end, uint32_t bits, uint32_t pixels);

#endif
