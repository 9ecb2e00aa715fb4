// kernels/nn/nn_mixed_plan.h: what follows from the shape and the precisions of a mixed layer.
//
// Signed activations that are not bytes in byte lanes are computed as unsigned ones: x +
// 2^(in_bits - 1), which is x with its sign bit flipped. What that adds to a sum, 2^(in_bits - 1)
// times the filter's weights, nn_mixed_pack() takes off lambda. Signed outputs likewise: half the
// range is added to lambda, and the sign bits are flipped at the end. So there is one set of inner
// loops.
#ifndef NN_MIXED_PLAN_H
#define NN_MIXED_PLAN_H

#include "nn_expand.h"
#include "nn_finish.h"
#include "nn_mixed.h"

struct nn_mixed_plan {
  uint32_t compute;     // bits of a lane
  uint32_t parts;       // compute words per packed word of activations
  uint32_t per_step;    // compute words per word of weights
  uint32_t pixel;       // bytes of an input pixel
  uint32_t run_bytes;   // of a row under the kernel
  uint32_t run_words;   //
  uint32_t words;       // compute words of a column, a multiple of per_step
  bool is_signed;       // the compute words' bytes are
  bool flipped;         // activations have their sign bits flipped
  uint32_t zero;        // a compute word of pixels outside the input
  uint32_t pad;         // a packed word of them
  uint32_t strip_bits;  // the strips' `out`: out_bits; of a scheme 0, or 32 without an end
  struct nn_end end;    // of a scheme (nn_finish.h)
  uint32_t steps;       // words / per_step
  uint32_t blocks;      // of four filters
  uint32_t block_bytes; // nn_strip_mixed.h
  uint32_t out_h, out_w;
  nn_expand_fn *expand; // NULL: activations are compute words
  bool rows;            // pixels are taken where they stand: no columns
  bool by_filters;      // how the cores share the work, but of rows
  uint32_t strips;      // of four pixels whose columns are made at once
};

// The layer has bits and strides that exist; out_h and out_w may be 0.
void nn_mixed_plan_of(struct nn_mixed_plan *plan, const struct nn_mixed *layer);

// The column of output pixel (y, x), its words four apart. `run` has room for one run.
void nn_mixed_column(const struct nn_mixed *layer, const struct nn_mixed_plan *plan, uint32_t y,
                     uint32_t x, uint32_t *column, uint32_t *run);

// Part of the column of a 1x1 input under a 1x1 kernel: packed words begin..end - 1.
void nn_mixed_column_part(const struct nn_mixed *layer, const struct nn_mixed_plan *plan,
                          uint32_t begin, uint32_t end, uint32_t *column, uint32_t *run);

#endif
