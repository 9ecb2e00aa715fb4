// kernels/ref/ref_train_mm.c
#include "ref_train_mm.h"

#include <stddef.h>

float ref_mmt_f32(const struct mmt_f32 *mm, uint32_t i, uint32_t j, float before) {
  float sum = mm->add ? before : 0;
  for (size_t k = 0; k < mm->k; k++) {
    float a = mm->layout == MMT_TN ? mm->a[k * mm->lda + i] : mm->a[(size_t)i * mm->lda + k];
    float b = mm->layout == MMT_NT ? mm->b[(size_t)j * mm->ldb + k] : mm->b[k * mm->ldb + j];
    sum = __builtin_fmaf(a, b, sum);
  }
  return sum;
}
