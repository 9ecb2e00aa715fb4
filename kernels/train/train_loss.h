// kernels/train/train_loss.h: losses and their gradients.
//
//   mse            mean of (x - t)^2                          2 * (x - t) / n
//   l1             mean of |x - t|                            sign(x - t) / n
//   berhu          mean of |d| where |d| <= c, else (d^2 + c^2) / 2c, with d = x - t and
//                  c = share * the largest |d|, a constant for the gradient:
//                                                             sign(d) / n, else d / (c * n)
//   bce            mean of max(x, 0) - x * t + log(1 + exp(-|x|)), x a logit, t in 0..1
//                                                             (sigmoid(x) - t) / n
//   cross_entropy  mean over rows of log(sum of exp(x)) - x[label]   (softmax(x) - onehot) / rows
//
// The loss is summed in TRAIN_LOSS_PARTS parts whose bounds do not depend on the number of cores,
// and these in order: the same bits on any number of cores. `partial` holds that many floats,
// shared by the cores. Contains barriers; loss and gradient are complete when all cores have
// returned. All cores call with the same arguments.
#ifndef TRAIN_LOSS_H
#define TRAIN_LOSS_H

#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

enum { TRAIN_LOSS_PARTS = 16 };

struct train_loss {
  const void *in;
  const void *target;     // mse, l1, bce, berhu: [count]
  const uint8_t *labels;  // cross_entropy: [rows], each below columns
  void *in_grad;          // [count]; NULL: no gradient wanted
  float *loss;            // one float
  float *partial;         // [TRAIN_LOSS_PARTS]
  uint32_t count;         // mse, l1, bce, berhu
  uint32_t rows, columns; // cross_entropy
  enum train_type type;   // of in, target and in_grad
  float share;            // berhu: in (0, 1]
};

enum kernel_status train_loss_mse(const struct train_loss *loss);
enum kernel_status train_loss_l1(const struct train_loss *loss);
enum kernel_status train_loss_berhu(const struct train_loss *loss);
enum kernel_status train_loss_bce(const struct train_loss *loss);
enum kernel_status train_loss_cross_entropy(const struct train_loss *loss);

#endif
