// kernels/mm/mmt_f32.c: who computes what; see mmt_f32_tile.S for the work itself.
#include "mmt_f32.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "mmt_split.h"

const char *const mmt_f32_names[MMT_F32_COUNT] = {
#define MMT_F32(name, u, v, split, unroll) "mmt_f32_" #name,
#include "mmt_f32.def"
#undef MMT_F32
};

static bool aligned(const void *pointer) {
  return pointer && (uintptr_t)pointer % 4 == 0;
}

enum kernel_status mmt_f32_check(const struct mmt_f32 *mm) {
  if (mm->n == 0 || mm->m == 0 || mm->k == 0 || mm->layout >= MMT_LAYOUTS || mm->ldc < mm->m)
    return KERNEL_BAD_SHAPE;
  if (mm->lda < (mm->layout == MMT_TN ? mm->n : mm->k) ||
      mm->ldb < (mm->layout == MMT_NT ? mm->k : mm->m))
    return KERNEL_BAD_SHAPE;
  if (!aligned(mm->a) || !aligned(mm->b) || !aligned(mm->c))
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

// In L1: a word from L2 takes 20 cycles.
static RT_L1 mmt_tiles *tables[MMT_LAYOUTS][3] = {
    [MMT_NN] = {&mmt_tiles_s_nn, &mmt_tiles_s_nn1, &mmt_tiles_s_nn2},
    [MMT_NT] = {&mmt_tiles_s_nt, &mmt_tiles_s_nt1, &mmt_tiles_s_nt2},
    [MMT_TN] = {&mmt_tiles_s_tn, &mmt_tiles_s_tn1, &mmt_tiles_s_tn2},
};

static inline __attribute__((always_inline)) void
run(struct mmt_block block, const struct mmt_f32 *mm, struct mmt_plan *plan) {
  struct mmt_tile tile; // field by field: the compiler would call memset()
  mmt_tiles **tiles = tables[MMT_NN];
  uint32_t pointers = block.u + 2u;
  tile.a.next = tile.a.step = mm->lda * 4;
  tile.b.step = mm->ldb * 4;
  tile.b.next = tile.c_next = 4;
  if (mm->layout == MMT_TN) {
    tiles = tables[MMT_TN];
    pointers = 2 + 2;
    tile.a.next = 4;
  } else if (mm->layout == MMT_NT) {
    tiles = tables[MMT_NT];
    pointers = (uint32_t)block.u + block.v;
    tile.b.next = tile.b.step;
  }
  tile.a.at = mm->a;
  tile.b.at = mm->b;
  tile.c = mm->c;
  tile.c_step = mm->ldc * 4;
  tile.k = mm->k;
  tile.add = mm->add;
  if (plan)
    mmt_plan(block, pointers, mm->n, mm->m, *tiles[block.unroll], &tile, plan);
  else
    mmt_run(block, pointers, mm->n, mm->m, *tiles[block.unroll], &tile);
}

enum mmt_f32_id mmt_f32_default(const struct mmt_f32 *mm) {
  if (mm->m == 1)
    return MMT_F32_8x1_rows;
  if (mm->n == 1)
    return MMT_F32_1x8_cols;
  return mm->m <= 4 || mm->n == 5 || mm->n == 6 ? MMT_F32_6x4_grid : MMT_F32_4x6_grid;
}

void mmt_f32_unchecked(enum mmt_f32_id id, const struct mmt_f32 *mm) {
  run(mmt_blocks[id == MMT_F32_AUTO ? mmt_f32_default(mm) : id], mm, NULL);
}

void mmt_f32_plan(enum mmt_f32_id id, const struct mmt_f32 *mm, struct mmt_plan *plan) {
  run(mmt_blocks[id == MMT_F32_AUTO ? mmt_f32_default(mm) : id], mm, plan);
}

enum kernel_status mmt_f32(enum mmt_f32_id id, const struct mmt_f32 *mm) {
  enum kernel_status status = id > MMT_F32_AUTO ? KERNEL_BAD_SHAPE : mmt_f32_check(mm);
  if (status == KERNEL_OK)
    mmt_f32_unchecked(id, mm);
  return status;
}

enum kernel_status mmt_f32_alone(const struct mmt_f32 *mm) {
  enum kernel_status status = mmt_f32_check(mm);
  if (status == KERNEL_OK)
    run((struct mmt_block){4, 6, MMT_ALONE, 0}, mm, NULL);
  return status;
}
