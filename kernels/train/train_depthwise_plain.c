// kernels/train/train_depthwise_plain.c
#include "train_depthwise_plain.h"

#include "kernels/rt/rt.h"
#include "train_depthwise_plane.h"
#include "train_extent.h"
#include "train_typed.h"

static struct train_line in_line(const struct train_depthwise *l, uint32_t c) {
  return train_line_of(l, c, (uint32_t)l->in_h * l->in_w);
}

static struct train_line out_line(const struct train_depthwise *l, uint32_t c) {
  return train_line_of(l, c, train_depthwise_out_h(l) * train_depthwise_out_w(l));
}

static struct train_line tap_line(const struct train_depthwise *l, uint32_t c) {
  return train_line_of(l, c, (uint32_t)l->kernel_h * l->kernel_w);
}

static size_t at(struct train_line line, size_t i) {
  return line.first + i * line.step;
}

// Input pixel at tap (i, j) of output pixel (y, x); TRAIN_NOWHERE outside.
static uint32_t seen(const struct train_depthwise *l, uint32_t y, uint32_t x, uint32_t i,
                     uint32_t j) {
  uint32_t row = y * l->stride_h + i - l->pad_top, column = x * l->stride_w + j - l->pad_left;
  return row < l->in_h && column < l->in_w ? row * l->in_w + column : TRAIN_NOWHERE;
}

TRAIN_TYPED float output(const struct train_depthwise *l, uint32_t c, uint32_t y, uint32_t x,
                         enum train_type t) {
  const struct train_line in = in_line(l, c), taps = tap_line(l, c);
  float sum = 0;
  for (uint32_t i = 0, tap = 0; i < l->kernel_h; i++) {
    for (uint32_t j = 0; j < l->kernel_w; j++, tap++) {
      uint32_t pixel = seen(l, y, x, i, j);
      if (pixel != TRAIN_NOWHERE)
        sum = train_mac(sum, l->weights, at(taps, tap), l->in, at(in, pixel), t);
    }
  }
  return l->bias ? sum + train_get(l->bias, c, t) : sum;
}

TRAIN_TYPED void channel_fw(const struct train_depthwise *l, uint32_t c, enum train_type t) {
  const struct train_line out = out_line(l, c);
  uint32_t h = train_depthwise_out_h(l), w = train_depthwise_out_w(l), pixel = 0;
  for (uint32_t y = 0; y < h; y++) {
    for (uint32_t x = 0; x < w; x++, pixel++)
      train_put(l->out, at(out, pixel), output(l, c, y, x, t), t);
  }
}

void train_depthwise_plain_fw(const struct train_depthwise *l) {
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++)
    TRAIN_BY_TYPE(l->type, channel_fw, l, c);
}

TRAIN_TYPED float weight_gradient(const struct train_depthwise *l, uint32_t c, uint32_t i,
                                  uint32_t j, float sum, enum train_type t) {
  const struct train_line in = in_line(l, c), out = out_line(l, c);
  uint32_t h = train_depthwise_out_h(l), w = train_depthwise_out_w(l), place = 0;
  for (uint32_t y = 0; y < h; y++) {
    for (uint32_t x = 0; x < w; x++, place++) {
      uint32_t pixel = seen(l, y, x, i, j);
      if (pixel != TRAIN_NOWHERE)
        sum = train_mac(sum, l->in, at(in, pixel), l->out_grad, at(out, place), t);
    }
  }
  return sum;
}

TRAIN_TYPED void channel_wg(const struct train_depthwise *l, uint32_t c, enum train_type t) {
  const struct train_line taps = tap_line(l, c);
  for (uint32_t i = 0, tap = 0; i < l->kernel_h; i++) {
    for (uint32_t j = 0; j < l->kernel_w; j++, tap++) {
      float before = l->add ? train_get(l->weights_grad, at(taps, tap), t) : 0;
      train_put(l->weights_grad, at(taps, tap), weight_gradient(l, c, i, j, before, t), t);
    }
  }
}

TRAIN_TYPED void bias_gradient(const struct train_depthwise *l, uint32_t c, enum train_type t) {
  const struct train_line out = out_line(l, c);
  float sum = l->add ? train_get(l->bias_grad, c, t) : 0;
  for (uint32_t p = 0; p < train_depthwise_out_h(l) * train_depthwise_out_w(l); p++)
    sum += train_get(l->out_grad, at(out, p), t);
  train_put(l->bias_grad, c, sum, t);
}

void train_depthwise_bias_gradient(const struct train_depthwise *l, uint32_t c) {
  TRAIN_BY_TYPE(l->type, bias_gradient, l, c);
}

TRAIN_TYPED void get_bias(float *to, const struct train_depthwise *l, uint32_t c,
                          enum train_type t) {
  *to = train_get(l->bias, c, t);
}

float train_depthwise_bias(const struct train_depthwise *l, uint32_t c) {
  float bias;
  TRAIN_BY_TYPE(l->type, get_bias, &bias, l, c);
  return bias;
}

void train_depthwise_plain_wg(const struct train_depthwise *l) {
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    TRAIN_BY_TYPE(l->type, channel_wg, l, c);
    if (l->bias_grad)
      train_depthwise_bias_gradient(l, c);
  }
}

// All outputs that see input pixel (y, x).
TRAIN_TYPED float input_gradient(const struct train_depthwise *l, uint32_t c, uint32_t y,
                                 uint32_t x, enum train_type t) {
  const struct train_line taps = tap_line(l, c), out = out_line(l, c);
  uint32_t h = train_depthwise_out_h(l), w = train_depthwise_out_w(l);
  float sum = 0;
  for (uint32_t i = 0, tap = 0; i < l->kernel_h; i++) {
    uint32_t row = train_position(y, l->pad_top, i, l->stride_h, h);
    for (uint32_t j = 0; j < l->kernel_w; j++, tap++) {
      uint32_t column = train_position(x, l->pad_left, j, l->stride_w, w);
      if (row != TRAIN_NOWHERE && column != TRAIN_NOWHERE)
        sum = train_mac(sum, l->weights, at(taps, tap), l->out_grad, at(out, row * w + column), t);
    }
  }
  return sum;
}

TRAIN_TYPED void channel_ig(const struct train_depthwise *l, uint32_t c, enum train_type t) {
  const struct train_line in = in_line(l, c);
  for (uint32_t y = 0, pixel = 0; y < l->in_h; y++) {
    for (uint32_t x = 0; x < l->in_w; x++, pixel++)
      train_put(l->in_grad, at(in, pixel), input_gradient(l, c, y, x, t), t);
  }
}

void train_depthwise_plain_ig(const struct train_depthwise *l) {
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++)
    TRAIN_BY_TYPE(l->type, channel_ig, l, c);
}
