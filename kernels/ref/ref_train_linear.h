// kernels/ref/ref_train_linear.h: the fully connected layer in double precision.
#ifndef REF_TRAIN_LINEAR_H
#define REF_TRAIN_LINEAR_H

#include "kernels/ref/ref_train.h"
#include "kernels/train/train_linear.h"

// One element of a pass: by its index in the result. `add` is not applied.
struct ref_sum ref_train_linear_fw(const struct train_linear *layer, uint32_t index);
struct ref_sum ref_train_linear_wg(const struct train_linear *layer, uint32_t index);
struct ref_sum ref_train_linear_ig(const struct train_linear *layer, uint32_t index);

#endif
