// kernels/ref/ref_train_mm.h: matrix multiplication for training in the plainest C.
#ifndef REF_TRAIN_MM_H
#define REF_TRAIN_MM_H

#include "kernels/mm/mmt_f32.h"
#include "kernels/ref/ref_train.h"

// One element of C: fused multiply-adds in the order of k, from +0 or, with `add`, from `before`.
float ref_mmt_f32(const struct mmt_f32 *mm, uint32_t i, uint32_t j, float before);

// The same in double precision; `add` is not applied.
struct ref_sum ref_mmt_f32_sum(const struct mmt_f32 *mm, uint32_t i, uint32_t j);

#endif
