// kernels/train/train_dw_half.c: what the planes compute, in C.
#include "train_dw_half.h"

#ifndef __riscv

#include "train_typed.h"

static const uint16_t *element(const struct train_dw_half *p, uint32_t y, uint32_t x) {
  return (const uint16_t *)(const void *)((const char *)p->x + y * p->pitch) + x;
}

static float pair(uint16_t low, uint16_t high) {
  const uint16_t both[2] = {low, high};
  return train_get2_any(both);
}

// sum + in[one] * w[one], and the other two, one behind the other.
static float add_row(float sum, const uint16_t *in, const uint16_t *w, uint32_t one,
                     enum train_type t) {
  uint32_t two = one ? 0 : 1;
  sum = train_mac_of(sum, flh(in + one, 0), flh(w + one, 0), t);
  return train_mac2(sum, train_get2_any(in + two), train_get2_any(w + two), t);
}

// The single product is the one with weight `even` of even outputs, `odd` of others.
static float output(const struct train_dw_half *p, const uint16_t *w, uint32_t y, uint32_t x,
                    uint32_t even, enum train_type t) {
  uint32_t one = x % 2 ? 2 - even : even;
  float sum = -0.0f; // so that the first product stays what it is
  for (uint32_t i = 0; i < 3; i++)
    sum = add_row(sum, element(p, y + i, x), w + 3 * i, one, t);
  return sum;
}

static uint16_t at_least(uint16_t value, uint16_t least) {
  return (int16_t)value > (int16_t)least ? value : least;
}

static void forward(const struct train_dw_half *p, enum train_type t) {
  uint16_t *out = p->y;
  for (uint32_t y = 0; y < p->h; y++) {
    for (uint32_t x = 0; x < p->width; x++, out++) {
      train_put(out, 0, output(p, p->w, y, x, 0, t), t);
      *out = at_least(*out, (uint16_t)p->floor);
    }
  }
}

static float weight_sum(const struct train_dw_half *p, uint32_t tap, enum train_type t) {
  float sum = 0;
  for (uint32_t x = (p->width - 1) / 2 * 2 + 2; x > 0; x -= 2) {
    for (uint32_t y = 0; y < p->h; y++) {
      const uint16_t *in = (const uint16_t *)p->in + y * p->width + x - 2;
      sum = train_mac2(sum, pair(in[0], x - 1 < p->width ? in[1] : 0),
                       train_get2_any(element(p, y + tap / 3, x - 2 + tap % 3)), t);
    }
  }
  return sum;
}

static void both(const struct train_dw_half *p, enum train_type t) {
  const uint16_t *in = p->in;
  uint16_t *out = p->y, back[9];
  for (uint32_t i = 0; i < 9; i++)
    back[i] = ((const uint16_t *)p->w)[8 - i];
  for (uint32_t i = 0; i < 9; i++)
    train_put(p->w_grad, 8 - i, weight_sum(p, i, t), t);
  for (uint32_t y = 0; y < p->h; y++) {
    for (uint32_t x = 0; x < p->width; x++, out++) {
      train_put(out, 0, output(p, back, y, x, 2, t), t);
      *out = (int16_t)*in++ > 0 ? *out : 0;
    }
  }
}

void train_dw_half_fw_h(const struct train_dw_half *p) {
  forward(p, TRAIN_FP16);
}
void train_dw_half_fw_ah(const struct train_dw_half *p) {
  forward(p, TRAIN_BF16);
}
void train_dw_half_both_h(const struct train_dw_half *p) {
  both(p, TRAIN_FP16);
}
void train_dw_half_both_ah(const struct train_dw_half *p) {
  both(p, TRAIN_BF16);
}

static void pad(const struct train_dw_half_pad *p, const uint16_t *gate) {
  const uint16_t *from = p->from;
  for (uint32_t y = 0; y < p->h; y++) {
    uint16_t *to = (uint16_t *)(void *)((char *)p->to + y * p->pitch);
    for (uint32_t x = 0; x < p->width; x++, from++)
      to[x] = !gate || (int16_t)*gate++ > 0 ? *from : 0;
  }
}

void train_dw_half_pad(const struct train_dw_half_pad *p) {
  pad(p, NULL);
}

void train_dw_half_pad_gated(const struct train_dw_half_pad *p) {
  pad(p, p->gate);
}

#endif
