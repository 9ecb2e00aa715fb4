// kernels/ref/ref_mm.c
#include "ref_mm.h"

#include <stddef.h>

float ref_mm_f32(const struct mm_f32 *mm, uint32_t i, uint32_t j) {
  float sum = 0;
  for (size_t k = 0; k < mm->k; k++)
    sum = __builtin_fmaf(mm->a[i * mm->lda + k], mm->b[k * mm->ldb + j], sum);
  return sum;
}

int32_t ref_mm_i8(const struct mm_i8 *mm, const int8_t *bt, uint32_t ldb, uint32_t i, uint32_t j) {
  uint32_t sum = 0;
  for (size_t k = 0; k < mm->k; k++)
    sum += (uint32_t)(mm->a[i * mm->lda + k] * bt[j * ldb + k]);
  return (int32_t)sum;
}
