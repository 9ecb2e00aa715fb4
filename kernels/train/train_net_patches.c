// kernels/train/train_net_patches.c: see train_net_patches.h.
#include "train_net_patches.h"

#include <stddef.h>

#include "kernels/mm/mmt_split.h"
#include "kernels/rt/rt.h"
#include "kernels/train/train_patches.h"

// One axis of the window at a place of its kernel: positions `begin` to `end` lie on the plane, the
// first of them on element `at`.
struct axis {
  uint32_t begin, end, at;
};

static struct axis axis_of(uint32_t tap, uint32_t pad, uint32_t stride, uint32_t size,
                           uint32_t positions) {
  uint32_t begin = tap >= pad ? 0 : (pad - tap + stride - 1) / stride;
  uint32_t last = size - 1 + pad; // the tap's largest place: last >= position * stride + tap
  uint32_t end = last < tap ? 0 : (last - tap) / stride + 1;
  end = end < positions ? end : positions;
  return (struct axis){begin < end ? begin : end, end, begin * stride + tap - pad};
}

struct place {
  uint32_t channel;
  struct axis y, x;
};

// Row `row` of the patches: its channel and its place in the window.
static struct place place_of(const struct train_net_layer *l, uint32_t row) {
  uint32_t window = (uint32_t)l->kernel_h * l->kernel_w, channel = row / window;
  uint32_t tap = row - channel * window, i = tap / l->kernel_w, j = tap - i * l->kernel_w;
  return (struct place){channel, axis_of(i, l->pad_top, l->stride_h, l->in_h, l->out_h),
                        axis_of(j, l->pad_left, l->stride_w, l->in_w, l->out_w)};
}

// Elements of a row of the plane, `stride` apart, with what is beside them.
static inline void gather(float *out, const float *in, struct axis x, uint32_t stride,
                          uint32_t count) {
  float *end = out + x.end, *all = out + count;
  for (float *begin = out + x.begin; out < begin; out++)
    *out = 0;
  for (; out < end; out++, in += stride)
    *out = *in;
  for (; out < all; out++)
    *out = 0;
}

void train_net_patches_fw(const struct train_net_layer *l, uint32_t channels, const float *in,
                          float *patches) {
  uint32_t plane = (uint32_t)l->out_h * l->out_w, taps = (uint32_t)l->kernel_h * l->kernel_w;
  struct rt_range mine = rt_share(channels * taps);
  for (uint32_t row = mine.begin; row < mine.end; row++) {
    struct place p = place_of(l, row);
    float *out = patches + row * plane;
    const float *from = in + (p.channel * l->in_h + p.y.at) * l->in_w + p.x.at;
    for (uint32_t y = 0; y < l->out_h; y++, out += l->out_w) {
      bool inside = y >= p.y.begin && y < p.y.end;
      gather(out, from, inside ? p.x : (struct axis){0, 0, 0}, l->stride_w, l->out_w);
      from += inside ? (uint32_t)l->stride_h * l->in_w : 0;
    }
  }
}

// ---------------------------------------------------------------- all at once

// The input with zeros around it, in L1: each window lies inside. Behind it the patches, at 8 bytes
// or 4 behind, as outside: the DMA's fast way.
struct padded {
  uint32_t h, w;
  float *at, *patches;
};

static struct padded padded_of(const struct train_net *net, const struct train_net_layer *l) {
  uint32_t h = (l->out_h - 1u) * l->stride_h + l->kernel_h;
  uint32_t w = (l->out_w - 1u) * l->stride_w + l->kernel_w;
  uint32_t floats = (l->in_c * h * w + 1) / 2 * 2 + ((uintptr_t)l->out >> 2 & 1);
  return (struct padded){h, w, net->l1, net->l1 + floats};
}

