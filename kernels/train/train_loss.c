// kernels/train/train_loss.c
#include "train_loss.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "train_math.h"

// The loss of element or row i, and its gradient times n.
typedef float item_fn(const struct train_loss *l, size_t i, float scale);

static void set(const struct train_loss *l, size_t i, float gradient) {
  if (l->in_grad)
    l->in_grad[i] = gradient;
}

static float mse(const struct train_loss *l, size_t i, float scale) {
  float d = l->in[i] - l->target[i];
  set(l, i, 2 * d * scale);
  return d * d;
}

static float l1(const struct train_loss *l, size_t i, float scale) {
  float d = l->in[i] - l->target[i];
  set(l, i, d > 0 ? scale : d < 0 ? -scale : 0);
  return d < 0 ? -d : d;
}

static float bce(const struct train_loss *l, size_t i, float scale) {
  float x = l->in[i], t = l->target[i], magnitude = x < 0 ? -x : x;
  set(l, i, (train_sigmoid(x) - t) * scale);
  return (x > 0 ? x : 0) - x * t + train_log(1.0f + train_exp(-magnitude));
}

static float cross_entropy(const struct train_loss *l, size_t row, float scale) {
  const float *x = l->in + row * l->columns;
  float largest = x[0], sum = 0;
  for (uint32_t j = 1; j < l->columns; j++)
    largest = x[j] > largest ? x[j] : largest;
  for (uint32_t j = 0; j < l->columns; j++)
    sum += train_exp(x[j] - largest);
  for (uint32_t j = 0; l->in_grad && j < l->columns; j++) {
    float p = train_exp(x[j] - largest) / sum;
    set(l, row * l->columns + j, (p - (j == l->labels[row])) * scale);
  }
  return train_log(sum) + largest - x[l->labels[row]];
}

static void run(const struct train_loss *l, item_fn *item, uint32_t items) {
  float scale = 1.0f / (float)items;
  struct rt_range mine = rt_split(TRAIN_LOSS_PARTS, 1);
  uint32_t each = (items + TRAIN_LOSS_PARTS - 1) / TRAIN_LOSS_PARTS;
  for (uint32_t p = mine.begin; p < mine.end; p++) {
    float sum = 0;
    for (uint32_t i = p * each; i < (p + 1) * each && i < items; i++)
      sum += item(l, i, scale);
    l->partial[p] = sum;
  }
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
  if (!items)
    return KERNEL_BAD_SHAPE;
  return l->in && target && l->loss && l->partial ? KERNEL_OK : KERNEL_BAD_POINTER;
}

enum kernel_status train_loss_mse(const struct train_loss *l) {
  enum kernel_status status = refuse(l, l->count, l->target);
  if (status == KERNEL_OK)
    run(l, mse, l->count);
  return status;
}

enum kernel_status train_loss_l1(const struct train_loss *l) {
  enum kernel_status status = refuse(l, l->count, l->target);
  if (status == KERNEL_OK)
    run(l, l1, l->count);
  return status;
}

enum kernel_status train_loss_bce(const struct train_loss *l) {
  enum kernel_status status = refuse(l, l->count, l->target);
  if (status == KERNEL_OK)
    run(l, bce, l->count);
  return status;
}

enum kernel_status train_loss_cross_entropy(const struct train_loss *l) {
  enum kernel_status status = refuse(l, l->columns ? l->rows : 0, l->labels);
  for (uint32_t r = 0; status == KERNEL_OK && r < l->rows; r++) {
    if (l->labels[r] >= l->columns)
      status = KERNEL_BAD_SHAPE;
  }
  if (status == KERNEL_OK)
    run(l, cross_entropy, l->rows);
  return status;
}
