// kernels/nn/nn_channel.h: sums of one channel, which stand behind one another, to its outputs. In
// assembly on the target (nn_channel.S), in C on the host (nn_channel.c).
#ifndef NN_CHANNEL_H
#define NN_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "nn_requant_i32.h"

struct nn_channel {    // the assembly knows these offsets
  const int32_t *sums; // and a word behind, to be read
  uint8_t *out;
  uint32_t count;        // at least 1
  uint32_t step;         // bytes from output to output
  int32_t kappa, lambda; // of schemes: twice the factor; the bias
  uint32_t shift;    // to the right: 0..31; of NN_TFLITE 1..31; nn_channel_icn_left(): left, 1..7
  int32_t low, high; // of schemes, less `zero`; of the others the largest output is `high`
  int32_t zero;
};

// clip((kappa * sum + lambda) >> shift), to 0..high (u) or to -high - 1..high (s), a byte each;
// sum + lambda, 32 bits (sums); of nn_requant_i32.h NN_ICN, and NN_TFLITE, rounding twice or once,
// a byte.
typedef void nn_channel_fn(const struct nn_channel *channel);
extern nn_channel_fn nn_channel_u, nn_channel_s, nn_channel_sums;
extern nn_channel_fn nn_channel_icn, nn_channel_icn_left, nn_channel_tflite, nn_channel_tflite_once;

// Outputs of channel c by a scheme, from sums + lambda, both within `sums`; a byte each, of
// rq->bits.
void nn_channel_by(const struct nn_requant_i32 *rq, struct nn_channel *channel, uint32_t c,
                   uint32_t sums);

#endif
