// kernels/mm/mm_f32_strip.c: the strips by size, and what they compute, in C.
#include "mm_f32_strip.h"

#include <stddef.h>

// All strips: layout, rows, columns, in the order of the tables.
#define COLUMNS(S, layout, U)                                                                      \
  { S(layout, U, 1), S(layout, U, 2), S(layout, U, 3), S(layout, U, 4) }
#define NAME(layout, U, V) mm_f32_strip_##layout##_##U##x##V

#ifdef __riscv

#define DECLARE(layout, U)                                                                         \
  mm_f32_strip_fn NAME(layout, U, 1), NAME(layout, U, 2), NAME(layout, U, 3), NAME(layout, U, 4)

#else

static const char *at(const void *base, size_t offset) {
  return (const char *)base + offset;
}

// Where a panel keeps column v of step i of k: see mm_f32_strip.S.
static size_t panel_index(size_t i, size_t v, size_t cols, size_t k) {
  if (cols == 4 && i < k / 8 * 8)
    return i / 4 * 16 + 4 * v + i % 4;
  return i * cols + v;
}

struct operand {
  const float *b;
  uint32_t ldb; // bytes; 0: a panel
};

static float value(const struct operand *b, size_t i, size_t v, size_t cols, size_t k) {
  if (b->ldb == 0)
    return b->b[panel_index(i, v, cols, k)];
  return ((const float *)(const void *)at(b->b, i * b->ldb))[v];
}

// One element after the other, each summed in the order of k.
static void block_c(uint32_t rows, uint32_t cols, const float *a, uint32_t lda, struct operand b,
                    uint32_t k, float *c, uint32_t ldc) {
  for (size_t i = 0; i < rows; i++) {
    const float *row = (const void *)at(a, i * lda);
    for (size_t j = 0; j < cols; j++) {
      float sum = 0;
      for (size_t s = 0; s < k; s++)
        sum = __builtin_fmaf(row[s], value(&b, s, j, cols, k), sum);
      ((float *)(void *)((char *)c + i * ldc))[j] = sum;
    }
  }
}

void mm_f32_pack4(float *panel, const float *b, uint32_t ldb, uint32_t k) {
  for (size_t i = 0; i < 4 * (size_t)k; i++)
    panel[panel_index(i / 4, i % 4, 4, k)] =
        ((const float *)(const void *)at(b, i / 4 * ldb))[i % 4];
}

void mm_f32_strip_f_2x4(const float *a, uint32_t lda, const float *b, uint32_t ldb, uint32_t k,
                        float *c, uint32_t ldc, float *panel) {
  mm_f32_pack4(panel, b, ldb, k);
  block_c(2, 4, a, lda, (struct operand){b, ldb}, k, c, ldc);
}

#define DEFINE(layout, U, V, stride)                                                               \
  mm_f32_strip_fn NAME(layout, U, V);                                                              \
  void NAME(layout, U, V)(const float *a, uint32_t lda, const float *b, uint32_t ldb, uint32_t k,  \
                          float *c, uint32_t ldc, uint32_t blocks) {                               \
    (void)ldb;                                                                                     \
    block_c((blocks) * (U), V, a, lda, (struct operand){b, stride}, k, c, ldc);                    \
  }
#define STRIDE_n ldb
#define STRIDE_p 0
#define DECLARE(layout, U)                                                                         \
  DEFINE(layout, U, 1, STRIDE_##layout)                                                            \
  DEFINE(layout, U, 2, STRIDE_##layout)                                                            \
  DEFINE(layout, U, 3, STRIDE_##layout)                                                            \
  DEFINE(layout, U, 4, STRIDE_##layout)                                                            \
  _Static_assert(1, "")

#endif

DECLARE(n, 1);
DECLARE(n, 2);
DECLARE(n, 3);
DECLARE(n, 4);
DECLARE(n, 5);
DECLARE(n, 6);
DECLARE(p, 1);
DECLARE(p, 2);

mm_f32_strip_fn *const mm_f32_strip_n[MM_F32_STRIP_ROWS][MM_F32_STRIP_COLS] = {
    COLUMNS(NAME, n, 1), COLUMNS(NAME, n, 2), COLUMNS(NAME, n, 3),
    COLUMNS(NAME, n, 4), COLUMNS(NAME, n, 5), COLUMNS(NAME, n, 6),
};
mm_f32_strip_fn *const mm_f32_strip_p[MM_F32_PANEL_ROWS][MM_F32_STRIP_COLS] = {
    COLUMNS(NAME, p, 1),
    COLUMNS(NAME, p, 2),
};
