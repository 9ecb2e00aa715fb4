// deploy/net/net_ref.h: what becomes of one value, in the plainest C: the meaning of struct
// net_requant and struct net_scaled. Requantizations that the kernels have are theirs, bit for bit
// (kernels/ref/ref_requant.h).
#ifndef NET_REF_H
#define NET_REF_H

#include "net.h"

// TensorFlow Lite's MultiplyByQuantizedMultiplier (Jacob et al., CVPR 2018, section 2.2; gemmlowp):
// x * 2^left for positive shifts, times `multiplier` / 2^31 rounded to nearest, by 2^-shift for
// negative shifts rounded to nearest, halves away from zero. Wraps at 32 bits.
int32_t net_multiply_q31(int32_t x, int32_t multiplier, int shift);

// Channel c's sum as a code of the output; c is 0 in layers without weights whose requantization is
// not per channel. `bits`: the output's; `pixels`: of the window inside the input (NET_DIVIDE).
int32_t net_requantized(const struct net_requant *rq, int32_t sum, uint32_t c, uint32_t bits,
                        uint32_t pixels);

// An input before an addition, a product or a concatenation.
int32_t net_scaled_value(const struct net_scaled *scaled, int32_t code);

#endif
