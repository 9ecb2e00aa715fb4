// kernels/train/train_softmax.c
#include "train_softmax.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "train_math.h"

static void row_fw(float *out, const float *in, uint32_t n) {
  float largest = in[0], sum = 0;
  for (uint32_t i = 1; i < n; i++)
    largest = in[i] > largest ? in[i] : largest;
  for (uint32_t i = 0; i < n; i++) {
    out[i] = train_exp(in[i] - largest);
    sum += out[i];
  }
  float scale = 1.0f / sum;
  for (uint32_t i = 0; i < n; i++)
    out[i] *= scale;
}

static void row_ig(float *in_grad, const float *out_grad, const float *out, uint32_t n) {
  float sum = 0;
  for (uint32_t i = 0; i < n; i++)
    sum = __builtin_fmaf(out_grad[i], out[i], sum);
  for (uint32_t i = 0; i < n; i++)
    in_grad[i] = out[i] * (out_grad[i] - sum);
}

enum kernel_status train_softmax_fw(const struct train_softmax *l) {
  if (!l->rows || !l->columns)
    return KERNEL_BAD_SHAPE;
  if (!l->in || !l->out)
    return KERNEL_BAD_POINTER;
  struct rt_range mine = rt_split(l->rows, 1);
  for (size_t r = mine.begin; r < mine.end; r++)
    row_fw(l->out + r * l->columns, l->in + r * l->columns, l->columns);
  return KERNEL_OK;
}

enum kernel_status train_softmax_ig(const struct train_softmax *l) {
  if (!l->rows || !l->columns)
    return KERNEL_BAD_SHAPE;
  if (!l->out || !l->out_grad || !l->in_grad)
    return KERNEL_BAD_POINTER;
  struct rt_range mine = rt_split(l->rows, 1);
  for (size_t r = mine.begin; r < mine.end; r++)
    row_ig(l->in_grad + r * l->columns, l->out_grad + r * l->columns, l->out + r * l->columns,
           l->columns);
  return KERNEL_OK;
}
