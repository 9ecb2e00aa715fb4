// kernels/train/train_depthwise.c
#include "train_depthwise.h"

#include "kernels/rt/rt.h"
#include "train_depthwise_any.h"
#include "train_depthwise_converted.h"
#include "train_dw.h"
#include "train_extent.h"
#include "train_planes.h"

uint32_t train_depthwise_out_h(const struct train_depthwise *l) {
  return train_positions((uint32_t)l->in_h + l->pad_top + l->pad_bottom, l->kernel_h, l->stride_h);
}

uint32_t train_depthwise_out_w(const struct train_depthwise *l) {
  return train_positions((uint32_t)l->in_w + l->pad_left + l->pad_right, l->kernel_w, l->stride_w);
}

static uint32_t out_plane(const struct train_depthwise *l) {
  return train_depthwise_out_h(l) * train_depthwise_out_w(l);
}

uint64_t train_depthwise_macs(const struct train_depthwise *l) {
  return (uint64_t)out_plane(l) * l->c * l->kernel_h * l->kernel_w;
}

enum way { PLANES, CONVERTED, ANY };

static enum way way_of(const struct train_depthwise *l) {
  if (l->kernel_h != 3 || l->kernel_w != 3 || l->stride_h != 1 || l->stride_w != 1)
    return ANY;
  return l->type == TRAIN_F32 && !l->hwc ? PLANES : CONVERTED;
}

static __attribute__((noinline)) bool bad_extents(const struct train_depthwise *l) {
  return train_bad_extent(l->in_h, l->kernel_h, l->stride_h, l->pad_top, l->pad_bottom) ||
         train_bad_extent(l->in_w, l->kernel_w, l->stride_w, l->pad_left, l->pad_right);
}

// What the planes ask for is in line, 3x3 and stride 1 known: a small layer feels every line of
// code. `scratch`: whether it is wanted.
static inline enum kernel_status refuse(const struct train_depthwise *l, enum way way,
                                        const void *one, const void *two, const void *three,
                                        bool scratch) {
  bool bad = way == PLANES ? train_bad_extent(l->in_h, 3, 1, l->pad_top, l->pad_bottom) ||
                                 train_bad_extent(l->in_w, 3, 1, l->pad_left, l->pad_right)
                           : bad_extents(l);
  if (!l->c || l->c > 4095 || l->type >= TRAIN_TYPES || bad)
    return KERNEL_BAD_SHAPE;
  if (!train_aligned(one) || !train_aligned(two) || !train_aligned(three) ||
      (scratch && !train_aligned(l->scratch)))
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

// ---- planes with their borders, one per core at a time

static struct train_border in_border(const struct train_depthwise *l) {
  return (struct train_border){l->pad_top, l->pad_bottom, l->pad_left, l->pad_right};
}

// Of a 3x3 kernel.
static struct train_border out_border(const struct train_depthwise *l) {
  return (struct train_border){2u - l->pad_top, 2u - l->pad_bottom, 2u - l->pad_left,
                               2u - l->pad_right};
}

// Floats per core: four more than a multiple of the banks, so that cores do not meet at one.
static uint32_t padded_size(uint32_t h, uint32_t w, struct train_border b) {
  return ((h + b.top + b.bottom) * (w + b.left + b.right) + 15) / 16 * 16 + 4;
}

// Plane c of a tensor as train_dw.S reads it.
static const float *bordered(const struct train_depthwise *l, const float *planes, uint32_t c,
                             uint32_t h, uint32_t w, struct train_border b) {
  const float *plane = planes + (size_t)c * h * w;
  if (!train_any_border(b))
    return plane;
  float *own = (float *)l->scratch + rt_core_id() * padded_size(h, w, b);
  train_fill_plane(train_zero_border(own, h, w, b), plane, h, w, b);
  return own;
}

static uint32_t buffer_size(uint32_t h, uint32_t w, struct train_border b) {
  return train_any_border(b) ? padded_size(h, w, b) * rt_core_count() * 4 : 0;
}

// ---- forward

uint32_t train_depthwise_fw_buffer_size(const struct train_depthwise *l) {
  enum way way = way_of(l);
  return way == ANY         ? train_depthwise_any_size(l)
         : way == CONVERTED ? train_depthwise_converted_size(l)
                            : buffer_size(l->in_h, l->in_w, in_border(l));
}

static inline bool fw_scratch(const struct train_depthwise *l, enum way way) {
  return way != PLANES || train_any_border(in_border(l));
}

// 3x3, stride 1.
static struct train_dw plane_of(const struct train_depthwise *l) {
  uint32_t w = (uint32_t)l->in_w + l->pad_left + l->pad_right;
  return (struct train_dw){
      .pitch = w * 4, .w_out = w - 2, .h_out = (uint32_t)l->in_h + l->pad_top + l->pad_bottom - 2};
}

static __attribute__((noinline)) void add_bias(const struct train_dw *p, float bias) {
  for (uint32_t i = 0; i < p->w_out * p->h_out; i++)
    p->y[i] += bias;
}

enum kernel_status train_depthwise_fw(const struct train_depthwise *l) {
  enum way way = way_of(l);
  enum kernel_status status = refuse(l, way, l->in, l->weights, l->out, fw_scratch(l, way));
  if (status != KERNEL_OK)
    return status;
  if (TRAIN_RARELY(way != PLANES)) {
    (way == ANY ? train_depthwise_any_fw : train_depthwise_converted_fw)(l);
    return KERNEL_OK;
  }
  struct train_dw p = plane_of(l);
  const float *bias = l->bias;
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    p.x = bordered(l, l->in, c, l->in_h, l->in_w, in_border(l));
    p.w = (float *)l->weights + c * 9;
    p.y = (float *)l->out + c * p.w_out * p.h_out;
    train_dw_fw(&p);
    if (TRAIN_RARELY(bias))
      add_bias(&p, bias[c]);
  }
  return KERNEL_OK;
}

