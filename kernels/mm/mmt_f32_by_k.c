// kernels/mm/mmt_f32_by_k.c
#include "mmt_f32_by_k.h"

#include <stddef.h>

#include "kernels/rt/rt.h"

// Floats from part to part: one more than a multiple of the banks, so that cores that add the same
// element of different parts, or walk along their own, do not meet.
static uint32_t part_size(const struct mmt_f32 *mm) {
  return (mm->n * mm->m + 15) / 16 * 16 + 1;
}

uint32_t mmt_f32_by_k_buffer_size(const struct mmt_f32 *mm) {
  return part_size(mm) * rt_core_count() * 4;
}

// C = (C +) the parts, in their order; the cores share the elements.
static void add_parts(const struct mmt_f32 *mm, const float *parts, uint32_t count) {
  struct rt_range mine = rt_share(mm->n * mm->m);
  uint32_t row = mine.begin / mm->m, column = mine.begin % mm->m, size = part_size(mm);
  for (uint32_t i = mine.begin; i < mine.end; i++) {
    float *c = mm->c + (size_t)row * mm->ldc + column, sum = parts[i];
    if (mm->add)
      sum += *c;
    for (uint32_t p = 1; p < count; p++)
      sum += parts[(size_t)p * size + i];
    *c = sum;
    if (++column == mm->m) {
      column = 0;
      row++;
    }
  }
}

enum kernel_status mmt_f32_by_k(const struct mmt_f32 *mm, float *parts) {
  enum kernel_status status = mmt_f32_check(mm);
  if (status == KERNEL_OK && (!parts || (uintptr_t)parts % 4))
    status = KERNEL_BAD_POINTER;
  if (status != KERNEL_OK)
    return status;
  struct rt_range mine = rt_share(mm->k);
  struct mmt_f32 part = *mm;
  part.a += (size_t)mine.begin * (mm->layout == MMT_TN ? mm->lda : 1);
  part.b += (size_t)mine.begin * (mm->layout == MMT_NT ? 1 : mm->ldb);
  part.c = parts + (size_t)rt_core_id() * part_size(mm);
  part.ldc = mm->m;
  part.k = mine.end - mine.begin;
  part.add = false;
  if (part.k > 0)
    mmt_f32_alone(&part);
  rt_barrier();
  add_parts(mm, parts, rt_core_count() < mm->k ? rt_core_count() : mm->k);
  return KERNEL_OK;
}
