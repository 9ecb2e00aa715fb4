// kernels/train/train_depthwise_window.c
#include "train_depthwise_window.h"

#include <stdbool.h>

#define INLINE static inline __attribute__((always_inline))

// ---- sums of the taps, along a row

// A row of outputs: y[n * y_step] = sum over i, j of w[i][j] * x[i * pitch + n * stride + j * way].
struct row {
  const float *x, *w;
  float *y;
  int32_t pitch, y_step;
  uint32_t count, kernel_h, kernel_w, stride;
};

// `n` outputs from r->x on. Constants: n, height and width of the kernel, stride (0: as in r), way.
INLINE void outputs(const struct row *r, const float *w, uint32_t n, uint32_t height,
                    uint32_t width, uint32_t stride, int32_t way) {
  const float *x = r->x;
  uint32_t taps = width ? width : r->kernel_w, step = stride ? stride : r->stride;
  float sum[4] = {0, 0, 0, 0};
  for (uint32_t i = height ? height : r->kernel_h; i > 0; i--, x += r->pitch, w += taps) {
    const float *at = x;
    for (uint32_t j = 0; j < taps; j++, at += way) {
      for (uint32_t k = 0; k < n; k++)
        sum[k] = __builtin_fmaf(w[j], at[k * step], sum[k]);
    }
  }
  for (uint32_t k = 0; k < n; k++)
    r->y[(int32_t)k * r->y_step] = sum[k];
}

// A kernel of known height is held in registers.
enum { MOST_HELD = 9 };

INLINE void along(struct row r, uint32_t height, uint32_t width, uint32_t stride, int32_t way) {
  uint32_t step = stride ? stride : r.stride;
  float held[MOST_HELD];
  for (uint32_t i = 0; i < height * width; i++)
    held[i] = r.w[i];
  const float *w = height ? held : r.w;
  for (; r.count >= 4; r.count -= 4, r.x += 4 * step, r.y += 4 * r.y_step)
    outputs(&r, w, 4, height, width, stride, way);
  if (r.count & 2) {
    outputs(&r, w, 2, height, width, stride, way);
    r.x += 2 * step;
    r.y += 2 * r.y_step;
  }
  if (r.count & 1)
    outputs(&r, w, 1, height, width, stride, way);
}

typedef void row_fn(const struct row *r);
#define ROW(name, height, width, stride, way)                                                      \
  static void name(const struct row *r) {                                                          \
    along(*r, height, width, stride, way);                                                         \
  }
ROW(fw_3x3_2, 3, 3, 2, 1)
ROW(fw_3_1, 0, 3, 1, 1)
ROW(fw_3_2, 0, 3, 2, 1)
ROW(fw_5_1, 0, 5, 1, 1)
ROW(fw_5_2, 0, 5, 2, 1)
ROW(fw_any, 0, 0, 0, 1)
ROW(back_1x1, 1, 1, 1, -1)
ROW(back_2x1, 2, 1, 1, -1)
ROW(back_1x2, 1, 2, 1, -1)
ROW(back_2x2, 2, 2, 1, -1)
ROW(back_3, 0, 3, 1, -1)
ROW(back_5, 0, 5, 1, -1)
ROW(back_any, 0, 0, 1, -1)

static row_fn *forward_fn(const struct train_dw_window *p) {
  uint32_t width = p->kernel_w, stride = p->stride_w;
  if (stride > 2 || (width != 3 && width != 5))
    return fw_any;
  if (width == 3 && stride == 2)
    return p->kernel_h == 3 ? fw_3x3_2 : fw_3_2;
  return width == 3 ? fw_3_1 : stride == 1 ? fw_5_1 : fw_5_2;
}

static row_fn *back_fn(uint32_t height, uint32_t width) {
  static row_fn *const small[2][2] = {{back_1x1, back_1x2}, {back_2x1, back_2x2}};
  if (height - 1 < 2 && width - 1 < 2)
    return small[height - 1][width - 1];
  return width == 3 ? back_3 : width == 5 ? back_5 : back_any;
}

void train_dw_window_fw(const struct train_dw_window *p) {
  struct row r = {p->x,     p->w,        p->y,        (int32_t)p->pitch, 1,
                  p->w_out, p->kernel_h, p->kernel_w, p->stride_w};
  row_fn *fn = forward_fn(p);
  for (uint32_t y = p->h; y > 0; y--, r.x += p->stride_h * p->pitch, r.y += p->w_out)
    fn(&r);
}

// ---- gradient of the input: the taps that see a pixel are every stride-th one

// How many of `kernel` taps are at first, first + stride ...
static uint32_t taps_from(uint32_t first, uint32_t kernel, uint32_t stride) {
  return first < kernel ? (kernel - first - 1) / stride + 1 : 0;
}

