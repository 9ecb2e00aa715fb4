// deploy/quant/fake_weighted.c: convolutions and fully connected layers, by kernels/train.
#include <stdlib.h>

#include "fake_run.h"
#include "kernels/train/train_conv2d.h"
#include "kernels/train/train_depthwise.h"
#include "kernels/train/train_linear.h"

static void expect(enum kernel_status status) {
  if (status != KERNEL_OK)
    abort(); // fake_new() has checked the shapes
}

static float *weights_grad(const struct fake_work *w) {
  return w->run->gradients + w->weights->weights;
}

static float *bias_grad(const struct fake_work *w) {
  return w->run->gradients + w->weights->bias;
}

static struct train_linear linear_of(const struct fake_work *w) {
  return (struct train_linear){.in = fake_input(w, 0),
                               .weights = w->weights->rounded,
                               .bias = w->weights->bias_now,
                               .weights_grad = weights_grad(w),
                               .bias_grad = bias_grad(w),
                               .batch = 1,
                               .in_n = (uint32_t)w->weights->taps,
                               .out_n = w->weights->filters,
                               .add = true};
}

static struct train_depthwise depthwise_of(const struct fake_work *w) {
  const struct net_layer *l = w->layer;
  return (struct train_depthwise){.in = fake_input(w, 0),
                                  .weights = w->weights->rounded,
                                  .bias = w->weights->bias_now,
                                  .weights_grad = weights_grad(w),
                                  .bias_grad = bias_grad(w),
                                  .scratch = w->run->scratch,
                                  .c = (uint16_t)w->in->c,
                                  .in_h = (uint16_t)w->in->h,
                                  .in_w = (uint16_t)w->in->w,
                                  .kernel_h = l->kernel_h,
                                  .kernel_w = l->kernel_w,
                                  .stride_h = l->stride_h,
                                  .stride_w = l->stride_w,
                                  .pad_top = l->pad_top,
                                  .pad_bottom = l->pad_bottom,
                                  .pad_left = l->pad_left,
                                  .pad_right = l->pad_right,
                                  .add = true};
}

// One group of a convolution's channels.
static struct train_conv2d conv_of(const struct fake_work *w, uint32_t group) {
  const struct net_layer *l = w->layer;
  uint32_t in_c = w->in->c / l->groups, out_c = w->out->c / l->groups;
  size_t weights = group * out_c * w->weights->taps;
  return (struct train_conv2d){.in = fake_input(w, 0) + (size_t)group * in_c * w->in->h * w->in->w,
                               .weights = w->weights->rounded + weights,
                               .bias = w->weights->bias_now + (size_t)group * out_c,
                               .weights_grad = weights_grad(w) + weights,
                               .bias_grad = bias_grad(w) + (size_t)group * out_c,
                               .scratch = w->run->scratch,
                               .in_c = (uint16_t)in_c,
                               .in_h = (uint16_t)w->in->h,
                               .in_w = (uint16_t)w->in->w,
                               .out_c = (uint16_t)out_c,
                               .kernel_h = l->kernel_h,
                               .kernel_w = l->kernel_w,
                               .stride_h = l->stride_h,
                               .stride_w = l->stride_w,
                               .pad_top = l->pad_top,
                               .pad_bottom = l->pad_bottom,
                               .pad_left = l->pad_left,
                               .pad_right = l->pad_right,
                               .add = true};
}

static size_t largest(size_t a, size_t b, size_t c) {
  size_t most = a > b ? a : b;
  return most > c ? most : c;
}

size_t fake_weighted_scratch(const struct fake_work *w) {
  if (w->layer->kind == NET_CONV) {
    const struct train_conv2d conv = conv_of(w, 0);
    return largest(train_conv2d_fw_buffer_size(&conv), train_conv2d_wg_buffer_size(&conv),
                   train_conv2d_ig_buffer_size(&conv));
  }
  if (w->layer->kind == NET_DEPTHWISE) {
    const struct train_depthwise conv = depthwise_of(w);
    return largest(train_depthwise_fw_buffer_size(&conv), train_depthwise_wg_buffer_size(&conv),
                   train_depthwise_ig_buffer_size(&conv));
  }
  return 0;
}

void fake_weighted_forward(const struct fake_work *w, float *out) {
  size_t plane = (size_t)w->out->h * w->out->w;
  if (w->layer->kind == NET_LINEAR) {
    struct train_linear linear = linear_of(w);
    linear.out = out;
    expect(train_linear_fw(&linear));
  } else if (w->layer->kind == NET_DEPTHWISE) {
    struct train_depthwise conv = depthwise_of(w);
    conv.out = out;
    expect(train_depthwise_fw(&conv));
  } else {
    for (uint32_t group = 0; group < w->layer->groups; group++) {
      struct train_conv2d conv = conv_of(w, group);
      conv.out = out + group * conv.out_c * plane;
      expect(train_conv2d_fw(&conv));
    }
  }
}

static void linear_back(const struct fake_work *w, const float *out_grad, float *in_grad) {
  struct train_linear linear = linear_of(w);
  linear.out_grad = out_grad, linear.in_grad = in_grad;
  expect(train_linear_wg(&linear));
  if (in_grad)
    expect(train_linear_ig(&linear));
}

static void depthwise_back(const struct fake_work *w, const float *out_grad, float *in_grad) {
  struct train_depthwise conv = depthwise_of(w);
  conv.out_grad = out_grad, conv.in_grad = in_grad;
  expect(train_depthwise_wg(&conv));
  if (in_grad)
    expect(train_depthwise_ig(&conv));
}

static void conv_back(const struct fake_work *w, const float *out_grad, float *in_grad) {
  size_t in_plane = (size_t)w->in->h * w->in->w, out_plane = (size_t)w->out->h * w->out->w;
  for (uint32_t group = 0; group < w->layer->groups; group++) {
    struct train_conv2d conv = conv_of(w, group);
    conv.out_grad = out_grad + group * conv.out_c * out_plane;
    conv.in_grad = in_grad ? in_grad + group * conv.in_c * in_plane : NULL;
    expect(train_conv2d_wg(&conv));
    if (in_grad)
      expect(train_conv2d_ig(&conv));
  }
}

void fake_weighted_backward(const struct fake_work *w, const float *out_grad, float *in_grad) {
  static void (*const back[NET_KINDS])(const struct fake_work *, const float *, float *) = {
      [NET_CONV] = conv_back, [NET_DEPTHWISE] = depthwise_back, [NET_LINEAR] = linear_back};
  back[w->layer->kind](w, out_grad, in_grad);
}
