// kernels/train/train_depthwise_converted.h: 3x3 depthwise convolution with stride 1 in any layout
// and type, for train_depthwise.c: each core copies a channel's planes to scratch as floats in CHW,
// lets train_dw.S do the work there, and copies the result back, rounded. Shapes and pointers are
// checked before; sizes of scratch are in bytes.
#ifndef TRAIN_DEPTHWISE_CONVERTED_H
#define TRAIN_DEPTHWISE_CONVERTED_H

#include "kernels/train/train_depthwise.h"

uint32_t train_depthwise_converted_size(const struct train_depthwise *layer); // fw and wg
uint32_t train_depthwise_converted_ig_size(const struct train_depthwise *layer);
void train_depthwise_converted_fw(const struct train_depthwise *layer);
void train_depthwise_converted_wg(const struct train_depthwise *layer);
void train_depthwise_converted_ig(const struct train_depthwise *layer);

#endif
