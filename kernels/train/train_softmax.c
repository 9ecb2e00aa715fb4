// kernels/train/train_softmax.c
#include "train_softmax.h"

#include "kernels/rt/rt.h"
#include "train_math.h"
#include "train_typed.h"

// Floats keep their exponentials in the output; 16-bit elements would round them twice, so theirs
// are computed twice.
TRAIN_TYPED void row_fw(const struct train_softmax *l, size_t row, enum train_type t) {
  const void *in = train_at(l->in, row * l->columns, t);
  void *out = train_at(l->out, row * l->columns, t);
  float largest = train_get(in, 0, t), sum = 0;
  for (uint32_t i = 1; i < l->columns; i++) {
    float x = train_get(in, i, t);
    largest = x > largest ? x : largest;
  }
  for (uint32_t i = 0; i < l->columns; i++) {
    float e = train_exp(train_get(in, i, t) - largest);
    sum += e;
    if (t == TRAIN_F32)
      train_put(out, i, e, t);
  }
  float scale = 1.0f / sum;
  for (uint32_t i = 0; i < l->columns; i++) {
    float e = t == TRAIN_F32 ? train_get(out, i, t) : train_exp(train_get(in, i, t) - largest);
    train_put(out, i, e * scale, t);
  }
}

TRAIN_TYPED void row_ig(const struct train_softmax *l, size_t row, enum train_type t) {
  size_t first = row * l->columns;
  float sum = train_dot(0, l->out_grad, l->out, first, first + l->columns, t);
  for (size_t i = first; i < first + l->columns; i++)
    train_put(l->in_grad, i, train_get(l->out, i, t) * (train_get(l->out_grad, i, t) - sum), t);
}

static enum kernel_status refuse(const struct train_softmax *l) {
  return !l->rows || !l->columns || l->type >= TRAIN_TYPES ? KERNEL_BAD_SHAPE : KERNEL_OK;
}

enum kernel_status train_softmax_fw(const struct train_softmax *l) {
  if (refuse(l) != KERNEL_OK)
    return KERNEL_BAD_SHAPE;
  if (!l->in || !l->out)
    return KERNEL_BAD_POINTER;
  struct rt_range mine = rt_share(l->rows);
  for (size_t r = mine.begin; r < mine.end; r++)
    TRAIN_BY_TYPE(l->type, row_fw, l, r);
  return KERNEL_OK;
}

enum kernel_status train_softmax_ig(const struct train_softmax *l) {
  if (refuse(l) != KERNEL_OK)
    return KERNEL_BAD_SHAPE;
  if (!l->out || !l->out_grad || !l->in_grad)
    return KERNEL_BAD_POINTER;
  struct rt_range mine = rt_share(l->rows);
  for (size_t r = mine.begin; r < mine.end; r++)
    TRAIN_BY_TYPE(l->type, row_ig, l, r);
  return KERNEL_OK;
}
