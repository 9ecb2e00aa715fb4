// kernels/train/train_conv2d_direct.c: convolution without im2col; see train_conv_tile.S.
#include "kernels/mm/mmt_split.h"
#include "kernels/rt/rt.h"
#include "train_conv2d_ways.h"
#include "train_conv_tile.h"
#include "train_patches.h"
#include "train_planes.h"

// Input planes as the blocks read them: padded.
struct planes {
  const float *data;
  uint32_t h, w;
};

uint32_t train_conv2d_direct_size(const struct train_conv2d *l) {
  return !train_conv2d_padded(l) ? 0
                                 : (uint32_t)l->in_c * (l->in_h + l->pad_top + l->pad_bottom) *
                                       (l->in_w + l->pad_left + l->pad_right) * 4;
}

static struct planes padded_input(const struct train_conv2d *l) {
  if (!train_conv2d_padded(l))
    return (struct planes){l->in, l->in_h, l->in_w};
  const struct train_border border = {l->pad_top, l->pad_bottom, l->pad_left, l->pad_right};
  train_pad_planes(l->scratch, l->in, l->in_c, l->in_h, l->in_w, border);
  rt_barrier();
  return (struct planes){l->scratch, border.top + l->in_h + border.bottom,
                         border.left + l->in_w + border.right};
}

// A convolution of padded planes: rows x columns outputs of each filter.
struct direct {
  struct planes in;
  uint32_t channels, filters, kernel_h, kernel_w;
  uint32_t stride_h, stride_w; // of the input
  const float *weights, *bias;
  float *out;
  uint32_t rows, columns;
  uint32_t out_plane, out_row, out_step; // floats of the output: from filter to filter ...
  enum train_conv_kind kind;
  struct mmt_groups groups; // of columns
};

static __attribute__((noinline)) void begin_with(const struct direct *d, float *out, uint32_t first,
                                                 uint32_t u, uint32_t rows) {
  for (uint32_t i = 0; i < u; i++) {
    for (uint32_t y = 0; y < rows; y++)
      train_conv2d_fill(out + (size_t)i * d->out_plane + y * d->out_row, d->bias[first + i],
                        d->columns);
  }
}

static inline void *at_byte(const float *base, uint32_t offset) {
  return (void *)((uintptr_t)base + offset);
}

// `rows` rows from y on of `u` filters from `first` on. Rows of one block are taken together.
static void direct_rows(const struct direct *d, uint32_t first, uint32_t u, uint32_t y,
                        uint32_t rows) {
  const struct mmt_groups *groups = &d->groups;
  uint32_t line = d->kernel_h * d->kernel_w;
  struct train_conv_fw block = {.w = d->weights + (size_t)first * d->channels * line,
                                .w_step = d->channels * line * 4,
                                .row = d->in.w * 4,
                                .gap = (d->in.h - d->kernel_h) * d->in.w * 4,
                                .out_step = d->out_plane * 4,
                                .channels = d->channels,
                                .kernel_h = d->kernel_h,
                                .add = d->bias != NULL};
  const float *x = d->in.data + (size_t)y * d->stride_h * d->in.w;
  float *out = d->out + (size_t)first * d->out_plane + y * d->out_row;
  train_conv_fw_fn *const *fn = train_conv_fw_tiles[d->kind][u - 1];
  if (d->bias)
    begin_with(d, out, first, u, rows);
  bool whole = groups->wide + groups->rest == 1;
  for (uint32_t left = whole ? 1 : rows; left > 0; left--) {
    block.x = x;
    block.out = out;
    block.blocks = whole ? rows : groups->wide;
    block.next = whole ? d->stride_h * d->in.w * 4 : 4 * groups->size * d->stride_w;
    block.out_next = 4 * (whole ? d->out_row : groups->size * d->out_step);
    fn[groups->size - 1](&block);
    if (groups->rest > 0) {
      block.x = at_byte(x, block.blocks * block.next);
      block.out = at_byte(out, block.blocks * block.out_next);
      block.blocks = groups->rest;
      block.next -= 4 * d->stride_w;
      block.out_next -= 4 * d->out_step;
      fn[groups->size - 2](&block);
    }
    x += d->stride_h * d->in.w;
    out += d->out_row;
  }
}

