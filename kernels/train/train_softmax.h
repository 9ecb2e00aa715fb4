// kernels/train/train_softmax.h: softmax over rows.
//
//   out[r][i] = exp(in[r][i] - max) / sum over j of exp(in[r][j] - max)
//   in_grad[r][i] = out[r][i] * (out_grad[r][i] - sum over j of out_grad[r][j] * out[r][j])
//
// Dense rows, sizes >= 1. in and out may be the same place, as may in_grad and out_grad. The rows
// are split among the cores. All cores call with the same arguments; the caller puts a barrier
// behind the call.
#ifndef TRAIN_SOFTMAX_H
#define TRAIN_SOFTMAX_H

#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

struct train_softmax {
  const void *in;
  void *out;
  const void *out_grad;
  void *in_grad;
  uint32_t rows, columns;
  enum train_type type;
};

enum kernel_status train_softmax_fw(const struct train_softmax *layer);
enum kernel_status train_softmax_ig(const struct train_softmax *layer);

#endif
