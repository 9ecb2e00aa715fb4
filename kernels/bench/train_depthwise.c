// kernels/bench/train_depthwise.c: depthwise convolution, PASS fw, wg or ig, of TYPE elements, HWC
// or CHW.
#include "train.h"

#include "kernels/ref/ref_train_depthwise.h"

#ifndef SHAPE
#define SHAPE 16, 16, 16, 3, 3, 1, 1, 0, 0, 0, 0
#endif
#ifndef HWC
#define HWC 0
#endif

RT_REGION(1, "depthwise " TEXT(PASS));
RT_REGION(2, "first call");

struct shape {
  uint16_t c, in_h, in_w;
  uint8_t kernel_h, kernel_w, stride_h, stride_w, pad_top, pad_bottom, pad_left, pad_right;
};

int main(void) {
  static const struct shape s = {SHAPE};
  struct train_depthwise l = {
      .c = s.c, .in_h = s.in_h, .in_w = s.in_w, BENCH_WINDOW(s), .hwc = HWC};
  uint32_t outs = train_depthwise_out_h(&l) * train_depthwise_out_w(&l) * l.c;
  return RUN_PASS(depthwise, l, (uint32_t)l.c * l.in_h * l.in_w, outs,
                  (uint32_t)l.c * l.kernel_h * l.kernel_w, train_depthwise_macs(&l), 7);
}
