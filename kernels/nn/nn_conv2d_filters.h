// kernels/nn/nn_conv2d_filters.h: convolutions of few pixels, whose filters the cores share
// (nn_split.h).
#ifndef NN_CONV2D_FILTERS_H
#define NN_CONV2D_FILTERS_H

#include <stdbool.h>

#include "nn_conv2d.h"
#include "nn_split.h"
#include "nn_strip_u8.h"

// Computes the layer that `strip` describes, unless sharing pixels alone is as good: then false.
// `direct`: input pixels are used where they are. With barriers inside, if not direct.
bool nn_conv2d_by_filters(const struct nn_conv2d *layer, struct nn_strip_u8 *strip, uint32_t pixels,
                          uint32_t out_w, bool direct);

// Pixels `mine` of the layer that `strip` describes, whose columns are made, four at a time (in
// nn_conv2d.c).
void nn_conv2d_by_columns(const struct nn_conv2d *layer, struct nn_strip_u8 *strip,
                          struct rt_range mine, uint32_t out_w);

// The last filters, if not four: of four pixels, or of `strips` times four, `one` by one; of fewer
// pixels as four, into a buffer of their own, copied as far as they exist.
void nn_conv2d_last(const struct nn_strip_u8 *strip, nn_strip_u8_fn *run, nn_strip_u8_fn *one,
                    uint32_t pixels, uint32_t rest);

// Computes a layer of one output pixel whose taps inside the input are one run of it, and of a
// filter: from where they are, by blocks of filters. Else false.
bool nn_conv2d_one_pixel(const struct nn_conv2d *layer, struct nn_strip_u8 *strip);

#endif
