// deploy/read/tflite_lower.h: TensorFlow Lite models as networks, in integers or in real numbers.
#ifndef TFLITE_LOWER_H
#define TFLITE_LOWER_H

#include "deploy/quant/real.h"
#include "tflite.h"

// A network that computes the model's codes bit for bit (NET_TFLITE), signed or unsigned 8-bit
// activations, weights per tensor or per channel. A model that takes or gives floats begins behind
// its QUANTIZE and ends before its DEQUANTIZE; a SOFTMAX at the end is dropped. NULL with the
// sentence: operator, what of it is not supported, what is.
struct net *tflite_lower(const char *name, const struct tflite_model *model,
                         struct net_error *error);

// A model in float32, also with weights in float16, as a network in real numbers. NULL likewise.
struct real_net *tflite_lower_real(const char *name, const struct tflite_model *model,
                                   struct net_error *error);

// Whether there are activations in 8 bits, or, which tflite_lower() refuses, in 16.
bool tflite_is_quantized(const struct tflite_model *model);

#endif
