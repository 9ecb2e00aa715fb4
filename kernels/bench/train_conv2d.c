// kernels/bench/train_conv2d.c: convolution, PASS fw, wg or ig.
#include "train.h"

#include "kernels/ref/ref_train_conv.h"

#ifndef SHAPE
#define SHAPE 16, 10, 10, 16, 3, 3, 1, 1, 1, 1, 1, 1
#endif
#ifndef PASS
#define PASS fw
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define TEXT_(name) #name
#define TEXT(name)  TEXT_(name)

RT_REGION(1, "conv2d " TEXT(PASS));
RT_REGION(2, "first call");

struct shape {
  uint16_t in_c, in_h, in_w, out_c;
  uint8_t kernel_h, kernel_w, stride_h, stride_w, pad_top, pad_bottom, pad_left, pad_right;
};

enum { fw, wg, ig };

int main(void) {
  static const struct shape s = {SHAPE};
  unsigned core = rt_core_id();
  struct train_conv2d l = {.in_c = s.in_c,
                           .in_h = s.in_h,
                           .in_w = s.in_w,
                           .out_c = s.out_c,
                           .kernel_h = s.kernel_h,
                           .kernel_w = s.kernel_w,
                           .stride_h = s.stride_h,
                           .stride_w = s.stride_w,
                           .pad_top = s.pad_top,
                           .pad_bottom = s.pad_bottom,
                           .pad_left = s.pad_left,
                           .pad_right = s.pad_right};
  uint32_t ins = (uint32_t)l.in_c * l.in_h * l.in_w;
  uint32_t outs = train_conv2d_out_h(&l) * train_conv2d_out_w(&l) * l.out_c;
  uint32_t weights = (uint32_t)l.in_c * l.out_c * l.kernel_h * l.kernel_w;
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
  uint32_t bytes = JOIN(JOIN(train_conv2d_, PASS), _buffer_size)(&l);
  if (bytes)
    l.scratch = take(bytes / 4, core, 0);
  rt_region_macs(1, train_conv2d_macs(&l));
  enum kernel_status status;
  bench_measure_step(status, JOIN(train_conv2d_, PASS)(&l));
  if (status != KERNEL_OK)
    return 1;
  return CHECK(TEXT(PASS), result, count, 11, JOIN(ref_train_conv2d_, PASS)(&l, i_));
}
