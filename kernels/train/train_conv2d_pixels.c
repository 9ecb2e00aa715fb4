// kernels/train/train_conv2d_pixels.c: convolution without im2col in HWC and in 16 bits.
//
// The pixels under a row of the kernel are contiguous in HWC. So a row of outputs is a matrix
// product whose lines overlap, the kernel's rows follow each other as runs of k, and so do the rows
// of the output for gradients of weights (kinds ntr and tnr of mmt_f32_tile.h):
//   fw   out[y][x][f]   = sum over i | over j, c   of  image[y * s + i][x * s + j][c] *
//   w[f][i][j][c] wg   dw[f][i][j][c] = sum over y | over x      of  d[y][x][f] * image[y * s +
//   i][x * s + j][c] ig   as fw, of d with a border and the weights turned; stride 1 only
// Copies in scratch: an image with its border, if it has one. 16 bits are multiplied in pairs of
// channels (fw, ig) or of pixels (wg), so that planes and odd channels are turned to pixels first,
// and their weights to taps.
#include "kernels/mm/mmt_split.h"
#include "kernels/rt/rt.h"
#include "train_conv2d_ways.h"
#include "train_extent.h"
#include "train_pixels.h"
#include "train_typed.h"

enum { ROWS = 4, COLUMNS = 4, WIDE = 6 }; // largest blocks; WIDE: columns of gradients

static struct train_border in_border(const struct train_conv2d *l) {
  return (struct train_border){l->pad_top, l->pad_bottom, l->pad_left, l->pad_right};
}

static struct train_border back_border(const struct train_conv2d *l) {
  return (struct train_border){l->kernel_h - 1u - l->pad_top, l->kernel_h - 1u - l->pad_bottom,
                               l->kernel_w - 1u - l->pad_left, l->kernel_w - 1u - l->pad_right};
}

// A tensor of the layer; a 1x1 kernel with stride 1 sees a single row of pixels.
static struct train_view view_of(const struct train_conv2d *l, const void *at, uint32_t c,
                                 uint32_t h, uint32_t w) {
  int32_t plane = (int32_t)(h * w), channels = (int32_t)c, pitch = (int32_t)w;
  if (train_conv2d_one_pixel(l)) {
    w *= h;
    h = 1;
  }
  if (l->hwc)
    return (struct train_view){at, h, w, c, pitch * channels, channels, 1, l->type};
  return (struct train_view){at, h, w, c, pitch, 1, plane, l->type};
}

static struct train_view input_of(const struct train_conv2d *l) {
  return view_of(l, l->in, l->in_c, l->in_h, l->in_w);
}

static struct train_view output_of(const struct train_conv2d *l, const void *at) {
  return view_of(l, at, l->out_c, train_conv2d_out_h(l), train_conv2d_out_w(l));
}

// Words of an image with its border, if it has to be copied, and the copy.
static uint32_t image_words(const struct train_view *v, struct train_border b, bool hwc) {
  bool turned = v->type != TRAIN_F32 && (!hwc || v->c % 2);
  if (!turned && !train_any_border(b))
    return 0;
  return (b.top + v->h + b.bottom) * (b.left + v->w + b.right) * train_whole(v->c, v->type) *
         train_bytes(v->type) / 4;
}

static void copy_image(uint32_t *dst, const struct train_view *v, struct train_border b) {
  uint32_t pixel = train_whole(v->c, v->type) * train_bytes(v->type) / 4;
  const struct train_border words = {b.top, b.bottom, b.left * pixel, b.right * pixel};
  uint32_t pitch = words.left + v->w * pixel + words.right;
  train_copy_pixels(dst + (size_t)b.top * pitch + words.left, v, pitch);
  if (train_any_border(b))
    train_clear_border(dst, words, v->h, v->w * pixel);
}

// Weights as images: one per filter, pixels are taps.
static struct train_view filters_of(const struct train_conv2d *l, const void *weights) {
  int32_t taps = (int32_t)train_conv2d_taps(l), c = l->in_c;
  return (struct train_view){weights,  l->out_c,       (uint32_t)taps,    l->in_c,
                             taps * c, l->hwc ? c : 1, l->hwc ? 1 : taps, l->type};
}

