// kernels/ref/ref_linear.c
#include "ref_linear.h"

int32_t ref_linear_sum(const uint8_t *in, const int8_t *w, uint32_t inputs) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < inputs; i++)
    sum += (uint32_t)(in[i] * w[i]);
  return (int32_t)sum;
}
