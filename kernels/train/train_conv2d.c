// kernels/train/train_conv2d.c: which way a layer goes.
#include "train_conv2d.h"

#include "kernels/mm/mmt_f32.h"
#include "kernels/mm/mmt_turn.h"
#include "kernels/rt/rt.h"
#include "train_conv2d_ways.h"
#include "train_extent.h"
#include "train_product.h"

uint32_t train_conv2d_out_h(const struct train_conv2d *l) {
  return train_conv2d_rows(l);
}

uint32_t train_conv2d_out_w(const struct train_conv2d *l) {
  return train_conv2d_columns(l);
}

uint64_t train_conv2d_macs(const struct train_conv2d *l) {
  return (uint64_t)train_conv2d_plane(l) * l->out_c * l->in_c * train_conv2d_taps(l);
}

enum way { MATRIX, DIRECT, SPREAD, GATHER, PIXELS, IM2COL, CONVERTED };

static enum way way_of(const struct train_conv2d *l) {
  if (l->matmul)
    return IM2COL;
  if (l->type != TRAIN_F32 || l->hwc)
    return l->hwc && train_conv2d_one_pixel(l) ? IM2COL : PIXELS; // pixels are a matrix
  if (train_conv2d_one_pixel(l))
    return MATRIX;
  if (train_conv2d_taps(l) == 1)
    return SPREAD;
  return l->kernel_w == 3 && l->stride_w <= 2 ? DIRECT : GATHER;
}

static enum way wg_way_of(const struct train_conv2d *l) {
  enum way way = way_of(l);
  if (way == PIXELS && l->type != TRAIN_F32 && train_conv2d_columns(l) % 2 &&
      !train_conv2d_one_pixel(l))
    return IM2COL;
  return way;
}

static enum way ig_way_of(const struct train_conv2d *l) {
  enum way way = way_of(l);
  if (way == DIRECT || (way == GATHER && l->stride_w == 2 && l->kernel_w <= 2))
    return l->stride_h <= 2 ? DIRECT : GATHER;
  return way == PIXELS && (l->stride_h > 1 || l->stride_w > 1) ? CONVERTED : way;
}

static __attribute__((noinline)) bool bad_extents(const struct train_conv2d *l) {
  return train_bad_extent(l->in_h, l->kernel_h, l->stride_h, l->pad_top, l->pad_bottom) ||
         train_bad_extent(l->in_w, l->kernel_w, l->stride_w, l->pad_left, l->pad_right);
}

static inline bool bad_size(uint32_t size) {
  return size - 1 >= 4095;
}

