// kernels/train/train_net_half_window.h: windows of any size over one plane of 16-bit elements in
// L1, by the calling core: depthwise layers beside the kernels for 3x3, patches, pools. Outputs
// are `train_net_half_pitch()` elements a plane; the last of an odd number is 0, but in gradients
// of inputs.
#ifndef TRAIN_NET_HALF_WINDOW_H
#define TRAIN_NET_HALF_WINDOW_H

#include "kernels/train/train_net.h"
#include "kernels/train/train_type.h"

void train_half_window_fw(const struct train_net_layer *layer, enum train_type type, const void *in,
                          const uint16_t *weights, void *out);
void train_half_window_wg(const struct train_net_layer *layer, enum train_type type, const void *in,
                          uint16_t *weights_grad, const void *out_grad);
void train_half_window_ig(const struct train_net_layer *layer, enum train_type type,
                          const void *out_grad, const uint16_t *weights, void *in_grad);

// A plane of patches: what place `tap` of the window sees.
void train_half_patch(const struct train_net_layer *layer, uint32_t tap, const void *in, void *out);

// Patches, maximum, mean.
void train_half_other_fw(const struct train_net_layer *layer, enum train_type type, const void *in,
                         void *out);
void train_half_other_bw(const struct train_net_layer *layer, enum train_type type, const void *in,
                         const void *out_grad, void *in_grad);

#endif
