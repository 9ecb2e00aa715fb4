// kernels/train/train_net_half_window.c: see train_net_half_window.h.
#include "train_net_half_window.h"

#include "kernels/mm/mmt_split.h"
#include "kernels/train/train_half_row.h"
#include "kernels/train/train_typed.h"

// Where the window of output (y, x) meets the plane: places begin..end - 1 of each axis, the first
// on element `at`.
struct axis {
  uint32_t begin, end, at;
};

static inline struct axis axis_of(uint32_t position, uint32_t stride, uint32_t pad, uint32_t kernel,
                                  uint32_t size) {
  uint32_t first = position * stride; // of the padded plane
  uint32_t begin = first < pad ? pad - first : 0;
  uint32_t end = size + pad - first < kernel ? size + pad - first : kernel;
  return (struct axis){begin, end, first + begin - pad};
}

struct meeting {
  struct axis y, x;
};

static inline struct meeting meeting_of(const struct train_net_layer *l, uint32_t y, uint32_t x) {
  return (struct meeting){axis_of(y, l->stride_h, l->pad_top, l->kernel_h, l->in_h),
                          axis_of(x, l->stride_w, l->pad_left, l->kernel_w, l->in_w)};
}

static uint32_t out_pixels(const struct train_net_layer *l) {
  return (uint32_t)l->out_h * l->out_w;
}

// ---------------------------------------------------------------- depthwise

TRAIN_TYPED float window_sum(const struct train_net_layer *l, struct meeting m, const void *in,
                             const uint16_t *weights, enum train_type t) {
  float sum = 0;
  for (uint32_t i = m.y.begin; i < m.y.end; i++) {
    uint32_t at = (m.y.at + i - m.y.begin) * l->in_w + m.x.at;
    for (uint32_t j = m.x.begin; j < m.x.end; j++)
      sum = train_mac(sum, in, at + j - m.x.begin, weights, i * l->kernel_w + j, t);
  }
  return sum;
}

TRAIN_TYPED void window_fw(const struct train_net_layer *l, const void *in, const uint16_t *weights,
                           void *out, enum train_type t) {
  for (uint32_t y = 0, o = 0; y < l->out_h; y++) {
    for (uint32_t x = 0; x < l->out_w; x++, o++)
      train_put(out, o, window_sum(l, meeting_of(l, y, x), in, weights, t), t);
  }
}

// One weight's.
TRAIN_TYPED float tap_sum(const struct train_net_layer *l, uint32_t i, uint32_t j, const void *in,
                          const void *out_grad, enum train_type t) {
  float sum = 0;
  for (uint32_t y = 0, o = 0; y < l->out_h; y++) {
    uint32_t row = y * l->stride_h + i - l->pad_top; // beyond the plane if above it
    for (uint32_t x = 0; x < l->out_w; x++, o++) {
      uint32_t column = x * l->stride_w + j - l->pad_left;
      if (row < l->in_h && column < l->in_w)
        sum = train_mac(sum, in, row * l->in_w + column, out_grad, o, t);
    }
  }
  return sum;
}

TRAIN_TYPED void window_wg(const struct train_net_layer *l, const void *in, uint16_t *grad,
                           const void *out_grad, enum train_type t) {
  for (uint32_t i = 0; i < l->kernel_h; i++) {
    for (uint32_t j = 0; j < l->kernel_w; j++)
      train_put(grad, i * l->kernel_w + j, tap_sum(l, i, j, in, out_grad, t), t);
  }
}

// The windows that see pixel (y, x), in the order of the kernel. 255: no window.
TRAIN_TYPED float pixel_sum(const struct train_net_layer *l, uint32_t y, uint32_t x,
                            const void *out_grad, const uint16_t *weights, enum train_type t) {
  float sum = 0;
  for (uint32_t i = 0; i < l->kernel_h; i++) {
    uint32_t row = y + l->pad_top - i;
    if (row % l->stride_h || row / l->stride_h >= l->out_h)
      continue;
    for (uint32_t j = 0; j < l->kernel_w; j++) {
      uint32_t column = x + l->pad_left - j;
      if (column % l->stride_w == 0 && column / l->stride_w < l->out_w)
        sum = train_mac(sum, out_grad, row / l->stride_h * l->out_w + column / l->stride_w, weights,
                        i * l->kernel_w + j, t);
    }
  }
  return sum;
}