// One per input channel, filters for channels, the taps backwards.
static struct train_view turned_filters_of(const struct train_conv2d *l) {
  struct train_view v = filters_of(l, l->weights);
  int32_t filter = v.row_step;
  v.at = train_at(v.at, (size_t)((int32_t)(v.w - 1) * v.x_step), l->type);
  v.h = l->in_c;
  v.c = l->out_c;
  v.row_step = v.c_step;
  v.c_step = filter;
  v.x_step = -v.x_step;
  return v;
}

// Words of weights by taps, `rows` of them.
static uint32_t taps_words(const struct train_conv2d *l, uint32_t rows, uint32_t channels) {
  return rows * train_conv2d_taps(l) * train_whole(channels, l->type) * train_bytes(l->type) / 4;
}

// ---- forward, and input gradient

struct forward {
  const void *image, *weights; // [h][w][c], [n][kernel_h][kernel_w][c]
  void *out;
  uint32_t w, c, n;
  uint32_t out_h, out_w, stride_h, stride_w;
  const struct train_conv2d *layer;
  bool add;
};

static mmt_tiles *tiles_of(enum train_type t) {
  return t == TRAIN_F32 ? &mmt_tiles_s_ntr : t == TRAIN_FP16 ? &mmt_tiles_h_ntr : &mmt_tiles_ah_ntr;
}

// The tile for output row y of the filters from `first` on: pixels as rows of C in HWC, as columns
// in CHW.
static struct mmt_tile tile_of(const struct forward *f, uint32_t first, uint32_t y) {
  const struct train_conv2d *l = f->layer;
  uint32_t bytes = train_bytes(l->type), pixel = f->c * bytes, row = f->w * pixel;
  uint32_t taps = l->kernel_h * l->kernel_w * pixel;
  struct mmt_operand image = {(const char *)f->image + y * f->stride_h * row, f->stride_w * pixel,
                              0},
                     weights = {(const char *)f->weights + first * taps, taps, 0};
  size_t out = l->hwc ? (size_t)y * f->out_w * f->n + first : (first * f->out_h + y) * f->out_w;
  uint32_t jump = row - l->kernel_w * pixel;
  return (struct mmt_tile){.a = l->hwc ? image : weights,
                           .b = l->hwc ? weights : image,
                           .c = (char *)f->out + out * bytes,
                           .c_step = (l->hwc ? f->n : f->out_h * f->out_w) * bytes,
                           .k = l->kernel_w * pixel / 4,
                           .add = f->add,
                           .runs = l->kernel_h,
                           .a_jump = l->hwc ? jump : 0,
                           .b_jump = l->hwc ? 0 : jump};
}

// Groups `begin` to `end` of pixels of output row y, `u` filters from `first` on.
static void output_pixels(const void *what, uint32_t first, uint32_t u, uint32_t y,
                          struct rt_range pixels) {
  const struct forward *f = what;
  const struct mmt_groups groups = mmt_groups_of(f->out_w, COLUMNS);
  mmt_tile_fn *const *fn = &(*tiles_of(f->layer->type))[0][0];
  bool hwc = f->layer->hwc;
  struct mmt_tile t = tile_of(f, first, y);
  struct mmt_operand *image = hwc ? &t.a : &t.b;
  uint32_t c_step = hwc ? t.c_step : train_bytes(f->layer->type);
  uint32_t pixel = mmt_groups_begin(&groups, pixels.begin);
  image->at = (const char *)image->at + pixel * image->step;
  t.c = (char *)t.c + pixel * c_step;
  while (pixels.begin < pixels.end) {
    uint32_t v, end = mmt_groups_alike(&groups, pixels.begin, pixels.end, &v);
    t.blocks = end - pixels.begin;
    image->next = v * image->step;
    t.c_next = v * c_step;
    fn[hwc ? (v - 1) * MMT_TILE_COLS + u - 1 : (u - 1) * MMT_TILE_COLS + v - 1](&t);
    image->at = (const char *)image->at + t.blocks * image->next;
    t.c = (char *)t.c + t.blocks * t.c_next;
    pixels.begin = end;
  }
}

