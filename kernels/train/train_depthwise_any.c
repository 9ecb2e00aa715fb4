// kernels/train/train_depthwise_any.c
#include "train_depthwise_any.h"

#include "kernels/rt/rt.h"
#include "train_depthwise_plane.h"
#include "train_depthwise_window.h"

// What a pass slides over, with its border, and the plane of the other side.
struct planes {
  uint32_t h, w, other_h, other_w;
  struct train_border border;
};

static const struct train_border none = {0, 0, 0, 0};

static struct planes planes_of(const struct train_depthwise *l) {
  return (struct planes){l->in_h,
                         l->in_w,
                         train_depthwise_out_h(l),
                         train_depthwise_out_w(l),
                         {l->pad_top, l->pad_bottom, l->pad_left, l->pad_right}};
}

// Zeros before an output's gradient: what the first input sees there; and behind it.
static uint32_t before(uint32_t kernel, uint32_t stride, uint32_t pad) {
  return stride == 1 ? kernel - 1 - pad : (kernel - 1) / stride - pad / stride;
}
static uint32_t behind(uint32_t in, uint32_t out, uint32_t stride, uint32_t pad) {
  uint32_t last = stride == 1 ? in - 1 + pad : (in - 1 + pad) / stride;
  return last >= out ? last - (out - 1) : 0;
}

static struct planes planes_back(const struct train_depthwise *l) {
  uint32_t h = train_depthwise_out_h(l), w = train_depthwise_out_w(l);
  return (struct planes){h,
                         w,
                         l->in_h,
                         l->in_w,
                         {before(l->kernel_h, l->stride_h, l->pad_top),
                          behind(l->in_h, h, l->stride_h, l->pad_top),
                          before(l->kernel_w, l->stride_w, l->pad_left),
                          behind(l->in_w, w, l->stride_w, l->pad_left)}};
}

static uint32_t whole_lines(uint32_t floats) {
  return (floats + 15) / 16 * 16; // as many as there are banks
}

// Floats in CHW need no copy of the other plane.
static bool in_place(const struct train_depthwise *l) {
  return l->type == TRAIN_F32 && !l->hwc;
}

static uint32_t other_size(const struct train_depthwise *l, const struct planes *p) {
  return in_place(l) ? 0 : whole_lines(p->other_h * p->other_w);
}

// The taps, and room to sort them.
static uint32_t taps_size(const struct train_depthwise *l) {
  return whole_lines(2u * l->kernel_h * l->kernel_w);
}

// Floats of a core's scratch: four more than a multiple of the banks, so that cores do not meet at
// one.
static uint32_t core_size(const struct train_depthwise *l, const struct planes *p) {
  struct train_border b = p->border;
  return other_size(l, p) + taps_size(l) +
         whole_lines((p->h + b.top + b.bottom) * (p->w + b.left + b.right)) + 4;
}

uint32_t train_depthwise_any_size(const struct train_depthwise *l) {
  const struct planes planes = planes_of(l);
  return core_size(l, &planes) * rt_core_count() * 4;
}

uint32_t train_depthwise_any_ig_size(const struct train_depthwise *l) {
  const struct planes planes = planes_back(l);
  return core_size(l, &planes) * rt_core_count() * 4;
}

// A core's work: the plane for train_depthwise_window.c.
struct work {
  const struct train_depthwise *layer;
  struct planes planes;
  struct train_dw_window window;
  float *slid, *other; // in scratch
};

static void begin(struct work *work, const struct train_depthwise *l, struct planes planes) {
  struct train_border b = planes.border;
  float *scratch = (float *)l->scratch + rt_core_id() * core_size(l, &planes);
  work->layer = l;
  work->planes = planes;
  work->other = scratch + taps_size(l);
  work->slid = work->other + other_size(l, &planes);
  work->window = (struct train_dw_window){.x = work->slid,
                                          .pitch = planes.w + b.left + b.right,
                                          .w = scratch,
                                          .y = work->other,
                                          .h = planes.other_h,
                                          .w_out = planes.other_w,
                                          .kernel_h = l->kernel_h,
                                          .kernel_w = l->kernel_w,
                                          .stride_h = l->stride_h,
                                          .stride_w = l->stride_w};
}