TRAIN_TYPED void window_ig(const struct train_net_layer *l, const void *out_grad,
                           const uint16_t *weights, void *in_grad, enum train_type t) {
  for (uint32_t y = 0, i = 0; y < l->in_h; y++) {
    for (uint32_t x = 0; x < l->in_w; x++, i++)
      train_put(in_grad, i, pixel_sum(l, y, x, out_grad, weights, t), t);
  }
}

#define BY_HALF(type, f, ...)                                                                      \
  ((type) == TRAIN_FP16 ? f(__VA_ARGS__, TRAIN_FP16) : f(__VA_ARGS__, TRAIN_BF16))

void train_half_window_fw(const struct train_net_layer *l, enum train_type type, const void *in,
                          const uint16_t *weights, void *out) {
  BY_HALF(type, window_fw, l, in, weights, out);
}
void train_half_window_wg(const struct train_net_layer *l, enum train_type type, const void *in,
                          uint16_t *weights_grad, const void *out_grad) {
  BY_HALF(type, window_wg, l, in, weights_grad, out_grad);
}
void train_half_window_ig(const struct train_net_layer *l, enum train_type type,
                          const void *out_grad, const uint16_t *weights, void *in_grad) {
  BY_HALF(type, window_ig, l, out_grad, weights, in_grad);
}

// ---------------------------------------------------------------- patches

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

void train_half_patch(const struct train_net_layer *l, uint32_t tap, const void *in, void *out) {
  uint32_t i = mmt_quotient(tap, l->kernel_w), j = tap - i * l->kernel_w, row = i - l->pad_top;
  uint32_t stride = l->stride_w, end = l->in_w + l->pad_left - j; // of the columns that it sees
  uint32_t before = j < l->pad_left ? mmt_quotient(l->pad_left - j + stride - 1, stride) : 0;
  uint32_t inside = least(mmt_quotient(end + stride - 1, stride), l->out_w);
  const uint16_t *from = (const uint16_t *)in + before * stride + j - l->pad_left;
  uint16_t *to = out;
  before = least(before, inside);
  for (uint32_t y = 0; y < l->out_h; y++, row += l->stride_h) {
    uint32_t count = row < l->in_h ? inside - before : 0;
    to = train_half_row(to, from + (count ? row * l->in_w : 0), count, 2 * stride,
                        count ? before : 0, l->out_w - (count ? inside : 0));
  }
  if (out_pixels(l) % 2)
    *to = 0;
}

// A pixel's gradient: of all patches that it is in, in the order of the window's places.
TRAIN_TYPED float patches_sum(const struct train_net_layer *l, uint32_t y, uint32_t x,
                              const void *out_grad, enum train_type t) {
  uint32_t pitch = train_net_half_pitch(out_pixels(l));
  float sum = 0;
  for (uint32_t i = 0; i < l->kernel_h; i++) {
    uint32_t row = y + l->pad_top - i;
    if (row % l->stride_h || row / l->stride_h >= l->out_h)
      continue;
    for (uint32_t j = 0; j < l->kernel_w; j++) {
      uint32_t column = x + l->pad_left - j;
      if (column % l->stride_w == 0 && column / l->stride_w < l->out_w)
        sum += train_get(
            out_grad,
            (i * l->kernel_w + j) * pitch + row / l->stride_h * l->out_w + column / l->stride_w, t);
    }
  }
  return sum;
}

TRAIN_TYPED void patches_bw(const struct train_net_layer *l, const void *out_grad, void *in_grad,
                            enum train_type t) {
  for (uint32_t y = 0, i = 0; y < l->in_h; y++) {
    for (uint32_t x = 0; x < l->in_w; x++, i++)
      train_put(in_grad, i, patches_sum(l, y, x, out_grad, t), t);
  }
}

// ---------------------------------------------------------------- pools, which have no border

