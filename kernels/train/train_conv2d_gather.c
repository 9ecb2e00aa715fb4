// kernels/train/train_conv2d_gather.c: floats in CHW with any window: patches gathered in scratch,
// a rectangle of positions and a few channels at a time ([channel][i][j][position]), then a matrix
// product by all cores.
//
// The gradient of the input by phases: the pixels that are `first` modulo the stride meet every
// stride-th tap, and are a dense convolution of the output's gradient with these, looking back.
#include "kernels/mm/mmt_f32.h"
#include "kernels/mm/mmt_split.h"
#include "kernels/rt/rt.h"
#include "train_conv2d_ways.h"
#include "train_patches.h"

// Floats of patches, about; and positions, if that allows them: fewer make short products.
enum { MOST = 4096, POSITIONS = 48 };

static uint32_t parts_of(uint32_t total, uint32_t most) {
  return most >= total ? 1 : (total + most - 1) / most;
}

// `total` in as many equal parts as `most` asks for.
static uint32_t equal_part(uint32_t total, uint32_t most) {
  uint32_t parts = parts_of(total, most > 0 ? most : 1);
  return parts == 1 ? total : (total + parts - 1) / parts;
}

// What is gathered at a time.
struct part {
  uint32_t rows, columns, channels, pitch;
};

static struct part part_of(uint32_t rows, uint32_t columns, uint32_t channels, uint32_t taps) {
  struct part p = {rows, columns, channels, 0};
  if (rows * columns * channels * taps > MOST) {
    uint32_t all = MOST / (channels * taps), few = MOST / taps < 8 ? 8 : MOST / taps;
    uint32_t most = all > POSITIONS ? all : few < POSITIONS ? few : POSITIONS;
    p.columns = equal_part(columns, most);
    p.rows = p.columns < columns ? 1 : equal_part(rows, most / columns);
    p.channels = equal_part(channels, MOST / (p.rows * p.columns * taps));
  }
  p.pitch = (p.rows * p.columns) | 1; // lines begin at all banks
  return p;
}

static uint32_t patches_words(const struct part *p, uint32_t taps) {
  return p->channels * taps * p->pitch;
}

// ---- forward and gradient of the weights: what the window sees in the image

static struct part image_part(const struct train_conv2d *l) {
  return part_of(train_conv2d_rows(l), train_conv2d_columns(l), l->in_c, train_conv2d_taps(l));
}

uint32_t train_conv2d_gather_fw_size(const struct train_conv2d *l) {
  const struct part p = image_part(l);
  return patches_words(&p, train_conv2d_taps(l)) * 4;
}

uint32_t train_conv2d_gather_wg_size(const struct train_conv2d *l) {
  return train_conv2d_gather_fw_size(l);
}

// The window over a tensor, and how it is taken in parts.
struct gather {
  const float *planes;
  uint32_t rows, columns, channels;
  struct train_axis down, across;
  struct part part;
};

static struct gather image_gather(const struct train_conv2d *l) {
  return (struct gather){l->in,
                         train_conv2d_rows(l),
                         train_conv2d_columns(l),
                         l->in_c,
                         {l->in_h, l->stride_h, l->kernel_h, -(int32_t)l->pad_top, 1},
                         {l->in_w, l->stride_w, l->kernel_w, -(int32_t)l->pad_left, 1},
                         image_part(l)};
}

// A part: the positions (`first` of all), and the channels.
struct now {
  struct train_rectangle at;
  uint32_t first, positions, channel, channels;
};

// The part at row y, column x, channel c; whatever is left there.
static struct now now_at(const struct gather *g, uint32_t y, uint32_t x, uint32_t c) {
  const struct part *p = &g->part;
  struct now n = {.at = {.y = y, .x = x}, .first = y * g->columns + x, .channel = c};
  n.at.rows = g->rows - y < p->rows ? g->rows - y : p->rows;
  n.at.columns = g->columns - x < p->columns ? g->columns - x : p->columns;
  n.positions = n.at.rows * n.at.columns;
  n.channels = g->channels - c < p->channels ? g->channels - c : p->channels;
  return n;
}

// To the next part, channels fastest; false behind the last one.
static bool next(const struct gather *g, struct now *n) {
  uint32_t y = n->at.y, x = n->at.x, c = n->channel + n->channels;
  if (c == g->channels) {
    c = 0;
    x += n->at.columns;
    if (x == g->columns) {
      x = 0;
      y += n->at.rows;
    }
  }
  if (y == g->rows)
    return false;
  *n = now_at(g, y, x, c);
  return true;
}

static void gather(float *dst, const struct gather *g, const struct now *n) {
  const float *planes = g->planes + (size_t)n->channel * g->down.size * g->across.size;
  train_gather_patches(dst, g->part.pitch, planes, n->channels, &g->down, &g->across, n->at);
}

