// kernels/nn/nn_strip_mixed.c: the strips by precision and pixels, and what they compute, in C.
#include "nn_strip_mixed.h"

#include "nn_requant.h"

#define NAME(cb, wb, ob, px) nn_strip_c##cb##w##wb##o##ob##_u##px
#define PIXELS(M, c, w, o)   M(c, w, o, 1) M(c, w, o, 2) M(c, w, o, 3) M(c, w, o, 4)
#define OUTS(M, c, w)                                                                              \
  PIXELS(M, c, w, 8) PIXELS(M, c, w, 4) PIXELS(M, c, w, 2) PIXELS(M, c, w, 32) PIXELS(M, c, w, 0)

#define DECLARE(c, w, o, u) nn_strip_mixed_fn NAME(c, w, o, u);
#define STRIP(c, w)         OUTS(DECLARE, c, w)
#include "nn_strip_mixed.def"
#undef STRIP
PIXELS(DECLARE, 8, 8, 1)
PIXELS(DECLARE, s8, 8, 1)

// The lanes that a name says.
#define BITS_2    2
#define BITS_4    4
#define BITS_8    8
#define BITS_s8   8
#define SIGNED_2  false
#define SIGNED_4  false
#define SIGNED_8  false
#define SIGNED_s8 true

// By the bits of compute, weights and outputs: 2, 4, 8, 32, 0 at 0, 1, 2, 3, 4, rows at 5; compute
// signed at 3; then by pixels.
#define BITS_AT(bits)                                                                              \
  ((bits) == 32 ? 3 : (bits) == 0 ? 4 : (bits) == NN_STRIP_ROWS ? 5 : (bits) / 4)
#define AT(c) (SIGNED_##c ? 3 : BITS_##c / 4)
static nn_strip_mixed_fn *const table[4][3][6][4] = {
#define ENTRY(c, w, o, u) [AT(c)][BITS_AT(w)][BITS_AT(o)][(u)-1] = NAME(c, w, o, u),
#define STRIP(c, w)       OUTS(ENTRY, c, w)
#include "nn_strip_mixed.def"
#undef STRIP
    PIXELS(ENTRY, 8, 8, 1) PIXELS(ENTRY, s8, 8, 1)};

nn_strip_mixed_fn *nn_strip_mixed(uint32_t compute, bool is_signed, uint32_t weight, uint32_t out,
                                  uint32_t pixels) {
  return table[is_signed ? 3 : compute / 4][BITS_AT(weight)][BITS_AT(out)][pixels - 1];
}

#ifdef __riscv

_Static_assert(offsetof(struct nn_strip_mixed, a_stride) == 60,
               "nn_strip_mixed.inc has the offsets");

#else

#include <string.h>

// Lane `i` of `bits` bits.
static uint32_t field(uint32_t word, uint32_t at, uint32_t bits) {
  return word >> at & ((1u << bits) - 1);
}

// What the columns hold.
struct lanes {
  uint32_t bits;
  bool is_signed;
};

// A step's words of pixel p, four apart, or its only one.
static const uint32_t *words_of(const struct nn_strip_mixed *s, uint32_t step, uint32_t words,
                                uint32_t p, bool rows, uint32_t *word) {
  if (!rows)
    return (const uint32_t *)s->columns + (size_t)step * words * 4 + p;
  memcpy(word, (const uint8_t *)s->columns + (size_t)p * s->a_stride + (size_t)step * 4, 4);
  return word;
}

// The sum of filter f at pixel p over one step.
static uint32_t step_sum(const uint32_t *columns, uint32_t weights, struct lanes lanes,
                         uint32_t w) {
  uint32_t c = lanes.bits, top = lanes.is_signed ? 1u << (c - 1) : 0;
  uint32_t sum = 0;
  for (uint32_t j = 0; j < c / w; j++) {
    for (uint32_t lane = 0; lane < 32; lane += c) {
      uint32_t weight = field(weights, lane + c - w * (j + 1), w);
      int32_t value = (int32_t)(weight << (32 - w)) >> (32 - w);
      sum += ((field(columns[4 * j], lane, c) ^ top) - top) * (uint32_t)value;
    }
  }
  return sum;
}

static void put(const struct nn_strip_mixed *s, uint32_t p, uint32_t f, uint32_t o, int32_t sum,
                const int32_t *scale) {
  uint8_t *pixel = (uint8_t *)s->out + (size_t)p * s->out_stride;
  if (o == 0 || o == NN_STRIP_ROWS) {
    s->finish(s, pixel, f, (uint32_t)sum, (const uint32_t *)scale);
    return;
  }
  if (o == 32) {
    ((int32_t *)(void *)pixel)[f] = (int32_t)((uint32_t)sum + (uint32_t)scale[1]);
    return;
  }
  int32_t y = (int32_t)((uint32_t)sum * (uint32_t)scale[0] + (uint32_t)scale[1]) >> s->shift;
  int32_t top = (1 << o) - 1;
  y = y < 0 ? 0 : y > top ? top : y;
  uint8_t *byte = pixel + f * o / 8;
  uint32_t at = f * o % 8;
  *byte = (uint8_t)((*byte & ~((uint32_t)top << at)) | (uint32_t)y << at);
}

static void one(const struct nn_strip_mixed *s, struct lanes c, uint32_t w, uint32_t o,
                uint32_t u) {
  for (uint32_t f = 0; f < s->count * 4; f++) {
    const uint8_t *block = (const uint8_t *)s->blocks + f / 4 * nn_mixed_block_size(s->steps);
    const uint32_t *weights = (const uint32_t *)(const void *)block + f % 4;
    const int32_t *scale = (const int32_t *)(const void *)(block + s->steps * 16u) + f % 4 * 2;
    for (uint32_t p = 0; p < u; p++) {
      uint32_t sum = 0, word;
      for (uint32_t i = 0; i < s->steps; i++)
        sum += step_sum(words_of(s, i, c.bits / w, p, o == NN_STRIP_ROWS, &word), weights[4 * i], c,
                        w);
      put(s, p, f, o, (int32_t)sum, scale);
    }
  }
}

static void run(const struct nn_strip_mixed *s, struct lanes c, uint32_t w, uint32_t o,
                uint32_t u) {
  struct nn_strip_mixed strip = *s;
  for (uint32_t i = 0; i < s->strips; i++) {
    one(&strip, c, w, o, u);
    if (o == NN_STRIP_ROWS)
      strip.columns = (const uint8_t *)strip.columns + (size_t)u * s->a_stride;
    else
      strip.columns = (const uint32_t *)strip.columns + (size_t)s->steps * (c.bits / w) * 4;
    strip.out = (uint8_t *)strip.out + (size_t)u * s->out_stride;
  }
}

#define DEFINE(c, w, o, u)                                                                         \
  void NAME(c, w, o, u)(const struct nn_strip_mixed *s) {                                          \
    run(s, (struct lanes){BITS_##c, SIGNED_##c}, w, o, u);                                         \
  }
#define STRIP(c, w) OUTS(DEFINE, c, w)
#include "nn_strip_mixed.def"
#undef STRIP
PIXELS(DEFINE, 8, 8, 1)
PIXELS(DEFINE, s8, 8, 1)

#endif
