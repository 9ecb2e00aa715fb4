// kernels/nn/nn_dw_quad.h: a depthwise 3x3 convolution with columns two apart, from HWC to HWC,
// both of 8 bits or both of 4, without planes between. In assembly on the target (nn_dw_quad.S), in
// C on the host (nn_dw_quad.c).
#ifndef NN_DW_QUAD_H
#define NN_DW_QUAD_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/rt/rt.h"
#include "nn_depthwise.h"

// Output rows whose windows lie alike. A row of a window that is outside the input stands for
// another one, with weights of zero.
struct nn_dw_band {
  uint32_t rows[3]; // of the first window: its first pixel inside, bytes from `in`
  uint32_t count;   // output rows, at least 1
  uint32_t mask[3]; // of taps (0,0) (1,0) (0,1) (1,1); (0,2) (1,2) (2,1) (2,2); and (2,0), on top
};

struct nn_dw_quads { // the assembly knows these offsets
  const uint8_t *in; // the first two channels
  uint8_t *out;
  const uint8_t *weights; // of each channel nine bytes, any alignment
  const int32_t *kappa, *lambda;
  uint32_t pairs; // of channels, at least 1
  uint32_t shift;
  uint32_t pixel;    // bytes from pixel to pixel, of input and output
  uint32_t next;     // from behind a row of windows to the next
  uint32_t out_w;    // windows in a row, but for the one of `last`
  uint32_t inside;   // whether a row's first column is in the input; else it is zero
  uint32_t last;     // whether there is one more window, whose last column is not in the input
  uint32_t out_next; // from behind a pair's outputs to the next pair's
  uint32_t bands;    // at least 1
  struct nn_dw_band band[3];
};

typedef void nn_dw_quads_fn(const struct nn_dw_quads *quads);

nn_dw_quads_fn nn_dw_quads_8uu, nn_dw_quads_8us, nn_dw_quads_8su, nn_dw_quads_8ss;
nn_dw_quads_fn nn_dw_quads_4uu, nn_dw_quads_4us, nn_dw_quads_4su, nn_dw_quads_4ss;

// By the bits of inputs and outputs, and whether they are signed (nn_dw_quad_all.c; a program may
// have its own, with the loops that it needs).
nn_dw_quads_fn *nn_dw_quads_of(uint32_t bits, bool in_signed, bool out_signed);

// Whether quads compute this layer, but for the last channels if those are not four.
bool nn_dw_quads_fit(const struct nn_depthwise *layer, uint32_t out_h, uint32_t out_w);

// Quads of channels begin..end - 1 of such a layer, as far as there are whole ones; a band of rows
// of the output.
void nn_dw_quads(const struct nn_depthwise *layer, uint32_t out_w, struct rt_range rows,
                 struct rt_range channels);

#endif
