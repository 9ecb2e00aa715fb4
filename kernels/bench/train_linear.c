// kernels/bench/train_linear.c: fully connected layer, PASS fw, wg or ig.
#include "train.h"

#include "kernels/ref/ref_train_linear.h"

#ifndef SHAPE
#define SHAPE 1, 192, 64
#endif
#ifndef PASS
#define PASS fw
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define TEXT_(name) #name
#define TEXT(name)  TEXT_(name)

RT_REGION(1, "linear " TEXT(PASS));
RT_REGION(2, "first call");

enum { fw, wg, ig };

int main(void) {
  static const uint32_t s[3] = {SHAPE};
  unsigned core = rt_core_id();
  struct train_linear l = {.batch = s[0], .in_n = s[1], .out_n = s[2]};
  uint32_t ins = l.batch * l.in_n, outs = l.batch * l.out_n, weights = l.in_n * l.out_n, count;
  float *result;
  if (PASS == fw) {
    l.in = take(ins, core, 1);
    l.weights = take(weights, core, 2);
    l.out = result = take(count = outs, core, 0);
  } else if (PASS == wg) {
    l.in = take(ins, core, 1);
    l.out_grad = take(outs, core, 2);
    l.weights_grad = result = take(count = weights, core, 0);
  } else {
    l.out_grad = take(outs, core, 1);
    l.weights = take(weights, core, 2);
    l.in_grad = result = take(count = ins, core, 0);
  }
  rt_region_macs(1, (uint64_t)l.batch * weights);
  enum kernel_status status;
  bench_measure_step(status, JOIN(train_linear_, PASS)(&l));
  if (status != KERNEL_OK)
    return 1;
  return CHECK(TEXT(PASS), result, count, 3, JOIN(ref_train_linear_, PASS)(&l, i_));
}
