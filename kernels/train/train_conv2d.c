// kernels/train/train_conv2d.c: which way a layer goes, and who computes what.
#include "train_conv2d.h"

#include <stddef.h>

#include "kernels/mm/mmt_f32.h"
#include "kernels/mm/mmt_split.h"
#include "kernels/rt/rt.h"
#include "train_conv_tile.h"
#include "train_planes.h"

enum {
  CHUNK = 6
}; // pixels (forward, input gradient) or lines (weight gradient) gathered at a time

// Division takes up to 35 cycles: not for the usual stride.
static uint32_t out_size(uint32_t in, uint32_t kernel, uint32_t stride) {
  return (stride == 1 ? in - kernel : (in - kernel) / stride) + 1;
}

uint32_t train_conv2d_out_h(const struct train_conv2d *l) {
  return out_size((uint32_t)l->in_h + l->pad_top + l->pad_bottom, l->kernel_h, l->stride_h);
}

uint32_t train_conv2d_out_w(const struct train_conv2d *l) {
  return out_size((uint32_t)l->in_w + l->pad_left + l->pad_right, l->kernel_w, l->stride_w);
}

static uint32_t taps(const struct train_conv2d *l) {
  return (uint32_t)l->kernel_h * l->kernel_w;
}

static uint32_t out_plane(const struct train_conv2d *l) {
  return train_conv2d_out_h(l) * train_conv2d_out_w(l);
}

uint64_t train_conv2d_macs(const struct train_conv2d *l) {
  return (uint64_t)out_plane(l) * l->out_c * l->in_c * taps(l);
}

// ---- ways

enum way { MATRIX, DIRECT, GATHER };

static bool padded(const struct train_conv2d *l) {
  return l->pad_top || l->pad_bottom || l->pad_left || l->pad_right;
}

static enum way way_of(const struct train_conv2d *l) {
  if (l->stride_h != 1 || l->stride_w != 1)
    return GATHER;
  if (l->kernel_w == 1 && l->kernel_h == 1 && !padded(l))
    return MATRIX;
  return l->kernel_w == 3 ? DIRECT : GATHER;
}

static bool bad_shape(const struct train_conv2d *l) {
  if (!l->in_c || !l->in_h || !l->in_w || !l->out_c || !l->kernel_h || !l->kernel_w ||
      !l->stride_h || !l->stride_w)
    return true;
  if (l->in_c > 4095 || l->in_h > 4095 || l->in_w > 4095 || l->out_c > 4095 || l->kernel_h > 15 ||
      l->kernel_w > 15 || l->stride_h > 15 || l->stride_w > 15)
    return true;
  if (l->pad_top >= l->kernel_h || l->pad_bottom >= l->kernel_h || l->pad_left >= l->kernel_w ||
      l->pad_right >= l->kernel_w)
    return true;
  return l->in_h + l->pad_top + l->pad_bottom < l->kernel_h ||
         l->in_w + l->pad_left + l->pad_right < l->kernel_w;
}

static bool aligned(const void *pointer) {
  return pointer && (uintptr_t)pointer % 4 == 0;
}

