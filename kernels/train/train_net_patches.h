// kernels/train/train_net_patches.h: im2col of planes, a row of pixels for each channel and place
// in the window, and its gradient.
#ifndef TRAIN_NET_PATCHES_H
#define TRAIN_NET_PATCHES_H

#include "kernels/train/train_net.h"

// All of a layer's patches, from L2 to L2: each core makes and sends some rows; false, and nothing
// is done, if L1 does not hold the input with zeros around it and all patches. A pass
// (train_net_pass.h).
bool train_net_patches(const struct train_net *net, const struct train_net_layer *layer,
                       const float *in);

// Of so many channels, in L1: `patches` [channels * kernel_h * kernel_w][out_h * out_w].
void train_net_patches_fw(const struct train_net_layer *layer, uint32_t channels, const float *in,
                          float *patches);
// in_grad = for each pixel the sum of the patches' gradients that it is in, in the order of rows.
void train_net_patches_bw(const struct train_net_layer *layer, uint32_t channels,
                          const float *patches_grad, float *in_grad);

#endif
