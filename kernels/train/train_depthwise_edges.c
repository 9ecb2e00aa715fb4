// kernels/train/train_depthwise_edges.c
#include "train_depthwise_edges.h"

#include "kernels/rt/rt.h"
#include "train_depthwise_converted.h"
#include "train_depthwise_plane.h"
#include "train_dw.h"
#include "train_extent.h"
#include "train_typed.h"

// Positions of the window along an axis of `padded` elements, strides 1 and 2.
static uint32_t outputs(uint32_t padded, uint32_t stride) {
  return ((padded - 3) >> (stride - 1)) + 1;
}
static uint32_t padded_h(const struct train_depthwise *l) {
  return (uint32_t)l->in_h + l->pad_top + l->pad_bottom;
}
static uint32_t padded_w(const struct train_depthwise *l) {
  return (uint32_t)l->in_w + l->pad_left + l->pad_right;
}
static uint32_t out_h(const struct train_depthwise *l) {
  return outputs(padded_h(l), l->stride_w);
}
static uint32_t out_w(const struct train_depthwise *l) {
  return outputs(padded_w(l), l->stride_w);
}

// Words of a row of zeros or of what nobody reads, of any tensor.
static uint32_t row_words(const struct train_depthwise *l) {
  return padded_w(l);
}

// Of a core; odd, so that the cores' rows do not begin at one bank.
static uint32_t scratch_words(const struct train_depthwise *l) {
  return 2 * row_words(l) + 1;
}

uint32_t train_depthwise_edges_size(const struct train_depthwise *l) {
  return scratch_words(l) * rt_core_count() * 4;
}

// This core's row of zeros, to be cleared; the one that nobody reads is behind it.
static float *zeros_of(const struct train_depthwise *l) {
  return (float *)l->scratch + scratch_words(l) * rt_core_id();
}

// A window over planes of h x w, which have so many zeros above and before them.
struct plane {
  uint32_t h, w, top, before;
};

static inline const void *plane_at(enum train_type type, const void *planes, uint32_t c,
                                   uint32_t elements) {
  return (const char *)planes + (size_t)c * elements * train_bytes(type);
}

// A third of less than 2^16: a constant and a slot, where a division's high word takes five.
static inline uint32_t third(uint32_t total) {
  return total * 0xaaab >> 17;
}

// What a pass computes: outputs from planes, whose weights lie at `w`.
struct tensors {
  const void *planes;
  void *w, *out;
  uint32_t h_out, w_out;
};

// Channels begin..end-1 of them. Field by field: the compiler would build it elsewhere, and copy.
static inline __attribute__((always_inline)) void edges_by(struct train_dw_edges *e,
                                                           enum train_type type, struct plane p,
                                                           uint32_t stride, struct tensors t,
                                                           struct rt_range mine, float *zeros) {
  uint32_t bytes = train_bytes(type), outs = t.h_out * t.w_out;
  uint32_t inside = stride == 1 ? p.w - 2 : (p.w - 1 - p.before) / 2;
  e->pitch = p.w * bytes;
  e->plane = p.h * e->pitch;
  e->x = (const char *)t.planes + mine.begin * e->plane;
  e->end = (const char *)t.planes + mine.end * e->plane;
  e->h = p.h;
  e->top = p.top;
  e->zeros = zeros;
  e->w = (void *)plane_at(type, t.w, mine.begin, 9);
  e->y = (void *)plane_at(type, t.out, mine.begin, outs);
  e->y_row = t.w_out * bytes;
  e->before = p.before;
  e->passes = third(inside);
  e->rest = inside - 3 * e->passes;
  e->tail = t.w_out - p.before - inside;
  e->h_out = t.h_out;
}

// The kernel clears the row of zeros: a call for it would cost a small layer more than that.
static inline __attribute__((always_inline)) void
edges_of(struct train_dw_edges *e, const struct train_depthwise *l, enum train_type type,
         struct plane p, uint32_t stride, struct tensors t, struct rt_range mine) {
  e->clear = (row_words(l) + 1) / 2;
  edges_by(e, type, p, stride, t, mine, zeros_of(l));
}

static struct plane input(const struct train_depthwise *l) {
  return (struct plane){l->in_h, l->in_w, l->pad_top, l->pad_left};
}

// Adds the biases of channels begin..end-1 to their planes of `count` floats, from `y` on.
static __attribute__((noinline)) void add_biases(const float *bias, float *y, struct rt_range mine,
                                                 uint32_t count) {
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    for (uint32_t i = 0; i < count; i++)
      *y++ += bias[c];
  }
}

void train_depthwise_edges_fw(const struct train_depthwise *l) {
  uint32_t h = out_h(l), w = out_w(l), stride = l->stride_w;
  struct rt_range mine = rt_share(l->c);
  if (mine.begin == mine.end)
    return;
  const struct tensors t = {l->in, (void *)l->weights, l->out, h, w};
  struct train_dw_edges e;
  edges_of(&e, l, l->type, input(l), stride, t, mine);
  train_dw_edges_fw[stride - 1][l->type](&e);
  if (TRAIN_RARELY(l->bias))
    add_biases(l->bias, e.y, mine, h * w);
}

