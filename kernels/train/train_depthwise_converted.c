// kernels/train/train_depthwise_converted.c
#include "train_depthwise_converted.h"

#include "kernels/rt/rt.h"
#include "train_depthwise_plane.h"
#include "train_dw.h"

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

static struct planes planes_back(const struct train_depthwise *l) {
  return (struct planes){
      train_depthwise_out_h(l),
      train_depthwise_out_w(l),
      l->in_h,
      l->in_w,
      {2u - l->pad_top, 2u - l->pad_bottom, 2u - l->pad_left, 2u - l->pad_right}};
}

static uint32_t whole_lines(uint32_t floats) {
  return (floats + 15) / 16 * 16; // as many as there are banks
}

static uint32_t other_size(const struct planes *p) {
  return whole_lines(p->other_h * p->other_w);
}

// Floats of a core's scratch: four more than a multiple of the banks, so that cores do not meet at
// one.
static uint32_t core_size(const struct planes *p) {
  struct train_border b = p->border;
  return other_size(p) + whole_lines((p->h + b.top + b.bottom) * (p->w + b.left + b.right)) + 4;
}

uint32_t train_depthwise_converted_size(const struct train_depthwise *l) {
  const struct planes planes = planes_of(l);
  return core_size(&planes) * rt_core_count() * 4;
}

uint32_t train_depthwise_converted_ig_size(const struct train_depthwise *l) {
  const struct planes planes = planes_back(l);
  return core_size(&planes) * rt_core_count() * 4;
}

// A core's work: the block for train_dw.S, whose planes and weights are copies.
struct work {
  const struct train_depthwise *layer;
  struct planes planes;
  struct train_dw dw;
  float *slid, taps[9];
};

static void begin(struct work *work, const struct train_depthwise *l, struct planes planes) {
  struct train_border b = planes.border;
  float *scratch = (float *)l->scratch + rt_core_id() * core_size(&planes);
  work->layer = l;
  work->planes = planes;
  work->slid = scratch + other_size(&planes);
  work->dw = (struct train_dw){.x = work->slid,
                               .pitch = (planes.w + b.left + b.right) * 4,
                               .w = work->taps,
                               .y = scratch,
                               .w_out = planes.other_w,
                               .h_out = planes.other_h};
}

static void get_slid(const struct work *work, const void *tensor, uint32_t c) {
  const struct planes *p = &work->planes;
  train_depthwise_get_plane(work->slid, work->layer, tensor, c, p->h, p->w, p->border);
}

static void get_taps(struct work *work, const void *weights, uint32_t c) {
  train_depthwise_get_plane(work->taps, work->layer, weights, c, 3, 3, none);
}

static uint32_t others(const struct work *work) {
  return work->planes.other_h * work->planes.other_w;
}

static void put_other(const struct work *work, void *tensor, uint32_t c) {
  train_depthwise_put_plane(work->layer, tensor, c, work->dw.y, others(work));
}

static void add_bias(const struct work *work, uint32_t c) {
  float bias = train_depthwise_bias(work->layer, c);
  for (uint32_t i = 0; i < others(work); i++)
    work->dw.y[i] += bias;
}

void train_depthwise_converted_fw(const struct train_depthwise *l) {
  struct work work;
  begin(&work, l, planes_of(l));
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    get_slid(&work, l->in, c);
    get_taps(&work, l->weights, c);
    train_dw_fw(&work.dw);
    if (l->bias)
      add_bias(&work, c);
    put_other(&work, l->out, c);
  }
}

void train_depthwise_converted_wg(const struct train_depthwise *l) {
  struct work work;
  begin(&work, l, planes_of(l));
  const struct planes *p = &work.planes;
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    get_slid(&work, l->in, c);
    train_depthwise_get_plane(work.dw.y, l, l->out_grad, c, p->other_h, p->other_w, none);
    for (uint32_t i = 0; i < 9; i++)
      work.taps[i] = 0;
    if (l->add)
      get_taps(&work, l->weights_grad, c);
    train_dw_wg(&work.dw);
    train_depthwise_put_plane(l, l->weights_grad, c, work.taps, 9);
    if (l->bias_grad)
      train_depthwise_bias_gradient(l, c);
  }
}

void train_depthwise_converted_ig(const struct train_depthwise *l) {
  struct work work;
  begin(&work, l, planes_back(l));
  struct rt_range mine = rt_share(l->c);
  for (uint32_t c = mine.begin; c < mine.end; c++) {
    get_slid(&work, l->out_grad, c);
    get_taps(&work, l->weights, c);
    train_dw_back(&work.dw);
    put_other(&work, l->in_grad, c);
  }
}
