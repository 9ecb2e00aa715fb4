// kernels/nn/nn_add_tflite.h: addition of two tensors as TensorFlow Lite adds: each input less its
// zero point, shifted to the left, and rescaled; their sum rescaled again. With rescaled(x, t)
// being x * t.factor * 2^(t.shift - 31), rounded twice (nn_rescale.h):
//
//   out[i] = min(max(out.zero + rescaled(rescaled((a[i] - a.zero) << left, a) +
//                                        rescaled((b[i] - b.zero) << left, b), out), low), high)
//
// Sums wrap at 32 bits. About 80 slots an element. Source: TensorFlow Lite 8-bit quantization
// specification; Jacob et al., CVPR 2018, appendix A.2.
#ifndef NN_ADD_TFLITE_H
#define NN_ADD_TFLITE_H

#include "nn_add.h"

struct nn_add_rescale { // of a tensor
  int32_t factor;       // Q31
  int8_t shift;         // -31..30, to the left if positive
  int16_t zero;
};

struct nn_add_tflite {
  struct nn_add_rescale a, b, out;
  uint8_t left;      // 0..23
  int16_t low, high; // the range of outputs: low <= high, within that of out_bits
};

// Tensors, bits and signs as nn_add(); the layer's scales, lambda and shift are not used. Pixels
// are split over the cores, or of one pixel groups of eight elements; the caller puts a barrier
// behind the call.
enum kernel_status nn_add_tflite(const struct nn_add *layer, const struct nn_add_tflite *by);

#endif
