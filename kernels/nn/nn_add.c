// kernels/nn/nn_add.c
#include "nn_add.h"

#include "kernels/rt/rt.h"
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

// Both scales in a byte: a pair of elements of a beside the pair of b, one dot product each.
static void add_bytes(const struct nn_add *given, uint32_t words, const uint8_t *a,
                      const uint8_t *b, uint8_t *out) {
  const struct nn_add layer = *given, *l = &layer;
  uint32_t scales = ((uint32_t)l->scale_a & 0xff) | ((uint32_t)l->scale_b & 0xff) << 16;
  uint32_t even = scales, odd = scales << 8;
  for (uint32_t i = 0; i < words; i++, a += 4, b += 4, out += 4) {
    uint32_t wa = nn_word_load(a), wb = nn_word_load(b);
    uint32_t low = (uint32_t)pv_pack(wb, wa);    // a0 a1 b0 b1
    uint32_t high = (uint32_t)pv_pack_h(wb, wa); // a2 a3 b2 b3
    nn_word_store(out,
                  merge(finish(pv_dotusp_b(low, even), l), finish(pv_dotusp_b(low, odd), l),
                        finish(pv_dotusp_b(high, even), l), finish(pv_dotusp_b(high, odd), l)));
  }
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

enum kernel_status nn_add_u8(const struct nn_add *l) {
  if (!l->count || l->shift > 31)
    return KERNEL_BAD_SHAPE;
  if (!l->a || !l->b || !l->out)
    return KERNEL_BAD_POINTER;
  struct rt_range mine = rt_split(l->count, 4);
  uint32_t at = mine.begin, words = (mine.end - at) / 4;
  (is_byte(l->scale_a) && is_byte(l->scale_b) ? add_bytes : add_words)(l, words, l->a + at,
                                                                       l->b + at, l->out + at);
  for (uint32_t i = at + words * 4; i < mine.end; i++)
    l->out[i] = element(l, i);
  return KERNEL_OK;
}
