// kernels/train/train_linear_product.h: the fully connected layer by matrix products of any type,
// for train_linear.c. Shapes and pointers are checked before, but for scratch.
#ifndef TRAIN_LINEAR_PRODUCT_H
#define TRAIN_LINEAR_PRODUCT_H

#include "kernels/train/train_linear.h"

uint32_t train_linear_product_wg_size(const struct train_linear *layer);
uint32_t train_linear_product_ig_size(const struct train_linear *layer);

void train_linear_product_fw_one(const struct train_linear *layer); // 16 bits, a batch of one
enum kernel_status train_linear_product_fw(const struct train_linear *layer);
enum kernel_status train_linear_product_wg(const struct train_linear *layer);
enum kernel_status train_linear_product_ig(const struct train_linear *layer);

#endif
