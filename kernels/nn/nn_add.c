// kernels/nn/nn_add.c
#include "nn_add.h"

#include "kernels/rt/rt.h"
#include "nn_add_words.h"
#include "nn_requant.h"
#include "nn_word.h"
#include "xpulp.h"

static uint32_t merge(uint32_t e0, uint32_t e1, uint32_t e2, uint32_t e3) {
  uint32_t word = (uint32_t)pv_packlo_b(0, e1, e0);
  return (uint32_t)pv_packhi_b((int32_t)word, e3, e2);
}

static inline uint32_t finish(int32_t sum, const struct nn_add *l) {
  return (uint32_t)p_clipu((uint32_t)p_addnr(sum, (uint32_t)l->lambda, l->shift), 9);
}

// One element, by the definition.
static uint8_t element(const struct nn_add *l, uint32_t i) {
  uint32_t sum = l->a[i] * (uint32_t)l->scale_a + l->b[i] * (uint32_t)l->scale_b;
  return nn_requant_u8((int32_t)sum, 1, l->lambda, l->shift);
}

#ifndef __riscv
void nn_add_words(const struct nn_add_words *s) {
  int32_t scale_a = (int8_t)s->scales, scale_b = (int8_t)(s->scales >> 16);
  for (uint32_t i = 0; i < s->pairs * 8; i++)
    s->out[i] = nn_requant_u8(s->a[i] * scale_a + s->b[i] * scale_b, 1, s->lambda, s->shift);
}
#endif

// Elements that are done: all whole pairs of words.
static uint32_t add_bytes(const struct nn_add *l, uint32_t at, uint32_t count) {
  const struct nn_add_words words = {
      .a = l->a + at,
      .b = l->b + at,
      .out = l->out + at,
      .pairs = count / 8,
      .scales = ((uint32_t)l->scale_a & 0xff) | ((uint32_t)l->scale_b & 0xff) << 16,
      .lambda = l->lambda,
      .shift = l->shift,
  };
  if (words.pairs > 0)
    nn_add_words(&words);
  return words.pairs * 8;
}

static void add_words(const struct nn_add *given, uint32_t words, const uint8_t *a,
                      const uint8_t *b, uint8_t *out) {
  const struct nn_add layer = *given, *l = &layer;
  for (uint32_t i = 0; i < words; i++, a += 4, b += 4, out += 4) {
    uint32_t e[4];
    for (uint32_t j = 0; j < 4; j++) {
      uint32_t sum = a[j] * (uint32_t)l->scale_a;
      e[j] = finish(p_mac((int32_t)sum, b[j], (uint32_t)l->scale_b), l);
    }
    nn_word_store(out, merge(e[0], e[1], e[2], e[3]));
  }
}

static int is_byte(int32_t scale) {
  return scale >= -128 && scale <= 127;
}

static enum kernel_status check(const struct nn_add *l) {
  if (!l->count || l->shift > 31)
    return KERNEL_BAD_SHAPE;
  return l->a && l->b && l->out ? KERNEL_OK : KERNEL_BAD_POINTER;
}

enum kernel_status nn_add_u8(const struct nn_add *l) {
  KERNEL_CHECK(check(l));
  struct rt_range mine = rt_split(l->count, 8);
  if (is_byte(l->scale_a) && is_byte(l->scale_b))
    mine.begin += add_bytes(l, mine.begin, mine.end - mine.begin);
  uint32_t at = mine.begin, words = (mine.end - at) / 4;
  add_words(l, words, l->a + at, l->b + at, l->out + at);
  for (uint32_t i = at + words * 4; i < mine.end; i++)
    l->out[i] = element(l, i);
  return KERNEL_OK;
}
