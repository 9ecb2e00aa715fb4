// kernels/mm/mmt_f16.c
#include "mmt_f16.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "mmt_split.h"
#include "mmt_turn.h"

// Turning costs 2.3 slots a pair, and saves three per 24 multiply-adds of pairs.
static bool worth_turning(const struct mmt_f16 *mm) {
  return mm->layout != MMT_NT || mm->n * mm->m >= 24 * (mm->n + mm->m);
}

uint32_t mmt_f16_buffer_size(const struct mmt_f16 *mm) {
  return worth_turning(mm) ? (mm->n + mm->m) * mm->k * 2 : 0;
}

static bool aligned(const void *pointer, uint32_t to) {
  return pointer && (uintptr_t)pointer % to == 0;
}

static enum kernel_status refuse(const struct mmt_f16 *mm) {
  if (mm->n == 0 || mm->m == 0 || mm->k == 0 || mm->k % 2 || mm->lda % 2 || mm->ldb % 2 ||
      mm->layout >= MMT_LAYOUTS || mm->format >= MMT_F16_FORMATS || mm->ldc < mm->m)
    return KERNEL_BAD_SHAPE;
  if (mm->lda < (mm->layout == MMT_TN ? mm->n : mm->k) ||
      mm->ldb < (mm->layout == MMT_NT ? mm->k : mm->m))
    return KERNEL_BAD_SHAPE;
  if (!aligned(mm->a, 4) || !aligned(mm->b, 4) || !aligned(mm->c, 2) ||
      ((mm->layout != MMT_NT || mm->scratch) && !aligned(mm->scratch, 4)))
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

// An operand of `lines` lines, contiguous in k or (steps) across the lines; turned at `place`.
static void turn(struct mmt_operand *to, uint16_t *place, const uint16_t *from, uint32_t ld,
                 uint32_t lines, uint32_t k, bool steps) {
  if (steps)
    mmt_turn_pairs((uint32_t *)(void *)place, from, ld, k, lines);
  else
    mmt_turn_words(place, from, ld / 2, lines, k / 2);
  to->at = place;
  to->step = 4 * lines;
}

static void multiply(struct mmt_block block, const struct mmt_f16 *mm) {
  bool bf16 = mm->format == MMT_BF16, turned = worth_turning(mm) && mm->scratch;
  struct mmt_tile tile;
  if (turned) {
    turn(&tile.a, mm->scratch, mm->a, mm->lda, mm->n, mm->k, mm->layout == MMT_TN);
    turn(&tile.b, mm->scratch + (size_t)mm->n * mm->k, mm->b, mm->ldb, mm->m, mm->k,
         mm->layout != MMT_NT);
    rt_barrier();
  } else {
    tile.a.at = mm->a;
    tile.a.step = mm->lda * 2;
    tile.b.at = mm->b;
    tile.b.step = mm->ldb * 2;
  }
  tile.c = mm->c;
  tile.c_step = mm->ldc * 2;
  tile.k = mm->k / 2;
  tile.add = mm->add;
  tile.a.next = turned ? 4 : tile.a.step;
  tile.b.next = turned ? 4 : tile.b.step;
  tile.c_next = 2;
  if (turned)
    mmt_run(block, 2 + 2, mm->n, mm->m, bf16 ? mmt_tiles_ah_tn : mmt_tiles_h_tn, &tile);
  else
    mmt_run(block, (uint32_t)block.u + block.v, mm->n, mm->m,
            bf16 ? mmt_tiles_ah_nt : mmt_tiles_h_nt, &tile);
}

enum kernel_status mmt_f16(enum mmt_f32_id id, const struct mmt_f16 *mm) {
  enum kernel_status status = id > MMT_F32_AUTO ? KERNEL_BAD_SHAPE : refuse(mm);
  if (status != KERNEL_OK)
    return status;
  const struct mmt_f32 like = {.n = mm->n, .m = mm->m};
  multiply(mmt_blocks[id == MMT_F32_AUTO ? mmt_f32_default(&like) : id], mm);
  return KERNEL_OK;
}