// This core's share of `total` items, the first core being `*turn`, and who is to be it next: those
// who had one more begin last.
static struct rt_range share_in_turn(uint32_t total, uint32_t *turn) {
  uint32_t cores = rt_core_count(), each = rt_per_core(total), more = total - each * cores;
  uint32_t id = rt_core_id() >= *turn ? rt_core_id() - *turn : rt_core_id() + cores - *turn;
  *turn += more;
  if (*turn >= cores)
    *turn -= cores;
  uint32_t begin = id * each + (id < more ? id : more);
  return (struct rt_range){begin, begin + each + (id < more)};
}

// Filters in groups that take the busiest core the fewest slots: u (V + 1) of them a tap, beside
// the pixels of a kernel row and pointers, and some at the ends of a block.
static struct mmt_groups filters_for(const struct direct *d) {
  struct mmt_groups best = mmt_groups_of(d->filters, TRAIN_CONV_ROWS);
  uint32_t rows = d->rows, least = UINT32_MAX, v = d->groups.size;
  uint32_t all = (best.wide + best.rest) * rows, each = rt_per_core(all);
  if (d->out_step > 1 || each >= 8 || each * rt_core_count() == all) // even, or evened out
    return best;
  uint32_t lines = d->channels * d->kernel_h, pixels = d->stride_w * v + d->kernel_w;
  for (uint32_t u = TRAIN_CONV_ROWS; u >= 2; u--) {
    const struct mmt_groups groups = mmt_groups_of(d->filters, u);
    uint32_t size = groups.size;
    uint32_t items = rt_per_core((groups.wide + groups.rest) * rows + rt_core_count() - 1);
    uint32_t slots =
        items * (lines * (size * (d->kernel_w * (v + 1) + 1) + pixels) + 2 * size * v + 40);
    if (slots < least) {
      least = slots;
      best = groups;
    }
  }
  return best;
}

static void direct(struct direct *d, uint32_t *turn) {
  d->groups = mmt_groups_of(d->columns, TRAIN_CONV_PIXELS);
  const struct mmt_groups groups = filters_for(d);
  struct rt_range items = share_in_turn((groups.wide + groups.rest) * d->rows, turn);
  uint32_t group = 0, y = items.begin, first = 0, left = items.end - items.begin;
  for (; y >= d->rows; y -= d->rows, group++)
    first += groups.size - (group >= groups.wide);
  while (left > 0) {
    uint32_t u = groups.size - (group >= groups.wide);
    uint32_t rows = d->rows - y < left ? d->rows - y : left;
    direct_rows(d, first, u, y, rows);
    left -= rows;
    y = 0;
    first += u;
    group++;
  }
}

void train_conv2d_direct_fw(const struct train_conv2d *l) {
  uint32_t turn = 0;
  struct direct d = {.in = padded_input(l),
                     .channels = l->in_c,
                     .filters = l->out_c,
                     .kernel_h = l->kernel_h,
                     .kernel_w = l->kernel_w,
                     .stride_h = l->stride_h,
                     .stride_w = l->stride_w,
                     .weights = l->weights,
                     .bias = l->bias,
                     .out = l->out,
                     .rows = train_conv2d_rows(l),
                     .columns = train_conv2d_columns(l),
                     .out_plane = train_conv2d_plane(l),
                     .out_row = train_conv2d_columns(l),
                     .out_step = 1,
                     .kind = l->stride_w == 1 ? TRAIN_CONV_3 : TRAIN_CONV_3_BY_2};
  direct(&d, &turn);
}

// ---- weight gradient

// Lines `begin` to `end` of `u` filters from `first` on; a line is row i of the kernel over channel
// c. Two at a time, and the last one alone if it is odd.
static void direct_lines(const struct train_conv2d *l, const struct planes *in,
                         struct train_conv_wg *block, uint32_t first, uint32_t u, uint32_t begin,
                         uint32_t end) {
  uint32_t lines = (uint32_t)l->in_c * l->kernel_h;
  block->dy = (const float *)l->out_grad + first * (block->dy_step / 4);
  for (uint32_t wide = TRAIN_CONV_LINES; wide > 0; wide--) {
    uint32_t c = mmt_quotient(begin, l->kernel_h);
    block->blocks = wide == 2 ? (end - begin) / 2 : end - begin;
    block->i = begin - c * l->kernel_h;
    block->x = in->data + (c * in->h + block->i) * in->w;
    block->dw = (float *)l->weights_grad + (first * lines + begin) * 3;
    if (block->blocks > 0)
      train_conv_wg_tiles[l->stride_w - 1][u - 1][wide - 1](block);
    begin += wide * block->blocks;
    if (begin == end)
      return;
  }
}