static enum kernel_status refuse(const struct train_conv2d *l, const void *one, const void *two,
                                 const void *three, uint32_t (*size)(const struct train_conv2d *)) {
  if (bad_shape(l))
    return KERNEL_BAD_SHAPE;
  if (!aligned(one) || !aligned(two) || !aligned(three) || (size(l) > 0 && !aligned(l->scratch)))
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

// ---- the direct way

// Input planes as the blocks read them: padded.
struct planes {
  const float *data;
  uint32_t h, w;
};

static uint32_t padded_size(const struct train_conv2d *l) {
  return (uint32_t)l->in_c * (l->in_h + l->pad_top + l->pad_bottom) *
         (l->in_w + l->pad_left + l->pad_right);
}

static struct planes padded_input(const struct train_conv2d *l) {
  if (!padded(l))
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

static void fill_row(float *out, float value, uint32_t w) {
  for (uint32_t x = 0; x < w; x++)
    out[x] = value;
}

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
    fill_row(block.out + (size_t)i * out_h * out_w, d->bias[first + i], out_w);
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
  struct rt_range items = rt_split((groups.wide + groups.rest) * out_h, 1);
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

// ---- the gathering way: taps of a chunk of pixels, [channel][i][j][pixel]

static float *core_scratch(const struct train_conv2d *l, uint32_t offset, uint32_t each) {
  return l->scratch + offset + (size_t)rt_core_id() * each;
}

static struct train_window window_in(const struct train_conv2d *l) {
  return (struct train_window){NULL,        l->in_h,
                               l->in_w,     (int32_t)train_conv2d_out_w(l),
                               l->stride_h, l->stride_w,
                               -l->pad_top, -l->pad_left,
                               1,           1};
}

static void gather_taps(float *dst, const struct train_window *window, const float *planes,
                        uint32_t channels, const struct train_conv2d *l, int32_t sign,
                        struct rt_range pixels) {
  struct train_window w = *window;
  w.plane = planes;
  for (uint32_t c = 0; c < channels; c++, w.plane += w.h * w.w) {
    for (int32_t i = 0; i < l->kernel_h; i++) {
      for (int32_t j = 0; j < l->kernel_w; j++) {
        w.offset_y = window->offset_y + sign * i;
        w.offset_x = window->offset_x + sign * j;
        train_gather(dst, &w, pixels.begin, pixels.end - pixels.begin);
        dst += pixels.end - pixels.begin;
      }
    }
  }
}

static void set_bias(const struct train_conv2d *l, uint32_t begin, uint32_t count) {
  for (uint32_t f = 0; l->bias && f < l->out_c; f++)
    fill_row(l->out + (size_t)f * out_plane(l) + begin, l->bias[f], count);
}

static void gather_fw(const struct train_conv2d *l) {
  uint32_t k = l->in_c * taps(l), plane = out_plane(l);
  float *patches = core_scratch(l, 0, k * CHUNK);
  const struct train_window window = window_in(l);
  struct rt_range mine = rt_split(plane, 1);
  for (uint32_t p = mine.begin; p < mine.end; p += CHUNK) {
    uint32_t count = mine.end - p < CHUNK ? mine.end - p : CHUNK;
    gather_taps(patches, &window, l->in, l->in_c, l, 1, (struct rt_range){p, p + count});
    set_bias(l, p, count);
    const struct mmt_f32 mm = {l->weights, patches, l->out + p, l->out_c, count,          k,
                               k,          count,   plane,      MMT_NN,   l->bias != NULL};
    mmt_f32_alone(&mm);
  }
}

static void gather_wg(const struct train_conv2d *l) {
  uint32_t k = l->in_c * taps(l), plane = out_plane(l);
  float *lines = core_scratch(l, 0, plane * CHUNK);
  const struct train_window window = window_in(l);
  struct rt_range mine = rt_split(k, 1);
  for (uint32_t n = mine.begin; n < mine.end; n += CHUNK) {
    uint32_t count = mine.end - n < CHUNK ? mine.end - n : CHUNK;
    for (uint32_t i = 0; i < count; i++) {
      struct train_window w = window;
      uint32_t channel = (n + i) / taps(l), tap = (n + i) - channel * taps(l);
      w.plane = l->in + (size_t)channel * l->in_h * l->in_w;
      w.offset_y += (int32_t)(tap / l->kernel_w);
      w.offset_x += (int32_t)(tap % l->kernel_w);
      train_gather(lines + (size_t)i * plane, &w, 0, plane);
    }
    const struct mmt_f32 mm = {
        l->out_grad, lines, l->weights_grad + n, l->out_c, count, plane, plane, plane, k,
        MMT_NT,      l->add};
    mmt_f32_alone(&mm);
  }
}

// Weights [f][c][tap] as [c][f][tap], the taps backwards if `flip`.
static void turn_weights(float *dst, const struct train_conv2d *l, bool flip) {
  uint32_t t = taps(l);
  struct rt_range channels = rt_split(l->in_c, 1);
  for (uint32_t c = channels.begin; c < channels.end; c++) {
    for (uint32_t f = 0; f < l->out_c; f++) {
      const float *from = l->weights + ((size_t)f * l->in_c + c) * t;
      float *to = dst + ((size_t)c * l->out_c + f) * t;
      for (uint32_t i = 0; i < t; i++)
        to[i] = from[flip ? t - 1 - i : i];
    }
  }
}

static void gather_ig(const struct train_conv2d *l) {
  uint32_t k = l->out_c * taps(l), plane = (uint32_t)l->in_h * l->in_w;
  turn_weights(l->scratch, l, false);
  rt_barrier();
  float *patches = core_scratch(l, k * l->in_c, k * CHUNK);
  const struct train_window window = {NULL,
                                      (int32_t)train_conv2d_out_h(l),
                                      (int32_t)train_conv2d_out_w(l),
                                      l->in_w,
                                      1,
                                      1,
                                      l->pad_top,
                                      l->pad_left,
                                      l->stride_h,
                                      l->stride_w};
  struct rt_range mine = rt_split(plane, 1);
  for (uint32_t p = mine.begin; p < mine.end; p += CHUNK) {
    uint32_t count = mine.end - p < CHUNK ? mine.end - p : CHUNK;
    gather_taps(patches, &window, l->out_grad, l->out_c, l, -1, (struct rt_range){p, p + count});
    const struct mmt_f32 mm = {l->scratch, patches, l->in_grad + p, l->in_c, count, k,
                               k,          count,   plane,          MMT_NN,  false};
    mmt_f32_alone(&mm);
  }
}

// ---- forward

uint32_t train_conv2d_fw_buffer_size(const struct train_conv2d *l) {
  switch (way_of(l)) {
  case DIRECT:
    return padded(l) ? padded_size(l) * 4 : 0;
  case GATHER:
    return l->in_c * taps(l) * CHUNK * rt_core_count() * 4;
  default:
    return 0;
  }
}

enum kernel_status train_conv2d_fw(const struct train_conv2d *l) {
  enum kernel_status status = refuse(l, l->in, l->weights, l->out, train_conv2d_fw_buffer_size);
  if (status != KERNEL_OK)
    return status;
  uint32_t plane = out_plane(l);
  if (way_of(l) == DIRECT) {
    const struct direct d = {padded_input(l), l->in_c, l->out_c, l->kernel_h,
                             l->weights,      l->bias, l->out};
    direct(&d);
  } else if (way_of(l) == GATHER) {
    gather_fw(l);
  } else {
    if (l->bias) {
      struct rt_range mine = rt_split(plane, 1);
      set_bias(l, mine.begin, mine.end - mine.begin);
      rt_barrier();
    }
    const struct mmt_f32 mm = {l->weights, l->in, l->out, l->out_c, plane,          l->in_c,
                               l->in_c,    plane, plane,  MMT_NN,   l->bias != NULL};
    return mmt_f32(MMT_F32_AUTO, &mm);
  }
  return KERNEL_OK;
}

// ---- weight gradient

uint32_t train_conv2d_wg_buffer_size(const struct train_conv2d *l) {
  switch (way_of(l)) {
  case DIRECT:
    return padded(l) ? padded_size(l) * 4 : 0;
  case GATHER:
    return out_plane(l) * CHUNK * rt_core_count() * 4;
  default:
    return 0;
  }
}

static void bias_gradient(const struct train_conv2d *l) {
  struct rt_range mine = rt_split(l->out_c, 1);
  for (uint32_t f = mine.begin; l->bias_grad && f < mine.end; f++) {
    const float *dy = l->out_grad + (size_t)f * out_plane(l);
    float sum = l->add ? l->bias_grad[f] : 0;
    for (uint32_t i = 0; i < out_plane(l); i++)
      sum += dy[i];
    l->bias_grad[f] = sum;
  }
}

// Where the work on weight gradients stands: `u` filters from `first` on; line `line`, which is row
// `i` of the kernel over channel `c`.
struct lines {
  struct train_conv_wg block;
  uint32_t first, u, line, c, i;
};

static void direct_lines(const struct train_conv2d *l, const struct planes *in, struct lines *at) {
  uint32_t lines = (uint32_t)l->in_c * l->kernel_h;
  bool next_row = at->i + 1u < l->kernel_h;
  uint32_t step = next_row ? in->w : (in->h - l->kernel_h + 1) * in->w;
  at->block.dy = l->out_grad + at->first * (at->block.dy_step / 4);
  at->block.x = in->data + (at->c * in->h + at->i) * in->w;
  at->block.x_step = step * 4;
  at->block.dw = l->weights_grad + (at->first * lines + at->line) * 3;
  train_conv_wg_tiles[at->u - 1][at->line + 1 < lines](&at->block);
}

static void next_lines(const struct train_conv2d *l, struct lines *at) {
  at->line += 2;
  for (at->i += 2; at->i >= l->kernel_h; at->i -= l->kernel_h)
    at->c++;
}

static void direct_wg(const struct train_conv2d *l) {
  const struct planes in = padded_input(l);
  uint32_t lines = (uint32_t)l->in_c * l->kernel_h, pairs = (lines + 1) / 2;
  const struct mmt_groups groups = mmt_groups_of(l->out_c, TRAIN_CONV_ROWS);
  struct rt_range items = rt_split((groups.wide + groups.rest) * pairs, 1);
  struct lines at = {{.dy_step = out_plane(l) * 4,
                      .gap = 8,
                      .dw_step = lines * 12,
                      .out_w = train_conv2d_out_w(l),
                      .out_h = train_conv2d_out_h(l),
                      .add = l->add},
                     0,
                     groups.size,
                     0,
                     0,
                     0};
  uint32_t group = 0, item = 0;
  for (; item + pairs <= items.begin; item += pairs, group++)
    at.first += groups.size - (group >= groups.wide);
  at.u = groups.size - (group >= groups.wide);
  for (; item < items.begin; item++)
    next_lines(l, &at);
  for (; item < items.end; item++) {
    direct_lines(l, &in, &at);
    next_lines(l, &at);
    if (at.line >= lines) {
      at.first += at.u;
      group++;
      at.u = groups.size - (group >= groups.wide);
      at.line = at.c = at.i = 0;
    }
  }
}

enum kernel_status train_conv2d_wg(const struct train_conv2d *l) {
  enum kernel_status status =
      refuse(l, l->in, l->out_grad, l->weights_grad, train_conv2d_wg_buffer_size);
  if (status != KERNEL_OK)
    return status;
  uint32_t plane = out_plane(l);
  bias_gradient(l);
  if (way_of(l) == DIRECT) {
    direct_wg(l);
  } else if (way_of(l) == GATHER) {
    gather_wg(l);
  } else {
    const struct mmt_f32 mm = {l->out_grad, l->in, l->weights_grad, l->out_c, l->in_c, plane,
                               plane,       plane, l->in_c,         MMT_NT,   l->add};
    return mmt_f32(MMT_F32_AUTO, &mm);
  }
  return KERNEL_OK;
}

// ---- input gradient: forward over the gradient with turned weights

static struct train_border ig_border(const struct train_conv2d *l) {
  return (struct train_border){l->kernel_h - 1u - l->pad_top, l->kernel_h - 1u - l->pad_bottom,
                               l->kernel_w - 1u - l->pad_left, l->kernel_w - 1u - l->pad_right};
}

uint32_t train_conv2d_ig_buffer_size(const struct train_conv2d *l) {
  uint32_t weights = l->in_c * l->out_c * taps(l) * 4;
  const struct train_border b = ig_border(l);
  switch (way_of(l)) {
  case DIRECT:
    return weights + l->out_c * (train_conv2d_out_h(l) + b.top + b.bottom) *
                         (train_conv2d_out_w(l) + b.left + b.right) * 4;
  case GATHER:
    return weights + l->out_c * taps(l) * CHUNK * rt_core_count() * 4;
  default:
    return 0;
  }
}

static void direct_ig(const struct train_conv2d *l) {
  const struct train_border border = ig_border(l);
  uint32_t h = train_conv2d_out_h(l), w = train_conv2d_out_w(l);
  float *turned = l->scratch, *gradient = l->scratch + l->in_c * l->out_c * taps(l);
  turn_weights(turned, l, true);
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

enum kernel_status train_conv2d_ig(const struct train_conv2d *l) {
  enum kernel_status status =
      refuse(l, l->out_grad, l->weights, l->in_grad, train_conv2d_ig_buffer_size);
  if (status != KERNEL_OK)
    return status;
  uint32_t plane = out_plane(l);
  if (way_of(l) == DIRECT) {
    direct_ig(l);
  } else if (way_of(l) == GATHER) {
    gather_ig(l);
  } else {
    const struct mmt_f32 mm = {l->weights, l->out_grad, l->in_grad, l->in_c, plane, l->out_c,
                               l->in_c,    plane,       plane,      MMT_TN,  false};
    return mmt_f32(MMT_F32_AUTO, &mm);
  }
  return KERNEL_OK;
}
