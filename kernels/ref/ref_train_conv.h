// kernels/ref/ref_train_conv.h: convolutions with gradients in the plainest C and double
// precision, for host and target.
#ifndef REF_TRAIN_CONV_H
#define REF_TRAIN_CONV_H

#include "kernels/ref/ref_train.h"
#include "kernels/train/train_conv2d.h"

// One element of a pass: by its index in the result. `add` is not applied.
struct ref_sum ref_train_conv2d_fw(const struct train_conv2d *layer, uint32_t index);
struct ref_sum ref_train_conv2d_wg(const struct train_conv2d *layer, uint32_t index);
struct ref_sum ref_train_conv2d_ig(const struct train_conv2d *layer, uint32_t index);

#endif
