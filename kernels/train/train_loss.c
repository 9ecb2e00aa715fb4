// kernels/train/train_loss.c
#include "train_loss.h"

#include "kernels/rt/rt.h"
#include "train_math.h"
#include "train_typed.h"

// The loss of element or row i, and its gradient times n.
TRAIN_TYPED void set(const struct train_loss *l, size_t i, float gradient, enum train_type t) {
  if (l->in_grad)
    train_put(l->in_grad, i, gradient, t);
}

TRAIN_TYPED float mse(const struct train_loss *l, size_t i, float scale, enum train_type t) {
  float d = train_get(l->in, i, t) - train_get(l->target, i, t);
  set(l, i, 2 * d * scale, t);
  return d * d;
}

TRAIN_TYPED float l1(const struct train_loss *l, size_t i, float scale, enum train_type t) {
  float d = train_get(l->in, i, t) - train_get(l->target, i, t);
  set(l, i, d > 0 ? scale : d < 0 ? -scale : d, t);
  return d < 0 ? -d : d;
}

TRAIN_TYPED float berhu(const struct train_loss *l, size_t i, float scale, float c,
                        enum train_type t) {
  float d = train_get(l->in, i, t) - train_get(l->target, i, t), magnitude = d < 0 ? -d : d;
  if (magnitude <= c) {
    set(l, i, d > 0 ? scale : d < 0 ? -scale : 0, t);
    return magnitude;
  }
  set(l, i, d / c * scale, t);
  return __builtin_fmaf(d, d, c * c) / (2 * c);
}

TRAIN_TYPED float bce(const struct train_loss *l, size_t i, float scale, enum train_type t) {
  float x = train_get(l->in, i, t), y = train_get(l->target, i, t), magnitude = x < 0 ? -x : x;
  set(l, i, (train_sigmoid(x) - y) * scale, t);
  return (x > 0 ? x : 0) - x * y + train_log(1.0f + train_exp(-magnitude));
}

TRAIN_TYPED float cross_entropy(const struct train_loss *l, size_t row, float scale,
                                enum train_type t) {
  const void *x = train_at(l->in, row * l->columns, t);
  float largest = train_get(x, 0, t), sum = 0;
  for (uint32_t j = 1; j < l->columns; j++) {
    float v = train_get(x, j, t);
    largest = v > largest ? v : largest;
  }
  for (uint32_t j = 0; j < l->columns; j++)
    sum += train_exp(train_get(x, j, t) - largest);
  for (uint32_t j = 0; l->in_grad && j < l->columns; j++) {
    float p = train_exp(train_get(x, j, t) - largest) / sum;
    set(l, row * l->columns + j, (p - (j == l->labels[row])) * scale, t);
  }
  return train_log(sum) + largest - train_get(x, l->labels[row], t);
}

enum kind { MSE, L1, BERHU, BCE, CROSS_ENTROPY };

TRAIN_TYPED void parts(const struct train_loss *l, enum kind kind, uint32_t items, float scale,
                       float c, enum train_type t) {
  struct rt_range mine = rt_share(TRAIN_LOSS_PARTS);
  uint32_t each = (items + TRAIN_LOSS_PARTS - 1) / TRAIN_LOSS_PARTS;
  for (uint32_t p = mine.begin; p < mine.end; p++) {
    float sum = 0;
    for (uint32_t i = p * each; i < (p + 1) * each && i < items; i++)
      sum += kind == MSE     ? mse(l, i, scale, t)
             : kind == L1    ? l1(l, i, scale, t)
             : kind == BERHU ? berhu(l, i, scale, c, t)
             : kind == BCE   ? bce(l, i, scale, t)
                             : cross_entropy(l, i, scale, t);
    l->partial[p] = sum;
  }
}

// The largest |x - t| of each part; NaN counts as the largest.
TRAIN_TYPED void largest_of_parts(const struct train_loss *l, enum train_type t) {
  struct rt_range mine = rt_share(TRAIN_LOSS_PARTS);
  uint32_t each = (l->count + TRAIN_LOSS_PARTS - 1) / TRAIN_LOSS_PARTS;
  for (uint32_t p = mine.begin; p < mine.end; p++) {
    float largest = 0;
    for (uint32_t i = p * each; i < (p + 1) * each && i < l->count; i++) {
      float d = train_get(l->in, i, t) - train_get(l->target, i, t), magnitude = d < 0 ? -d : d;
      if (largest == largest)
        largest = magnitude <= largest ? largest : magnitude;
    }
    l->partial[p] = largest;
  }
}

static float largest(const struct train_loss *l) {
  TRAIN_BY_TYPE(l->type, largest_of_parts, l);
  rt_barrier();
  float all = 0;
  for (uint32_t p = 0; p < TRAIN_LOSS_PARTS; p++) {
    if (all == all)
      all = l->partial[p] <= all ? all : l->partial[p];
  }
  rt_barrier();
  return all;
}

static void run(const struct train_loss *l, enum kind kind, uint32_t items) {
  float scale = 1.0f / (float)items, c = kind == BERHU ? l->share * largest(l) : 0;
  TRAIN_BY_TYPE(l->type, parts, l, kind, items, scale, c);
  rt_barrier();
  if (rt_core_id() == 0) {
    float sum = 0;
    for (uint32_t p = 0; p < TRAIN_LOSS_PARTS; p++)
      sum += l->partial[p];
    *l->loss = sum * scale;
  }
  rt_barrier();
}

static enum kernel_status refuse(const struct train_loss *l, uint32_t items, const void *target) {
  if (!items || l->type >= TRAIN_TYPES)
    return KERNEL_BAD_SHAPE;
  return l->in && target && l->loss && l->partial ? KERNEL_OK : KERNEL_BAD_POINTER;
}

enum kernel_status train_loss_mse(const struct train_loss *l) {
  enum kernel_status status = refuse(l, l->count, l->target);
  if (status == KERNEL_OK)
    run(l, MSE, l->count);
  return status;
}

enum kernel_status train_loss_l1(const struct train_loss *l) {
  enum kernel_status status = refuse(l, l->count, l->target);
  if (status == KERNEL_OK)
    run(l, L1, l->count);
  return status;
}

enum kernel_status train_loss_berhu(const struct train_loss *l) {
  enum kernel_status status = refuse(l, l->share > 0 && l->share <= 1 ? l->count : 0, l->target);
  if (status == KERNEL_OK)
    run(l, BERHU, l->count);
  return status;
}

enum kernel_status train_loss_bce(const struct train_loss *l) {
  enum kernel_status status = refuse(l, l->count, l->target);
  if (status == KERNEL_OK)
    run(l, BCE, l->count);
  return status;
}

enum kernel_status train_loss_cross_entropy(const struct train_loss *l) {
  enum kernel_status status = refuse(l, l->columns ? l->rows : 0, l->labels);
  for (uint32_t r = 0; status == KERNEL_OK && r < l->rows; r++) {
    if (l->labels[r] >= l->columns)
      status = KERNEL_BAD_SHAPE;
  }
  if (status == KERNEL_OK)
    run(l, CROSS_ENTROPY, l->rows);
  return status;
}
