// kernels/train/train_conv2d_pixels_wg.c: gradients of weights without im2col in HWC and in 16
// bits; see train_conv2d_pixels.c.
#include "kernels/rt/rt.h"
#include "train_conv2d_views.h"

enum { ROWS = 4, WIDE = 6 }; // largest block

struct gradient {
  const void *d, *image; // words: [pixel][f], [row][pixel][c]
  void *dw;              // [f][i][j][c]
  uint32_t k, rows;      // words of d in a row
  uint32_t pixels, step; // words of the image: of a row, from k to k + 1
  const struct train_conv2d *layer;
  struct mmt_groups columns; // of a row of dw
};

static mmt_tiles *gradient_tiles_of(enum train_type t) {
  return t == TRAIN_F32 ? &mmt_tiles_s_tnr : t == TRAIN_FP16 ? &mmt_tiles_h_tnr : &mmt_tiles_ah_tnr;
}

// Groups `begin` to `end` of columns, gradients of one kernel row: `u` filters from `first` on.
static void gradient_part(const void *what, uint32_t first, uint32_t u, uint32_t i,
                          struct rt_range columns) {
  const struct gradient *g = what;
  const struct train_conv2d *l = g->layer;
  uint32_t bytes = train_bytes(l->type), all = l->kernel_w * (uint32_t)l->in_c;
  const struct mmt_groups *groups = &g->columns;
  mmt_tile_fn *const *fn = (*gradient_tiles_of(l->type))[u - 1];
  uint32_t column = mmt_groups_begin(groups, columns.begin);
  struct mmt_tile t = {.a = {(const uint32_t *)g->d + first, l->out_c * 4u, 0},
                       .b = {(const uint32_t *)g->image + i * g->pixels + column, g->step * 4, 0},
                       .c = (char *)g->dw + ((first * l->kernel_h + i) * all + column) * bytes,
                       .c_step = l->kernel_h * all * bytes,
                       .k = g->k,
                       .add = l->add,
                       .runs = g->rows,
                       .b_jump = (l->stride_h * g->pixels - g->k * g->step) * 4};
  while (columns.begin < columns.end) {
    uint32_t v, end = mmt_groups_alike(groups, columns.begin, columns.end, &v);
    t.blocks = end - columns.begin;
    t.b.next = v * 4;
    t.c_next = v * bytes;
    fn[v - 1](&t);
    t.b.at = (const uint32_t *)t.b.at + t.blocks * v;
    t.c = (char *)t.c + t.blocks * t.c_next;
    columns.begin = end;
  }
}

// Groups of columns that take the busiest core the fewest slots: 4 v multiply-adds, 4 + v loads and
// two pointers a step of each of its blocks.
static struct mmt_groups columns_for(uint32_t parts, uint32_t columns) {
  struct mmt_groups best = {0, 0, 0};
  uint32_t least = UINT32_MAX;
  for (uint32_t v = WIDE; v >= 4; v--) {
    const struct mmt_groups groups = mmt_groups_of(columns, v);
    uint32_t blocks = parts * (groups.wide + groups.rest) + rt_core_count() - 1;
    uint32_t slots = rt_per_core(blocks) * (5 * v + 6);
    if (slots < least) {
      least = slots;
      best = groups;
    }
  }
  return best;
}

static void gradient(struct gradient *g) {
  const struct train_conv2d *l = g->layer;
  const struct mmt_groups rows = mmt_groups_of(l->out_c, ROWS);
  g->columns = columns_for((rows.wide + rows.rest) * l->kernel_h, l->kernel_w * (uint32_t)l->in_c);
  train_conv2d_share(&rows, l->kernel_h, &g->columns, gradient_part, g);
}

