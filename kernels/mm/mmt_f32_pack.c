// kernels/mm/mmt_f32_pack.c
#include "mmt_f32_pack.h"

#include <stddef.h>

#include "mmt_turn.h"

enum kernel_status mmt_f32_pack(const struct mmt_f32 *mm, float *to, struct mmt_f32 *packed) {
  enum kernel_status status = mm->layout == MMT_TN ? KERNEL_BAD_SHAPE : mmt_f32_check(mm);
  if (status == KERNEL_OK && (to == NULL || (uintptr_t)to % 4 != 0))
    status = KERNEL_BAD_POINTER;
  if (status != KERNEL_OK)
    return status;
  *packed = *mm;
  if (mm->layout == MMT_NT) {
    mmt_turn_words(to, mm->b, mm->ldb, mm->m, mm->k);
    packed->b = to;
    packed->ldb = mm->m;
    packed->layout = MMT_NN;
  } else {
    mmt_turn_words(to, mm->a, mm->lda, mm->n, mm->k);
    packed->a = to;
    packed->lda = mm->n;
    packed->layout = MMT_TN;
  }
  return KERNEL_OK;
}
