// kernels/ref/ref_train_depthwise.h: the depthwise convolution in double precision.
#ifndef REF_TRAIN_DEPTHWISE_H
#define REF_TRAIN_DEPTHWISE_H

#include "kernels/ref/ref_train.h"
#include "kernels/train/train_depthwise.h"

// One element of a pass: by its index in the result. `add` is not applied.
struct ref_sum ref_train_depthwise_fw(const struct train_depthwise *layer, uint32_t index);
struct ref_sum ref_train_depthwise_wg(const struct train_depthwise *layer, uint32_t index);
struct ref_sum ref_train_depthwise_ig(const struct train_depthwise *layer, uint32_t index);

#endif