static void gradient_of_floats(const struct train_conv2d *l) {
  const struct train_view in = train_conv2d_input(l);
  const struct train_border b = train_conv2d_border(l);
  uint32_t words = train_conv2d_image_words(&in, b, l->hwc);
  if (words)
    train_conv2d_copy_image(l->scratch, &in, b);
  rt_barrier();
  struct gradient g = {.d = l->out_grad,
                       .image = words ? l->scratch : l->in,
                       .dw = l->weights_grad,
                       .k = train_conv2d_columns(l),
                       .rows = train_conv2d_rows(l),
                       .pixels = (b.left + in.w + b.right) * in.c,
                       .step = l->stride_w * in.c,
                       .layer = l};
  gradient(&g);
}

// Words of pairs in 16 bits: of the image, beginning at every pixel (under a 1x1 kernel at every
// other one); of the gradient; in CHW the result by taps, if
// there are several.
struct pairs {
  uint32_t in_row, image, gradient, result;
};

static struct pairs pairs_of(const struct train_conv2d *l, const struct train_view *in,
                             const struct train_view *d) {
  uint32_t in_row =
      train_conv2d_one_pixel(l) ? (in->w + 1) / 2 : l->pad_left + in->w + l->pad_right;
  return (struct pairs){
      in_row, (l->pad_top + in->h + l->pad_bottom) * in_row * in->c, d->h * ((d->w + 1) / 2) * d->c,
      l->hwc || train_conv2d_taps(l) == 1 ? 0
                                          : (l->out_c * train_conv2d_taps(l) * l->in_c + 1) / 2};
}

uint32_t train_conv2d_pixels_wg_size(const struct train_conv2d *l) {
  const struct train_view in = train_conv2d_input(l), d = train_conv2d_output(l, l->out_grad);
  if (l->type == TRAIN_F32)
    return train_conv2d_image_words(&in, train_conv2d_border(l), l->hwc) * 4;
  const struct pairs words = pairs_of(l, &in, &d);
  return (words.image + words.gradient + words.result) * 4;
}

static void gradient_of_pairs(const struct train_conv2d *l) {
  const struct train_view in = train_conv2d_input(l), d = train_conv2d_output(l, l->out_grad);
  const struct pairs words = pairs_of(l, &in, &d);
  bool one = train_conv2d_one_pixel(l);
  uint32_t *image = l->scratch, *pairs = image + words.image, pitch = words.in_row * in.c;
  uint16_t *result = (uint16_t *)(void *)(pairs + words.gradient);
  const struct train_border rows = {l->pad_top, l->pad_bottom, 0, 0};
  train_copy_pairs(image + l->pad_top * pitch, &in, words.in_row, l->pad_left, one ? 2 : 1,
                   l->stride_w);
  if (train_any_border(rows))
    train_clear_border(image, rows, in.h, pitch);
  train_copy_pairs(pairs, &d, (d.w + 1) / 2, 0, 2, 1);
  if (words.result && l->add) {
    const struct train_view before = train_conv2d_filters(l, l->weights_grad);
    train_copy_halves(result, &before);
  }
  rt_barrier();
  struct gradient g = {.d = pairs,
                       .image = image,
                       .dw = words.result ? (void *)result : l->weights_grad,
                       .k = (d.w + 1) / 2,
                       .rows = d.h,
                       .pixels = pitch,
                       .step = (one ? 1u : 2u * l->stride_w) * in.c,
                       .layer = l};
  gradient(&g);
  if (!words.result)
    return;
  rt_barrier();
  int32_t taps = (int32_t)train_conv2d_taps(l), c = l->in_c;
  const struct train_view after = {result,   l->out_c, l->in_c, (uint32_t)taps,
                                   taps * c, 1,        c,       l->type};
  train_copy_halves(l->weights_grad, &after);
}

void train_conv2d_pixels_wg(const struct train_conv2d *l) {
  if (l->bias_grad)
    train_conv2d_bias_gradient(l);
  if (l->type == TRAIN_F32)
    gradient_of_floats(l);
  else
    gradient_of_pairs(l);
}
