// kernels/nn/nn_dw_filter.h: filters of a depthwise layer, as its inner loops take them.
//
// Their lambda takes off what flipped inputs (nn_planes.h) add to a sum: 2^(in_bits - 1) times the
// filter's weights.
#ifndef NN_DW_FILTER_H
#define NN_DW_FILTER_H

#include "nn_depthwise.h"

// `count` (1..4) weights of `bits` bits from `at` on, as bytes. No byte outside the filter is read.
uint32_t nn_dw_weights(const uint8_t *w, uint32_t at, uint32_t count, uint32_t bits);

// Channels c..c + count - 1: of each {kappa, lambda} and three words, for nn_dw_3.h. kernel_h is 3,
// kernel_w at most 3. With `sums`, kappa is 1: of lambda alone is taken off.
void nn_dw_filters_3(const struct nn_depthwise *layer, uint32_t *to, uint32_t c, uint32_t count,
                     bool sums);

// The same of a layer by NN_TFLITE: twice the factor, and the bias.
void nn_dw_filters_3_tflite(const struct nn_depthwise *layer, uint32_t *to, uint32_t c,
                            uint32_t count);

// Channel c, for nn_dw_slide.h: {kappa, lambda} and as many words as it says, for `outputs` at
// once.
void nn_dw_filter_slide(const struct nn_depthwise *layer, uint32_t *to, uint32_t c, bool sums,
                        uint32_t words, uint32_t outputs);

#endif