// Filters in groups that take the busiest core the fewest slots, where it has few pairs of lines: u
// factors, the pixels of two lines and 6 u products for each position.
static struct mmt_groups filters_of_lines(const struct train_conv2d *l, uint32_t pairs) {
  struct mmt_groups best = mmt_groups_of(l->out_c, TRAIN_CONV_ROWS);
  uint32_t least = UINT32_MAX, cores = rt_core_count();
  if (rt_per_core((best.wide + best.rest) * pairs) >= 4)
    return best;
  for (uint32_t u = TRAIN_CONV_ROWS; u >= 2; u--) {
    const struct mmt_groups groups = mmt_groups_of(l->out_c, u);
    uint32_t items = rt_per_core((groups.wide + groups.rest) * pairs + cores - 1);
    uint32_t slots = items * (7 * groups.size + 2 * l->stride_w);
    if (slots < least) {
      least = slots;
      best = groups;
    }
  }
  return best;
}

void train_conv2d_direct_wg(const struct train_conv2d *l) {
  const struct planes in = padded_input(l);
  uint32_t lines = (uint32_t)l->in_c * l->kernel_h, pairs = (lines + 1) / 2, first = 0;
  const struct mmt_groups groups = filters_of_lines(l, pairs);
  struct rt_range items = rt_share((groups.wide + groups.rest) * pairs);
  struct train_conv_wg block = {
      .dy_step = train_conv2d_plane(l) * 4,
      .row = in.w * 4,
      .wrap = (in.h - l->kernel_h + 1) * in.w * 4,
      .kernel_h = l->kernel_h,
      .gap = (l->stride_h * in.w - l->stride_w * train_conv2d_columns(l)) * 4,
      .dw_step = lines * 12,
      .out_w = train_conv2d_columns(l),
      .out_h = train_conv2d_rows(l),
      .add = l->add};
  for (uint32_t group = 0, item = 0; item < items.end; item += pairs, group++) {
    uint32_t u = groups.size - (group >= groups.wide);
    uint32_t begin = items.begin > item ? 2 * (items.begin - item) : 0;
    uint32_t end = items.end - item < pairs ? 2 * (items.end - item) : lines;
    if (begin < end)
      direct_lines(l, &in, &block, first, u, begin, end);
    first += u;
  }
}

// ---- input gradient: forward over the gradient of the output, by phases
//
// The pixels that are `first` modulo the stride meet every stride-th tap, and are a convolution
// with these backwards. Without strides there is one phase.

// n / stride: steps are one or two, down and across.
static inline uint32_t halved(uint32_t n, uint32_t stride) {
  return n >> (stride - 1);
}

// How many taps first, first + stride ... there are.
static inline uint32_t taps_from(uint32_t first, uint32_t kernel, uint32_t stride) {
  return first < kernel ? halved(kernel - first - 1, stride) + 1 : 0;
}

// Along one axis, of the taps first, first + stride ...: how many they are; the first pixel that
// sees them, how many do; the position at which it meets the first of them.
struct phase {
  uint32_t taps, pixel, pixels, position;
};

static struct phase phase_of(uint32_t first, uint32_t kernel, uint32_t stride, uint32_t pad,
                             uint32_t size) {
  uint32_t behind = pad - halved(pad, stride) * stride; // pixel + pad = first, modulo stride
  uint32_t pixel = first >= behind ? first - behind : first + stride - behind;
  return (struct phase){taps_from(first, kernel, stride), pixel,
                        pixel < size ? halved(size - pixel - 1, stride) + 1 : 0,
                        halved(pixel + pad, stride)};
}

// Zeros around the gradient, as much as any phase sees.
static uint32_t zeros_before(uint32_t kernel, uint32_t stride, uint32_t pad) {
  return halved(kernel - 1, stride) - halved(pad, stride);
}
static uint32_t zeros_behind(uint32_t in, uint32_t out, uint32_t stride, uint32_t pad) {
  uint32_t last = halved(in - 1 + pad, stride);
  return last >= out ? last - (out - 1) : 0;
}

