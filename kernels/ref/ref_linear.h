// kernels/ref/ref_linear.h: one sum of a fully connected layer, in the plainest C.
#ifndef REF_LINEAR_H
#define REF_LINEAR_H

#include <stdint.h>

// in[inputs], w[inputs]: the weights of one output.
int32_t ref_linear_sum(const uint8_t *in, const int8_t *w, uint32_t inputs);

#endif