// Some lines of all channels': zeros, then what there is of the input.
static void bring_lines(const struct train_net_layer *l, const struct padded *p, const float *in) {
  const struct rt_range mine = rt_share(l->in_c * p->h);
  uint32_t inside = p->w - l->pad_left, channel = mmt_quotient(mine.begin, p->h);
  uint32_t y = mine.begin - channel * p->h - l->pad_top; // beyond the plane if before it
  float *to = p->at + mine.begin * p->w;
  if (mine.begin < mine.end)
    rt_zero_words(to, (mine.end - mine.begin) * p->w);
  in += channel * l->in_h * l->in_w;
  inside = inside < l->in_w ? inside : l->in_w;
  for (uint32_t line = mine.begin; line < mine.end; line++, y++, to += p->w) {
    if (y + l->pad_top == p->h) {
      y = 0u - l->pad_top;
      in += l->in_h * l->in_w;
    }
    if (y < l->in_h)
      rt_dma_also_in(to + l->pad_left, in + y * l->in_w, 4 * inside);
  }
}

// Some of the patches' rows, each of which leaves as soon as it is there.
static void send_rows(const struct train_net_layer *l, const struct padded *p) {
  const struct rt_range mine = rt_share(l->out_c);
  const struct train_rows to = {4, 4u * l->out_w};
  const struct train_rows from = {4u * l->stride_w, 4 * l->stride_h * p->w};
  uint32_t plane = (uint32_t)l->out_h * l->out_w;
  uint32_t line = mmt_quotient(mine.begin, l->kernel_w), j = mine.begin - line * l->kernel_w;
  uint32_t channel = mmt_quotient(line, l->kernel_h), i = line - channel * l->kernel_h;
  for (uint32_t row = mine.begin; row < mine.end; row++) {
    float *out = p->patches + row * plane;
    train_pick_rows(out, to, p->at + (channel * p->h + i) * p->w + j, from, l->out_h, l->out_w);
    rt_dma_also_out((float *)l->out + row * plane, out, 4 * plane);
    if (++j < l->kernel_w)
      continue;
    j = 0;
    if (++i == l->kernel_h) {
      i = 0;
      channel++;
    }
  }
}

bool train_net_patches(const struct train_net *net, const struct train_net_layer *l,
                       const float *in) {
  const struct padded p = padded_of(net, l);
  uint32_t floats = (uint32_t)(p.patches - net->l1) + (uint32_t)l->out_c * l->out_h * l->out_w;
  if (4 * floats > net->l1_bytes || l->pad_left >= p.w)
    return false;
  rt_barrier();
  unsigned open = rt_dma_open();
  bring_lines(l, &p, in);
  rt_dma_wait(open);
  rt_barrier();
  open = rt_dma_open();
  send_rows(l, &p);
  rt_dma_wait(open);
  return true;
}

// ---------------------------------------------------------------- backward

static inline void spread(const struct train_net_layer *l, const struct place *p, const float *grad,
                          float *in_grad) {
  float *to = in_grad + (p->channel * l->in_h + p->y.at) * l->in_w + p->x.at;
  grad += p->y.begin * l->out_w;
  for (uint32_t y = p->y.begin; y < p->y.end; y++, grad += l->out_w) {
    for (uint32_t x = p->x.begin; x < p->x.end; x++)
      to[(x - p->x.begin) * l->stride_w] += grad[x];
    to += (uint32_t)l->stride_h * l->in_w;
  }
}

void train_net_patches_bw(const struct train_net_layer *l, uint32_t channels,
                          const float *patches_grad, float *in_grad) {
  uint32_t plane = (uint32_t)l->out_h * l->out_w, taps = (uint32_t)l->kernel_h * l->kernel_w;
  uint32_t in_plane = (uint32_t)l->in_h * l->in_w;
  struct rt_range mine = rt_share(channels);
  if (mine.end > mine.begin)
    rt_zero_words(in_grad + mine.begin * in_plane, (mine.end - mine.begin) * in_plane);
  for (uint32_t row = mine.begin * taps; row < mine.end * taps; row++) {
    struct place p = place_of(l, row);
    spread(l, &p, patches_grad + row * plane, in_grad);
  }
}
