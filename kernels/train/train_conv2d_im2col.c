// kernels/train/train_conv2d_im2col.c: convolution as one matrix product over all patches.
//
// Patches P are rows [pixel][k], in both layouts; so are those of the input gradient, R. W is
// [filter][k], D the gradient of the output, V the weights turned to [channel][k].
//          CHW                        HWC
//   fw     out = W P'    (NT)         out = P W'    (NT)
//   wg     dW = D P      (NN)         dW = D' P     (TN)
//   ig     dX = V R'     (NT)         dX = R V'     (NT)
// A 1x1 kernel with stride 1 needs no patches: the image is the matrix, in CHW a transposed one.
#include "kernels/rt/rt.h"
#include "train_conv2d_ways.h"
#include "train_im2col.h"
#include "train_product.h"
#include "train_typed.h"

static uint32_t in_plane(const struct train_conv2d *l) {
  return (uint32_t)l->in_h * l->in_w;
}

// Elements of a row, such that 16-bit rows begin at words.
static uint32_t pitch_of(uint32_t k, enum train_type type) {
  return type == TRAIN_F32 ? k : k + k % 2;
}

static struct train_im2col im2col_of(const struct train_conv2d *l, uint32_t k) {
  return (struct train_im2col){.image = (void *)l->in,
                               .patches = l->scratch,
                               .channels = l->in_c,
                               .h = l->in_h,
                               .w = l->in_w,
                               .kernel_h = l->kernel_h,
                               .kernel_w = l->kernel_w,
                               .stride_h = l->stride_h,
                               .stride_w = l->stride_w,
                               .pad_top = l->pad_top,
                               .pad_bottom = l->pad_bottom,
                               .pad_left = l->pad_left,
                               .pad_right = l->pad_right,
                               .pitch = pitch_of(k, l->type),
                               .hwc = l->hwc,
                               .type = l->type};
}

// Bytes, in whole words.
static uint32_t matrix_size(uint32_t rows, uint32_t k, enum train_type type) {
  return rows * pitch_of(k, type) * train_bytes(type);
}

static void *behind(const struct train_conv2d *l, uint32_t bytes) {
  return (char *)l->scratch + bytes;
}

// ---- forward

static uint32_t patches_size(const struct train_conv2d *l) {
  return train_conv2d_one_pixel(l)
             ? 0
             : matrix_size(train_conv2d_plane(l), l->in_c * train_conv2d_taps(l), l->type);
}

uint32_t train_conv2d_im2col_fw_size(const struct train_conv2d *l) {
  return patches_size(l) + train_product_buffer_size(l->out_c, train_conv2d_plane(l),
                                                     l->in_c * train_conv2d_taps(l), l->type);
}

// The output begins with the bias, so that sums are rounded once.
TRAIN_TYPED void set_bias(const struct train_conv2d *l, enum train_type t) {
  uint32_t plane = train_conv2d_plane(l), step = l->hwc ? l->out_c : 1;
  struct rt_range mine = rt_share(plane);
  for (uint32_t f = 0; f < l->out_c; f++) {
    size_t at = l->hwc ? (size_t)mine.begin * step + f : (size_t)f * plane + mine.begin;
    for (uint32_t p = mine.begin; p < mine.end; p++, at += step)
      train_copy(l->out, at, l->bias, f, t);
  }
}

void train_conv2d_begin_with_bias(const struct train_conv2d *l) {
  TRAIN_BY_TYPE(l->type, set_bias, l);
}

// The input as a matrix of one row per output pixel, or (`turned`) of one column.
static const void *patches_of(const struct train_conv2d *l, uint32_t *pitch, bool *turned) {
  uint32_t k = l->in_c * train_conv2d_taps(l);
  if (train_conv2d_one_pixel(l)) {
    *turned = !l->hwc;
    *pitch = l->hwc ? l->in_c : in_plane(l);
    return l->in;
  }
  const struct train_im2col op = im2col_of(l, k);
  train_im2col(&op);
  *turned = false;
  *pitch = op.pitch;
  return op.patches;
}

enum kernel_status train_conv2d_im2col_fw(const struct train_conv2d *l) {
  uint32_t pitch, k = l->in_c * train_conv2d_taps(l), plane = train_conv2d_plane(l);
  bool turned;
  const void *patches = patches_of(l, &pitch, &turned);
  if (l->bias)
    train_conv2d_begin_with_bias(l);
  rt_barrier();
  struct train_product p = {l->weights, patches, l->out, l->out_c, plane,           k,
                            k,          pitch,   plane,  MMT_NT,   l->bias != NULL, NULL,
                            l->matmul,  l->type};
  p.layout = turned ? MMT_NN : MMT_NT;
  p.scratch = behind(l, patches_size(l));
  if (l->hwc) {
    p.a = patches;
    p.b = l->weights;
    p.n = plane;
    p.m = p.ldc = l->out_c;
    p.lda = pitch;
    p.ldb = k;
  }
  return train_product(&p);
}

// ---- weight gradient

uint32_t train_conv2d_im2col_wg_size(const struct train_conv2d *l) {
  return patches_size(l) + train_product_buffer_size(l->out_c, l->in_c * train_conv2d_taps(l),
                                                     train_conv2d_plane(l), l->type);
}

