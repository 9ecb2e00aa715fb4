// kernels/ref/ref_train_depthwise.c
#include "ref_train_depthwise.h"

#include <stddef.h>

#include "ref_train_conv.h"

// Channel `c` as a layer of its own.
static struct train_conv2d channel(const struct train_depthwise *l, uint32_t c) {
  size_t ins = (size_t)c * l->in_h * l->in_w, taps = (size_t)c * l->kernel_h * l->kernel_w;
  size_t outs = (size_t)c * train_depthwise_out_h(l) * train_depthwise_out_w(l);
  return (struct train_conv2d){.in = l->in ? l->in + ins : NULL,
                               .weights = l->weights ? l->weights + taps : NULL,
                               .bias = l->bias ? l->bias + c : NULL,
                               .out_grad = l->out_grad ? l->out_grad + outs : NULL,
                               .in_c = 1,
                               .in_h = l->in_h,
                               .in_w = l->in_w,
                               .out_c = 1,
                               .kernel_h = l->kernel_h,
                               .kernel_w = l->kernel_w,
                               .stride_h = l->stride_h,
                               .stride_w = l->stride_w,
                               .pad_top = l->pad_top,
                               .pad_bottom = l->pad_bottom,
                               .pad_left = l->pad_left,
                               .pad_right = l->pad_right};
}

struct ref_sum ref_train_depthwise_fw(const struct train_depthwise *l, uint32_t index) {
  uint32_t plane = train_depthwise_out_h(l) * train_depthwise_out_w(l);
  const struct train_conv2d one = channel(l, index / plane);
  return ref_train_conv2d_fw(&one, index % plane);
}

struct ref_sum ref_train_depthwise_wg(const struct train_depthwise *l, uint32_t index) {
  uint32_t taps = (uint32_t)l->kernel_h * l->kernel_w;
  const struct train_conv2d one = channel(l, index / taps);
  return ref_train_conv2d_wg(&one, index % taps);
}

struct ref_sum ref_train_depthwise_ig(const struct train_depthwise *l, uint32_t index) {
  uint32_t plane = (uint32_t)l->in_h * l->in_w;
  const struct train_conv2d one = channel(l, index / plane);
  return ref_train_conv2d_ig(&one, index % plane);
}
