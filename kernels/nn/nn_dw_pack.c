// kernels/nn/nn_dw_pack.c: what the assembly computes, in C.
#include "nn_dw_pack.h"

#ifndef __riscv
void nn_dw_pack_4(uint8_t *out, const uint32_t *words, uint32_t count, uint32_t step) {
  for (uint32_t i = 0; i < count; i++, out += step) {
    out[0] = (uint8_t)((words[i] & 15) | (words[i] >> 4 & 0xf0));
    out[1] = (uint8_t)((words[i] >> 16 & 15) | (words[i] >> 20 & 0xf0));
  }
}
#endif
