// kernels/ref/ref_add.h: addition of two tensors in the plainest C, for host and target.
#ifndef REF_ADD_H
#define REF_ADD_H

#include "kernels/nn/nn_add_tflite.h"

// Channel c of pixel p; the low out_bits of it.
uint32_t ref_add_tflite(const struct nn_add *layer, const struct nn_add_tflite *by, uint32_t pixel,
                        uint32_t channel);
uint32_t ref_add(const struct nn_add *layer, uint32_t p, uint32_t c);

#endif
