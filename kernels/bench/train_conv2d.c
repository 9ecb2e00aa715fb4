// kernels/bench/train_conv2d.c: convolution, PASS fw, wg or ig, of TYPE elements, HWC or CHW.
#include "train.h"

#include "kernels/ref/ref_train_conv.h"

#ifndef SHAPE
#define SHAPE 16, 10, 10, 16, 3, 3, 1, 1, 1, 1, 1, 1
#endif
#ifndef HWC
#define HWC 0
#endif

RT_REGION(1, "conv2d " TEXT(PASS));
RT_REGION(2, "first call");

struct shape {
  uint16_t in_c, in_h, in_w, out_c;
  uint8_t kernel_h, kernel_w, stride_h, stride_w, pad_top, pad_bottom, pad_left, pad_right;
};

int main(void) {
  static const struct shape s = {SHAPE};
  struct train_conv2d l = {.in_c = s.in_c,
                           .in_h = s.in_h,
                           .in_w = s.in_w,
                           .out_c = s.out_c,
                           BENCH_WINDOW(s),
                           .hwc = HWC};
  uint32_t outs = train_conv2d_out_h(&l) * train_conv2d_out_w(&l) * l.out_c;
  return RUN_PASS(conv2d, l, (uint32_t)l.in_c * l.in_h * l.in_w, outs,
                  (uint32_t)l.in_c * l.out_c * l.kernel_h * l.kernel_w, train_conv2d_macs(&l), 7);
}
