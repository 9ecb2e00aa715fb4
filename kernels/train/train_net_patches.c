// kernels/train/train_net_patches.c: see train_net_patches.h.
#include "train_net_patches.h"

#include <stddef.h>

#include "kernels/rt/rt.h"

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
