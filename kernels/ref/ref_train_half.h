// kernels/ref/ref_train_half.h: 16-bit floats in plain C, and matrix multiplication with them.
#ifndef REF_TRAIN_HALF_H
#define REF_TRAIN_HALF_H

#include <stddef.h>

#include "kernels/mm/mmt_f16.h"
#include "kernels/ref/ref_train.h"
#include "kernels/train/train_type.h"

// Value of a binary16 or bfloat16, and the nearest one to a float (ties to even).
float ref_half_value(uint16_t half, enum mmt_f16_format format);
uint16_t ref_half_round(float value, enum mmt_f16_format format);

// Element i of a tensor of any type, and the same comparison for it.
float ref_typed(const void *tensor, size_t i, enum train_type type);
bool ref_typed_near(const void *tensor, size_t i, enum train_type type, const struct ref_sum *want);

// One element of C; `add` is not applied.
struct ref_sum ref_mmt_f16(const struct mmt_f16 *mm, uint32_t i, uint32_t j);

// Within the bound of the float sum and one rounding to 16 bits.
bool ref_half_near(uint16_t got, enum mmt_f16_format format, const struct ref_sum *want);

#endif
