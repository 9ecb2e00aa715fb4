// kernels/mm/mmt_f32_pack.c
#include "mmt_f32_pack.h"

#include <stddef.h>

#include "mmt_turn.h"

static enum kernel_status refuse(const struct mmt_f32 *mm, enum mmt_layout layout,
                                 const float *to) {
  enum kernel_status status = mm->layout != layout ? KERNEL_BAD_SHAPE : mmt_f32_check(mm);
  if (status == KERNEL_OK && (to == NULL || (uintptr_t)to % 4 != 0))
    return KERNEL_BAD_POINTER;
  return status;
}

enum kernel_status mmt_f32_pack_a(const struct mmt_f32 *mm, float *to, struct mmt_f32 *packed) {
  enum kernel_status status = refuse(mm, MMT_NN, to);
  if (status != KERNEL_OK)
    return status;
  mmt_turn_words(to, mm->a, mm->lda, mm->n, mm->k);
  *packed = *mm;
  packed->a = to;
  packed->lda = mm->n;
  packed->layout = MMT_TN;
  return KERNEL_OK;
}

enum kernel_status mmt_f32_pack_b(const struct mmt_f32 *mm, float *to, struct mmt_f32 *packed) {
  enum kernel_status status = refuse(mm, MMT_NT, to);
  if (status != KERNEL_OK)
    return status;
  mmt_turn_words(to, mm->b, mm->ldb, mm->m, mm->k);
  *packed = *mm;
  packed->b = to;
  packed->ldb = mm->m;
  packed->layout = MMT_NN;
  return KERNEL_OK;
}
