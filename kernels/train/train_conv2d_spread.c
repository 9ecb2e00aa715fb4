// kernels/train/train_conv2d_spread.c: floats in CHW, 1x1 kernels with strides: the pixels that it
// sees, every stride-th one, are gathered in scratch (the gradient of the input is spread from
// there), and a matrix product does the rest.
#include "kernels/mm/mmt_f32.h"
#include "kernels/rt/rt.h"
#include "train_conv2d_ways.h"
#include "train_patches.h"

uint32_t train_conv2d_spread_size(const struct train_conv2d *l) {
  return l->in_c * train_conv2d_plane(l) * 4;
}

// Channels that this core gathers or spreads; steps in the small planes and in the large ones.
struct share {
  struct rt_range channels;
  uint32_t rows, columns, plane;
  struct train_rows small, large;
};

static inline struct share share_of(const struct train_conv2d *l) {
  uint32_t columns = train_conv2d_columns(l);
  return (struct share){rt_share(l->in_c), train_conv2d_rows(l),
                        columns,           (uint32_t)l->in_h * l->in_w,
                        {4, columns * 4},  {l->stride_w * 4u, l->stride_h * l->in_w * 4u}};
}

static void gather(const struct train_conv2d *l, const struct share *s) {
  float *to = (float *)l->scratch + (size_t)s->channels.begin * s->rows * s->columns;
  const float *from = (const float *)l->in + (size_t)s->channels.begin * s->plane;
  for (uint32_t c = s->channels.begin; c < s->channels.end; c++) {
    train_pick_rows(to, s->small, from, s->large, s->rows, s->columns);
    to += s->rows * s->columns;
    from += s->plane;
  }
  rt_barrier();
}

static __attribute__((noinline)) void begin_with_bias(const struct train_conv2d *l) {
  struct rt_range mine = rt_share(train_conv2d_plane(l));
  train_conv2d_set_bias(l, mine.begin, mine.end - mine.begin);
}

void train_conv2d_spread_fw(const struct train_conv2d *l) {
  const struct share s = share_of(l);
  uint32_t plane = s.rows * s.columns;
  if (l->bias)
    begin_with_bias(l);
  gather(l, &s);
  const struct mmt_f32 mm = {l->weights, l->scratch, l->out, l->out_c, plane,          l->in_c,
                             l->in_c,    plane,      plane,  MMT_NN,   l->bias != NULL};
  mmt_f32_unchecked(MMT_F32_AUTO, &mm);
}

void train_conv2d_spread_wg(const struct train_conv2d *l) {
  const struct share s = share_of(l);
  uint32_t plane = s.rows * s.columns;
  gather(l, &s);
  const struct mmt_f32 mm = {l->out_grad, l->scratch, l->weights_grad, l->out_c, l->in_c, plane,
                             plane,       plane,      l->in_c,         MMT_NT,   l->add};
  mmt_f32_unchecked(MMT_F32_AUTO, &mm);
}

void train_conv2d_spread_ig(const struct train_conv2d *l) {
  const struct share s = share_of(l);
  uint32_t plane = s.rows * s.columns;
  const struct mmt_f32 mm = {l->weights, l->out_grad, l->scratch, l->in_c, plane, l->out_c,
                             l->in_c,    plane,       plane,      MMT_TN,  false};
  mmt_f32_unchecked(MMT_F32_AUTO, &mm);
  float *to = (float *)l->in_grad + (size_t)s.channels.begin * s.plane;
  rt_zero_words(to, (s.channels.end - s.channels.begin) * s.plane);
  rt_barrier();
  const float *from = (const float *)l->scratch + (size_t)s.channels.begin * plane;
  for (uint32_t c = s.channels.begin; c < s.channels.end; c++, to += s.plane, from += plane)
    train_pick_rows(to, s.large, from, s.small, s.rows, s.columns);
}