// The first element of a window that is the largest; a NaN is larger than all.
TRAIN_TYPED uint32_t largest(const struct train_net_layer *l, uint32_t y, uint32_t x,
                             const void *in, enum train_type t) {
  uint32_t first = y * l->stride_h * l->in_w + x * l->stride_w, best = first;
  float most = train_get(in, first, t);
  for (uint32_t i = 0; i < l->kernel_h; i++) {
    for (uint32_t j = 0; j < l->kernel_w; j++) {
      uint32_t at = first + i * l->in_w + j;
      float value = train_get(in, at, t);
      if (value > most || (value != value && most == most)) {
        most = value;
        best = at;
      }
    }
  }
  return best;
}

TRAIN_TYPED float mean_of(const struct train_net_layer *l, uint32_t y, uint32_t x, const void *in,
                          enum train_type t) {
  uint32_t first = y * l->stride_h * l->in_w + x * l->stride_w;
  float sum = 0;
  for (uint32_t i = 0; i < l->kernel_h; i++) {
    for (uint32_t j = 0; j < l->kernel_w; j++)
      sum += train_get(in, first + i * l->in_w + j, t);
  }
  return sum / (float)(l->kernel_h * l->kernel_w);
}

TRAIN_TYPED void pool_fw(const struct train_net_layer *l, const void *in, void *out,
                         enum train_type t) {
  for (uint32_t y = 0, o = 0; y < l->out_h; y++) {
    for (uint32_t x = 0; x < l->out_w; x++, o++) {
      if (l->kind == TRAIN_NET_MAX)
        train_copy(out, o, in, largest(l, y, x, in, t), t);
      else
        train_put(out, o, mean_of(l, y, x, in, t), t);
    }
  }
  if (out_pixels(l) % 2)
    train_put_bits(out, out_pixels(l), 0, t);
}

static void clear(void *plane, uint32_t elements) {
  for (uint32_t i = 0; i < elements; i++)
    ((uint16_t *)plane)[i] = 0;
}

// Where windows overlap, sums are rounded at each addition.
TRAIN_TYPED void pool_bw(const struct train_net_layer *l, const void *in, const void *out_grad,
                         void *in_grad, enum train_type t) {
  float factor = l->kind == TRAIN_NET_MAX ? 1 : 1.0f / (float)(l->kernel_h * l->kernel_w);
  clear(in_grad, (uint32_t)l->in_h * l->in_w);
  for (uint32_t y = 0, o = 0; y < l->out_h; y++) {
    for (uint32_t x = 0; x < l->out_w; x++, o++) {
      uint32_t first = y * l->stride_h * l->in_w + x * l->stride_w;
      float grad = train_get(out_grad, o, t) * factor;
      bool max = l->kind == TRAIN_NET_MAX;
      for (uint32_t i = 0; i < (max ? 1u : l->kernel_h); i++) {
        for (uint32_t j = 0; j < (max ? 1u : l->kernel_w); j++) {
          uint32_t at = max ? largest(l, y, x, in, t) : first + i * l->in_w + j;
          train_put(in_grad, at, train_get(in_grad, at, t) + grad, t);
        }
      }
    }
  }
}

// ---------------------------------------------------------------- all

void train_half_other_fw(const struct train_net_layer *l, enum train_type type, const void *in,
                         void *out) {
  uint32_t pitch = train_net_half_pitch(out_pixels(l));
  if (l->kind != TRAIN_NET_PATCHES) {
    BY_HALF(type, pool_fw, l, in, out);
    return;
  }
  for (uint32_t tap = 0; tap < (uint32_t)l->kernel_h * l->kernel_w; tap++)
    train_half_patch(l, tap, in, (uint16_t *)out + tap * pitch);
}

void train_half_other_bw(const struct train_net_layer *l, enum train_type type, const void *in,
                         const void *out_grad, void *in_grad) {
  if (l->kind == TRAIN_NET_PATCHES)
    BY_HALF(type, patches_bw, l, out_grad, in_grad);
  else
    BY_HALF(type, pool_bw, l, in, out_grad, in_grad);
}