// This core's share of a grid of blocks, down by `rows`, across in `lines` lines by `columns`:
// calls `part` for each line of a group of rows that it has a share of.
static void share(struct mmt_groups rows, uint32_t lines, struct mmt_groups columns,
                  void (*part)(const void *what, uint32_t first, uint32_t size, uint32_t line,
                               struct rt_range columns),
                  const void *what) {
  uint32_t across = columns.wide + columns.rest, down = rows.wide + rows.rest;
  struct rt_range items = rt_split(down * lines * across, 1);
  uint32_t line = items.begin / across, item = line * across, group = line / lines;
  for (line -= group * lines; item < items.end; item += across) {
    uint32_t begin = items.begin > item ? items.begin - item : 0, left = items.end - item;
    part(what, mmt_groups_begin(&rows, group), rows.size - (group >= rows.wide), line,
         (struct rt_range){begin, left < across ? left : across});
    if (++line == lines) {
      line = 0;
      group++;
    }
  }
}

static void forward(const struct forward *f) {
  share(mmt_groups_of(f->n, ROWS), f->out_h, mmt_groups_of(f->out_w, COLUMNS), output_pixels, f);
}

// Words of the forward pass: image, weights.
struct copies {
  uint32_t image, weights;
};

static struct copies fw_copies(const struct train_conv2d *l, const struct train_view *in) {
  bool turned = l->type != TRAIN_F32 && ((!l->hwc && train_conv2d_taps(l) > 1) || l->in_c % 2);
  return (struct copies){image_words(in, in_border(l), l->hwc),
                         turned ? taps_words(l, l->out_c, l->in_c) : 0};
}

uint32_t train_conv2d_pixels_fw_size(const struct train_conv2d *l) {
  const struct train_view in = input_of(l);
  const struct copies words = fw_copies(l, &in);
  return (words.image + words.weights) * 4;
}

void train_conv2d_pixels_fw(const struct train_conv2d *l) {
  const struct train_view in = input_of(l), out = output_of(l, l->out);
  const struct train_border b = in_border(l);
  const struct copies words = fw_copies(l, &in);
  uint32_t *image = l->scratch, *weights = image + words.image;
  if (words.image)
    copy_image(image, &in, b);
  if (words.weights) {
    const struct train_view filters = filters_of(l, l->weights);
    train_copy_pixels(weights, &filters, words.weights / l->out_c);
  }
  if (l->bias)
    train_conv2d_begin_with_bias(l);
  rt_barrier();
  const struct forward f = {.image = words.image ? image : l->in,
                            .weights = words.weights ? weights : l->weights,
                            .out = l->out,
                            .w = b.left + in.w + b.right,
                            .c = train_whole(l->in_c, l->type),
                            .n = l->out_c,
                            .out_h = out.h,
                            .out_w = out.w,
                            .stride_h = l->stride_h,
                            .stride_w = l->stride_w,
                            .layer = l,
                            .add = l->bias != NULL};
  forward(&f);
}

uint32_t train_conv2d_pixels_ig_size(const struct train_conv2d *l) {
  const struct train_view d = output_of(l, l->out_grad);
  return (image_words(&d, back_border(l), l->hwc) + taps_words(l, l->in_c, l->out_c)) * 4;
}

void train_conv2d_pixels_ig(const struct train_conv2d *l) {
  const struct train_view in = input_of(l), d = output_of(l, l->out_grad),
                          filters = turned_filters_of(l);
  const struct train_border b = back_border(l);
  uint32_t words = image_words(&d, b, l->hwc);
  uint32_t *image = l->scratch, *weights = image + words;
  if (words)
    copy_image(image, &d, b);
  train_copy_pixels(weights, &filters, taps_words(l, 1, l->out_c));
  rt_barrier();
  const struct forward f = {.image = words ? image : l->out_grad,
                            .weights = weights,
                            .out = l->in_grad,
                            .w = b.left + d.w + b.right,
                            .c = train_whole(l->out_c, l->type),
                            .n = l->in_c,
                            .out_h = in.h,
                            .out_w = in.w,
                            .stride_h = 1,
                            .stride_w = 1,
                            .layer = l};
  forward(&f);
}

// ---- weight gradient

