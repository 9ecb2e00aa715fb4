// kernels/ref/ref_train_depthwise.c
#include "ref_train_depthwise.h"

#include "ref_train_half.h"

// Element (c, y, x) of a tensor of h x w, and the element of an index.
struct place {
  uint32_t c, y, x;
};

static size_t index_of(const struct train_depthwise *l, uint32_t h, uint32_t w, struct place p) {
  return l->hwc ? ((size_t)p.y * w + p.x) * l->c + p.c : ((size_t)p.c * h + p.y) * w + p.x;
}

static struct place place_of(const struct train_depthwise *l, uint32_t h, uint32_t w, uint32_t i) {
  if (l->hwc)
    return (struct place){i % l->c, i / l->c / w, i / l->c % w};
  return (struct place){i / w / h, i / w % h, i % w};
}

static float weight(const struct train_depthwise *l, uint32_t c, uint32_t i, uint32_t j) {
  const struct place tap = {c, i, j};
  return ref_typed(l->weights, index_of(l, l->kernel_h, l->kernel_w, tap), l->type);
}

static float out_grad(const struct train_depthwise *l, struct place p) {
  uint32_t h = train_depthwise_out_h(l), w = train_depthwise_out_w(l);
  return ref_typed(l->out_grad, index_of(l, h, w, p), l->type);
}

// Adds factor * the input at tap (i, j) of output `out`, if that is inside.
static void add_input(struct ref_sum *sum, const struct train_depthwise *l, float factor,
                      struct place out, uint32_t i, uint32_t j) {
  int32_t y = (int32_t)(out.y * l->stride_h + i) - l->pad_top;
  int32_t x = (int32_t)(out.x * l->stride_w + j) - l->pad_left;
  if (y < 0 || y >= l->in_h || x < 0 || x >= l->in_w)
    return;
  const struct place in = {out.c, (uint32_t)y, (uint32_t)x};
  ref_add_product(sum, factor, ref_typed(l->in, index_of(l, l->in_h, l->in_w, in), l->type));
}

struct ref_sum ref_train_depthwise_fw(const struct train_depthwise *l, uint32_t index) {
  const struct place out = place_of(l, train_depthwise_out_h(l), train_depthwise_out_w(l), index);
  struct ref_sum sum = {0};
  if (l->bias)
    ref_add(&sum, ref_typed(l->bias, out.c, l->type));
  for (uint32_t i = 0; i < l->kernel_h; i++) {
    for (uint32_t j = 0; j < l->kernel_w; j++)
      add_input(&sum, l, weight(l, out.c, i, j), out, i, j);
  }
  return sum;
}

struct ref_sum ref_train_depthwise_wg(const struct train_depthwise *l, uint32_t index) {
  const struct place tap = place_of(l, l->kernel_h, l->kernel_w, index);
  struct place out = {tap.c, 0, 0};
  struct ref_sum sum = {0};
  uint32_t h = train_depthwise_out_h(l), w = train_depthwise_out_w(l);
  for (out.y = 0; out.y < h; out.y++) {
    for (out.x = 0; out.x < w; out.x++)
      add_input(&sum, l, out_grad(l, out), out, tap.y, tap.x);
  }
  return sum;
}

// All outputs that see the input pixel.
struct ref_sum ref_train_depthwise_ig(const struct train_depthwise *l, uint32_t index) {
  const struct place in = place_of(l, l->in_h, l->in_w, index);
  struct place out = {in.c, 0, 0};
  struct ref_sum sum = {0};
  uint32_t h = train_depthwise_out_h(l), w = train_depthwise_out_w(l);
  for (out.y = 0; out.y < h; out.y++) {
    int32_t i = (int32_t)in.y + l->pad_top - (int32_t)out.y * l->stride_h;
    for (out.x = 0; i >= 0 && i < l->kernel_h && out.x < w; out.x++) {
      int32_t j = (int32_t)in.x + l->pad_left - (int32_t)out.x * l->stride_w;
      if (j >= 0 && j < l->kernel_w)
        ref_add_product(&sum, out_grad(l, out), weight(l, in.c, (uint32_t)i, (uint32_t)j));
    }
  }
  return sum;
}
