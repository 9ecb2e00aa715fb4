// kernels/train/train_norm.h: batch, instance, layer and RMS normalization with their gradients.
//
// The input is seen as x[outer][groups][inner]; each group has its own statistics, over outer and
// inner:
//
//   kind       outer  groups   inner       gamma, beta     for x[N][C][P] or x[rows][features]
//   batch      N      C        P           per group
//   instance   1      N * C    P           per group % affine (affine = C)
//   layer      1      rows     features    per element of inner
//   rms        1      rows     features    gamma per element of inner; no mean, no beta
//   none       1      rows     features    per element of inner; h = x, mean and rstd are not used
//
//   mean = sum / n;  rstd = 1 / sqrt(sum of (x - mean)^2 / n + epsilon);  h = (x - mean) * rstd
//   out = gamma * h + beta;  gamma_grad = sum of out_grad * h;  beta_grad = sum of out_grad
//   in_grad = rstd * (g - mean of g - h * mean of (g * h)),  g = gamma * out_grad  (rms: mean is 0)
//
// Sources: Ioffe, Szegedy 2015; Ulyanov et al. 2016; Ba et al. 2016; Zhang, Sennrich 2019; Sun et
// al. 2020 ("MobileBERT", none). The groups are split among the cores, sums run in order: results
// do not depend on the number of cores. The gradients of gamma and beta are overwritten. All cores
// call with the same arguments; the caller puts a barrier behind the call. train_norm_ig() needs
// mean and rstd of the forward pass.
#ifndef TRAIN_NORM_H
#define TRAIN_NORM_H

#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

enum train_norm_kind {
  TRAIN_NORM_BATCH,
  TRAIN_NORM_INSTANCE,
  TRAIN_NORM_LAYER,
  TRAIN_NORM_RMS,
  TRAIN_NORM_NONE,
  TRAIN_NORM_KINDS
};

struct train_norm {
  const void *in;
  void *out;
  const void *gamma, *beta; // rms: beta is not read
  float *mean, *rstd;       // [groups]; floats in any type
  const void *out_grad;
  void *in_grad, *gamma_grad, *beta_grad;
  uint32_t outer, groups, inner;
  uint32_t affine; // instance: channels
  float epsilon;   // > 0
  enum train_type type;
};

enum kernel_status train_norm_fw(enum train_norm_kind kind, const struct train_norm *layer);
enum kernel_status train_norm_ig(enum train_norm_kind kind, const struct train_norm *layer);

#endif
