// kernels/train/train_pool.c
#include "train_pool.h"

#include "kernels/rt/rt.h"
#include "train_typed.h"

uint32_t train_pool_out_h(const struct train_pool *l) {
  return (uint32_t)(l->in_h - l->window_h) / l->stride_h + 1;
}

uint32_t train_pool_out_w(const struct train_pool *l) {
  return (uint32_t)(l->in_w - l->window_w) / l->stride_w + 1;
}

static enum kernel_status refuse(const struct train_pool *l, const void *one, const void *two) {
  if (!l->c || !l->window_h || !l->window_w || !l->stride_h || !l->stride_w || l->window_h > 15 ||
      l->window_w > 15 || l->stride_h > 15 || l->stride_w > 15 || l->window_h > l->in_h ||
      l->window_w > l->in_w || l->type >= TRAIN_TYPES)
    return KERNEL_BAD_SHAPE;
  return one && two ? KERNEL_OK : KERNEL_BAD_POINTER;
}

// Where a window's largest element is, the window beginning at element `at`; the first of them, or
// a NaN.
TRAIN_TYPED size_t largest(const struct train_pool *l, size_t at, enum train_type t) {
  size_t best = at;
  float most = train_get(l->in, at, t);
  for (uint32_t i = 0; i < l->window_h; i++, at += l->in_w) {
    for (uint32_t j = 0; j < l->window_w; j++) {
      float x = train_get(l->in, at + j, t);
      if (x > most || x != x) {
        most = x;
        best = at + j;
      }
    }
  }
  return best;
}

TRAIN_TYPED float mean(const struct train_pool *l, size_t at, enum train_type t) {
  float sum = 0;
  for (uint32_t i = 0; i < l->window_h; i++, at += l->in_w) {
    for (uint32_t j = 0; j < l->window_w; j++)
      sum += train_get(l->in, at + j, t);
  }
  return sum / (float)(l->window_h * l->window_w);
}

TRAIN_TYPED void add(void *base, size_t i, float value, enum train_type t) {
  train_put(base, i, train_get(base, i, t) + value, t);
}

TRAIN_TYPED void spread(const struct train_pool *l, size_t at, float value, enum train_type t) {
  for (uint32_t i = 0; i < l->window_h; i++, at += l->in_w) {
    for (uint32_t j = 0; j < l->window_w; j++)
      add(l->in_grad, at + j, value, t);
  }
}

enum pass { MAX_FW, MAX_IG, AVG_FW, AVG_IG };

// Output pixel `out` over the window that begins at `in`.
TRAIN_TYPED void pixel(const struct train_pool *l, size_t in, size_t out, enum pass pass,
                       enum train_type t) {
  float area = (float)(l->window_h * l->window_w);
  if (pass == MAX_FW)
    train_put(l->out, out, train_get(l->in, largest(l, in, t), t), t);
  else if (pass == MAX_IG)
    add(l->in_grad, largest(l, in, t), train_get(l->out_grad, out, t), t);
  else if (pass == AVG_FW)
    train_put(l->out, out, mean(l, in, t), t);
  else
    spread(l, in, train_get(l->out_grad, out, t) / area, t);
}

TRAIN_TYPED void channels(const struct train_pool *l, enum pass pass, enum train_type t) {
  uint32_t h = train_pool_out_h(l), w = train_pool_out_w(l);
  size_t plane = (size_t)l->in_h * l->in_w;
  struct rt_range mine = rt_share(l->c);
  for (size_t c = mine.begin; c < mine.end; c++) {
    for (size_t i = 0; (pass == MAX_IG || pass == AVG_IG) && i < plane; i++)
      train_put(l->in_grad, c * plane + i, 0, t);
    for (size_t y = 0; y < h; y++) {
      for (size_t x = 0; x < w; x++)
        pixel(l, c * plane + y * l->stride_h * l->in_w + x * l->stride_w, (c * h + y) * w + x, pass,
              t);
    }
  }
}

enum kernel_status train_pool_max_fw(const struct train_pool *l) {
  enum kernel_status status = refuse(l, l->in, l->out);
  if (status == KERNEL_OK)
    TRAIN_BY_TYPE(l->type, channels, l, MAX_FW);
  return status;
}

enum kernel_status train_pool_max_ig(const struct train_pool *l) {
  enum kernel_status status = refuse(l, l->out_grad, l->in_grad);
  if (status == KERNEL_OK && !l->in)
    status = KERNEL_BAD_POINTER;
  if (status == KERNEL_OK)
    TRAIN_BY_TYPE(l->type, channels, l, MAX_IG);
  return status;
}

enum kernel_status train_pool_avg_fw(const struct train_pool *l) {
  enum kernel_status status = refuse(l, l->in, l->out);
  if (status == KERNEL_OK)
    TRAIN_BY_TYPE(l->type, channels, l, AVG_FW);
  return status;
}

enum kernel_status train_pool_avg_ig(const struct train_pool *l) {
  enum kernel_status status = refuse(l, l->out_grad, l->in_grad);
  if (status == KERNEL_OK)
    TRAIN_BY_TYPE(l->type, channels, l, AVG_IG);
  return status;
}