struct gradient {
  const void *d, *image; // words: [pixel][f], [row][pixel][c]
  void *dw;              // [f][i][j][c]
  uint32_t k, rows;      // words of d in a row
  uint32_t pixels, step; // words of the image: of a row, from k to k + 1
  uint32_t wide;         // largest group of columns
  const struct train_conv2d *layer;
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
  const struct mmt_groups groups = mmt_groups_of(all, g->wide);
  mmt_tile_fn *const *fn = (*gradient_tiles_of(l->type))[u - 1];
  uint32_t column = mmt_groups_begin(&groups, columns.begin);
  struct mmt_tile t = {.a = {(const uint32_t *)g->d + first, l->out_c * 4u, 0},
                       .b = {(const uint32_t *)g->image + i * g->pixels + column, g->step * 4, 0},
                       .c = (char *)g->dw + ((first * l->kernel_h + i) * all + column) * bytes,
                       .c_step = l->kernel_h * all * bytes,
                       .k = g->k,
                       .add = l->add,
                       .runs = g->rows,
                       .b_jump = (l->stride_h * g->pixels - g->k * g->step) * 4};
  while (columns.begin < columns.end) {
    uint32_t v, end = mmt_groups_alike(&groups, columns.begin, columns.end, &v);
    t.blocks = end - columns.begin;
    t.b.next = v * 4;
    t.c_next = v * bytes;
    fn[v - 1](&t);
    t.b.at = (const uint32_t *)t.b.at + t.blocks * v;
    t.c = (char *)t.c + t.blocks * t.c_next;
    columns.begin = end;
  }
}

// The largest group of columns that takes the busiest core the fewest slots: 4 v multiply-adds, 4 +
// v loads and two pointers a step of each of its blocks.
static uint32_t width_for(uint32_t parts, uint32_t columns) {
  uint32_t best = WIDE, least = UINT32_MAX;
  for (uint32_t v = WIDE; v >= 4; v--) {
    const struct mmt_groups groups = mmt_groups_of(columns, v);
    uint32_t blocks = parts * (groups.wide + groups.rest) + rt_core_count() - 1;
    uint32_t slots = rt_per_core(blocks) * (5 * v + 6);
    if (slots < least) {
      least = slots;
      best = v;
    }
  }
  return best;
}

static void gradient(struct gradient *g) {
  const struct train_conv2d *l = g->layer;
  uint32_t columns = l->kernel_w * (uint32_t)l->in_c;
  const struct mmt_groups rows = mmt_groups_of(l->out_c, ROWS);
  g->wide = width_for((rows.wide + rows.rest) * l->kernel_h, columns);
  share(rows, l->kernel_h, mmt_groups_of(columns, g->wide), gradient_part, g);
}

static void gradient_of_floats(const struct train_conv2d *l) {
  const struct train_view in = input_of(l);
  const struct train_border b = in_border(l);
  uint32_t words = image_words(&in, b, l->hwc);
  if (words)
    copy_image(l->scratch, &in, b);
  rt_barrier();
  struct gradient g = {.d = l->out_grad,
                       .image = words ? l->scratch : l->in,
                       .dw = l->weights_grad,
                       .k = train_conv2d_out_w(l),
                       .rows = train_conv2d_out_h(l),
                       .pixels = (b.left + in.w + b.right) * in.c,
                       .step = l->stride_w * in.c,
                       .layer = l};
  gradient(&g);
}

// Words of pairs in 16 bits: of the image, beginning at every pixel (under a 1x1 kernel at every
// other one); of the gradient; in CHW the result by taps.
struct pairs {
  uint32_t in_row, image, gradient, result;
};

static struct pairs pairs_of(const struct train_conv2d *l, const struct train_view *in,
                             const struct train_view *d) {
  uint32_t in_row =
      train_conv2d_one_pixel(l) ? (in->w + 1) / 2 : l->pad_left + in->w + l->pad_right;
  return (struct pairs){in_row, (l->pad_top + in->h + l->pad_bottom) * in_row * in->c,
                        d->h * ((d->w + 1) / 2) * d->c,
                        l->hwc ? 0 : (l->out_c * train_conv2d_taps(l) * l->in_c + 1) / 2};
}

uint32_t train_conv2d_pixels_wg_size(const struct train_conv2d *l) {
  const struct train_view in = input_of(l), d = output_of(l, l->out_grad);
  if (l->type == TRAIN_F32)
    return image_words(&in, in_border(l), l->hwc) * 4;
  const struct pairs words = pairs_of(l, &in, &d);
  return (words.image + words.gradient + words.result) * 4;
}

static void gradient_of_pairs(const struct train_conv2d *l) {
  const struct train_view in = input_of(l), d = output_of(l, l->out_grad);
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
    const struct train_view before = filters_of(l, l->weights_grad);
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
