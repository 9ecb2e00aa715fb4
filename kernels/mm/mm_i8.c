// kernels/mm/mm_i8.c: splits C into strips, one core each; see mm_i8_strip.S for the work itself.
#include "mm_i8.h"

#include "kernels/rt/rt.h"
#include "mm_i8_strip.h"

uint32_t mm_i8_packed_size(uint32_t m, uint32_t k) {
  return (m + 3) / 4 * ((k + 3) / 4) * 16;
}

void mm_i8_pack(int8_t *packed, const int8_t *bt, uint32_t ldb, uint32_t m, uint32_t k) {
  uint32_t words = (k + 3) / 4;
  struct rt_range panels = rt_split((m + 3) / 4, 1);
  for (uint32_t j = panels.begin * 4; j < panels.end * 4; j++) {
    int8_t *column = packed + (size_t)(j / 4) * words * 16 + j % 4 * 4;
    for (uint32_t i = 0; i < words * 4; i++)
      column[i / 4 * 16 + i % 4] = (int8_t)(j < m && i < k ? bt[(size_t)j * ldb + i] : 0);
  }
}

static enum kernel_status check(const struct mm_i8 *mm) {
  if (mm->n == 0 || mm->m == 0 || mm->k < 8 || mm->lda < mm->k || mm->ldc < mm->m)
    return KERNEL_BAD_SHAPE;
  if (!mm->a || !mm->b || !mm->c || (uintptr_t)mm->c % 4 != 0)
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

// A strip of `rows` rows whose last, partial block of `rest` columns is computed whole, into a
// buffer of its own, and copied as far as it is wanted.
static void strip(mm_i8_strip_fn *run, struct mm_i8_strip *s, uint32_t rows, uint32_t width,
                  uint32_t rest, const int8_t *last_b) {
  if (s->blocks > 0)
    run(s);
  if (rest == 0)
    return;
  int32_t block[4 * 4];
  struct mm_i8_strip last = *s;
  last.b = last_b;
  last.b_stride = 0; // plain: the one column twice
  last.c = block;
  last.c_stride = sizeof(int32_t) * width;
  last.blocks = 1;
  run(&last);
  for (uint32_t u = 0; u < rows; u++) {
    int32_t *c = (int32_t *)(void *)((char *)s->c + (size_t)u * s->c_stride);
    for (uint32_t v = 0; v < rest; v++)
      c[s->blocks * width + v] = block[u * width + v];
  }
}

// Rows and columns of C that are one core's, with B in panels. Columns begin at a panel.
static void packed_part(const struct mm_i8 *mm, struct rt_range rows, struct rt_range cols) {
  uint32_t panel = (mm->k + 3) / 4 * 16;
  const int8_t *b = mm->b + (size_t)(cols.begin / 4) * panel;
  struct mm_i8_strip s = {
      .a_stride = mm->lda,
      .b = b,
      .c_stride = mm->ldc * 4,
      .words = mm->k / 4,
      .tail = mm->k % 4,
      .blocks = (cols.end - cols.begin) / 4,
  };
  uint32_t rest = (cols.end - cols.begin) % 4;
  for (uint32_t i = rows.begin; i < rows.end; i += 4) {
    uint32_t u = rows.end - i < 4 ? rows.end - i : 4;
    s.a = mm->a + (size_t)i * mm->lda;
    s.c = mm->c + (size_t)i * mm->ldc + cols.begin;
    strip((s.tail ? mm_i8_strip_4x4_tail : mm_i8_strip_4x4)[u - 1], &s, u, 4, rest,
          b + (size_t)s.blocks * panel);
  }
}

enum kernel_status mm_i8_4x4_rows(const struct mm_i8 *mm) {
  enum kernel_status status = check(mm);
  if (status != KERNEL_OK)
    return status;
  packed_part(mm, rt_split(mm->n, 4), (struct rt_range){0, mm->m});
  return KERNEL_OK;
}

enum kernel_status mm_i8_4x4_cols(const struct mm_i8 *mm) {
  enum kernel_status status = check(mm);
  if (status != KERNEL_OK)
    return status;
  struct rt_range cols = rt_split(mm->m, 4);
  if (cols.begin < cols.end)
    packed_part(mm, (struct rt_range){0, mm->n}, cols);
  return KERNEL_OK;
}

enum kernel_status mm_i8_4x2_rows(const struct mm_i8 *mm) {
  enum kernel_status status = check(mm);
  if (status != KERNEL_OK)
    return status;
  if (mm->k % 4 != 0 || mm->ldb < mm->k)
    return KERNEL_BAD_SHAPE;
  struct rt_range rows = rt_split(mm->n, 4);
  struct mm_i8_strip s = {
      .a_stride = mm->lda,
      .b = mm->b,
      .b_stride = mm->ldb,
      .c_stride = mm->ldc * 4,
      .words = mm->k / 4,
      .blocks = mm->m / 2,
  };
  for (uint32_t i = rows.begin; i < rows.end; i += 4) {
    uint32_t u = rows.end - i < 4 ? rows.end - i : 4;
    s.a = mm->a + (size_t)i * mm->lda;
    s.c = mm->c + (size_t)i * mm->ldc;
    strip(mm_i8_strip_4x2[u - 1], &s, u, 2, mm->m % 2, mm->b + (size_t)(mm->m - 1) * mm->ldb);
  }
  return KERNEL_OK;
}
