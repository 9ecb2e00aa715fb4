// kernels/nn/nn_dw_3.h: channels of a depthwise convolution with three rows of up to three taps,
// columns one or two apart, from padded planes. In assembly on the target (nn_dw_3.S), in C on the
// host (nn_dw_3.c).
#ifndef NN_DW_3_H
#define NN_DW_3_H

#include <stdint.h>

// A channel's filter: {kappa, lambda}, then three taps in each row's low bytes, 0 on top.
enum { NN_DW_3_WORDS = 5 };

struct nn_dw_3 {        // the assembly knows these offsets
  const uint8_t *plane; // the first channel's, unsigned, at the first window
  uint32_t plane_next;  // bytes from plane to plane
  uint32_t row;         // bytes from row to row, a multiple of 4
  uint32_t row_next;    // stride_h rows
  uint8_t *out;
  uint32_t out_next; // bytes from channel to channel
  uint32_t step;     // bytes from output to output
  uint32_t out_w, out_h;
  const uint32_t *filters; // of each channel NN_DW_3_WORDS
  uint32_t count;          // channels, at least 1
  uint32_t shift;
  int32_t most;         // of the outputs
  const int8_t *shifts; // of NN_TFLITE: the first channel's
  uint32_t shifts_step; // from channel to channel
};

// Plane, output and filters are then behind the last channel's, and the count is 0.
typedef void nn_dw_3_fn(struct nn_dw_3 *channels);

// Columns one or two apart; bytes clip((kappa * sum + lambda) >> shift), to 0..most (u) or to
// -most - 1..most (s), or 32-bit sums + lambda (sums); or by NN_TFLITE (nn_requant_i32.h), kappa
// twice the factor, rounding twice, with zero, low and high 0, 0, 255 (u) or -128, -128, 127 (s).
extern nn_dw_3_fn nn_dw_3_s1_u, nn_dw_3_s1_s, nn_dw_3_s1_sums;
extern nn_dw_3_fn nn_dw_3_s2_u, nn_dw_3_s2_s, nn_dw_3_s2_sums;
extern nn_dw_3_fn nn_dw_3_s1_tflite_u, nn_dw_3_s1_tflite_s, nn_dw_3_s2_tflite_u,
    nn_dw_3_s2_tflite_s;

// The filters of so many channels (at least 1) from nine bytes each, any alignment.
void nn_dw_3_filters(uint32_t *filters, const uint8_t *weights, uint32_t channels,
                     const int32_t *kappa, const int32_t *lambda);

#endif
