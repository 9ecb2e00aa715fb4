// kernels/nn/nn_linear.h: quantized fully connected layer: uint8 in, int8 weights, uint8 or int32
// out.
//
//   sum[f] = sum over i < inputs of in[i] * w[f][i]
//   out[f] = clip((kappa[f] * sum[f] + lambda[f]) >> shift)      (nn_requant.h), or the sum itself
//
// in[inputs] aligned to 4; weights w[outputs][inputs], packed beforehand, once, by nn_linear_pack()
// (blocks of eight outputs, word by word). Blocks are split over the cores, or single outputs where
// blocks leave cores idle; of fewer outputs than cores, if there is scratch, the inputs are, too
// (with a barrier inside, for all cores). The caller puts a barrier behind the call. For 4- and
// 2-bit data use nn_mixed.h with a 1x1 input; for other schemes of requantization that, or
// nn_requant_i32() behind the int32 sums and a barrier.
#ifndef NN_LINEAR_H
#define NN_LINEAR_H

#include <stdint.h>

#include "kernels/status.h"

struct nn_linear {
  const uint8_t *in;        // aligned to 4, readable up to a multiple of 4 bytes
  const void *filters;      // packed: nn_linear_pack(), aligned to 4
  void *out;                // uint8_t[outputs], or int32_t[outputs] aligned to 4
  uint16_t inputs, outputs; // >= 1
  uint8_t shift;            // 0..31
  void *scratch;            // nn_linear_buffer_size() bytes, aligned to 4; or NULL
};

uint32_t nn_linear_packed_size(const struct nn_linear *layer); // bytes

uint32_t nn_linear_buffer_size(const struct nn_linear *layer); // bytes; 0: no use for scratch

// kappa and lambda may be NULL for int32 outputs. The cores share the work.
void nn_linear_pack(const struct nn_linear *layer, void *packed, const int8_t *weights,
                    const int32_t *kappa, const int32_t *lambda);

enum kernel_status nn_linear_u8_i8_u8(const struct nn_linear *layer);
enum kernel_status nn_linear_u8_i8_i32(const struct nn_linear *layer);

#endif
