// kernels/nn/nn_conv2d_scalar.c
#include "nn_conv2d_scalar.h"

#include "kernels/rt/rt.h"
#include "nn_requant.h"

// The taps of a filter that fall on pixels of the input, along one axis.
static struct rt_range taps(int32_t first, uint32_t kernel, uint32_t size) {
  uint32_t begin = first < 0 ? (uint32_t)-first : 0;
  int32_t left = (int32_t)size - first;
  uint32_t end = left < 0 ? 0 : (uint32_t)left < kernel ? (uint32_t)left : kernel;
  return (struct rt_range){begin, end};
}

static int32_t sum_of(const struct nn_conv2d *l, const int8_t *filter, uint32_t y, uint32_t x) {
  int32_t row = (int32_t)(y * l->stride_h) - l->pad_top;
  int32_t column = (int32_t)(x * l->stride_w) - l->pad_left;
  struct rt_range i = taps(row, l->kernel_h, l->in_h), j = taps(column, l->kernel_w, l->in_w);
  uint32_t sum = 0;
  for (; i.begin < i.end; i.begin++) {
    for (uint32_t k = j.begin; k < j.end; k++) {
      uint32_t pixel =
          (uint32_t)(row + (int32_t)i.begin) * l->in_w + (uint32_t)(column + (int32_t)k);
      const uint8_t *in = l->in + pixel * l->in_c;
      const int8_t *w = filter + (i.begin * l->kernel_w + k) * l->in_c;
      for (uint32_t c = 0; c < l->in_c; c++)
        sum += (uint32_t)(in[c] * w[c]);
    }
  }
  return (int32_t)sum;
}

enum kernel_status nn_conv2d_scalar(const struct nn_conv2d *l, const int8_t *weights,
                                    const int32_t *kappa, const int32_t *lambda) {
  uint32_t out_h = nn_conv2d_out_h(l), out_w = nn_conv2d_out_w(l);
  uint32_t size = (uint32_t)l->kernel_h * l->kernel_w * l->in_c;
  if (out_h == 0 || out_w == 0 || size == 0 || l->out_c == 0 || l->shift > 31)
    return KERNEL_BAD_SHAPE;
  if (!l->in || !l->out || !weights || !kappa || !lambda)
    return KERNEL_BAD_POINTER;
  struct rt_range rows = rt_split(out_h, 1);
  for (uint32_t y = rows.begin; y < rows.end; y++) {
    for (uint32_t x = 0; x < out_w; x++) {
      uint8_t *out = l->out + (y * out_w + x) * l->out_c;
      for (uint32_t f = 0; f < l->out_c; f++)
        out[f] = nn_requant_u8(sum_of(l, weights + f * size, y, x), kappa[f], lambda[f], l->shift);
    }
  }
  return KERNEL_OK;
}
