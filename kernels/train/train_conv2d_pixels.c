// kernels/train/train_conv2d_pixels.c: convolution without im2col in HWC and in 16 bits.
//
// The pixels under a row of the kernel are contiguous in HWC. So a row of outputs is a matrix
// product whose lines overlap, the kernel's rows follow each other as runs of k, and so do the rows
// of the output for gradients of weights (kinds ntr and tnr of mmt_f32_tile.h):
//   fw   out[y][x][f] = sum over i | over j, c of image[y * s + i][x * s + j][c] * w[f][i][j][c]
//   wg   dw[f][i][j][c] = sum over y | over x of d[y][x][f] * image[y * s + i][x * s + j][c]
//   ig   as fw, of d with a border and the weights turned; stride 1 only
// Copies in scratch: an image with its border, if it has one. 16 bits are multiplied in pairs of
// channels (fw, ig) or of pixels (wg), so that planes and odd channels are turned to pixels first,
// and their weights to taps. wg is in train_conv2d_pixels_wg.c.
#include "kernels/rt/rt.h"
#include "train_conv2d_views.h"

enum { ROWS = 4, COLUMNS = 4 }; // largest blocks

// Words of weights by taps, `rows` of them.
static uint32_t taps_words(const struct train_conv2d *l, uint32_t rows, uint32_t channels) {
  return rows * train_conv2d_taps(l) * train_whole(channels, l->type) * train_bytes(l->type) / 4;
}

struct forward {
  const void *image, *weights; // [h][w][c], [n][kernel_h][kernel_w][c]
  void *out;
  uint32_t w, c, n;
  uint32_t out_h, out_w, stride_h, stride_w;
  const struct train_conv2d *layer;
  bool add;
  struct mmt_groups filters, pixels; // of n, of out_w
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
  const struct mmt_groups *groups = &f->pixels;
  mmt_tile_fn *const *fn = &(*tiles_of(f->layer->type))[0][0];
  bool hwc = f->layer->hwc;
  struct mmt_tile t = tile_of(f, first, y);
  struct mmt_operand *image = hwc ? &t.a : &t.b;
  uint32_t c_step = hwc ? t.c_step : train_bytes(f->layer->type);
  uint32_t pixel = mmt_groups_begin(groups, pixels.begin);
  image->at = (const char *)image->at + pixel * image->step;
  t.c = (char *)t.c + pixel * c_step;
  while (pixels.begin < pixels.end) {
    uint32_t v, end = mmt_groups_alike(groups, pixels.begin, pixels.end, &v);
    t.blocks = end - pixels.begin;
    image->next = v * image->step;
    t.c_next = v * c_step;
    fn[hwc ? (v - 1) * MMT_TILE_COLS + u - 1 : (u - 1) * MMT_TILE_COLS + v - 1](&t);
    image->at = (const char *)image->at + t.blocks * image->next;
    t.c = (char *)t.c + t.blocks * t.c_next;
    pixels.begin = end;
  }
}

static void forward(struct forward *f) {
  f->filters = mmt_groups_of(f->n, ROWS);
  f->pixels = mmt_groups_of(f->out_w, COLUMNS);
  train_conv2d_share(&f->filters, f->out_h, &f->pixels, output_pixels, f);
}

// Words of the forward pass: image, weights.
struct copies {
  uint32_t image, weights;
};

static struct copies fw_copies(const struct train_conv2d *l, const struct train_view *in) {
  bool turned = l->type != TRAIN_F32 && ((!l->hwc && train_conv2d_taps(l) > 1) || l->in_c % 2);
  return (struct copies){train_conv2d_image_words(in, train_conv2d_border(l), l->hwc),
                         turned ? taps_words(l, l->out_c, l->in_c) : 0};
}

uint32_t train_conv2d_pixels_fw_size(const struct train_conv2d *l) {
  const struct train_view in = train_conv2d_input(l);
  const struct copies words = fw_copies(l, &in);
  return (words.image + words.weights) * 4;
}

void train_conv2d_pixels_fw(const struct train_conv2d *l) {
  const struct train_view in = train_conv2d_input(l), out = train_conv2d_output(l, l->out);
  const struct train_border b = train_conv2d_border(l);
  const struct copies words = fw_copies(l, &in);
  uint32_t *image = l->scratch, *weights = image + words.image;
  if (words.image)
    train_conv2d_copy_image(image, &in, b);
  if (words.weights) {
    const struct train_view filters = train_conv2d_filters(l, l->weights);
    train_copy_pixels(weights, &filters, taps_words(l, 1, l->in_c));
  }
  if (l->bias)
    train_conv2d_begin_with_bias(l);
  rt_barrier();
  struct forward f = {.image = words.image ? image : l->in,
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

// ---- input gradient

static struct train_border back_border(const struct train_conv2d *l) {
  return (struct train_border){l->kernel_h - 1u - l->pad_top, l->kernel_h - 1u - l->pad_bottom,
                               l->kernel_w - 1u - l->pad_left, l->kernel_w - 1u - l->pad_right};
}

// One per input channel, filters for channels, the taps backwards.
static struct train_view turned_filters_of(const struct train_conv2d *l) {
  struct train_view v = train_conv2d_filters(l, l->weights);
  int32_t filter = v.row_step;
  v.at = train_at(v.at, (v.w - 1) * (size_t)v.x_step, l->type);
  v.h = l->in_c;
  v.c = l->out_c;
  v.row_step = v.c_step;
  v.c_step = filter;
  v.x_step = -v.x_step;
  return v;
}

uint32_t train_conv2d_pixels_ig_size(const struct train_conv2d *l) {
  const struct train_view d = train_conv2d_output(l, l->out_grad);
  return (train_conv2d_image_words(&d, back_border(l), l->hwc) + taps_words(l, l->in_c, l->out_c)) *
         4;
}

void train_conv2d_pixels_ig(const struct train_conv2d *l) {
  const struct train_view in = train_conv2d_input(l), d = train_conv2d_output(l, l->out_grad),
                          filters = turned_filters_of(l);
  const struct train_border b = back_border(l);
  uint32_t words = train_conv2d_image_words(&d, b, l->hwc);
  uint32_t *image = l->scratch, *weights = image + words;
  if (words)
    train_conv2d_copy_image(image, &d, b);
  train_copy_pixels(weights, &filters, taps_words(l, 1, l->out_c));
  rt_barrier();
  struct forward f = {.image = words ? image : l->out_grad,
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
