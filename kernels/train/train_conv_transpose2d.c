// kernels/train/train_conv_transpose2d.c
#include "train_conv_transpose2d.h"

#include "kernels/rt/rt.h"
#include "train_typed.h"

// Where the elements of channel c are, as many as pixels: from `first` on, `step` apart.
struct line {
  size_t first, step;
};

static struct line line_of(const struct train_conv2d *l, uint32_t c, uint32_t pixels) {
  return l->hwc ? (struct line){c, l->in_c} : (struct line){(size_t)c * pixels, 1};
}

TRAIN_TYPED void add_bias(const struct train_conv2d *l, uint32_t pixels, enum train_type t) {
  struct rt_range mine = rt_split(pixels, 2);
  for (uint32_t c = 0; c < l->in_c; c++) {
    const struct line line = line_of(l, c, pixels);
    float bias = train_get(l->bias, c, t);
    for (uint32_t p = mine.begin; p < mine.end; p++) {
      size_t at = line.first + p * line.step;
      train_put(l->in_grad, at, train_get(l->in_grad, at, t) + bias, t);
    }
  }
}

TRAIN_TYPED void bias_gradient(const struct train_conv2d *l, uint32_t pixels, enum train_type t) {
  struct rt_range mine = rt_split(l->in_c, 2);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    const struct line line = line_of(l, c, pixels);
    float sum = l->add ? train_get(l->bias_grad, c, t) : 0;
    for (uint32_t p = 0; p < pixels; p++)
      sum += train_get(l->in, line.first + p * line.step, t);
    train_put(l->bias_grad, c, sum, t);
  }
}

// The convolution knows no bias: there it would be one per filter.
static struct train_conv2d without_bias(const struct train_conv2d *l) {
  struct train_conv2d plain = *l;
  plain.bias = NULL;
  plain.bias_grad = NULL;
  return plain;
}

enum kernel_status train_conv_transpose2d_fw(const struct train_conv2d *l) {
  const struct train_conv2d plain = without_bias(l);
  enum kernel_status status = train_conv2d_ig(&plain);
  if (status != KERNEL_OK || !l->bias)
    return status;
  rt_barrier();
  TRAIN_BY_TYPE(l->type, add_bias, l, (uint32_t)l->in_h * l->in_w);
  return KERNEL_OK;
}

enum kernel_status train_conv_transpose2d_wg(const struct train_conv2d *l) {
  const struct train_conv2d plain = without_bias(l);
  enum kernel_status status = train_conv2d_wg(&plain);
  if (status == KERNEL_OK && l->bias_grad)
    TRAIN_BY_TYPE(l->type, bias_gradient, l, (uint32_t)l->in_h * l->in_w);
  return status;
}

enum kernel_status train_conv_transpose2d_ig(const struct train_conv2d *l) {
  const struct train_conv2d plain = without_bias(l);
  return train_conv2d_fw(&plain);
}
