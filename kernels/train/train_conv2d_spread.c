// kernels/train/train_conv2d_spread.c: floats in CHW, 1x1 kernels with strides. Every other pixel
// under fours of channels, filters and columns: forward and for the weights by the blocks of
// train_conv_one.h. Else the pixels that the kernel sees are gathered in scratch (the gradient of
// the input is spread from there), and a matrix product does the rest. These layers are short: what
// is done once a call is a third of their time, so the usual shapes go to the blocks of the product
// straight from here.
#include "kernels/mm/mmt_f32.h"
#include "kernels/mm/mmt_f32_tile.h"
#include "kernels/mm/mmt_split.h"
#include "kernels/rt/rt.h"
#include "train_conv2d_ways.h"
#include "train_conv_one.h"
#include "train_patches.h"

uint32_t train_conv2d_spread_size(const struct train_conv2d *l) {
  return l->in_c * train_conv2d_plane(l) * 4;
}

// Channels that this core gathers or spreads; steps in the large planes.
struct share {
  struct rt_range channels;
  uint32_t rows, columns, plane;
  struct train_rows large;
};

static inline struct share share_of(const struct train_conv2d *l) {
  uint32_t columns = train_conv2d_columns(l);
  return (struct share){rt_share(l->in_c),
                        train_conv2d_rows(l),
                        columns,
                        (uint32_t)l->in_h * l->in_w,
                        {l->stride_w * 4u, l->stride_h * l->in_w * 4u}};
}

// Channels begin..end-1 at `to`: from pixel to pixel and from channel to channel so many floats.
static void gather(const struct train_conv2d *l, const struct share *s, float *to, uint32_t pixel,
                   uint32_t channel) {
  const float *from = (const float *)l->in + (size_t)s->channels.begin * s->plane;
  const struct train_rows by = {pixel * 4, s->columns * pixel * 4};
  to += s->channels.begin * channel;
  for (uint32_t c = s->channels.begin; c < s->channels.end; c++) {
    train_pick_rows(to, by, from, s->large, s->rows, s->columns);
    to += channel;
    from += s->plane;
  }
  rt_barrier();
}

// A product whose B is plain. Where every core has as many groups of four rows as any other, they
// share these, and all columns follow each other; else the general split.
static __attribute__((noinline)) void multiply(const struct mmt_f32 *mm) {
  struct rt_range mine = rt_share(mm->n / 4);
  if (mm->n % 4 || (mine.end - mine.begin) * rt_core_count() * 4 != mm->n || mm->m > 4000) {
    mmt_f32_unchecked(MMT_F32_AUTO, mm);
    return;
  }
  bool turned = mm->layout == MMT_TN;
  mmt_tile_fn *const *fn = turned ? mmt_tiles_s_tn[3] : mmt_tiles_s_nn[3];
  const struct mmt_groups columns = mmt_groups_of(mm->m, 6);
  struct mmt_tile t; // field by field: the compiler would call memset()
  t.a.step = mm->lda * 4;
  t.a.next = 0;
  t.b.step = mm->ldb * 4;
  t.c_step = mm->ldc * 4;
  t.k = mm->k;
  t.add = mm->add;
  for (; mine.begin < mine.end; mine.begin++) {
    uint32_t size = columns.size;
    t.a.at = mm->a + mine.begin * 4 * (turned ? 1 : mm->lda);
    t.b.at = mm->b;
    t.c = mm->c + mine.begin * 4 * mm->ldc;
    t.b.next = t.c_next = size * 4;
    t.blocks = columns.wide;
    fn[size - 1](&t);
    if (columns.rest == 0)
      continue;
    t.b.at = mm->b + columns.wide * size;
    t.c = (float *)t.c + columns.wide * size;
    t.b.next = t.c_next = --size * 4;
    t.blocks = columns.rest;
    fn[size - 1](&t);
  }
}

static __attribute__((noinline)) void begin_with_bias(const struct train_conv2d *l) {
  struct rt_range mine = rt_share(train_conv2d_plane(l));
  train_conv2d_set_bias(l, mine.begin, mine.end - mine.begin);
}

static __attribute__((noinline)) void gathered_fw(const struct train_conv2d *l) {
  const struct share s = share_of(l);
  uint32_t plane = s.rows * s.columns;
  gather(l, &s, l->scratch, 1, plane);
  const struct mmt_f32 mm = {l->weights, l->scratch, l->out, l->out_c, plane,          l->in_c,
                             l->in_c,    plane,      plane,  MMT_NN,   l->bias != NULL};
  multiply(&mm);
}

// The pixels' channels side by side, so that rows of B are what a block takes of one k.
static __attribute__((noinline)) void gathered_wg(const struct train_conv2d *l) {
  const struct share s = share_of(l);
  uint32_t plane = s.rows * s.columns;
  gather(l, &s, l->scratch, l->in_c, 1);
  const struct mmt_f32 mm = {l->out_grad, l->scratch, l->weights_grad, l->out_c, l->in_c, plane,
                             plane,       l->in_c,    l->in_c,         MMT_NN,   l->add};
  multiply(&mm);
}