TRAIN_TYPED void bias_gradient(const struct train_conv2d *l, enum train_type t) {
  uint32_t plane = train_conv2d_plane(l), step = l->hwc ? l->out_c : 1;
  struct rt_range mine = rt_share(l->out_c);
  for (uint32_t f = mine.begin; f < mine.end; f++) {
    float sum = l->add ? train_get(l->bias_grad, f, t) : 0;
    size_t at = l->hwc ? f : (size_t)f * plane;
    for (uint32_t p = 0; p < plane; p++, at += step)
      sum += train_get(l->out_grad, at, t);
    train_put(l->bias_grad, f, sum, t);
  }
}

void train_conv2d_bias_gradient(const struct train_conv2d *l) {
  TRAIN_BY_TYPE(l->type, bias_gradient, l);
}

enum kernel_status train_conv2d_im2col_wg(const struct train_conv2d *l) {
  uint32_t pitch, k = l->in_c * train_conv2d_taps(l), plane = train_conv2d_plane(l);
  bool turned;
  const void *patches = patches_of(l, &pitch, &turned);
  if (l->bias_grad)
    train_conv2d_bias_gradient(l);
  rt_barrier();
  const struct train_product p = {.a = l->out_grad,
                                  .b = patches,
                                  .c = l->weights_grad,
                                  .n = l->out_c,
                                  .m = k,
                                  .k = plane,
                                  .lda = l->hwc ? l->out_c : plane,
                                  .ldb = pitch,
                                  .ldc = k,
                                  .layout = l->hwc   ? MMT_TN
                                            : turned ? MMT_NT
                                                     : MMT_NN,
                                  .add = l->add,
                                  .scratch = behind(l, patches_size(l)),
                                  .matmul = l->matmul,
                                  .type = l->type};
  return train_product(&p);
}

// ---- input gradient

// Weights [f][c][tap] as [c][f][tap], or [f][tap][c] as [c][tap][f].
TRAIN_TYPED void turn_weights(const struct train_conv2d *l, uint32_t pitch, enum train_type t) {
  uint32_t taps = train_conv2d_taps(l);
  uint32_t groups = l->hwc ? taps : l->out_c, group = l->hwc ? l->out_c : taps;
  size_t group_step = (size_t)l->in_c * (l->hwc ? 1 : taps), step = l->hwc ? l->in_c * taps : 1;
  struct rt_range mine = rt_share(l->in_c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    size_t to = (size_t)c * pitch, first = l->hwc ? c : (size_t)c * taps;
    for (uint32_t g = 0; g < groups; g++, first += group_step) {
      size_t from = first;
      for (uint32_t i = 0; i < group; i++, from += step)
        train_copy(l->scratch, to++, l->weights, from, t);
    }
    if (pitch > groups * group)
      train_put(l->scratch, to, 0, t);
  }
}

uint32_t train_conv2d_im2col_ig_size(const struct train_conv2d *l) {
  uint32_t k = l->out_c * train_conv2d_taps(l), plane = in_plane(l);
  uint32_t matrices = train_conv2d_one_pixel(l)
                          ? 0
                          : matrix_size(l->in_c, k, l->type) + matrix_size(plane, k, l->type);
  return matrices + train_product_buffer_size(l->in_c, plane, k, l->type);
}

// 1x1, stride 1: dX = W' D in CHW (TN), D W in HWC (NN).
static enum kernel_status plain_ig(const struct train_conv2d *l) {
  uint32_t plane = in_plane(l);
  const struct train_product chw = {l->weights, l->out_grad, l->in_grad, l->in_c, plane,
                                    l->out_c,   l->in_c,     plane,      plane,   MMT_TN,
                                    false,      l->scratch,  l->matmul,  l->type};
  const struct train_product hwc = {l->out_grad, l->weights, l->in_grad, plane,   l->in_c,
                                    l->out_c,    l->out_c,   l->in_c,    l->in_c, MMT_NN,
                                    false,       l->scratch, l->matmul,  l->type};
  return train_product(l->hwc ? &hwc : &chw);
}

enum kernel_status train_conv2d_im2col_ig(const struct train_conv2d *l) {
  if (train_conv2d_one_pixel(l))
    return plain_ig(l);
  uint32_t k = l->out_c * train_conv2d_taps(l), plane = in_plane(l);
  struct train_im2col op = im2col_of(l, k);
  uint32_t weights = matrix_size(l->in_c, k, l->type);
  op.patches = behind(l, weights);
  TRAIN_BY_TYPE(l->type, turn_weights, l, op.pitch);
  train_im2col_back(&op, l->out_grad, l->out_c);
  rt_barrier();
  const struct train_product p = {.a = l->hwc ? op.patches : l->scratch,
                                  .b = l->hwc ? l->scratch : op.patches,
                                  .c = l->in_grad,
                                  .n = l->hwc ? plane : l->in_c,
                                  .m = l->hwc ? l->in_c : plane,
                                  .k = op.pitch,
                                  .lda = op.pitch,
                                  .ldb = op.pitch,
                                  .ldc = l->hwc ? l->in_c : plane,
                                  .layout = MMT_NT,
                                  .scratch = behind(l, weights + matrix_size(plane, k, l->type)),
                                  .matmul = l->matmul,
                                  .type = l->type};
  return train_product(&p);
}
