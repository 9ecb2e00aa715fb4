// kernels/ref/ref_mm.h: matrix multiplications in the plainest C, for host and target.
#ifndef REF_MM_H
#define REF_MM_H

#include "kernels/mm/mm_f32.h"
#include "kernels/mm/mm_i8.h"

// One element of the product. Float: fused multiply-adds in the order of k, from +0, which is
// the order of all kernels of the family.
float ref_mm_f32(const struct mm_f32 *mm, uint32_t i, uint32_t j);

// `bt` is the transpose of B as it was before packing, with stride `ldb`.
int32_t ref_mm_i8(const struct mm_i8 *mm, const int8_t *bt, uint32_t ldb, uint32_t i, uint32_t j);

#endif