// `scratch`: whether it is wanted.
static inline enum kernel_status refuse(const struct train_conv2d *l, enum way way, const void *one,
                                        const void *two, const void *three, bool scratch) {
  bool bad = TRAIN_USUALLY(way == MATRIX) || train_conv2d_one_pixel(l) ? train_conv2d_padded(l)
                                                                       : bad_extents(l);
  if (TRAIN_RARELY(bad || bad_size(l->in_c) || bad_size(l->in_h) || bad_size(l->in_w) ||
                   bad_size(l->out_c) || l->type >= TRAIN_TYPES || train_bad_matmul(l->matmul)))
    return KERNEL_BAD_SHAPE;
  if (TRAIN_RARELY(!train_aligned(one) || !train_aligned(two) || !train_aligned(three) ||
                   (scratch && !train_aligned(l->scratch))))
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

// The same for SPREAD, the shortest of layers: no paddings, as they are smaller than the kernel.
static __attribute__((noinline)) enum kernel_status
refuse_spread(const struct train_conv2d *l, const void *one, const void *two, const void *three) {
  if (train_conv2d_padded(l) || bad_size(l->in_c) || bad_size(l->in_h) || bad_size(l->in_w) ||
      bad_size(l->out_c) || l->stride_h - 1u >= 15 || l->stride_w - 1u >= 15)
    return KERNEL_BAD_SHAPE;
  bool aligned = train_aligned(one) && train_aligned(two) && train_aligned(three);
  return aligned && train_aligned(l->scratch) ? KERNEL_OK : KERNEL_BAD_POINTER;
}

static __attribute__((noinline)) enum kernel_status spread_fw(const struct train_conv2d *l) {
  enum kernel_status status = refuse_spread(l, l->in, l->weights, l->out);
  if (status == KERNEL_OK)
    train_conv2d_spread_fw(l);
  return status;
}

// Whether a pass wants scratch is known in fewer slots than how much: fw_scratch() ...

// ---- what the ways share

void train_conv2d_set_bias(const struct train_conv2d *l, uint32_t begin, uint32_t count) {
  const float *bias = l->bias;
  float *out = l->out;
  for (uint32_t f = 0; bias && f < l->out_c; f++)
    train_conv2d_fill(out + (size_t)f * train_conv2d_plane(l) + begin, bias[f], count);
}

// ---- forward

// From how many pixels on the weights are transposed for a 1x1 kernel: that costs 2.3 slots a
// weight, shared by the cores, and saves one per 24 multiply-adds and most bank conflicts.
enum { MANY_PIXELS = 64 };

static __attribute__((noinline)) uint32_t fw_size(const struct train_conv2d *l, enum way way) {
  if (way == MATRIX)
    return l->in_h * l->in_w >= MANY_PIXELS ? (uint32_t)l->in_c * l->out_c * 4 : 0;
  return way == DIRECT   ? train_conv2d_direct_size(l)
         : way == SPREAD ? train_conv2d_spread_size(l)
         : way == GATHER ? train_conv2d_gather_fw_size(l)
         : way == PIXELS ? train_conv2d_pixels_fw_size(l)
                         : train_conv2d_im2col_fw_size(l);
}

// 16-bit images are turned to pixels, or to an even number of channels.
static inline bool fw_scratch(const struct train_conv2d *l, enum way way) {
  return way == MATRIX   ? false // matrix_fw() sees
         : way == DIRECT ? train_conv2d_padded(l)
         : way == PIXELS
             ? train_conv2d_padded(l) || (l->type != TRAIN_F32 && (!l->hwc || l->in_c % 2))
             : fw_size(l, way) > 0;
}

uint32_t train_conv2d_fw_buffer_size(const struct train_conv2d *l) {
  return fw_size(l, way_of(l));
}

static __attribute__((noinline)) void begin_with_bias(const struct train_conv2d *l,
                                                      uint32_t plane) {
  struct rt_range mine = rt_share(plane);
  train_conv2d_set_bias(l, mine.begin, mine.end - mine.begin);
}

static inline enum kernel_status matrix_fw(const struct train_conv2d *l) {
  uint32_t plane = (uint32_t)l->in_h * l->in_w, channels = l->in_c, filters = l->out_c;
  struct mmt_f32 mm = {l->weights, l->in, l->out, filters, plane,          channels,
                       channels,   plane, plane,  MMT_NN,  l->bias != NULL};
  if (TRAIN_USUALLY(plane >= MANY_PIXELS)) {
    if (!train_aligned(l->scratch))
      return KERNEL_BAD_POINTER;
    mmt_turn_words(l->scratch, l->weights, channels, filters, channels);
    mm.a = l->scratch;
    mm.lda = filters;
    mm.layout = MMT_TN;
  }
  if (TRAIN_RARELY(l->bias))
    begin_with_bias(l, plane);
  if (l->bias || mm.layout == MMT_TN)
    rt_barrier();
  mmt_f32_unchecked(MMT_F32_AUTO, &mm);
  return KERNEL_OK;
}

enum kernel_status train_conv2d_fw(const struct train_conv2d *l) {
  enum way way = way_of(l);
  if (TRAIN_RARELY(way == SPREAD))
    return spread_fw(l);
  enum kernel_status status = refuse(l, way, l->in, l->weights, l->out, fw_scratch(l, way));
  if (status != KERNEL_OK)
    return status;
  if (TRAIN_USUALLY(way == MATRIX))
    return matrix_fw(l);
  if (way == IM2COL)
    return train_conv2d_im2col_fw(l);
  if (way == PIXELS)
    train_conv2d_pixels_fw(l);
  else if (way == DIRECT)
    train_conv2d_direct_fw(l);
  else
    train_conv2d_gather_fw(l);
  return KERNEL_OK;
}

// ---- weight gradient

static __attribute__((noinline)) uint32_t wg_size(const struct train_conv2d *l, enum way way) {
  return way == DIRECT   ? train_conv2d_direct_size(l)
         : way == SPREAD ? train_conv2d_spread_size(l)
         : way == GATHER ? train_conv2d_gather_wg_size(l)
         : way == PIXELS ? train_conv2d_pixels_wg_size(l)
         : way == IM2COL ? train_conv2d_im2col_wg_size(l)
                         : 0;
}

static inline bool wg_scratch(const struct train_conv2d *l, enum way way) {
  return way != MATRIX && (way == DIRECT   ? train_conv2d_padded(l)
                           : way == PIXELS ? train_conv2d_padded(l) || l->type != TRAIN_F32
                                           : wg_size(l, way) > 0);
}

uint32_t train_conv2d_wg_buffer_size(const struct train_conv2d *l) {
  return wg_size(l, wg_way_of(l));
}

static __attribute__((noinline)) void bias_gradient(const struct train_conv2d *l) {
  struct rt_range mine = rt_share(l->out_c);
  float *bias_grad = l->bias_grad;
  for (uint32_t f = mine.begin; f < mine.end; f++) {
    const float *dy = (const float *)l->out_grad + (size_t)f * train_conv2d_plane(l);
    float sum = l->add ? bias_grad[f] : 0;
    for (uint32_t i = 0; i < train_conv2d_plane(l); i++)
      sum += dy[i];
    bias_grad[f] = sum;
  }
}

static __attribute__((noinline)) enum kernel_status spread_wg(const struct train_conv2d *l) {
  enum kernel_status status = refuse_spread(l, l->in, l->out_grad, l->weights_grad);
  if (status != KERNEL_OK)
    return status;
  if (l->bias_grad)
    bias_gradient(l);
  train_conv2d_spread_wg(l);
  return KERNEL_OK;
}

enum kernel_status train_conv2d_wg(const struct train_conv2d *l) {
  enum way way = wg_way_of(l);
  if (TRAIN_RARELY(way == SPREAD))
    return spread_wg(l);
  enum kernel_status status =
      refuse(l, way, l->in, l->out_grad, l->weights_grad, wg_scratch(l, way));
  if (status != KERNEL_OK)
    return status;
  if (TRAIN_RARELY(l->bias_grad) && way <= GATHER)
    bias_gradient(l);
  if (TRAIN_USUALLY(way == MATRIX)) {
    uint32_t plane = (uint32_t)l->in_h * l->in_w;
    const struct mmt_f32 mm = {l->out_grad, l->in, l->weights_grad, l->out_c, l->in_c, plane,
                               plane,       plane, l->in_c,         MMT_NT,   l->add};
    mmt_f32_unchecked(MMT_F32_AUTO, &mm);
    return KERNEL_OK;
  }
  if (way == IM2COL)
    return train_conv2d_im2col_wg(l);
  if (way == PIXELS)
    train_conv2d_pixels_wg(l);
  else if (way == DIRECT)
    train_conv2d_direct_wg(l);
  else
    train_conv2d_gather_wg(l);
  return KERNEL_OK;
}

// ---- input gradient

static __attribute__((noinline)) uint32_t ig_size(const struct train_conv2d *l, enum way way) {
  return way == DIRECT      ? train_conv2d_direct_ig_size(l)
         : way == SPREAD    ? train_conv2d_spread_size(l)
         : way == GATHER    ? train_conv2d_gather_ig_size(l)
         : way == PIXELS    ? train_conv2d_pixels_ig_size(l)
         : way == IM2COL    ? train_conv2d_im2col_ig_size(l)
         : way == CONVERTED ? train_conv2d_converted_ig_size(l)
                            : 0;
}

// The weights are turned.
static inline bool ig_scratch(const struct train_conv2d *l, enum way way) {
  return way == DIRECT || way == PIXELS || (way != MATRIX && ig_size(l, way) > 0);
}

uint32_t train_conv2d_ig_buffer_size(const struct train_conv2d *l) {
  return ig_size(l, ig_way_of(l));
}

static __attribute__((noinline)) enum kernel_status spread_ig(const struct train_conv2d *l) {
  enum kernel_status status = refuse_spread(l, l->out_grad, l->weights, l->in_grad);
  if (status == KERNEL_OK)
    train_conv2d_spread_ig(l);
  return status;
}

enum kernel_status train_conv2d_ig(const struct train_conv2d *l) {
  enum way way = ig_way_of(l);
  if (TRAIN_RARELY(way == SPREAD))
    return spread_ig(l);
  enum kernel_status status =
      refuse(l, way, l->out_grad, l->weights, l->in_grad, ig_scratch(l, way));
  if (status != KERNEL_OK)
    return status;
  if (TRAIN_USUALLY(way == MATRIX)) {
    uint32_t plane = (uint32_t)l->in_h * l->in_w;
    const struct mmt_f32 mm = {l->weights, l->out_grad, l->in_grad, l->in_c, plane, l->out_c,
                               l->in_c,    plane,       plane,      MMT_TN,  false};
    mmt_f32_unchecked(MMT_F32_AUTO, &mm);
    return KERNEL_OK;
  }
  if (way == IM2COL)
    return train_conv2d_im2col_ig(l);
  if (way == CONVERTED)
    return train_conv2d_converted_ig(l);
  if (way == PIXELS)
    train_conv2d_pixels_ig(l);
  else if (way == DIRECT)
    train_conv2d_direct_ig(l);
  else
    train_conv2d_gather_ig(l);
  return KERNEL_OK;
}
