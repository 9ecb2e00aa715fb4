// kernels/train/train_pool.c
#include "train_pool.h"

#include <stdbool.h>
#include <stddef.h>

#include "kernels/rt/rt.h"

uint32_t train_pool_out_h(const struct train_pool *l) {
  return (uint32_t)(l->in_h - l->window_h) / l->stride_h + 1;
}

uint32_t train_pool_out_w(const struct train_pool *l) {
  return (uint32_t)(l->in_w - l->window_w) / l->stride_w + 1;
}

static enum kernel_status refuse(const struct train_pool *l, const void *one, const void *two) {
  if (!l->c || !l->window_h || !l->window_w || !l->stride_h || !l->stride_w || l->window_h > 15 ||
      l->window_w > 15 || l->stride_h > 15 || l->stride_w > 15 || l->window_h > l->in_h ||
      l->window_w > l->in_w)
    return KERNEL_BAD_SHAPE;
  return one && two ? KERNEL_OK : KERNEL_BAD_POINTER;
}

// Offset of a window's largest element.
static uint32_t largest(const struct train_pool *l, const float *window) {
  uint32_t best = 0;
  for (uint32_t i = 0; i < l->window_h; i++) {
    for (uint32_t j = 0; j < l->window_w; j++) {
      if (window[i * l->in_w + j] > window[best])
        best = i * l->in_w + j;
    }
  }
  return best;
}

static float sum(const struct train_pool *l, const float *window) {
  float s = 0;
  for (uint32_t i = 0; i < l->window_h; i++) {
    for (uint32_t j = 0; j < l->window_w; j++)
      s += window[i * l->in_w + j];
  }
  return s;
}

static void spread(const struct train_pool *l, float *window, float value) {
  for (uint32_t i = 0; i < l->window_h; i++) {
    for (uint32_t j = 0; j < l->window_w; j++)
      window[i * l->in_w + j] += value;
  }
}

// Output pixel `out` of a channel over the window at `in` (offsets into both).
typedef void pixel_fn(const struct train_pool *l, size_t in, size_t out);

static void max_fw(const struct train_pool *l, size_t in, size_t out) {
  l->out[out] = l->in[in + largest(l, l->in + in)];
}
static void max_ig(const struct train_pool *l, size_t in, size_t out) {
  l->in_grad[in + largest(l, l->in + in)] += l->out_grad[out];
}
static void avg_fw(const struct train_pool *l, size_t in, size_t out) {
  l->out[out] = sum(l, l->in + in) / (float)(l->window_h * l->window_w);
}
static void avg_ig(const struct train_pool *l, size_t in, size_t out) {
  spread(l, l->in_grad + in, l->out_grad[out] / (float)(l->window_h * l->window_w));
}

static void channels(const struct train_pool *l, pixel_fn *pixel, bool clear) {
  uint32_t h = train_pool_out_h(l), w = train_pool_out_w(l);
  size_t plane = (size_t)l->in_h * l->in_w;
  struct rt_range mine = rt_split(l->c, 1);
  for (size_t c = mine.begin; c < mine.end; c++) {
    for (size_t i = 0; clear && i < plane; i++)
      l->in_grad[c * plane + i] = 0;
    for (size_t y = 0; y < h; y++) {
      for (size_t x = 0; x < w; x++)
        pixel(l, c * plane + y * l->stride_h * l->in_w + x * l->stride_w, (c * h + y) * w + x);
    }
  }
}

enum kernel_status train_pool_max_fw(const struct train_pool *l) {
  enum kernel_status status = refuse(l, l->in, l->out);
  if (status == KERNEL_OK)
    channels(l, max_fw, false);
  return status;
}

enum kernel_status train_pool_max_ig(const struct train_pool *l) {
  enum kernel_status status = refuse(l, l->out_grad, l->in_grad);
  if (status == KERNEL_OK && !l->in)
    status = KERNEL_BAD_POINTER;
  if (status == KERNEL_OK)
    channels(l, max_ig, true);
  return status;
}

enum kernel_status train_pool_avg_fw(const struct train_pool *l) {
  enum kernel_status status = refuse(l, l->in, l->out);
  if (status == KERNEL_OK)
    channels(l, avg_fw, false);
  return status;
}

enum kernel_status train_pool_avg_ig(const struct train_pool *l) {
  enum kernel_status status = refuse(l, l->out_grad, l->in_grad);
  if (status == KERNEL_OK)
    channels(l, avg_ig, true);
  return status;
}
