// kernels/train/train_depthwise_any.h: depthwise convolution of any kernel, stride, layout and
// type, for train_depthwise.c: each core has a channel's plane with its border in scratch, as
// floats in CHW; train_depthwise_window.c does the work there, and the result is copied back,
// rounded, unless it is floats in CHW already. Shapes and pointers are checked before; sizes of
// scratch are in bytes.
#ifndef TRAIN_DEPTHWISE_ANY_H
#define TRAIN_DEPTHWISE_ANY_H

#include "kernels/train/train_depthwise.h"

uint32_t train_depthwise_any_size(const struct train_depthwise *layer); // fw and wg
uint32_t train_depthwise_any_ig_size(const struct train_depthwise *layer);
void train_depthwise_any_fw(const struct train_depthwise *layer);
void train_depthwise_any_wg(const struct train_depthwise *layer);
void train_depthwise_any_ig(const struct train_depthwise *layer);

#endif