static __attribute__((noinline)) void begin_with_bias(const struct train_conv2d *l) {
  struct rt_range mine = rt_share(train_conv2d_plane(l));
  train_conv2d_set_bias(l, mine.begin, mine.end - mine.begin);
}

void train_conv2d_gather_fw(const struct train_conv2d *l) {
  const struct gather g = image_gather(l);
  uint32_t taps = train_conv2d_taps(l), plane = train_conv2d_plane(l);
  struct now n = now_at(&g, 0, 0, 0);
  if (l->bias)
    begin_with_bias(l);
  for (bool more = true; more;) {
    gather(l->scratch, &g, &n);
    rt_barrier();
    const struct mmt_f32 mm = {.a = (const float *)l->weights + n.channel * taps,
                               .b = l->scratch,
                               .c = (float *)l->out + n.first,
                               .n = l->out_c,
                               .m = n.positions,
                               .k = n.channels * taps,
                               .lda = l->in_c * taps,
                               .ldb = g.part.pitch,
                               .ldc = plane,
                               .layout = MMT_NN,
                               .add = l->bias || n.channel > 0};
    mmt_f32_unchecked(MMT_F32_AUTO, &mm);
    more = next(&g, &n);
    if (more)
      rt_barrier();
  }
}

void train_conv2d_gather_wg(const struct train_conv2d *l) {
  const struct gather g = image_gather(l);
  uint32_t taps = train_conv2d_taps(l), plane = train_conv2d_plane(l);
  struct now n = now_at(&g, 0, 0, 0);
  for (bool more = true; more;) {
    gather(l->scratch, &g, &n);
    rt_barrier();
    const struct mmt_f32 mm = {.a = (const float *)l->out_grad + n.first,
                               .b = l->scratch,
                               .c = (float *)l->weights_grad + n.channel * taps,
                               .n = l->out_c,
                               .m = n.channels * taps,
                               .k = n.positions,
                               .lda = plane,
                               .ldb = g.part.pitch,
                               .ldc = l->in_c * taps,
                               .layout = MMT_NT,
                               .add = l->add || n.first > 0};
    mmt_f32_unchecked(MMT_F32_AUTO, &mm);
    more = next(&g, &n);
    if (more)
      rt_barrier();
  }
}

// ---- gradient of the input

// Along one axis, of the taps first, first + stride ...: how many they are; the first pixel that
// sees them, how many do; the position at which it meets the first of them.
struct phase {
  uint32_t taps, pixel, pixels, position;
};

static struct phase phase_of(uint32_t first, uint32_t kernel, uint32_t stride, uint32_t pad,
                             uint32_t size) {
  if (stride == 1)
    return (struct phase){kernel, 0, size, pad};
  uint32_t behind = pad - mmt_quotient(pad, stride) * stride; // pixel + pad = first, modulo stride
  uint32_t pixel = first >= behind ? first - behind : first + stride - behind;
  return (struct phase){first < kernel ? mmt_quotient(kernel - first - 1, stride) + 1 : 0, pixel,
                        pixel < size ? mmt_quotient(size - pixel - 1, stride) + 1 : 0,
                        mmt_quotient(pixel + pad, stride)};
}

static struct phase phase_down(const struct train_conv2d *l, uint32_t i) {
  return phase_of(i, l->kernel_h, l->stride_h, l->pad_top, l->in_h);
}

static struct phase phase_across(const struct train_conv2d *l, uint32_t j) {
  return phase_of(j, l->kernel_w, l->stride_w, l->pad_left, l->in_w);
}

// Words of scratch: patches; weights [f][tap][c] of some filters, if there are several taps; with
// strides the products.
struct words {
  uint32_t patches, weights, products;
};

static struct words back_words(const struct train_conv2d *l, const struct part *p, uint32_t taps) {
  return (struct words){patches_words(p, taps),
                        train_conv2d_taps(l) == 1 ? 0 : p->channels * taps * l->in_c,
                        l->stride_h == 1 && l->stride_w == 1 ? 0 : l->in_c * p->rows * p->columns};
}

// Of a phase: 0 where no taps or no pixels are.
static uint32_t phase_size(const struct train_conv2d *l, struct phase down, struct phase across) {
  uint32_t taps = down.taps * across.taps;
  if (taps == 0 || down.pixels == 0 || across.pixels == 0)
    return 0;
  const struct part p = part_of(down.pixels, across.pixels, l->out_c, taps);
  const struct words words = back_words(l, &p, taps);
  return (words.patches + words.weights + words.products) * 4;
}

uint32_t train_conv2d_gather_ig_size(const struct train_conv2d *l) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < l->stride_h; i++) {
    for (uint32_t j = 0; j < l->stride_w; j++) {
      uint32_t size = phase_size(l, phase_down(l, i), phase_across(l, j));
      most = size > most ? size : most;
    }
  }
  return most;
}