// ---- forward and for the weights without gathering, where the blocks of train_conv_one.h fit

static inline uint32_t block_columns(const struct train_conv2d *l) {
  return (l->in_w + 1u) / 2;
}

static inline bool in_blocks(const struct train_conv2d *l) {
  return l->stride_w == 2 && (l->in_c | l->out_c | block_columns(l)) % 4 == 0;
}

// A core's first item, of rows or of four channels, as the one `at` of group `group`.
struct item {
  uint32_t group, at, left;
};

static inline struct item share_of_items(uint32_t groups, uint32_t each) {
  struct rt_range mine = rt_share(groups * each);
  struct item i = {0, mine.begin, mine.end - mine.begin};
  for (; i.at >= each; i.at -= each)
    i.group++;
  return i;
}

static __attribute__((noinline)) void blocks_fw(const struct train_conv2d *l) {
  uint32_t rows = train_conv2d_rows(l), columns = block_columns(l);
  uint32_t row = l->stride_h * l->in_w * 4u;
  if (TRAIN_RARELY(l->bias))
    rt_barrier();
  struct train_conv_one_fw b = {.w_step = l->in_c * 4u,
                                .plane = (uint32_t)l->in_h * l->in_w * 4,
                                .out_step = rows * columns * 4,
                                .fours = l->in_c / 4u,
                                .next = columns == 4 ? row : 32,
                                .out_next = 16,
                                .add = l->bias != NULL};
  for (struct item i = share_of_items(l->out_c / 4, rows); i.left > 0;) {
    uint32_t n = 1; // rows of one block follow each other
    if (columns == 4)
      n = rows - i.at < i.left ? rows - i.at : i.left;
    b.w = (const float *)l->weights + 4 * i.group * l->in_c;
    b.x = (const float *)l->in + i.at * (row / 4);
    b.out = (float *)l->out + (4 * i.group * rows + i.at) * columns;
    b.blocks = n * columns / 4;
    train_conv_one_fw(&b);
    i.left -= n;
    i.at += n;
    if (i.at == rows) {
      i.at = 0;
      i.group++;
    }
  }
}

static __attribute__((noinline)) void blocks_wg(const struct train_conv2d *l) {
  uint32_t rows = train_conv2d_rows(l), columns = block_columns(l), all = l->in_c / 4u;
  uint32_t plane = (uint32_t)l->in_h * l->in_w, row = l->stride_h * l->in_w * 4u;
  bool short_rows = columns == 4; // rows of one pass are passes of one row
  struct train_conv_one_wg b = {.dy_step = rows * columns * 4,
                                .plane = plane * 4,
                                .dw_step = l->in_c * 4u,
                                .fours = short_rows ? rows : columns / 4,
                                .step = short_rows ? row : 32,
                                .gap = row - 8 * columns,
                                .rows = rows,
                                .next = plane * 16 - rows * row,
                                .add = l->add};
  struct item i = share_of_items(l->out_c / 4, all);
  for (; i.left > 0; i.left -= b.blocks, i.at = 0, i.group++) {
    b.blocks = all - i.at < i.left ? all - i.at : i.left;
    b.dy = (const float *)l->out_grad + 4 * i.group * rows * columns;
    b.x = (const float *)l->in + 4 * i.at * plane;
    b.dw = (float *)l->weights_grad + 4 * (i.group * l->in_c + i.at);
    (short_rows ? train_conv_one_wg_4 : train_conv_one_wg)(&b);
  }
}

void train_conv2d_spread_fw(const struct train_conv2d *l) {
  if (TRAIN_RARELY(l->bias))
    begin_with_bias(l);
  (in_blocks(l) ? blocks_fw : gathered_fw)(l);
}

void train_conv2d_spread_wg(const struct train_conv2d *l) {
  (in_blocks(l) ? blocks_wg : gathered_wg)(l);
}

void train_conv2d_spread_ig(const struct train_conv2d *l) {
  const struct share s = share_of(l);
  uint32_t plane = s.rows * s.columns;
  float *to = (float *)l->in_grad + (size_t)s.channels.begin * s.plane;
  rt_zero_words(to, (s.channels.end - s.channels.begin) * s.plane);
  const struct mmt_f32 mm = {l->weights, l->out_grad, l->scratch, l->in_c, plane, l->out_c,
                             l->in_c,    plane,       plane,      MMT_TN,  false};
  multiply(&mm);
  rt_barrier();
  const float *from = (const float *)l->scratch + (size_t)s.channels.begin * plane;
  const struct train_rows by = {4, s.columns * 4};
  for (uint32_t c = s.channels.begin; c < s.channels.end; c++, to += s.plane, from += plane)
    train_pick_rows(to, s.large, from, by, s.rows, s.columns);
}
