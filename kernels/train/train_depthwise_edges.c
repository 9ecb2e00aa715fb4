// kernels/train/train_depthwise_edges.c
#include "train_depthwise_edges.h"

#include "kernels/mm/mmt_split.h"
#include "kernels/rt/rt.h"
#include "train_depthwise_plane.h"
#include "train_dw.h"
#include "train_typed.h"

static bool kernel_fits(const struct train_depthwise *l) {
  return !l->hwc && l->kernel_h == 3 && l->kernel_w == 3 && l->stride_h == l->stride_w &&
         l->type < TRAIN_TYPES &&
         (l->stride_w == 1 || (l->stride_w == 2 && l->pad_top <= 1 && l->pad_bottom <= 1 &&
                               l->pad_left <= 1 && l->pad_right <= 1));
}

bool train_depthwise_edges_fits(const struct train_depthwise *l) {
  return kernel_fits(l) && (l->stride_w == 2 || l->in_w >= 2);
}

// Stride 1: a window of three over the gradient.
bool train_depthwise_edges_ig_fits(const struct train_depthwise *l) {
  return kernel_fits(l) && (l->stride_w == 2 || l->in_w + l->pad_left + l->pad_right >= 4);
}

// Words of a row of zeros or of what nobody reads, of any tensor.
static uint32_t row_words(const struct train_depthwise *l) {
  return (uint32_t)l->in_w + l->pad_left + l->pad_right;
}

uint32_t train_depthwise_edges_size(const struct train_depthwise *l) {
  return 2 * row_words(l) * rt_core_count() * 4;
}

// This core's row of zeros; the one that nobody reads is behind it.
static float *zeros_of(const struct train_depthwise *l) {
  float *zeros = (float *)l->scratch + 2 * row_words(l) * rt_core_id();
  rt_zero_words(zeros, row_words(l));
  return zeros;
}

// A window over planes of h x w, which have so many zeros above and before them.
struct plane {
  uint32_t h, w, top, before;
};

static struct train_dw_edges edges_of(const struct train_depthwise *l, struct plane p,
                                      uint32_t stride, uint32_t h_out, uint32_t w_out) {
  uint32_t bytes = train_bytes(l->type);
  uint32_t inside = stride == 1 ? p.w - 2 + p.before : (p.w - 1 + p.before) / 2;
  struct train_dw_edges e = {.zeros = zeros_of(l),
                             .pitch = p.w * bytes,
                             .y_row = w_out * bytes,
                             .before = p.before,
                             .passes = mmt_quotient(inside, 3),
                             .tail = w_out - inside,
                             .h_out = h_out};
  e.rest = inside - 3 * e.passes;
  return e;
}

// The rows of a plane: up to two that are seen first, then the others.
static void begin_at(struct train_dw_edges *e, const void *x, struct plane p, uint32_t stride) {
  uint32_t given = 0;
  for (uint32_t i = stride - 1; i < 2; i++) {
    bool inside = i - (stride - 1) >= p.top && given < p.h;
    e->rows[i] = inside ? (const char *)x + (size_t)given++ * e->pitch : e->zeros;
  }
  e->next = (const char *)x + (size_t)given * e->pitch;
  e->left = p.h - given;
}

static struct plane input(const struct train_depthwise *l) {
  return (struct plane){l->in_h, l->in_w, l->pad_top, l->pad_left};
}

static const void *plane_at(const struct train_depthwise *l, const void *planes, uint32_t c,
                            uint32_t elements) {
  return (const char *)planes + (size_t)c * elements * train_bytes(l->type);
}

static __attribute__((noinline)) void add_bias(float *y, float bias, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    y[i] += bias;
}

void train_depthwise_edges_fw(const struct train_depthwise *l) {
  uint32_t h = train_depthwise_out_h(l), w = train_depthwise_out_w(l), stride = l->stride_w;
  struct train_dw_edges e = edges_of(l, input(l), stride, h, w);
  train_dw_edges_fn *fn = train_dw_edges_fw[stride - 1][l->type];
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    begin_at(&e, plane_at(l, l->in, c, (uint32_t)l->in_h * l->in_w), input(l), stride);
    e.w = (void *)plane_at(l, l->weights, c, 9);
    e.y = (void *)plane_at(l, l->out, c, h * w);
    fn(&e);
    if (l->bias)
      add_bias(e.y, ((const float *)l->bias)[c], h * w);
  }
}

void train_depthwise_edges_wg(const struct train_depthwise *l) {
  uint32_t h = train_depthwise_out_h(l), w = train_depthwise_out_w(l), stride = l->stride_w;
  struct train_dw_edges e = edges_of(l, input(l), stride, h, w);
  train_dw_edges_fn *fn = train_dw_edges_wg[stride - 1][l->type];
  float sums[9];
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    begin_at(&e, plane_at(l, l->in, c, (uint32_t)l->in_h * l->in_w), input(l), stride);
    e.w = l->type == TRAIN_F32 ? (float *)l->weights_grad + 9 * c : sums;
    if (!l->add)
      rt_zero_words(e.w, 9);
    else if (l->type != TRAIN_F32)
      train_depthwise_get_plane(sums, l, l->weights_grad, c, 3, 3, (struct train_border){0});
    e.y = (void *)plane_at(l, l->out_grad, c, h * w);
    fn(&e);
    if (l->type != TRAIN_F32)
      train_depthwise_put_plane(l, l->weights_grad, c, sums, 9);
    if (l->bias_grad)
      train_depthwise_bias_gradient(l, c);
  }
}

static void back(const struct train_depthwise *l, uint32_t h, uint32_t w) {
  const struct plane p = {h, w, 2u - l->pad_top, 2u - l->pad_left};
  struct train_dw_edges e = edges_of(l, p, 1, l->in_h, l->in_w);
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    begin_at(&e, plane_at(l, l->out_grad, c, h * w), p, 1);
    e.w = (void *)plane_at(l, l->weights, c, 9);
    e.y = (void *)plane_at(l, l->in_grad, c, (uint32_t)l->in_h * l->in_w);
    train_dw_edges_back[l->type](&e);
  }
}

static void spread(const struct train_depthwise *l, uint32_t h, uint32_t w) {
  uint32_t bytes = train_bytes(l->type), end = (uint32_t)l->in_w - 1 + l->pad_left;
  uint32_t last = end / 2, first = l->pad_left;
  float *zeros = zeros_of(l);
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
    s.d = plane_at(l, l->out_grad, c, h * w);
    s.w = plane_at(l, l->weights, c, 9);
    s.y = (void *)plane_at(l, l->in_grad, c, (uint32_t)l->in_h * l->in_w);
    train_dw_spread[l->type](&s);
  }
}

void train_depthwise_edges_ig(const struct train_depthwise *l) {
  uint32_t h = train_depthwise_out_h(l), w = train_depthwise_out_w(l);
  if (l->stride_w == 1)
    back(l, h, w);
  else
    spread(l, h, w);
}
