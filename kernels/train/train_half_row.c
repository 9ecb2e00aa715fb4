// kernels/train/train_half_row.c: what train_half_row.S computes, in C.
#include "train_half_row.h"

#ifndef __riscv

#include <stddef.h>

uint16_t *train_half_row(uint16_t *to, const uint16_t *from, uint32_t count, uint32_t stride,
                         uint32_t before, uint32_t behind) {
  for (uint32_t i = 0; i < before; i++)
    *to++ = 0;
  for (size_t i = 0; i < count; i++)
    *to++ = from[i * (stride / 2)];
  for (uint32_t i = 0; i < behind; i++)
    *to++ = 0;
  return to;
}

#endif
