// kernels/train/train_depthwise.c
#include "train_depthwise.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "train_dw.h"
#include "train_extent.h"
#include "train_planes.h"

uint32_t train_depthwise_out_h(const struct train_depthwise *l) {
  return train_positions((uint32_t)l->in_h + l->pad_top + l->pad_bottom, l->kernel_h, l->stride_h);
}

uint32_t train_depthwise_out_w(const struct train_depthwise *l) {
  return train_positions((uint32_t)l->in_w + l->pad_left + l->pad_right, l->kernel_w, l->stride_w);
}

static uint32_t out_plane(const struct train_depthwise *l) {
  return train_depthwise_out_h(l) * train_depthwise_out_w(l);
}

uint64_t train_depthwise_macs(const struct train_depthwise *l) {
  return (uint64_t)out_plane(l) * l->c * l->kernel_h * l->kernel_w;
}

static bool fast(const struct train_depthwise *l) {
  return l->kernel_h == 3 && l->kernel_w == 3 && l->stride_h == 1 && l->stride_w == 1;
}

static enum kernel_status refuse(const struct train_depthwise *l, const void *one, const void *two,
                                 const void *three,
                                 uint32_t (*size)(const struct train_depthwise *)) {
  if (!l->c || l->c > 4095 ||
      train_bad_extent(l->in_h, l->kernel_h, l->stride_h, l->pad_top, l->pad_bottom) ||
      train_bad_extent(l->in_w, l->kernel_w, l->stride_w, l->pad_left, l->pad_right))
    return KERNEL_BAD_SHAPE;
  if (!train_aligned(one) || !train_aligned(two) || !train_aligned(three) ||
      (size(l) > 0 && !train_aligned(l->scratch)))
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

// ---- planes with their borders, one per core at a time

static struct train_border in_border(const struct train_depthwise *l) {
  return (struct train_border){l->pad_top, l->pad_bottom, l->pad_left, l->pad_right};
}

static struct train_border out_border(const struct train_depthwise *l) {
  return (struct train_border){l->kernel_h - 1u - l->pad_top, l->kernel_h - 1u - l->pad_bottom,
                               l->kernel_w - 1u - l->pad_left, l->kernel_w - 1u - l->pad_right};
}

static bool any(struct train_border b) {
  return b.top || b.bottom || b.left || b.right;
}

// Floats per core: four more than a multiple of the banks, so that cores do not meet at one.
static uint32_t padded_size(uint32_t h, uint32_t w, struct train_border b) {
  return ((h + b.top + b.bottom) * (w + b.left + b.right) + 15) / 16 * 16 + 4;
}

// The plane as train_dw.S reads it.
static const float *bordered(const struct train_depthwise *l, const float *plane, uint32_t h,
                             uint32_t w, struct train_border b) {
  if (!any(b))
    return plane;
  float *own = l->scratch + rt_core_id() * padded_size(h, w, b);
  train_pad_plane(own, plane, h, w, b);
  return own;
}

static uint32_t buffer_size(const struct train_depthwise *l, uint32_t h, uint32_t w,
                            struct train_border b) {
  return fast(l) && any(b) ? padded_size(h, w, b) * rt_core_count() * 4 : 0;
}

// ---- forward

uint32_t train_depthwise_fw_buffer_size(const struct train_depthwise *l) {
  return buffer_size(l, l->in_h, l->in_w, in_border(l));
}

// Input pixel at tap (i, j) of output pixel (y, x); NULL outside.
static const float *tap(const struct train_depthwise *l, const float *in, uint32_t y, uint32_t x,
                        uint32_t i, uint32_t j) {
  uint32_t row = y * l->stride_h + i - l->pad_top, column = x * l->stride_w + j - l->pad_left;
  return row < l->in_h && column < l->in_w ? in + row * l->in_w + column : NULL;
}

static float output(const struct train_depthwise *l, const float *in, const float *w, uint32_t y,
                    uint32_t x) {
  float sum = 0;
  for (uint32_t i = 0; i < l->kernel_h; i++) {
    for (uint32_t j = 0; j < l->kernel_w; j++, w++) {
      const float *pixel = tap(l, in, y, x, i, j);
      if (pixel)
        sum = __builtin_fmaf(*w, *pixel, sum);
    }
  }
  return sum;
}

static void plain_fw(const struct train_depthwise *l, uint32_t c) {
  const float *in = l->in + (size_t)c * l->in_h * l->in_w;
  const float *w = l->weights + (size_t)c * l->kernel_h * l->kernel_w;
  float *out = l->out + (size_t)c * out_plane(l);
  for (uint32_t y = 0; y < train_depthwise_out_h(l); y++) {
    for (uint32_t x = 0; x < train_depthwise_out_w(l); x++)
      *out++ = output(l, in, w, y, x);
  }
}

enum kernel_status train_depthwise_fw(const struct train_depthwise *l) {
  enum kernel_status status = refuse(l, l->in, l->weights, l->out, train_depthwise_fw_buffer_size);
  if (status != KERNEL_OK)
    return status;
  struct train_dw p = {.pitch = ((uint32_t)l->in_w + l->pad_left + l->pad_right) * 4,
                       .w_out = train_depthwise_out_w(l),
                       .h_out = train_depthwise_out_h(l)};
  struct rt_range mine = rt_split(l->c, 1);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    p.y = l->out + c * p.w_out * p.h_out;
    if (fast(l)) {
      p.x = bordered(l, l->in + (size_t)c * l->in_h * l->in_w, l->in_h, l->in_w, in_border(l));
      p.w = (float *)l->weights + c * 9;
      train_dw_fw(&p);
    } else {
      plain_fw(l, c);
    }
    for (uint32_t i = 0; l->bias && i < p.w_out * p.h_out; i++)
      p.y[i] += l->bias[c];
  }
  return KERNEL_OK;
}

