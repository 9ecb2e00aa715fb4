// kernels/ref/ref_add.h: addition of two tensors in the plainest C, for host and target.
#ifndef REF_ADD_H
#define REF_ADD_H

#include "kernels/nn/nn_add.h"

// Channel c of pixel p; the low out_bits of it.
uint32_t ref_add(const struct nn_add *layer, uint32_t p, uint32_t c);

#endif
