// kernels/nn/nn_dw_pack.h: four channels' bytes to nibbles. In assembly on the target
// (nn_dw_pack.S), in C on the host (nn_dw_pack.c).
#ifndef NN_DW_PACK_H
#define NN_DW_PACK_H

#include <stdint.h>

// The low halves of each word's bytes to two bytes, `step` bytes from one pair to the next, of any
// alignment. A word behind the `count`, at least 1, is read.
void nn_dw_pack_4(uint8_t *out, const uint32_t *words, uint32_t count, uint32_t step);

#endif
