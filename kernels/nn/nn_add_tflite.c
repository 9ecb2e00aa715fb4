// kernels/nn/nn_add_tflite.c
#include "nn_add_tflite.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_bits.h"
#include "nn_rescale.h"

static int32_t rescaled(int32_t x, const struct nn_add_rescale *by) {
  return nn_rescale_twice(x, by->factor, by->shift);
}

static int32_t element(const uint8_t *data, uint32_t i, uint32_t bits, bool is_signed) {
  return is_signed ? nn_bits_signed(data, i, bits) : (int32_t)nn_bits_unsigned(data, i, bits);
}

static int32_t sum_of(const struct nn_add_tflite *t, int32_t a, int32_t b) {
  a = (int32_t)((uint32_t)(a - t->a.zero) << t->left);
  b = (int32_t)((uint32_t)(b - t->b.zero) << t->left);
  uint32_t sum = (uint32_t)rescaled(a, &t->a) + (uint32_t)rescaled(b, &t->b);
  int32_t y = rescaled((int32_t)sum, &t->out), zero = t->out.zero;
  int32_t low = t->low - zero, high = t->high - zero;
  return zero + (y < low ? low : y > high ? high : y);
}

// Elements begin..end - 1 of a pixel, `begin` a multiple of 8; what is left of the last byte
// becomes 0.
static void span(const struct nn_add *l, const struct nn_add_tflite *by, uint32_t pixel,
                 struct rt_range mine) {
  const uint8_t *a = l->a + (size_t)pixel * nn_bits_bytes(l->channels, l->a_bits);
  const uint8_t *b = l->b + (size_t)pixel * nn_bits_bytes(l->channels, l->b_bits);
  uint8_t *out = l->out + (size_t)pixel * nn_bits_bytes(l->channels, l->out_bits);
  uint32_t byte = 0, used = 0, mask = (1u << l->out_bits) - 1;
  out += mine.begin * l->out_bits / 8;
  for (uint32_t i = mine.begin; i < mine.end; i++) {
    int32_t y =
        sum_of(by, element(a, i, l->a_bits, l->in_signed), element(b, i, l->b_bits, l->in_signed));
    byte |= ((uint32_t)y & mask) << used;
    used += l->out_bits;
    if (used == 8 || i + 1 == mine.end) {
      *out++ = (uint8_t)byte;
      byte = used = 0;
    }
  }
}

static bool shift_exists(const struct nn_add_rescale *by) {
  return by->shift >= -31 && by->shift <= 30;
}

static enum kernel_status check(const struct nn_add *l, const struct nn_add_tflite *by) {
  if (!l->pixels || !l->channels || !nn_bits_valid(l->a_bits) || !nn_bits_valid(l->b_bits) ||
      !nn_bits_valid(l->out_bits) || by->left > 23 || !shift_exists(&by->a) ||
      !shift_exists(&by->b) || !shift_exists(&by->out) || by->low > by->high ||
      !nn_bits_holds(by->low, l->out_bits, l->out_signed) ||
      !nn_bits_holds(by->high, l->out_bits, l->out_signed))
    return KERNEL_BAD_SHAPE;
  return l->a && l->b && l->out ? KERNEL_OK : KERNEL_BAD_POINTER;
}

enum kernel_status nn_add_tflite(const struct nn_add *l, const struct nn_add_tflite *by) {
  KERNEL_CHECK(check(l, by));
  if (l->pixels == 1) {
    span(l, by, 0, rt_split(l->channels, 8));
    return KERNEL_OK;
  }
  struct rt_range mine = rt_split(l->pixels, 1);
  for (uint32_t p = mine.begin; p < mine.end; p++)
    span(l, by, p, (struct rt_range){0, l->channels});
  return KERNEL_OK;
}
