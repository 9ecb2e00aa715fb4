// kernels/nn/nn_dw_3.h: a channel of a depthwise convolution with three rows of up to four taps. In
// assembly on the target (nn_dw_3.S), in C on the host (nn_dw_3.c).
#ifndef NN_DW_3_H
#define NN_DW_3_H

#include <stdbool.h>
#include <stdint.h>

struct nn_dw_3 {        // the assembly knows these offsets
  const uint8_t *plane; // zero-padded
  uint32_t row;         // bytes from row to row
  uint32_t next;        // stride_h rows less out_w strides, in bytes
  uint8_t *out;
  uint32_t step; // bytes from output to output
  uint32_t out_w, out_h;
  uint32_t filter[3];
  int32_t kappa, lambda;
  uint32_t shift;
};

typedef void nn_dw_3_fn(const struct nn_dw_3 *channel);

// For a kernel of kernel_w taps and columns stride_w (1, 2) apart; inputs and outputs of 8 bits,
// signed or not. At least one row and, of a kernel of at most three taps with stride 1, two
// columns.
nn_dw_3_fn *nn_dw_3_find(uint32_t kernel_w, uint32_t stride_w, bool in_signed, bool out_signed);

#endif
