// kernels/ref/ref_train_mm.c
#include "ref_train_mm.h"

#include <stddef.h>

static float a_at(const struct mmt_f32 *mm, size_t i, size_t k) {
  return mm->layout == MMT_TN ? mm->a[k * mm->lda + i] : mm->a[i * mm->lda + k];
}

static float b_at(const struct mmt_f32 *mm, size_t k, size_t j) {
  return mm->layout == MMT_NT ? mm->b[j * mm->ldb + k] : mm->b[k * mm->ldb + j];
}

float ref_mmt_f32(const struct mmt_f32 *mm, uint32_t i, uint32_t j, float before) {
  float sum = mm->add ? before : 0;
  for (size_t k = 0; k < mm->k; k++)
    sum = __builtin_fmaf(a_at(mm, i, k), b_at(mm, k, j), sum);
  return sum;
}

struct ref_sum ref_mmt_f32_sum(const struct mmt_f32 *mm, uint32_t i, uint32_t j) {
  struct ref_sum sum = {0};
  for (size_t k = 0; k < mm->k; k++)
    ref_add_product(&sum, a_at(mm, i, k), b_at(mm, k, j));
  return sum;
}