// A channel of 16 bits: its sums are floats until they are complete.
static __attribute__((noinline)) void narrow_wg(const struct train_depthwise *l,
                                                struct train_dw_edges e, struct rt_range mine) {
  float sums[9];
  e.w = sums;
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    if (l->add)
      train_depthwise_get_plane(sums, l, l->weights_grad, c, 3, 3, (struct train_border){0});
    else
      rt_zero_words(sums, 9);
    e.end = (const char *)e.x + e.plane;
    train_dw_edges_wg[l->stride_w - 1][l->type](&e);
    e.clear = 0;
    train_depthwise_put_plane(l, l->weights_grad, c, sums, 9);
    e.x = e.end;
    e.y = (char *)e.y + e.h_out * e.y_row;
  }
}

static __attribute__((noinline)) void bias_gradients(const struct train_depthwise *l,
                                                     struct rt_range mine) {
  for (uint32_t c = mine.begin; c < mine.end; c++)
    train_depthwise_bias_gradient(l, c);
}

void train_depthwise_edges_wg(const struct train_depthwise *l) {
  uint32_t h = out_h(l), w = out_w(l), stride = l->stride_w;
  struct rt_range mine = rt_share(l->c);
  if (mine.begin == mine.end)
    return;
  const struct tensors t = {l->in, l->weights_grad, (void *)l->out_grad, h, w};
  struct train_dw_edges e;
  edges_of(&e, l, l->type, input(l), stride, t, mine);
  if (l->type == TRAIN_F32) {
    if (!l->add)
      rt_zero_words(e.w, 9 * (mine.end - mine.begin));
    train_dw_edges_wg[stride - 1][TRAIN_F32](&e);
  } else {
    narrow_wg(l, e, mine);
  }
  if (TRAIN_RARELY(l->bias_grad))
    bias_gradients(l, mine);
}

static struct plane gradient(const struct train_depthwise *l, uint32_t h, uint32_t w) {
  return (struct plane){h, w, 2u - l->pad_top, 2u - l->pad_left};
}

TRAIN_TYPED enum kernel_status back(const struct train_depthwise *l, enum train_type type) {
  const struct plane p = gradient(l, outputs(padded_h(l), 1), outputs(padded_w(l), 1));
  struct rt_range mine = rt_share(l->c);
  if (mine.begin == mine.end)
    return KERNEL_OK;
  const struct tensors t = {l->out_grad, (void *)l->weights, l->in_grad, l->in_h, l->in_w};
  struct train_dw_edges e;
  edges_of(&e, l, type, p, 1, t, mine);
  train_dw_edges_back[type](&e);
  return KERNEL_OK;
}

static __attribute__((noinline)) enum kernel_status narrow_back(const struct train_depthwise *l) {
  return back(l, l->type);
}

// Stride 2.
static __attribute__((noinline)) enum kernel_status spread(const struct train_depthwise *l) {
  uint32_t h = out_h(l), w = out_w(l);
  uint32_t bytes = train_bytes(l->type), end = (uint32_t)l->in_w - 1 + l->pad_left;
  uint32_t last = end / 2, first = l->pad_left;
  float *zeros = zeros_of(l);
  rt_zero_words(zeros, row_words(l));
  struct train_dw_spread s = {.above = zeros,
                              .left = h,
                              .zeros = zeros,
                              .pitch = w * bytes,
                              .y_row = l->in_w * bytes,
                              .rows = l->in_h,
                              .top = l->pad_top,
                              .nobody = zeros + row_words(l),
                              .odd = l->pad_left,
                              .blocks = ((uint32_t)l->in_h - 1 + l->pad_top) / 2 + 1};
  if (last >= first) {
    s.passes = (last - first) / 2;
    s.rest = (last - first) % 2;
    s.last = (end % 2 ? 2 : 1) + (last >= w ? 4 : 0);
  }
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    s.d = plane_at(l->type, l->out_grad, c, h * w);
    s.w = plane_at(l->type, l->weights, c, 9);
    s.y = (void *)plane_at(l->type, l->in_grad, c, (uint32_t)l->in_h * l->in_w);
    train_dw_spread[l->type](&s);
  }
  return KERNEL_OK;
}

static __attribute__((noinline)) enum kernel_status narrow_map(const struct train_depthwise *l) {
  train_depthwise_converted_ig(l);
  return KERNEL_OK;
}

enum kernel_status train_depthwise_edges_ig(const struct train_depthwise *l) {
  enum kernel_status status =
      train_depthwise_edges_refuse(l, l->out_grad, l->weights, l->in_grad, l->scratch);
  if (TRAIN_RARELY(status != KERNEL_OK))
    return status;
  if (TRAIN_RARELY(l->stride_w != 1))
    return spread(l);
  if (TRAIN_RARELY(train_depthwise_edges_narrow(l)))
    return narrow_map(l);
  return TRAIN_USUALLY(l->type == TRAIN_F32) ? back(l, TRAIN_F32) : narrow_back(l);
}

// ---------------------------------------------------------------- single planes

void train_depthwise_edges_fw_plane(struct train_dw_edges *e, const struct train_depthwise *l,
                                    float *zeros) {
  const struct tensors t = {.h_out = out_h(l), .w_out = out_w(l)};
  e->clear = 0;
  edges_by(e, l->type, input(l), l->stride_w, t, (struct rt_range){0, 1}, zeros);
}

void train_depthwise_edges_back_plane(struct train_dw_edges *e, const struct train_depthwise *l,
                                      float *zeros) {
  const struct plane p = gradient(l, out_h(l), out_w(l));
  const struct tensors t = {.h_out = l->in_h, .w_out = l->in_w};
  e->clear = 0;
  edges_by(e, l->type, p, 1, t, (struct rt_range){0, 1}, zeros);
}
