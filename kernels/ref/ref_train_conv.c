// kernels/ref/ref_train_conv.c
#include "ref_train_conv.h"

#include "ref_train_half.h"

// Shapes of a tensor in both layouts: planes [n][h][w], or pixels [h][w][n].
struct shape {
  uint32_t n, h, w;
  bool hwc;
};

struct place {
  uint32_t n, y, x;
};

static size_t index_of(struct shape s, struct place p) {
  return s.hwc ? ((size_t)p.y * s.w + p.x) * s.n + p.n : ((size_t)p.n * s.h + p.y) * s.w + p.x;
}

static struct place place_of(struct shape s, uint32_t index) {
  if (s.hwc)
    return (struct place){index % s.n, index / s.n / s.w, index / s.n % s.w};
  return (struct place){index / s.w / s.h, index / s.w % s.h, index % s.w};
}

static struct shape in_shape(const struct train_conv2d *l) {
  return (struct shape){l->in_c, l->in_h, l->in_w, l->hwc};
}
static struct shape out_shape(const struct train_conv2d *l) {
  return (struct shape){l->out_c, train_conv2d_out_h(l), train_conv2d_out_w(l), l->hwc};
}

// One filter's weights as a tensor of input channels.
static struct shape tap_shape(const struct train_conv2d *l) {
  return (struct shape){l->in_c, l->kernel_h, l->kernel_w, l->hwc};
}
static uint32_t filter_size(const struct train_conv2d *l) {
  return (uint32_t)l->in_c * l->kernel_h * l->kernel_w;
}

static float weight(const struct train_conv2d *l, uint32_t f, struct place tap) {
  return ref_typed(l->weights, f * filter_size(l) + index_of(tap_shape(l), tap), l->type);
}

static float out_grad(const struct train_conv2d *l, struct place p) {
  return ref_typed(l->out_grad, index_of(out_shape(l), p), l->type);
}

// Adds factor * the input that output pixel `out` sees at `tap`, if that is inside.
static void add_input(struct ref_sum *sum, const struct train_conv2d *l, float factor,
                      struct place out, struct place tap) {
  int32_t y = (int32_t)(out.y * l->stride_h + tap.y) - l->pad_top;
  int32_t x = (int32_t)(out.x * l->stride_w + tap.x) - l->pad_left;
  if (y < 0 || y >= l->in_h || x < 0 || x >= l->in_w)
    return;
  const struct place at = {tap.n, (uint32_t)y, (uint32_t)x};
  ref_add_product(sum, factor, ref_typed(l->in, index_of(in_shape(l), at), l->type));
}

struct ref_sum ref_train_conv2d_fw(const struct train_conv2d *l, uint32_t index) {
  const struct place out = place_of(out_shape(l), index);
  struct ref_sum sum = {0};
  if (l->bias)
    ref_add(&sum, ref_typed(l->bias, out.n, l->type));
  struct place tap;
  for (tap.n = 0; tap.n < l->in_c; tap.n++) {
    for (tap.y = 0; tap.y < l->kernel_h; tap.y++) {
      for (tap.x = 0; tap.x < l->kernel_w; tap.x++)
        add_input(&sum, l, weight(l, out.n, tap), out, tap);
    }
  }
  return sum;
}

struct ref_sum ref_train_conv2d_wg(const struct train_conv2d *l, uint32_t index) {
  const struct place tap = place_of(tap_shape(l), index % filter_size(l));
  struct place out = {index / filter_size(l), 0, 0};
  struct ref_sum sum = {0};
  uint32_t h = train_conv2d_out_h(l), w = train_conv2d_out_w(l);
  for (out.y = 0; out.y < h; out.y++) {
    for (out.x = 0; out.x < w; out.x++)
      add_input(&sum, l, out_grad(l, out), out, tap);
  }
  return sum;
}

// Output position whose tap lies on input position `at`; UINT32_MAX if there is none.
static uint32_t seen_from(uint32_t at, uint32_t pad, uint32_t tap, uint32_t stride, uint32_t outs) {
  uint32_t o = at + pad - tap;
  if (at + pad < tap || o % stride != 0 || o / stride >= outs)
    return UINT32_MAX;
  return o / stride;
}

struct ref_sum ref_train_conv2d_ig(const struct train_conv2d *l, uint32_t index) {
  const struct place in = place_of(in_shape(l), index);
  const struct shape outs = out_shape(l);
  struct ref_sum sum = {0};
  struct place tap = {in.n, 0, 0}, out;
  for (tap.y = 0; tap.y < l->kernel_h; tap.y++) {
    for (tap.x = 0; tap.x < l->kernel_w; tap.x++) {
      out.y = seen_from(in.y, l->pad_top, tap.y, l->stride_h, outs.h);
      out.x = seen_from(in.x, l->pad_left, tap.x, l->stride_w, outs.w);
      for (out.n = 0; out.y != UINT32_MAX && out.x != UINT32_MAX && out.n < outs.n; out.n++)
        ref_add_product(&sum, out_grad(l, out), weight(l, out.n, tap));
    }
  }
  return sum;
}