static struct train_border ig_border(const struct train_conv2d *l) {
  return (struct train_border){
      zeros_before(l->kernel_h, l->stride_h, l->pad_top),
      zeros_behind(l->in_h, train_conv2d_rows(l), l->stride_h, l->pad_top),
      zeros_before(l->kernel_w, l->stride_w, l->pad_left),
      zeros_behind(l->in_w, train_conv2d_columns(l), l->stride_w, l->pad_left)};
}

uint32_t train_conv2d_direct_ig_size(const struct train_conv2d *l) {
  const struct train_border b = ig_border(l);
  return (l->in_c * l->out_c * train_conv2d_taps(l) +
          l->out_c * (train_conv2d_rows(l) + b.top + b.bottom) *
              (train_conv2d_columns(l) + b.left + b.right)) *
         4;
}

// Weights [f][c][tap] as [phase][c][f][tap of the phase, backwards]; the cores share taps and
// channels.
struct turn {
  const struct train_conv2d *layer;
  float *to; // of the phase
  uint32_t height, width;
  struct rt_range mine; // counted from the phase's first tap and channel
};

// Phase (i, j).
static __attribute__((noinline)) void turn_phase(struct turn *w, uint32_t i, uint32_t j) {
  const struct train_conv2d *l = w->layer;
  uint32_t taps = train_conv2d_taps(l), apart = w->height * w->width, n = 0;
  float *to = w->to + apart;
  for (uint32_t t = 0; t < w->height; t++) {
    const float *from = (const float *)l->weights + (i + t * l->stride_h) * l->kernel_w + j;
    for (uint32_t u = 0; u < w->width; u++, from += l->stride_w, n += l->in_c) {
      to--;
      uint32_t c = w->mine.begin > n ? w->mine.begin - n : 0;
      uint32_t end = w->mine.end > n + l->in_c ? l->in_c : w->mine.end > n ? w->mine.end - n : 0;
      for (; c < end; c++)
        train_pick(to + c * l->out_c * apart, apart * 4, from + c * taps, l->in_c * taps * 4,
                   l->out_c);
    }
  }
}

// `count` floats from `from` - 1 down; three at a time, as most kernels are wide.
static inline void copy_backwards(float *to, const float *from, uint32_t count) {
  for (; count >= 3; count -= 3, to += 3, from -= 3) {
    float first = from[-1], second = from[-2], third = from[-3];
    to[0] = first;
    to[1] = second;
    to[2] = third;
  }
  for (; count > 0; count--)
    *to++ = *--from;
}

// The same with a single phase, without strides.
static void turn_whole(float *dst, const struct train_conv2d *l) {
  uint32_t t = train_conv2d_taps(l);
  struct rt_range channels = rt_share(l->in_c);
  for (uint32_t c = channels.begin; c < channels.end; c++) {
    const float *from = (const float *)l->weights + (size_t)c * t + t;
    float *to = dst + (size_t)c * l->out_c * t;
    for (uint32_t f = 0; f < l->out_c; f++, to += t, from += (size_t)l->in_c * t)
      copy_backwards(to, from, t);
  }
}

static void turn_weights(float *dst, const struct train_conv2d *l) {
  struct turn w = {.layer = l, .to = dst, .mine = rt_share(train_conv2d_taps(l) * l->in_c)};
  for (uint32_t i = 0; i < l->stride_h; i++) {
    w.height = taps_from(i, l->kernel_h, l->stride_h);
    for (uint32_t j = 0; j < l->stride_w; j++) {
      w.width = taps_from(j, l->kernel_w, l->stride_w);
      turn_phase(&w, i, j);
      uint32_t items = w.height * w.width * l->in_c;
      w.to += items * l->out_c;
      w.mine.begin = w.mine.begin > items ? w.mine.begin - items : 0;
      w.mine.end = w.mine.end > items ? w.mine.end - items : 0;
    }
  }
}

static void zero_shared(float *to, uint32_t count) {
  struct rt_range mine = rt_share(count);
  rt_zero_words(to + mine.begin, mine.end - mine.begin);
}

static enum train_conv_kind ig_kind(const struct train_conv2d *l, uint32_t width) {
  return l->stride_w == 1 ? TRAIN_CONV_3 : width == 2 ? TRAIN_CONV_2_TO_2 : TRAIN_CONV_1_TO_2;
}

