// kernels/train/train_depthwise.c
#include "train_depthwise.h"

#include "kernels/rt/rt.h"
#include "train_depthwise_any.h"
#include "train_depthwise_converted.h"
#include "train_depthwise_edges.h"
#include "train_dw.h"
#include "train_extent.h"

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

enum way { PLANES, EDGES, CONVERTED, ANY };

static inline bool small(const struct train_depthwise *l) {
  return l->kernel_h == 3 && l->kernel_w == 3 && l->stride_h == 1 && l->stride_w == 1;
}

static inline bool bordered(const struct train_depthwise *l) {
  return l->pad_top || l->pad_bottom || l->pad_left || l->pad_right;
}

// Where there are no borders, planes of floats go the shortest way.
static inline bool goes_by_planes(const struct train_depthwise *l) {
  return small(l) && !bordered(l) && l->type == TRAIN_F32 && !l->hwc;
}

static enum way fw_other_way_of(const struct train_depthwise *l) {
  if (train_depthwise_edges_fits(l) && (l->type == TRAIN_F32 || !l->bias))
    return EDGES;
  return small(l) ? CONVERTED : ANY;
}

static enum way wg_other_way_of(const struct train_depthwise *l) {
  return train_depthwise_edges_fits(l) ? EDGES : small(l) ? CONVERTED : ANY;
}

static enum way ig_way_of(const struct train_depthwise *l) {
  return train_depthwise_edges_ig_fits(l) ? EDGES : small(l) ? CONVERTED : ANY;
}

static __attribute__((noinline)) bool bad_extents(const struct train_depthwise *l) {
  return train_bad_extent(l->in_h, l->kernel_h, l->stride_h, l->pad_top, l->pad_bottom) ||
         train_bad_extent(l->in_w, l->kernel_w, l->stride_w, l->pad_left, l->pad_right);
}

// What 3x3 kernels ask for is in line, their strides known: a small layer feels every line of code.
static inline enum kernel_status refuse(const struct train_depthwise *l, enum way way,
                                        const void *one, const void *two, const void *three) {
  if (way == PLANES || way == EDGES)
    return train_depthwise_edges_refuse(l, one, two, three, way == PLANES ? one : l->scratch);
  if (!l->c || l->c > 4095 || l->type >= TRAIN_TYPES || bad_extents(l))
    return KERNEL_BAD_SHAPE;
  if (!train_aligned(one) || !train_aligned(two) || !train_aligned(three) ||
      !train_aligned(l->scratch))
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

static uint32_t fw_size(const struct train_depthwise *l, enum way way) {
  return way == PLANES  ? 0
         : way == EDGES ? train_depthwise_edges_size(l)
         : way == ANY   ? train_depthwise_any_size(l)
                        : train_depthwise_converted_size(l);
}

// ---- forward

uint32_t train_depthwise_fw_buffer_size(const struct train_depthwise *l) {
  return fw_size(l, goes_by_planes(l) ? PLANES : fw_other_way_of(l));
}

// 3x3, stride 1, no border.
static struct train_dw plane_of(const struct train_depthwise *l) {
  return (struct train_dw){.pitch = l->in_w * 4, .w_out = l->in_w - 2u, .h_out = l->in_h - 2u};
}

static __attribute__((noinline)) void add_bias(const struct train_dw *p, float bias) {
  for (uint32_t i = 0; i < p->w_out * p->h_out; i++)
    p->y[i] += bias;
}

static __attribute__((noinline)) enum kernel_status other_fw(const struct train_depthwise *l) {
  enum way way = fw_other_way_of(l);
  enum kernel_status status = refuse(l, way, l->in, l->weights, l->out);
  if (status != KERNEL_OK)
    return status;
  if (way == EDGES)
    train_depthwise_edges_fw(l);
  else
    (way == ANY ? train_depthwise_any_fw : train_depthwise_converted_fw)(l);
  return KERNEL_OK;
}

enum kernel_status train_depthwise_fw(const struct train_depthwise *l) {
  if (TRAIN_RARELY(!goes_by_planes(l)))
    return other_fw(l);
  enum kernel_status status = refuse(l, PLANES, l->in, l->weights, l->out);
  if (status != KERNEL_OK)
    return status;
  struct train_dw p = plane_of(l);
  const float *bias = l->bias;
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    p.x = (const float *)l->in + (size_t)c * l->in_h * l->in_w;
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
  return fw_size(l, goes_by_planes(l) ? PLANES : wg_other_way_of(l));
}

static float plane_sum(float sum, const float *plane, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    sum += plane[i];
  return sum;
}

static __attribute__((noinline)) enum kernel_status other_wg(const struct train_depthwise *l) {
  enum way way = wg_other_way_of(l);
  enum kernel_status status = refuse(l, way, l->in, l->out_grad, l->weights_grad);
  if (status != KERNEL_OK)
    return status;
  if (way == EDGES)
    train_depthwise_edges_wg(l);
  else
    (way == ANY ? train_depthwise_any_wg : train_depthwise_converted_wg)(l);
  return KERNEL_OK;
}

enum kernel_status train_depthwise_wg(const struct train_depthwise *l) {
  if (TRAIN_RARELY(!goes_by_planes(l)))
    return other_wg(l);
  enum kernel_status status = refuse(l, PLANES, l->in, l->out_grad, l->weights_grad);
  if (status != KERNEL_OK)
    return status;
  struct train_dw p = plane_of(l);
  float *bias_grad = l->bias_grad;
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    p.w = (float *)l->weights_grad + c * 9;
    for (uint32_t i = 0; !l->add && i < 9; i++)
      p.w[i] = 0;
    p.x = (const float *)l->in + (size_t)c * l->in_h * l->in_w;
    p.y = (float *)l->out_grad + c * p.w_out * p.h_out;
    train_dw_wg(&p);
    if (TRAIN_RARELY(bias_grad))
      bias_grad[c] = plane_sum(l->add ? bias_grad[c] : 0, p.y, p.w_out * p.h_out);
  }
  return KERNEL_OK;
}

// ---- input gradient

uint32_t train_depthwise_ig_buffer_size(const struct train_depthwise *l) {
  enum way way = ig_way_of(l);
  return way == EDGES ? train_depthwise_edges_size(l)
         : way == ANY ? train_depthwise_any_ig_size(l)
                      : train_depthwise_converted_ig_size(l);
}

static __attribute__((noinline)) enum kernel_status other_ig(const struct train_depthwise *l) {
  enum way way = small(l) ? CONVERTED : ANY;
  enum kernel_status status = refuse(l, way, l->out_grad, l->weights, l->in_grad);
  if (status == KERNEL_OK)
    (way == ANY ? train_depthwise_any_ig : train_depthwise_converted_ig)(l);
  return status;
}

enum kernel_status train_depthwise_ig(const struct train_depthwise *l) {
  return TRAIN_RARELY(!train_depthwise_edges_kernel_fits(l)) ? other_ig(l)
                                                             : train_depthwise_edges_ig(l);
}
