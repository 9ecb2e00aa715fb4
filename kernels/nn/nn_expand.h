// kernels/nn/nn_expand.h: unpacks 4- or 2-bit activations into one of four interleaved columns
// (nn_im2col.h). A packed word becomes `parts` compute words: part j holds, in each lane, the
// j-th element from below of that lane. In assembly on the target (nn_expand.S), in C on the host
// (nn_mixed_plan.c).
#ifndef NN_EXPAND_H
#define NN_EXPAND_H

#include <stdint.h>

typedef void nn_expand_fn(uint32_t *dst, const uint8_t *src, uint32_t words);

// `words` packed words, at least 1; the source may be unaligned. Part j of word w goes to
// dst[4 * (w * parts + j)]. Names: bits packed, bits of a lane.
nn_expand_fn nn_expand_4to8, nn_expand_2to8, nn_expand_2to4;

// The same with each element's sign bit flipped: signed elements become unsigned ones that are
// 2^(bits - 1) more.
nn_expand_fn nn_flip_4to8, nn_flip_2to8, nn_flip_4to4, nn_flip_2to4, nn_flip_2to2;

#endif