// Along one axis: the first pixel that taps first, first + stride ... see, and the position at
// which it meets the first of these.
struct phase {
  uint32_t taps, pixel, position;
};
static struct phase phase_of(uint32_t first, uint32_t kernel, uint32_t stride, uint32_t pad) {
  uint32_t behind = pad % stride; // pixel + pad = first, modulo stride
  uint32_t pixel = first >= behind ? first - behind : first + stride - behind;
  return (struct phase){taps_from(first, kernel, stride), pixel, (pixel + pad) / stride};
}

static void copy_taps(float *to, const struct train_dw_window *p, uint32_t i, uint32_t j,
                      struct phase down, struct phase across) {
  for (uint32_t t = 0; t < down.taps; t++) {
    const float *from = p->w + (i + t * p->stride_h) * p->kernel_w + j;
    for (uint32_t u = 0; u < across.taps; u++)
      *to++ = from[u * p->stride_w];
  }
}

static void phase_ig(const struct train_dw_window *p, struct train_dw_place place, uint32_t i,
                     uint32_t j, float *taps) {
  struct phase down = phase_of(i, p->kernel_h, p->stride_h, place.pad_top);
  struct phase across = phase_of(j, p->kernel_w, p->stride_w, place.pad_left);
  if (across.pixel >= p->w_out)
    return;
  bool whole = p->stride_h == 1 && p->stride_w == 1;
  if (!whole)
    copy_taps(taps, p, i, j, down, across);
  struct row r = {.w = whole ? p->w : taps,
                  .pitch = -(int32_t)p->pitch,
                  .y_step = (int32_t)p->stride_w,
                  .count = (p->w_out - across.pixel - 1) / p->stride_w + 1,
                  .kernel_h = across.taps ? down.taps : 0,
                  .kernel_w = across.taps,
                  .stride = 1};
  row_fn *fn = back_fn(r.kernel_h, across.taps);
  r.x = p->x + (down.position + place.above) * p->pitch + across.position + place.left;
  r.y = p->y + down.pixel * p->w_out + across.pixel;
  for (uint32_t y = down.pixel; y < p->h; y += p->stride_h) {
    fn(&r);
    r.x += p->pitch;
    r.y += p->stride_h * p->w_out;
  }
}

void train_dw_window_ig(const struct train_dw_window *p, struct train_dw_place place) {
  float *taps = p->w + p->kernel_h * p->kernel_w; // as much room again
  for (uint32_t i = 0; i < p->stride_h; i++) {
    for (uint32_t j = 0; j < p->stride_w; j++)
      phase_ig(p, place, i, j, taps);
  }
}

// ---- gradient of the weights

// Taps w[0] .. w[width - 1], whose first sees x, over all pixels.
INLINE void taps_wg(const struct train_dw_window *p, const float *x, float *w, uint32_t width,
                    uint32_t stride) {
  const float *y = p->y;
  uint32_t step = stride ? stride : p->stride_w;
  float sum[5];
  for (uint32_t j = 0; j < width; j++)
    sum[j] = w[j];
  for (uint32_t row = p->h; row > 0; row--, x += p->stride_h * p->pitch) {
    const float *at = x;
    uint32_t left = p->w_out;
    for (; left >= 4; left -= 4, at += 4 * step, y += 4) {
      for (uint32_t k = 0; k < 4; k++) {
        for (uint32_t j = 0; j < width; j++)
          sum[j] = __builtin_fmaf(at[k * step + j], y[k], sum[j]);
      }
    }
    for (; left > 0; left--, at += step, y++) {
      for (uint32_t j = 0; j < width; j++)
        sum[j] = __builtin_fmaf(at[j], *y, sum[j]);
    }
  }
  for (uint32_t j = 0; j < width; j++)
    w[j] = sum[j];
}

typedef void wg_fn(const struct train_dw_window *p, const float *x, float *w);
#define WG(name, width, stride)                                                                    \
  static void name(const struct train_dw_window *p, const float *x, float *w) {                    \
    taps_wg(p, x, w, width, stride);                                                               \
  }
WG(wg_3_1, 3, 1)
WG(wg_3_2, 3, 2)
WG(wg_5_1, 5, 1)
WG(wg_5_2, 5, 2)
WG(wg_one, 1, 0)

void train_dw_window_wg(const struct train_dw_window *p) {
  bool known = p->stride_w <= 2 && (p->kernel_w == 3 || p->kernel_w == 5);
  wg_fn *fn = !known             ? wg_one
              : p->kernel_w == 3 ? (p->stride_w == 1 ? wg_3_1 : wg_3_2)
                                 : (p->stride_w == 1 ? wg_5_1 : wg_5_2);
  uint32_t each = known ? p->kernel_w : 1;
  float *w = p->w;
  for (uint32_t i = 0; i < p->kernel_h; i++) {
    for (uint32_t j = 0; j < p->kernel_w; j += each, w += each)
      fn(p, p->x + i * p->pitch + j, w);
  }
}
