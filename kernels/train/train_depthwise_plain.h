// kernels/train/train_depthwise_plain.h: depthwise convolution of any shape, layout and type, in C,
// for train_depthwise.c. Shapes and pointers are checked before; the cores share the channels.
#ifndef TRAIN_DEPTHWISE_PLAIN_H
#define TRAIN_DEPTHWISE_PLAIN_H

#include "kernels/train/train_depthwise.h"

void train_depthwise_plain_fw(const struct train_depthwise *layer);
void train_depthwise_plain_wg(const struct train_depthwise *layer);
void train_depthwise_plain_ig(const struct train_depthwise *layer);

// The bias of a channel, and its gradient: the sum of the channel's output gradients.
float train_depthwise_bias(const struct train_depthwise *layer, uint32_t channel);
void train_depthwise_bias_gradient(const struct train_depthwise *layer, uint32_t channel);

#endif