// ---- weight gradient

uint32_t train_depthwise_wg_buffer_size(const struct train_depthwise *l) {
  return train_depthwise_fw_buffer_size(l);
}

static float plane_sum(float sum, const float *plane, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    sum += plane[i];
  return sum;
}

enum kernel_status train_depthwise_wg(const struct train_depthwise *l) {
  enum way way = way_of(l);
  enum kernel_status status =
      refuse(l, way, l->in, l->out_grad, l->weights_grad, fw_scratch(l, way));
  if (status != KERNEL_OK)
    return status;
  if (TRAIN_RARELY(way != PLANES)) {
    (way == ANY ? train_depthwise_any_wg : train_depthwise_converted_wg)(l);
    return KERNEL_OK;
  }
  struct train_dw p = plane_of(l);
  float *bias_grad = l->bias_grad;
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    p.w = (float *)l->weights_grad + c * 9;
    for (uint32_t i = 0; !l->add && i < 9; i++)
      p.w[i] = 0;
    p.x = bordered(l, l->in, c, l->in_h, l->in_w, in_border(l));
    p.y = (float *)l->out_grad + c * p.w_out * p.h_out;
    train_dw_wg(&p);
    if (TRAIN_RARELY(bias_grad))
      bias_grad[c] = plane_sum(l->add ? bias_grad[c] : 0, p.y, p.w_out * p.h_out);
  }
  return KERNEL_OK;
}

// ---- input gradient

uint32_t train_depthwise_ig_buffer_size(const struct train_depthwise *l) {
  enum way way = way_of(l);
  return way == ANY ? train_depthwise_any_ig_size(l)
         : way == CONVERTED
             ? train_depthwise_converted_ig_size(l)
             : buffer_size(train_depthwise_out_h(l), train_depthwise_out_w(l), out_border(l));
}

static inline bool ig_scratch(const struct train_depthwise *l, enum way way) {
  return way != PLANES || train_any_border(out_border(l));
}

enum kernel_status train_depthwise_ig(const struct train_depthwise *l) {
  enum way way = way_of(l);
  enum kernel_status status =
      refuse(l, way, l->out_grad, l->weights, l->in_grad, ig_scratch(l, way));
  if (status != KERNEL_OK)
    return status;
  if (TRAIN_RARELY(way != PLANES)) {
    (way == ANY ? train_depthwise_any_ig : train_depthwise_converted_ig)(l);
    return KERNEL_OK;
  }
  const struct train_border b = out_border(l);
  const struct train_dw forward = plane_of(l);
  uint32_t h = forward.h_out, w = forward.w_out;
  struct train_dw p = {.pitch = (w + b.left + b.right) * 4, .w_out = l->in_w, .h_out = l->in_h};
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    p.x = bordered(l, l->out_grad, c, h, w, b);
    p.y = (float *)l->in_grad + (size_t)c * l->in_h * l->in_w;
    p.w = (float *)l->weights + c * 9;
    train_dw_back(&p);
  }
  return KERNEL_OK;
}
