// kernels/nn/nn_conv2d_scalar.h: the layer of nn_conv2d.h in plain C for RV32IMC: no SIMD, no
// im2col, no register block. The baseline that published speed-ups refer to (Garofalo et al. 2020,
// section 5: one core without the extensions); for work use nn_conv2d.h.
#ifndef NN_CONV2D_SCALAR_H
#define NN_CONV2D_SCALAR_H

#include "nn_conv2d.h"

// Weights, kappa and lambda as they are before packing; layer->filters and scratch are not used.
// Same shapes, same results as nn_conv2d_u8_i8_u8(); output rows are split over the cores.
enum kernel_status nn_conv2d_scalar(const struct nn_conv2d *layer, const int8_t *weights,
                                    const int32_t *kappa, const int32_t *lambda);

#endif
