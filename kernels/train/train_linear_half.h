// kernels/train/train_linear_half.h: the fully connected layer in 16-bit types, for train_linear.c.
// Shapes and pointers are checked before, but for scratch.
#ifndef TRAIN_LINEAR_HALF_H
#define TRAIN_LINEAR_HALF_H

#include "kernels/train/train_linear.h"

uint32_t train_linear_half_wg_size(const struct train_linear *layer);

enum kernel_status train_linear_half_fw(const struct train_linear *layer);
enum kernel_status train_linear_half_wg(const struct train_linear *layer);
enum kernel_status train_linear_half_ig(const struct train_linear *layer);

#endif
