// kernels/mm/mmt_f32.c: who computes what; see mmt_f32_tile.S for the work itself.
#include "mmt_f32.h"

#include <stddef.h>

#include "mmt_split.h"

// In L1: read often, and L2 is 20 cycles away.
static RT_L1 struct mmt_block blocks[MMT_F32_COUNT] = {
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

static void run(const struct mmt_block *block, const struct mmt_part *part,
                const struct mmt_f32 *mm) {
  const struct mmt_tile whole = {.a = mm->a,
                                 .a_step = mm->lda * 4,
                                 .b = mm->b,
                                 .b_step = mm->ldb * 4,
                                 .c = mm->c,
                                 .c_step = mm->ldc * 4,
                                 .k = mm->k,
                                 .add = mm->add};
  mmt_tiles *tiles = mm->layout == MMT_NN   ? &mmt_tiles_s_nn
                     : mm->layout == MMT_NT ? &mmt_tiles_s_nt
                                            : &mmt_tiles_s_tn;
  mmt_run(block, part, *tiles, &whole, mm->layout == MMT_TN ? 4 : mm->lda * 4,
          mm->layout == MMT_NT ? mm->ldb * 4 : 4, 4);
}

enum mmt_f32_id mmt_f32_default(const struct mmt_f32 *mm) {
  enum mmt_f32_id best = MMT_F32_4x6_grid;
  uint32_t least = UINT32_MAX;
  for (uint32_t id = MMT_F32_4x6_grid; id <= MMT_F32_5x5_grid; id++) {
    uint32_t slots = mmt_slots(&blocks[id], mm->n, mm->m, mm->k);
    if (slots < least) {
      least = slots;
      best = (enum mmt_f32_id)id;
    }
  }
  return best;
}

enum kernel_status mmt_f32(enum mmt_f32_id id, const struct mmt_f32 *mm) {
  enum kernel_status status = id > MMT_F32_AUTO ? KERNEL_BAD_SHAPE : refuse(mm);
  if (status != KERNEL_OK)
    return status;
  const struct mmt_block *block = &blocks[id == MMT_F32_AUTO ? mmt_f32_default(mm) : id];
  struct mmt_part part = mmt_part_of(block, mm->n, mm->m, mm->k);
  run(block, &part, mm);
  return KERNEL_OK;
}

enum kernel_status mmt_f32_alone(const struct mmt_f32 *mm) {
  static const struct mmt_block block = {4, 6, MMT_ROWS};
  enum kernel_status status = refuse(mm);
  const struct mmt_part all = {{0, mm->n}, {0, mm->m}};
  if (status == KERNEL_OK)
    run(&block, &all, mm);
  return status;
}
