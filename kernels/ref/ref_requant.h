// kernels/ref/ref_requant.h: one output of each requantization, in the plainest C.
#ifndef REF_REQUANT_H
#define REF_REQUANT_H

#include "kernels/nn/nn_requant_i32.h"

// Channel c's sum to 0..2^bits - 1.
uint32_t ref_requant_i32(const struct nn_requant_i32 *rq, int32_t sum, uint32_t c);

#endif
