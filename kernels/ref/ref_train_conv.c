// kernels/ref/ref_train_conv.c
#include "ref_train_conv.h"

#include <stddef.h>

static size_t in_index(const struct train_conv2d *l, int32_t c, int32_t y, int32_t x) {
  return ((size_t)c * l->in_h + (size_t)y) * l->in_w + (size_t)x;
}

// Input row or column that output pixel `o` sees at tap `tap`; -1 outside.
static int32_t seen(uint32_t o, uint32_t tap, uint32_t stride, uint32_t pad, uint32_t size) {
  int32_t at = (int32_t)(o * stride + tap) - (int32_t)pad;
  return at >= 0 && at < (int32_t)size ? at : -1;
}

struct ref_sum ref_train_conv2d_fw(const struct train_conv2d *l, uint32_t index) {
  uint32_t out_w = train_conv2d_out_w(l), out_h = train_conv2d_out_h(l);
  uint32_t f = index / (out_w * out_h), y = index / out_w % out_h, x = index % out_w;
  struct ref_sum sum = {0, 0, 0};
  const float *w = l->weights + (size_t)f * l->in_c * l->kernel_h * l->kernel_w;
  if (l->bias)
    ref_add(&sum, l->bias[f]);
  for (int32_t c = 0; c < l->in_c; c++) {
    for (uint32_t i = 0; i < l->kernel_h; i++) {
      for (uint32_t j = 0; j < l->kernel_w; j++, w++) {
        int32_t row = seen(y, i, l->stride_h, l->pad_top, l->in_h);
        int32_t column = seen(x, j, l->stride_w, l->pad_left, l->in_w);
        if (row >= 0 && column >= 0)
          ref_add(&sum, (double)*w * (double)l->in[in_index(l, c, row, column)]);
      }
    }
  }
  return sum;
}

struct ref_sum ref_train_conv2d_wg(const struct train_conv2d *l, uint32_t index) {
  uint32_t out_w = train_conv2d_out_w(l), out_h = train_conv2d_out_h(l);
  uint32_t j = index % l->kernel_w, i = index / l->kernel_w % l->kernel_h;
  uint32_t line = index / l->kernel_w / l->kernel_h, c = line % l->in_c, f = line / l->in_c;
  const float *dy = l->out_grad + (size_t)f * out_w * out_h;
  struct ref_sum sum = {0, 0, 0};
  for (uint32_t y = 0; y < out_h; y++) {
    for (uint32_t x = 0; x < out_w; x++, dy++) {
      int32_t row = seen(y, i, l->stride_h, l->pad_top, l->in_h);
      int32_t column = seen(x, j, l->stride_w, l->pad_left, l->in_w);
      if (row >= 0 && column >= 0)
        ref_add(&sum, (double)*dy * (double)l->in[in_index(l, (int32_t)c, row, column)]);
    }
  }
  return sum;
}

// All outputs that see the input pixel.
struct ref_sum ref_train_conv2d_ig(const struct train_conv2d *l, uint32_t index) {
  uint32_t out_w = train_conv2d_out_w(l), out_h = train_conv2d_out_h(l);
  int32_t x = (int32_t)(index % l->in_w), y = (int32_t)(index / l->in_w % l->in_h);
  uint32_t c = index / l->in_w / l->in_h;
  struct ref_sum sum = {0, 0, 0};
  for (uint32_t f = 0; f < l->out_c; f++) {
    const float *dy = l->out_grad + (size_t)f * out_w * out_h;
    for (uint32_t oy = 0; oy < out_h; oy++) {
      for (uint32_t ox = 0; ox < out_w; ox++, dy++) {
        int32_t i = y + l->pad_top - (int32_t)oy * l->stride_h;
        int32_t j = x + l->pad_left - (int32_t)ox * l->stride_w;
        if (i < 0 || i >= l->kernel_h || j < 0 || j >= l->kernel_w)
          continue;
        size_t at = (((size_t)f * l->in_c + c) * l->kernel_h + (size_t)i) * l->kernel_w + (size_t)j;
        ref_add(&sum, (double)*dy * (double)l->weights[at]);
      }
    }
  }
  return sum;
}
