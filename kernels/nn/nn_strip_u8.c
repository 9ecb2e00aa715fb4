// kernels/nn/nn_strip_u8.c: the strips by number of pixels, and what they compute, in C.
#include "nn_strip_u8.h"

#include "nn_requant.h"

#define NAME(kind, U) nn_strip_u8_i8_u8_##kind##_u##U
#define STRIPS(kind)                                                                               \
  nn_strip_u8_fn NAME(kind, 1), NAME(kind, 2), NAME(kind, 3), NAME(kind, 4);                       \
  nn_strip_u8_fn *const nn_strip_u8_i8_u8_##kind[4] = {NAME(kind, 1), NAME(kind, 2),               \
                                                       NAME(kind, 3), NAME(kind, 4)};

STRIPS(columns)
STRIPS(rows)

#ifdef __riscv

_Static_assert(offsetof(struct nn_strip_u8, behind) == 40, "nn_strip_u8.S knows the offsets");

#else

// Byte k of pixel p; columns by fours, one behind the other.
static uint8_t byte_rows(const struct nn_strip_u8 *s, size_t p, size_t k) {
  return ((const uint8_t *)s->a)[p * s->a_stride + k];
}
static uint8_t byte_columns(const struct nn_strip_u8 *s, size_t p, size_t k) {
  return ((const uint8_t *)s->a)[((p / 4 * s->words + k / 4) * 4 + p % 4) * 4 + k % 4];
}

typedef uint8_t byte_fn(const struct nn_strip_u8 *s, size_t p, size_t k);

// Filter v of a block, from its words for these on, at pixel p.
static uint8_t output(const struct nn_strip_u8 *s, byte_fn *byte, size_t p, const int8_t *block,
                      size_t v) {
  uint32_t sum = 0;
  for (size_t k = 0; k < s->words * (size_t)4; k++)
    sum += (uint32_t)(byte(s, p, k) * block[(k / 4 * 4 + v) * 4 + k % 4]);
  const int32_t *scale =
      (const int32_t *)(const void *)(block + s->words * (size_t)16 + s->behind) + v * 2;
  return nn_requant_u8((int32_t)sum, scale[0], scale[1], s->shift);
}

static void run(const struct nn_strip_u8 *s, byte_fn *byte, size_t pixels) {
  const int8_t *blocks = s->blocks;
  size_t step = nn_block_size(s->words) + s->before + s->behind;
  for (size_t p = 0; p < pixels; p++) {
    for (size_t f = 0; f < s->count * (size_t)4; f++)
      s->out[p * s->out_stride + f] = output(s, byte, p, blocks + f / 4 * step, f % 4);
  }
}

static void one(const struct nn_strip_u8 *s, byte_fn *byte, size_t pixels) {
  for (size_t p = 0; p < pixels; p++)
    s->out[p * s->out_stride] = output(s, byte, p, s->blocks, s->count);
}
void nn_strip_u8_one_columns(const struct nn_strip_u8 *s) {
  one(s, byte_columns, 4 * (size_t)s->strips);
}
void nn_strip_u8_one_rows(const struct nn_strip_u8 *s) {
  one(s, byte_rows, 4 * (size_t)s->strips);
}

#define DEFINE(kind, U)                                                                            \
  void NAME(kind, U)(const struct nn_strip_u8 *s) {                                                \
    run(s, byte_##kind, (U) == 4 ? 4 * s->strips : (U));                                           \
  }
DEFINE(columns, 1)
DEFINE(columns, 2)
DEFINE(columns, 3)
DEFINE(columns, 4)
DEFINE(rows, 1)
DEFINE(rows, 2)
DEFINE(rows, 3)
DEFINE(rows, 4)

#endif
