// kernels/bench/train_linear.c: fully connected layer, PASS fw, wg or ig, of TYPE elements.
// Inputs and weights begin half the banks apart: the cores, in step at first, meet the least.
#define PAD 8
#include "train.h"

#include "kernels/ref/ref_train_linear.h"

#ifndef SHAPE
#define SHAPE 1, 192, 64
#endif

RT_REGION(1, "linear " TEXT(PASS));
RT_REGION(2, "first call");

int main(void) {
  static const uint32_t s[3] = {SHAPE};
  struct train_linear l = {.batch = s[0], .in_n = s[1], .out_n = s[2]};
  uint32_t weights = l.in_n * l.out_n;
  return RUN_PASS(linear, l, l.batch * l.in_n, l.batch * l.out_n, weights,
                  (uint64_t)l.batch * weights, 3);
}
