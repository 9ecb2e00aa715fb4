// kernels/mm/mm_i8_strip.c: the strips by number of rows, and what they compute, in C.
#include "mm_i8_strip.h"

mm_i8_strip_fn mm_i8_strip_4x4_u1, mm_i8_strip_4x4_u2, mm_i8_strip_4x4_u3, mm_i8_strip_4x4_u4;
mm_i8_strip_fn mm_i8_strip_4x4_tail_u1, mm_i8_strip_4x4_tail_u2, mm_i8_strip_4x4_tail_u3,
    mm_i8_strip_4x4_tail_u4;
mm_i8_strip_fn mm_i8_strip_4x2_u1, mm_i8_strip_4x2_u2, mm_i8_strip_4x2_u3, mm_i8_strip_4x2_u4;

mm_i8_strip_fn *const mm_i8_strip_4x4[4] = {mm_i8_strip_4x4_u1, mm_i8_strip_4x4_u2,
                                            mm_i8_strip_4x4_u3, mm_i8_strip_4x4_u4};
mm_i8_strip_fn *const mm_i8_strip_4x4_tail[4] = {mm_i8_strip_4x4_tail_u1, mm_i8_strip_4x4_tail_u2,
                                                 mm_i8_strip_4x4_tail_u3, mm_i8_strip_4x4_tail_u4};
mm_i8_strip_fn *const mm_i8_strip_4x2[4] = {mm_i8_strip_4x2_u1, mm_i8_strip_4x2_u2,
                                            mm_i8_strip_4x2_u3, mm_i8_strip_4x2_u4};

#ifdef __riscv

_Static_assert(offsetof(struct mm_i8_strip, blocks) == 32, "mm_i8_strip.S knows the offsets");

#else

// Four columns of a panel: word k of column v is the k * 4 + v -th word of the panel.
static int32_t packed_dot(const int8_t *a, const int8_t *panel, uint32_t v, uint32_t k) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < k; i++)
    sum += (uint32_t)(a[i] * panel[(i / 4 * 4 + v) * 4 + i % 4]);
  return (int32_t)sum;
}

static int32_t plain_dot(const int8_t *a, const int8_t *b, uint32_t k) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < k; i++)
    sum += (uint32_t)(a[i] * b[i]);
  return (int32_t)sum;
}

static void packed(const struct mm_i8_strip *s, uint32_t rows, uint32_t tail) {
  uint32_t panel = (s->words + (tail > 0)) * 16;
  for (uint32_t u = 0; u < rows; u++) {
    int32_t *c = (int32_t *)(void *)((char *)s->c + (size_t)u * s->c_stride);
    for (uint32_t col = 0; col < s->blocks * 4; col++)
      c[col] = packed_dot(s->a + (size_t)u * s->a_stride, s->b + (size_t)(col / 4) * panel, col % 4,
                          s->words * 4 + tail);
  }
}

static void plain(const struct mm_i8_strip *s, uint32_t rows) {
  for (uint32_t u = 0; u < rows; u++) {
    int32_t *c = (int32_t *)(void *)((char *)s->c + (size_t)u * s->c_stride);
    for (uint32_t col = 0; col < s->blocks * 2; col++)
      c[col] =
          plain_dot(s->a + (size_t)u * s->a_stride, s->b + (size_t)col * s->b_stride, s->words * 4);
  }
}

#define STRIPS(U)                                                                                  \
  void mm_i8_strip_4x4_u##U(const struct mm_i8_strip *s) {                                         \
    packed(s, U, 0);                                                                               \
  }                                                                                                \
  void mm_i8_strip_4x4_tail_u##U(const struct mm_i8_strip *s) {                                    \
    packed(s, U, s->tail);                                                                         \
  }                                                                                                \
  void mm_i8_strip_4x2_u##U(const struct mm_i8_strip *s) {                                         \
    plain(s, U);                                                                                   \
  }
STRIPS(1)
STRIPS(2)
STRIPS(3)
STRIPS(4)

#endif