// Every stride-th tap from (i, j) on of `filters` filters from `first` on; the cores share them.
static void turn(float *to, const struct train_conv2d *l, uint32_t i, uint32_t j,
                 const struct gather *g, struct rt_range filters) {
  uint32_t taps = train_conv2d_taps(l), height = g->down.taps, width = g->across.taps;
  struct rt_range mine = rt_share((filters.end - filters.begin) * height * width);
  uint32_t row = mmt_quotient(mine.begin, width), u = mine.begin - row * width;
  uint32_t f = mmt_quotient(row, height), t = row - f * height;
  const float *filter = (const float *)l->weights + (size_t)(filters.begin + f) * l->in_c * taps;
  for (to += (size_t)mine.begin * l->in_c; mine.begin < mine.end; mine.begin++) {
    const float *from = filter + (i + t * l->stride_h) * l->kernel_w + j + u * l->stride_w;
    train_pick(to, 4, from, taps * 4, l->in_c);
    to += l->in_c;
    if (++u < width)
      continue;
    u = 0;
    if (++t == height) {
      t = 0;
      filter += l->in_c * taps;
    }
  }
}

static struct train_lattice lattice_of(const struct train_conv2d *l, struct phase down,
                                       struct phase across, const struct train_rectangle *r) {
  uint32_t row = down.pixel + r->y * l->stride_h, column = across.pixel + r->x * l->stride_w;
  return (struct train_lattice){(float *)l->in_grad + (size_t)row * l->in_w + column,
                                (uint32_t)l->in_h * l->in_w,
                                (uint32_t)l->stride_h * l->in_w,
                                l->stride_w,
                                l->in_c,
                                r->rows,
                                r->columns};
}

// The products of a part: to in_grad, or to scratch and from there to every stride-th pixel.
static void back_part(const struct train_conv2d *l, const struct gather *g, const struct now *n,
                      struct words words) {
  const float *patches = l->scratch, *turned = patches + words.patches;
  float *products = words.products ? (float *)turned + words.weights : NULL;
  uint32_t taps = g->down.taps * g->across.taps;
  const struct mmt_f32 mm = {.a = words.weights ? turned
                                                : (const float *)l->weights + n->channel * l->in_c,
                             .b = patches,
                             .c = products ? products : (float *)l->in_grad + n->first,
                             .n = l->in_c,
                             .m = n->positions,
                             .k = n->channels * taps,
                             .lda = l->in_c,
                             .ldb = g->part.pitch,
                             .ldc = products ? n->positions : (uint32_t)l->in_h * l->in_w,
                             .layout = MMT_TN,
                             .add = n->channel > 0};
  mmt_f32_unchecked(MMT_F32_AUTO, &mm);
  rt_barrier();
}

static void back_phase(const struct train_conv2d *l, uint32_t i, uint32_t j) {
  struct phase down = phase_down(l, i), across = phase_across(l, j);
  if (down.pixels == 0 || across.pixels == 0)
    return;
  if (down.taps == 0 || across.taps == 0) { // no output sees these
    const struct train_rectangle all = {0, down.pixels, 0, across.pixels};
    const struct train_lattice to = lattice_of(l, down, across, &all);
    train_scatter(&to, NULL, 0);
    return;
  }
  const struct gather g = {l->out_grad,
                           down.pixels,
                           across.pixels,
                           l->out_c,
                           {train_conv2d_rows(l), 1, down.taps, (int32_t)down.position, -1},
                           {train_conv2d_columns(l), 1, across.taps, (int32_t)across.position, -1},
                           part_of(down.pixels, across.pixels, l->out_c, down.taps * across.taps)};
  const struct words words = back_words(l, &g.part, down.taps * across.taps);
  struct now n = now_at(&g, 0, 0, 0);
  do {
    gather(l->scratch, &g, &n);
    bool turned = n.first > 0 && n.channels == l->out_c; // still there
    if (words.weights && !turned)
      turn((float *)l->scratch + words.patches, l, i, j, &g,
           (struct rt_range){n.channel, n.channel + n.channels});
    rt_barrier();
    back_part(l, &g, &n, words);
    if (words.products && n.channel + n.channels == l->out_c) {
      const struct train_lattice to = lattice_of(l, down, across, &n.at);
      train_scatter(&to, (float *)l->scratch + words.patches + words.weights, n.positions);
    }
  } while (next(&g, &n));
  if (words.products)
    rt_barrier(); // the next phase divides the scratch otherwise
}

void train_conv2d_gather_ig(const struct train_conv2d *l) {
  for (uint32_t i = 0; i < l->stride_h; i++) {
    for (uint32_t j = 0; j < l->stride_w; j++)
      back_phase(l, i, j);
  }
}