static uint32_t others(const struct work *work) {
  return work->planes.other_h * work->planes.other_w;
}

// Channel c of the tensor that is slid over.
static void get_slid(struct work *work, const void *tensor, uint32_t c) {
  const struct planes *p = &work->planes;
  struct train_border b = p->border;
  if (!in_place(work->layer)) {
    train_depthwise_get_plane(work->slid, work->layer, tensor, c, p->h, p->w, b);
    return;
  }
  const float *plane = (const float *)tensor + (size_t)c * p->h * p->w;
  work->window.x = plane;
  if (train_any_border(b)) {
    train_fill_plane(train_zero_border(work->slid, p->h, p->w, b), plane, p->h, p->w, b);
    work->window.x = work->slid;
  }
}

static void get_taps(struct work *work, const void *weights, uint32_t c) {
  const struct train_depthwise *l = work->layer;
  train_depthwise_get_plane(work->window.w, l, weights, c, l->kernel_h, l->kernel_w, none);
}

// Where channel c of the other tensor is, or is to be, in floats.
static void place_other(struct work *work, void *tensor, uint32_t c) {
  work->window.y = in_place(work->layer) ? (float *)tensor + (size_t)c * others(work) : work->other;
}

static void put_other(const struct work *work, void *tensor, uint32_t c) {
  if (!in_place(work->layer))
    train_depthwise_put_plane(work->layer, tensor, c, work->window.y, others(work));
}

static void add_bias(const struct work *work, uint32_t c) {
  float bias = train_depthwise_bias(work->layer, c);
  for (uint32_t i = 0; i < others(work); i++)
    work->window.y[i] += bias;
}

void train_depthwise_any_fw(const struct train_depthwise *l) {
  struct work work;
  begin(&work, l, planes_of(l));
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    get_slid(&work, l->in, c);
    get_taps(&work, l->weights, c);
    place_other(&work, l->out, c);
    train_dw_window_fw(&work.window);
    if (l->bias)
      add_bias(&work, c);
    put_other(&work, l->out, c);
  }
}

// Channel c of the gradient of the output.
static void get_other(struct work *work, const struct train_depthwise *l, uint32_t c) {
  const struct planes *p = &work->planes;
  place_other(work, (void *)l->out_grad, c);
  if (!in_place(l))
    train_depthwise_get_plane(work->window.y, l, l->out_grad, c, p->other_h, p->other_w, none);
}

void train_depthwise_any_wg(const struct train_depthwise *l) {
  struct work work;
  begin(&work, l, planes_of(l));
  uint32_t taps = (uint32_t)l->kernel_h * l->kernel_w;
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    get_slid(&work, l->in, c);
    get_other(&work, l, c);
    if (l->add)
      get_taps(&work, l->weights_grad, c);
    else
      rt_zero_words(work.window.w, taps);
    train_dw_window_wg(&work.window);
    train_depthwise_put_plane(l, l->weights_grad, c, work.window.w, taps);
    if (l->bias_grad)
      train_depthwise_bias_gradient(l, c);
  }
}

void train_depthwise_any_ig(const struct train_depthwise *l) {
  struct work work;
  begin(&work, l, planes_back(l));
  struct train_border b = work.planes.border;
  const struct train_dw_place place = {l->pad_top, l->pad_left, b.top, b.left};
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    get_slid(&work, l->out_grad, c);
    get_taps(&work, l->weights, c);
    place_other(&work, l->in_grad, c);
    train_dw_window_ig(&work.window, place);
    put_other(&work, l->in_grad, c);
  }
}