// ---- weight gradient

uint32_t train_depthwise_wg_buffer_size(const struct train_depthwise *l) {
  return buffer_size(l, l->in_h, l->in_w, in_border(l));
}

static void plain_wg(const struct train_depthwise *l, uint32_t c) {
  const float *in = l->in + (size_t)c * l->in_h * l->in_w;
  const float *dy = l->out_grad + (size_t)c * out_plane(l);
  float *dw = l->weights_grad + (size_t)c * l->kernel_h * l->kernel_w;
  uint32_t w = train_depthwise_out_w(l);
  for (uint32_t n = 0; n < (uint32_t)l->kernel_h * l->kernel_w; n++) {
    float sum = dw[n];
    uint32_t i = n / l->kernel_w, j = n - i * l->kernel_w;
    for (uint32_t y = 0; y < train_depthwise_out_h(l); y++) {
      for (uint32_t x = 0; x < w; x++) {
        const float *pixel = tap(l, in, y, x, i, j);
        if (pixel)
          sum = __builtin_fmaf(*pixel, dy[y * w + x], sum);
      }
    }
    dw[n] = sum;
  }
}

static void bias_gradient(const struct train_depthwise *l, uint32_t c) {
  const float *dy = l->out_grad + (size_t)c * out_plane(l);
  float sum = l->add ? l->bias_grad[c] : 0;
  for (uint32_t i = 0; i < out_plane(l); i++)
    sum += dy[i];
  l->bias_grad[c] = sum;
}

enum kernel_status train_depthwise_wg(const struct train_depthwise *l) {
  enum kernel_status status =
      refuse(l, l->in, l->out_grad, l->weights_grad, train_depthwise_wg_buffer_size);
  if (status != KERNEL_OK)
    return status;
  uint32_t taps = (uint32_t)l->kernel_h * l->kernel_w;
  struct train_dw p = {.pitch = ((uint32_t)l->in_w + l->pad_left + l->pad_right) * 4,
                       .w_out = train_depthwise_out_w(l),
                       .h_out = train_depthwise_out_h(l)};
  struct rt_range mine = rt_split(l->c, 1);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    p.w = l->weights_grad + c * taps;
    for (uint32_t i = 0; !l->add && i < taps; i++)
      p.w[i] = 0;
    if (fast(l)) {
      p.x = bordered(l, l->in + (size_t)c * l->in_h * l->in_w, l->in_h, l->in_w, in_border(l));
      p.y = (float *)l->out_grad + c * p.w_out * p.h_out;
      train_dw_wg(&p);
    } else {
      plain_wg(l, c);
    }
    if (l->bias_grad)
      bias_gradient(l, c);
  }
  return KERNEL_OK;
}

// ---- input gradient

uint32_t train_depthwise_ig_buffer_size(const struct train_depthwise *l) {
  return buffer_size(l, train_depthwise_out_h(l), train_depthwise_out_w(l), out_border(l));
}

// What every output pixel sends back.
static void plain_ig(const struct train_depthwise *l, uint32_t c) {
  float *dx = l->in_grad + (size_t)c * l->in_h * l->in_w;
  const float *dy = l->out_grad + (size_t)c * out_plane(l);
  for (uint32_t i = 0; i < (uint32_t)l->in_h * l->in_w; i++)
    dx[i] = 0;
  for (uint32_t y = 0; y < train_depthwise_out_h(l); y++) {
    for (uint32_t x = 0; x < train_depthwise_out_w(l); x++, dy++) {
      const float *w = l->weights + (size_t)c * l->kernel_h * l->kernel_w;
      for (uint32_t i = 0; i < l->kernel_h; i++) {
        for (uint32_t j = 0; j < l->kernel_w; j++, w++) {
          float *pixel = (float *)tap(l, dx, y, x, i, j);
          if (pixel)
            *pixel = __builtin_fmaf(*w, *dy, *pixel);
        }
      }
    }
  }
}

enum kernel_status train_depthwise_ig(const struct train_depthwise *l) {
  enum kernel_status status =
      refuse(l, l->out_grad, l->weights, l->in_grad, train_depthwise_ig_buffer_size);
  if (status != KERNEL_OK)
    return status;
  const struct train_border b = out_border(l);
  uint32_t h = train_depthwise_out_h(l), w = train_depthwise_out_w(l);
  struct train_dw p = {.pitch = (w + b.left + b.right) * 4, .w_out = l->in_w, .h_out = l->in_h};
  struct rt_range mine = rt_split(l->c, 1);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    if (!fast(l)) {
      plain_ig(l, c);
      continue;
    }
    p.x = bordered(l, l->out_grad + c * h * w, h, w, b);
    p.y = l->in_grad + (size_t)c * l->in_h * l->in_w;
    p.w = (float *)l->weights + c * 9;
    train_dw_back(&p);
  }
  return KERNEL_OK;
}
