// kernels/train/train_depthwise_plane.c
#include "train_depthwise_plane.h"

#include "train_typed.h"

// Elements at a time: loads first, so that none is waited for.
enum { TOGETHER = 4 };

TRAIN_TYPED const char *get(float *dst, const char *from, size_t step, uint32_t count,
                            enum train_type t) {
  for (; count >= TOGETHER; count -= TOGETHER, dst += TOGETHER) {
    float value[TOGETHER];
    for (uint32_t i = 0; i < TOGETHER; i++, from += step)
      value[i] = train_get(from, 0, t);
    for (uint32_t i = 0; i < TOGETHER; i++)
      dst[i] = value[i];
  }
  for (; count > 0; count--, from += step)
    *dst++ = train_get(from, 0, t);
  return from;
}

TRAIN_TYPED void put(char *to, size_t step, const float *src, uint32_t count, enum train_type t) {
  for (; count >= TOGETHER; count -= TOGETHER, src += TOGETHER) {
    float value[TOGETHER];
    for (uint32_t i = 0; i < TOGETHER; i++)
      value[i] = src[i];
    for (uint32_t i = 0; i < TOGETHER; i++, to += step)
      train_put(to, 0, value[i], t);
  }
  for (; count > 0; count--, to += step)
    train_put(to, 0, *src++, t);
}

TRAIN_TYPED void get_rows(float *dst, uint32_t pitch, const void *tensor, struct train_line line,
                          uint32_t h, uint32_t w, enum train_type t) {
  const char *from = train_at(tensor, line.first, t);
  for (uint32_t y = 0; y < h; y++, dst += pitch)
    from = get(dst, from, line.step * train_bytes(t), w, t);
}

void train_depthwise_get_plane(float *dst, const struct train_depthwise *l, const void *tensor,
                               uint32_t channel, uint32_t h, uint32_t w,
                               struct train_border border) {
  float *inside = train_zero_border(dst, h, w, border);
  const struct train_line line = train_line_of(l, channel, h * w);
  TRAIN_BY_TYPE(l->type, get_rows, inside, border.left + w + border.right, tensor, line, h, w);
}

TRAIN_TYPED void put_line(void *tensor, struct train_line line, const float *src, uint32_t count,
                          enum train_type t) {
  put(train_at(tensor, line.first, t), line.step * train_bytes(t), src, count, t);
}

void train_depthwise_put_plane(const struct train_depthwise *l, void *tensor, uint32_t channel,
                               const float *src, uint32_t count) {
  const struct train_line line = train_line_of(l, channel, count);
  TRAIN_BY_TYPE(l->type, put_line, tensor, line, src, count);
}

TRAIN_TYPED void bias_gradient(const struct train_depthwise *l, uint32_t c, enum train_type t) {
  uint32_t pixels = train_depthwise_out_h(l) * train_depthwise_out_w(l);
  const struct train_line line = train_line_of(l, c, pixels);
  float sum = l->add ? train_get(l->bias_grad, c, t) : 0;
  size_t at = line.first;
  for (uint32_t p = 0; p < pixels; p++, at += line.step)
    sum += train_get(l->out_grad, at, t);
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
