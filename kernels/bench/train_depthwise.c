// kernels/bench/train_depthwise.c: depthwise convolution, PASS fw, wg or ig.
#include "train.h"

#include "kernels/ref/ref_train_depthwise.h"

#ifndef SHAPE
#define SHAPE 16, 16, 16, 3, 3, 1, 1, 0, 0, 0, 0
#endif
#ifndef PASS
#define PASS fw
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define TEXT_(name) #name
#define TEXT(name)  TEXT_(name)

RT_REGION(1, "depthwise " TEXT(PASS));
RT_REGION(2, "first call");

struct shape {
  uint16_t c, in_h, in_w;
  uint8_t kernel_h, kernel_w, stride_h, stride_w, pad_top, pad_bottom, pad_left, pad_right;
};

enum { fw, wg, ig };

int main(void) {
  static const struct shape s = {SHAPE};
  unsigned core = rt_core_id();
  struct train_depthwise l = {.c = s.c,
                              .in_h = s.in_h,
                              .in_w = s.in_w,
                              .kernel_h = s.kernel_h,
                              .kernel_w = s.kernel_w,
                              .stride_h = s.stride_h,
                              .stride_w = s.stride_w,
                              .pad_top = s.pad_top,
                              .pad_bottom = s.pad_bottom,
                              .pad_left = s.pad_left,
                              .pad_right = s.pad_right};
  uint32_t ins = (uint32_t)l.c * l.in_h * l.in_w;
  uint32_t outs = train_depthwise_out_h(&l) * train_depthwise_out_w(&l) * l.c;
  uint32_t weights = (uint32_t)l.c * l.kernel_h * l.kernel_w;
  float *result;
  uint32_t count;
  if (PASS == fw) {
    l.in = take(ins + 1, core, 1);
    l.weights = take(weights + 1, core, 2);
    l.out = result = take(count = outs, core, 0);
  } else if (PASS == wg) {
    l.in = take(ins + 1, core, 1);
    l.out_grad = take(outs + 1, core, 2);
    l.weights_grad = result = take(count = weights, core, 0);
  } else {
    l.out_grad = take(outs + 1, core, 1);
    l.weights = take(weights + 1, core, 2);
    l.in_grad = result = take(count = ins, core, 0);
  }
  uint32_t bytes = JOIN(JOIN(train_depthwise_, PASS), _buffer_size)(&l);
  if (bytes)
    l.scratch = take(bytes / 4, core, 0);
  rt_region_macs(1, train_depthwise_macs(&l));
  enum kernel_status status;
  bench_measure_step(status, JOIN(train_depthwise_, PASS)(&l));
  if (status != KERNEL_OK)
    return 1;
  return CHECK(TEXT(PASS), result, count, 11, JOIN(ref_train_depthwise_, PASS)(&l, i_));
}
