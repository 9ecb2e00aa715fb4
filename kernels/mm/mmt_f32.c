// kernels/mm/mmt_f32.c: who computes what; see mmt_f32_tile.S for the work itself.
#include "mmt_f32.h"

#include <stddef.h>

#include "mmt_split.h"

static const struct mmt_block blocks[MMT_F32_COUNT] = {
#define MMT_F32(name, u, v, split) {u, v, MMT_##split},
#include "mmt_f32.def"
#undef MMT_F32
};

const char *const mmt_f32_names[MMT_F32_COUNT] = {
#define MMT_F32(name, u, v, split) "mmt_f32_" #name,
#include "mmt_f32.def"
#undef MMT_F32
};

static bool aligned(const void *pointer) {
  return pointer && (uintptr_t)pointer % 4 == 0;
}

static enum kernel_status refuse(const struct mmt_f32 *mm) {
  if (mm->n == 0 || mm->m == 0 || mm->k == 0 || mm->layout >= MMT_LAYOUTS || mm->ldc < mm->m)
    return KERNEL_BAD_SHAPE;
  if (mm->lda < (mm->layout == MMT_TN ? mm->n : mm->k) ||
      mm->ldb < (mm->layout == MMT_NT ? mm->k : mm->m))
    return KERNEL_BAD_SHAPE;
  if (!aligned(mm->a) || !aligned(mm->b) || !aligned(mm->c))
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

static void run(struct mmt_block block, const struct mmt_part *part, const struct mmt_f32 *mm) {
  struct mmt_tile tile; // field by field: the compiler would call memset()
  uint32_t a_line = tile.a_step = mm->lda * 4, b_line = 4;
  mmt_tiles *tiles = &mmt_tiles_s_nn;
  tile.b_step = mm->ldb * 4;
  if (mm->layout == MMT_TN) {
    tiles = &mmt_tiles_s_tn;
    a_line = 4;
  } else if (mm->layout == MMT_NT) {
    tiles = &mmt_tiles_s_nt;
    b_line = tile.b_step;
  }
  tile.a = mm->a;
  tile.b = mm->b;
  tile.c = mm->c;
  tile.c_step = mm->ldc * 4;
  tile.k = mm->k;
  tile.add = mm->add;
  mmt_run(block, part, *tiles, &tile, a_line, b_line, 4);
}

enum mmt_f32_id mmt_f32_default(const struct mmt_f32 *mm) {
  if (mm->m == 1)
    return MMT_F32_8x1_rows;
  if (mm->n == 1)
    return MMT_F32_1x8_cols;
  return mm->m <= 4 || mm->n == 5 || mm->n == 6 ? MMT_F32_6x4_grid : MMT_F32_4x6_grid;
}

enum kernel_status mmt_f32(enum mmt_f32_id id, const struct mmt_f32 *mm) {
  enum kernel_status status = id > MMT_F32_AUTO ? KERNEL_BAD_SHAPE : refuse(mm);
  if (status != KERNEL_OK)
    return status;
  const struct mmt_block block = blocks[id == MMT_F32_AUTO ? mmt_f32_default(mm) : id];
  const struct mmt_size size = {mm->n, mm->m, mm->k, mm->layout != MMT_TN, mm->layout == MMT_NT};
  const struct mmt_part part = mmt_part_of(mmt_wide(block, &size), mm->n, mm->m);
  run(block, &part, mm);
  return KERNEL_OK;
}

enum kernel_status mmt_f32_alone(const struct mmt_f32 *mm) {
  const struct mmt_block block = {4, 6, MMT_ROWS};
  enum kernel_status status = refuse(mm);
  const struct mmt_part all = {{0, mm->n}, {0, mm->m}};
  if (status == KERNEL_OK)
    run(block, &all, mm);
  return status;
}
