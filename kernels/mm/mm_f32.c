// kernels/mm/mm_f32.c: splits C into strips; see mm_f32_strip.S for the work itself.
#include "mm_f32.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "mm_f32_strip.h"

// A kernel of the family. Always a constant where it is used, and every function that takes
// one is inlined: so each kernel is compiled for its own block, and reads no table in slow
// memory.
struct variant {
  uint32_t u, v;
  bool panels;
  enum { ROWS, COLS } split;
};
#define SPECIALIZED static inline __attribute__((always_inline))

const char *const mm_f32_names[MM_F32_COUNT] = {
#define MM_F32(name, u, v, panels, split) "mm_f32_" #name,
#include "mm_f32.def"
#undef MM_F32
};

// Split by rows, the cores share one set of panels; split by columns, each core makes its own, one
// at a time.
SPECIALIZED uint32_t buffer_floats(struct variant variant, const struct mm_f32 *mm) {
  if (!variant.panels)
    return 0;
  uint32_t columns = (mm->m + variant.v - 1) / variant.v * variant.v;
  return mm->k * (variant.split == COLS ? variant.v * rt_core_count() : columns);
}

// The panel of the `cols` columns from `b` on.
static void pack(float *panel, const float *b, uint32_t ldb, uint32_t k, uint32_t cols) {
  if (cols == 4) {
    mm_f32_pack4(panel, b, ldb * 4, k);
    return;
  }
  for (uint32_t i = 0; i < k; i++) {
    for (uint32_t j = 0; j < cols; j++)
      *panel++ = b[(size_t)i * ldb + j];
  }
}

// Rows begin..end of a column block: whole blocks of U, then what is left.
SPECIALIZED void column_block(const struct mm_f32 *mm, struct variant variant, struct rt_range rows,
                              uint32_t j, uint32_t width, const float *b) {
  mm_f32_strip_fn *const(*strips)[MM_F32_STRIP_COLS] =
      variant.panels ? mm_f32_strip_p : mm_f32_strip_n;
  const float *a = mm->a + (size_t)rows.begin * mm->lda;
  float *c = mm->c + (size_t)rows.begin * mm->ldc + j;
  uint32_t count = rows.end - rows.begin, blocks = count / variant.u;
  uint32_t done = blocks * variant.u;
  if (blocks > 0)
    strips[variant.u - 1][width - 1](a, mm->lda * 4, b, mm->ldb * 4, mm->k, c, mm->ldc * 4, blocks);
  if (count > done)
    strips[count - done - 1][width - 1](a + (size_t)done * mm->lda, mm->lda * 4, b, mm->ldb * 4,
                                        mm->k, c + (size_t)done * mm->ldc, mm->ldc * 4, 1);
}

// Makes the panel of a column block, computing its first rows on the way if they fill a block.
// Returns the rows that are left.
static struct rt_range first_rows(const struct mm_f32 *mm, struct rt_range rows, uint32_t j,
                                  uint32_t width, float *panel) {
  if (width < 4 || rows.end - rows.begin < 2) {
    pack(panel, mm->b + j, mm->ldb, mm->k, width);
    return rows;
  }
  mm_f32_strip_f_2x4(mm->a + (size_t)rows.begin * mm->lda, mm->lda * 4, mm->b + j, mm->ldb * 4,
                     mm->k, mm->c + (size_t)rows.begin * mm->ldc + j, mm->ldc * 4, panel);
  rows.begin += 2;
  return rows;
}

SPECIALIZED void run_part(const struct mm_f32 *mm, struct variant variant, struct rt_range all,
                          struct rt_range cols) {
  for (uint32_t j = cols.begin; j < cols.end; j += variant.v) {
    uint32_t width = cols.end - j < variant.v ? cols.end - j : variant.v;
    struct rt_range rows = all;
    const float *b = mm->b + j;
    if (variant.panels && variant.split == COLS) {
      float *panel = mm->scratch + (size_t)rt_core_id() * mm->k * variant.v;
      rows = first_rows(mm, rows, j, width, panel);
      b = panel;
    } else if (variant.panels) {
      b = mm->scratch + (size_t)j * mm->k;
    }
    column_block(mm, variant, rows, j, width, b);
  }
}

// B into panels, the cores sharing the work. Panel p begins at p * v * k.
static void pack_all(const struct mm_f32 *mm, uint32_t v) {
  struct rt_range cols = rt_split(mm->m, v);
  for (uint32_t j = cols.begin; j < cols.end; j += v)
    pack(mm->scratch + (size_t)j * mm->k, mm->b + j, mm->ldb, mm->k,
         cols.end - j < v ? cols.end - j : v);
  rt_barrier();
}

static bool aligned(const void *pointer) {
  return pointer && (uintptr_t)pointer % 4 == 0;
}

SPECIALIZED enum kernel_status run(const struct mm_f32 *mm, struct variant variant) {
  if (variant.panels && !aligned(mm->scratch))
    return KERNEL_BAD_POINTER;
  struct rt_range rows = {0, mm->n}, cols = {0, mm->m};
  if (variant.split == ROWS)
    rows = rt_split(mm->n, 1); // narrower blocks cost less than idle cores
  else
    cols = rt_split(mm->m, 1);
  if (variant.panels && variant.split == ROWS)
    pack_all(mm, variant.v);
  if (rows.begin < rows.end)
    run_part(mm, variant, rows, cols);
  return KERNEL_OK;
}

uint32_t mm_f32_buffer_size(enum mm_f32_id id, const struct mm_f32 *mm) {
  switch (id) {
#define MM_F32(name, u, v, panels, split)                                                          \
  case MM_F32_##name:                                                                              \
    return buffer_floats((struct variant){u, v, panels, split}, mm) * (uint32_t)sizeof(float);
#include "mm_f32.def"
#undef MM_F32
  default:
    return 0;
  }
}

enum kernel_status mm_f32(enum mm_f32_id id, const struct mm_f32 *mm) {
  if (mm->n == 0 || mm->m == 0 || mm->k == 0 || mm->lda < mm->k || mm->ldb < mm->m ||
      mm->ldc < mm->m)
    return KERNEL_BAD_SHAPE;
  if (!aligned(mm->a) || !aligned(mm->b) || !aligned(mm->c))
    return KERNEL_BAD_POINTER;
  switch (id) {
#define MM_F32(name, u, v, panels, split)                                                          \
  case MM_F32_##name:                                                                              \
    return run(mm, (struct variant){u, v, panels, split});
#include "mm_f32.def"
#undef MM_F32
  default:
    return KERNEL_BAD_SHAPE;
  }
}
