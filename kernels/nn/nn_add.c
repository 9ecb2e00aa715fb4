// kernels/nn/nn_add.c: the split of an addition, and what is not whole groups of eight.
#include "nn_add.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_add_words.h"
#include "nn_bits.h"

static int32_t element(const uint8_t *data, uint32_t i, uint32_t bits, bool is_signed) {
  return is_signed ? nn_bits_signed(data, i, bits) : (int32_t)nn_bits_unsigned(data, i, bits);
}

// Elements by the definition. `begin` is a multiple of 8; what is left of the last byte becomes 0.
static __attribute__((noinline)) void one_by_one(const struct nn_add *l, const uint8_t *a,
                                                 const uint8_t *b, uint8_t *out, uint32_t begin,
                                                 uint32_t count) {
  int32_t least = l->out_signed ? -(1 << (l->out_bits - 1)) : 0;
  int32_t most = least + (1 << l->out_bits) - 1;
  uint32_t byte = 0, used = 0;
  out += begin * l->out_bits / 8;
  for (uint32_t i = begin; i < count; i++) {
    uint32_t sum = (uint32_t)element(a, i, l->a_bits, l->in_signed) * (uint32_t)l->scale_a +
                   (uint32_t)element(b, i, l->b_bits, l->in_signed) * (uint32_t)l->scale_b;
    int32_t y = (int32_t)(sum + (uint32_t)l->lambda) >> l->shift;
    y = y < least ? least : y > most ? most : y;
    byte |= ((uint32_t)y & ((1u << l->out_bits) - 1)) << used;
    used += l->out_bits;
    if (used == 8 || i + 1 == count) {
      *out++ = (uint8_t)byte;
      byte = used = 0;
    }
  }
}

static bool is_byte(int32_t scale) {
  return scale >= -128 && scale <= 127;
}

// Whether nn_add_halves() computes this layer.
static bool fits_halves(const struct nn_add *l) {
  return l->a_bits == 8 && l->b_bits == 8 && l->out_bits == 8 && !l->in_signed && !l->out_signed &&
         l->scale_a >= 0 && l->scale_b >= 0 && l->scale_a <= 257 && l->scale_b <= 257 &&
         l->scale_a + l->scale_b <= 257 && l->shift <= 8 && l->lambda >= 0 &&
         l->lambda < 256 << l->shift;
}

void nn_add_span(const struct nn_add *l, const uint8_t *a, const uint8_t *b, uint8_t *out,
                 uint32_t count) {
  struct nn_add_words words = {.a = a,
                               .b = b,
                               .out = out,
                               .eights = count / 8,
                               .lambda = (uint32_t)l->lambda,
                               .shift = l->shift};
  bool halves = fits_halves(l), done = halves || (is_byte(l->scale_a) && is_byte(l->scale_b));
  if (halves) {
    words.scale_a = (uint32_t)l->scale_a;
    words.scale_b = (uint32_t)l->scale_b;
    words.lambda *= 0x00010001;
    words.most = 0x00010001 * ((256u << l->shift) - 1) - words.lambda;
  } else {
    words.scale_a = ((uint32_t)l->scale_a & 0xff) | ((uint32_t)l->scale_b & 0xff) << 16;
  }
  if (done && words.eights > 0)
    (halves ? nn_add_halves
            : nn_add_words(l->a_bits, l->b_bits, l->out_bits, l->in_signed, l->out_signed))(&words);
  one_by_one(l, a, b, out, done ? words.eights * 8 : 0, count);
}

static enum kernel_status check(const struct nn_add *l) {
  if (!l->pixels || !l->channels || l->shift > 31 || !nn_bits_valid(l->a_bits) ||
      !nn_bits_valid(l->b_bits) || !nn_bits_valid(l->out_bits))
    return KERNEL_BAD_SHAPE;
  return l->a && l->b && l->out ? KERNEL_OK : KERNEL_BAD_POINTER;
}

static bool apart(const uint8_t *a, const uint8_t *b, uint32_t bytes) {
  return (uintptr_t)a + bytes <= (uintptr_t)b || (uintptr_t)b + bytes <= (uintptr_t)a;
}

// Whether odd_pixels() computes this layer: not in place, as it computes elements twice.
static bool fits_pixels(const struct nn_add *l) {
  uint32_t bytes = l->pixels * nn_bits_bytes(l->channels, l->out_bits);
  return l->channels >= 8 && l->a_bits == l->b_bits && l->a_bits == l->out_bits &&
         is_byte(l->scale_a) && is_byte(l->scale_b) && apart(l->out, l->a, bytes) &&
         apart(l->out, l->b, bytes);
}

// Pixels that end within a byte, all tensors of the same precision. The last eight elements, what
// is left of the last byte among them, are a group of their own, that shares some with the one
// before.
static __attribute__((noinline)) void odd_pixels(const struct nn_add *l, struct rt_range mine) {
  uint32_t bits = l->a_bits, bytes = nn_bits_bytes(l->channels, bits), back = bytes - bits;
  uint8_t mask = (uint8_t)((1u << l->channels * bits % 8) - 1);
  nn_add_words_fn *run = nn_add_words(bits, bits, bits, l->in_signed, l->out_signed);
  struct nn_add_words all = {.a = l->a + mine.begin * bytes,
                             .b = l->b + mine.begin * bytes,
                             .out = l->out + mine.begin * bytes,
                             .eights = l->channels / 8,
                             .lambda = (uint32_t)l->lambda,
                             .shift = l->shift};
  all.scale_a = ((uint32_t)l->scale_a & 0xff) | ((uint32_t)l->scale_b & 0xff) << 16;
  struct nn_add_words end = all;
  end.a += back;
  end.b += back;
  end.out += back;
  end.eights = 1;
  for (uint32_t p = mine.begin; p < mine.end; p++) {
    run(&all);
    run(&end);
    end.out[bits - 1] &= mask;
    all.a += bytes;
    all.b += bytes;
    all.out += bytes;
    end.a += bytes;
    end.b += bytes;
    end.out += bytes;
  }
}

enum kernel_status nn_add(const struct nn_add *l) {
  KERNEL_CHECK(check(l));
  uint32_t bits = l->a_bits < l->b_bits ? l->a_bits : l->b_bits;
  bits = l->out_bits < bits ? l->out_bits : bits;
  bool flat = l->channels * bits % 8 == 0 || l->pixels == 1;
  uint32_t step = flat ? 8 : l->channels; // elements from span to span
  uint32_t a = flat ? l->a_bits : nn_bits_bytes(step, l->a_bits);
  uint32_t b = flat ? l->b_bits : nn_bits_bytes(step, l->b_bits);
  uint32_t out = flat ? l->out_bits : nn_bits_bytes(step, l->out_bits); // bytes
  if (flat) {
    struct rt_range mine = rt_split(l->pixels * l->channels, 16);
    uint32_t at = mine.begin / 8;
    nn_add_span(l, l->a + at * a, l->b + at * b, l->out + at * out, mine.end - mine.begin);
    return KERNEL_OK;
  }
  struct rt_range mine = rt_split(l->pixels, 1);
  if (fits_pixels(l)) {
    odd_pixels(l, mine);
    return KERNEL_OK;
  }
  for (uint32_t p = mine.begin; p < mine.end; p++)
    nn_add_span(l, l->a + p * a, l->b + p * b, l->out + p * out, step);
  return KERNEL_OK;
}
