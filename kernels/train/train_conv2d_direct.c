// kernels/train/train_conv2d_direct.c: convolution without im2col; see train_conv_tile.S.
#include "kernels/mm/mmt_split.h"
#include "kernels/rt/rt.h"
#include "train_conv2d_ways.h"
#include "train_conv_tile.h"
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

struct direct {
  struct planes in;
  uint32_t channels, filters, kernel_h;
  const float *weights, *bias;
  float *out;
};

// Output row y of `u` filters from `first` on.
static void direct_rows(const struct direct *d, uint32_t first, uint32_t u, uint32_t y) {
  uint32_t out_h = d->in.h - d->kernel_h + 1, out_w = d->in.w - 2;
  const struct mmt_groups groups = mmt_groups_of(out_w, TRAIN_CONV_PIXELS);
  struct train_conv_fw block = {.w = d->weights + (size_t)first * d->channels * d->kernel_h * 3,
                                .w_step = d->channels * d->kernel_h * 12,
                                .x = d->in.data + (size_t)y * d->in.w,
                                .row = d->in.w * 4,
                                .gap = (d->in.h - d->kernel_h) * d->in.w * 4,
                                .out = d->out + ((size_t)first * out_h + y) * out_w,
                                .out_step = out_h * out_w * 4,
                                .channels = d->channels,
                                .kernel_h = d->kernel_h,
                                .add = d->bias != NULL};
  for (uint32_t i = 0; d->bias && i < u; i++)
    train_conv2d_fill(block.out + (size_t)i * out_h * out_w, d->bias[first + i], out_w);
  for (uint32_t pass = 0; pass < 2; pass++) {
    uint32_t v = groups.size - pass;
    block.blocks = pass ? groups.rest : groups.wide;
    block.next = 4 * v;
    if (block.blocks == 0)
      continue;
    train_conv_fw_tiles[u - 1][v - 1](&block);
    block.x += (size_t)block.blocks * v;
    block.out += (size_t)block.blocks * v;
  }
}

static void direct(const struct direct *d) {
  uint32_t out_h = d->in.h - d->kernel_h + 1;
  const struct mmt_groups groups = mmt_groups_of(d->filters, TRAIN_CONV_ROWS);
  struct rt_range items = rt_share((groups.wide + groups.rest) * out_h);
  uint32_t group = 0, y = items.begin, first = 0;
  for (; y >= out_h; y -= out_h, group++)
    first += groups.size - (group >= groups.wide);
  for (uint32_t i = items.begin; i < items.end; i++) {
    uint32_t u = groups.size - (group >= groups.wide);
    direct_rows(d, first, u, y);
    if (++y == out_h) {
      y = 0;
      first += u;
      group++;
    }
  }
}

void train_conv2d_direct_fw(const struct train_conv2d *l) {
  const struct direct d = {padded_input(l), l->in_c, l->out_c, l->kernel_h,
                           l->weights,      l->bias, l->out};
  direct(&d);
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
      train_conv_wg_tiles[u - 1][wide - 1](block);
    begin += wide * block->blocks;
    if (begin == end)
      return;
  }
}

void train_conv2d_direct_wg(const struct train_conv2d *l) {
  const struct planes in = padded_input(l);
  uint32_t lines = (uint32_t)l->in_c * l->kernel_h, pairs = (lines + 1) / 2, first = 0;
  const struct mmt_groups groups = mmt_groups_of(l->out_c, TRAIN_CONV_ROWS);
  struct rt_range items = rt_share((groups.wide + groups.rest) * pairs);
  struct train_conv_wg block = {.dy_step = train_conv2d_plane(l) * 4,
                                .row = in.w * 4,
                                .wrap = (in.h - l->kernel_h + 1) * in.w * 4,
                                .kernel_h = l->kernel_h,
                                .gap = 8,
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

// ---- input gradient: forward over the gradient with turned weights

static struct train_border ig_border(const struct train_conv2d *l) {
  return (struct train_border){l->kernel_h - 1u - l->pad_top, l->kernel_h - 1u - l->pad_bottom,
                               l->kernel_w - 1u - l->pad_left, l->kernel_w - 1u - l->pad_right};
}

uint32_t train_conv2d_direct_ig_size(const struct train_conv2d *l) {
  const struct train_border b = ig_border(l);
  return l->in_c * l->out_c * train_conv2d_taps(l) * 4 +
         l->out_c * (train_conv2d_rows(l) + b.top + b.bottom) *
             (train_conv2d_columns(l) + b.left + b.right) * 4;
}

void train_conv2d_direct_ig(const struct train_conv2d *l) {
  const struct train_border border = ig_border(l);
  uint32_t h = train_conv2d_rows(l), w = train_conv2d_columns(l);
  float *turned = l->scratch, *gradient = turned + l->in_c * l->out_c * train_conv2d_taps(l);
  train_conv2d_turn_weights(turned, l, true);
  train_pad_planes(gradient, l->out_grad, l->out_c, h, w, border);
  rt_barrier();
  const struct direct d = {
      {gradient, h + border.top + border.bottom, w + border.left + border.right},
      l->out_c,
      l->in_c,
      l->kernel_h,
      turned,
      NULL,
      l->in_grad};
  direct(&d);
}
