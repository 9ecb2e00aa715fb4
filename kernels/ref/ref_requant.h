// kernels/ref/ref_requant.h: one output of each requantization, in the plainest C.
#ifndef REF_REQUANT_H
#define REF_REQUANT_H

#include "kernels/nn/nn_requant_i32.h"

// Channel c's sum to the output's low `bits` bits.
uint32_t ref_requant_i32(const struct nn_requant_i32 *rq, int32_t sum, uint32_t c);

// x * factor * 2^(shift - 31), rounded as TensorFlow Lite does: to the nearest twice (halves up,
// then away from zero), or once (halves up).
int32_t ref_scaled_twice(int32_t x, int32_t factor, int32_t shift);
int64_t ref_scaled_once(int32_t x, int32_t factor, int32_t shift);

#endif