// A phase: from the padded gradient with the turned weights, from `weights` on.
static void ig_phase(const struct train_conv2d *l, const struct planes *gradient,
                     const float *weights, struct phase down, struct phase across, uint32_t *turn) {
  struct direct d = {.in = *gradient,
                     .channels = l->out_c,
                     .filters = l->in_c,
                     .kernel_h = down.taps,
                     .kernel_w = across.taps,
                     .stride_h = 1,
                     .stride_w = 1,
                     .weights = weights,
                     .out = (float *)l->in_grad + (size_t)down.pixel * l->in_w + across.pixel,
                     .rows = down.pixels,
                     .columns = across.pixels,
                     .out_plane = (uint32_t)l->in_h * l->in_w,
                     .out_row = (uint32_t)l->stride_h * l->in_w,
                     .out_step = l->stride_w,
                     .kind = ig_kind(l, across.taps)};
  direct(&d, turn);
}

static void ig_phases(const struct train_conv2d *l, const struct planes *gradient,
                      struct train_border b) {
  uint32_t turn = 0;
  const float *weights = l->scratch;
  for (uint32_t i = 0; i < l->stride_h; i++) {
    struct phase down = phase_of(i, l->kernel_h, l->stride_h, l->pad_top, l->in_h);
    for (uint32_t j = 0; j < l->stride_w; j++) {
      struct phase across = phase_of(j, l->kernel_w, l->stride_w, l->pad_left, l->in_w);
      struct planes seen = *gradient;
      seen.data += (b.top + down.position + 1 - down.taps) * seen.w + b.left + across.position + 1 -
                   across.taps;
      uint32_t taps = down.taps * across.taps;
      if (taps > 0 && down.pixels > 0 && across.pixels > 0)
        ig_phase(l, &seen, weights, down, across, &turn);
      weights += taps * l->in_c * l->out_c;
    }
  }
}

// Without strides there is one phase; apart, as a small layer feels every line of code.
static void whole_ig(const struct train_conv2d *l) {
  const struct train_border b = {l->kernel_h - 1u - l->pad_top, l->kernel_h - 1u - l->pad_bottom,
                                 l->kernel_w - 1u - l->pad_left, l->kernel_w - 1u - l->pad_right};
  uint32_t h = train_conv2d_rows(l), w = train_conv2d_columns(l), turn = 0;
  float *padded = (float *)l->scratch + l->in_c * l->out_c * train_conv2d_taps(l);
  turn_whole(l->scratch, l);
  train_pad_planes(padded, l->out_grad, l->out_c, h, w, b);
  rt_barrier();
  struct direct d = {.in = {padded, h + b.top + b.bottom, w + b.left + b.right},
                     .channels = l->out_c,
                     .filters = l->in_c,
                     .kernel_h = l->kernel_h,
                     .kernel_w = l->kernel_w,
                     .stride_h = 1,
                     .stride_w = 1,
                     .weights = l->scratch,
                     .out = l->in_grad,
                     .rows = l->in_h,
                     .columns = l->in_w,
                     .out_plane = (uint32_t)l->in_h * l->in_w,
                     .out_row = l->in_w,
                     .out_step = 1,
                     .kind = TRAIN_CONV_3};
  direct(&d, &turn);
}

static __attribute__((noinline)) void strided_ig(const struct train_conv2d *l) {
  const struct train_border b = ig_border(l);
  uint32_t h = train_conv2d_rows(l), w = train_conv2d_columns(l);
  float *padded = (float *)l->scratch + l->in_c * l->out_c * train_conv2d_taps(l);
  const struct planes planes = {padded, h + b.top + b.bottom, w + b.left + b.right};
  turn_weights(l->scratch, l);
  train_pad_planes(padded, l->out_grad, l->out_c, h, w, b);
  if (l->stride_h > l->kernel_h || l->stride_w > l->kernel_w) // pixels that no output sees
    zero_shared(l->in_grad, (uint32_t)l->in_c * l->in_h * l->in_w);
  rt_barrier();
  ig_phases(l, &planes, b);
}

void train_conv2d_direct_ig(const struct train_conv2d *l) {
  if (l->stride_h == 1 && l->stride_w == 1)
    whole_ig(l);
  else
    strided_ig(l);
}
