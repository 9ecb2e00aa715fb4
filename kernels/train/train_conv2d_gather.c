// kernels/train/train_conv2d_gather.c: convolution by im2col, a chunk at a time: taps of a few
// pixels, [channel][i][j][pixel].
#include "kernels/mm/mmt_f32.h"
#include "kernels/rt/rt.h"
#include "train_conv2d_ways.h"
#include "train_planes.h"

enum {
  CHUNK = 6
}; // pixels (forward, input gradient) or lines (weight gradient) gathered at a time

uint32_t train_conv2d_gather_fw_size(const struct train_conv2d *l) {
  return l->in_c * train_conv2d_taps(l) * CHUNK * rt_core_count() * 4;
}

uint32_t train_conv2d_gather_wg_size(const struct train_conv2d *l) {
  return train_conv2d_plane(l) * CHUNK * rt_core_count() * 4;
}

uint32_t train_conv2d_gather_ig_size(const struct train_conv2d *l) {
  uint32_t weights = l->in_c * l->out_c * train_conv2d_taps(l) * 4;
  return weights + l->out_c * train_conv2d_taps(l) * CHUNK * rt_core_count() * 4;
}

static float *core_scratch(const struct train_conv2d *l, uint32_t offset, uint32_t each) {
  return (float *)l->scratch + offset + (size_t)rt_core_id() * each;
}

static struct train_window window_in(const struct train_conv2d *l) {
  return (struct train_window){NULL,        l->in_h,
                               l->in_w,     (int32_t)train_conv2d_columns(l),
                               l->stride_h, l->stride_w,
                               -l->pad_top, -l->pad_left,
                               1,           1};
}

static void gather_taps(float *dst, const struct train_window *window, const float *planes,
                        uint32_t channels, const struct train_conv2d *l, int32_t sign,
                        struct rt_range pixels) {
  struct train_window w = *window;
  int32_t row = (int32_t)pixels.begin / w.out_w;
  struct train_pixel first = {row, (int32_t)pixels.begin - row * w.out_w};
  w.plane = planes;
  for (uint32_t c = 0; c < channels; c++, w.plane += w.h * w.w) {
    for (int32_t i = 0; i < l->kernel_h; i++) {
      for (int32_t j = 0; j < l->kernel_w; j++) {
        w.offset_y = window->offset_y + sign * i;
        w.offset_x = window->offset_x + sign * j;
        train_gather(dst, &w, first, pixels.end - pixels.begin);
        dst += pixels.end - pixels.begin;
      }
    }
  }
}

void train_conv2d_gather_fw(const struct train_conv2d *l) {
  uint32_t k = l->in_c * train_conv2d_taps(l), plane = train_conv2d_plane(l);
  float *patches = core_scratch(l, 0, k * CHUNK);
  const struct train_window window = window_in(l);
  struct rt_range mine = rt_share(plane);
  for (uint32_t p = mine.begin; p < mine.end; p += CHUNK) {
    uint32_t count = mine.end - p < CHUNK ? mine.end - p : CHUNK;
    gather_taps(patches, &window, l->in, l->in_c, l, 1, (struct rt_range){p, p + count});
    train_conv2d_set_bias(l, p, count);
    const struct mmt_f32 mm = {
        l->weights, patches, (float *)l->out + p, l->out_c, count, k, k, count,
        plane,      MMT_NN,  l->bias != NULL};
    mmt_f32_alone(&mm);
  }
}

void train_conv2d_gather_wg(const struct train_conv2d *l) {
  uint32_t k = l->in_c * train_conv2d_taps(l), plane = train_conv2d_plane(l);
  float *lines = core_scratch(l, 0, plane * CHUNK);
  const struct train_window window = window_in(l);
  struct rt_range mine = rt_share(k);
  for (uint32_t n = mine.begin; n < mine.end; n += CHUNK) {
    uint32_t count = mine.end - n < CHUNK ? mine.end - n : CHUNK;
    for (uint32_t i = 0; i < count; i++) {
      struct train_window w = window;
      uint32_t channel = (n + i) / train_conv2d_taps(l),
               tap = (n + i) - channel * train_conv2d_taps(l);
      w.plane = (const float *)l->in + (size_t)channel * l->in_h * l->in_w;
      w.offset_y += (int32_t)(tap / l->kernel_w);
      w.offset_x += (int32_t)(tap % l->kernel_w);
      train_gather(lines + (size_t)i * plane, &w, (struct train_pixel){0, 0}, plane);
    }
    const struct mmt_f32 mm = {
        l->out_grad, lines, (float *)l->weights_grad + n, l->out_c, count, plane, plane, plane, k,
        MMT_NT,      l->add};
    mmt_f32_alone(&mm);
  }
}

void train_conv2d_gather_ig(const struct train_conv2d *l) {
  uint32_t k = l->out_c * train_conv2d_taps(l), plane = (uint32_t)l->in_h * l->in_w;
  train_conv2d_turn_weights(l->scratch, l, false);
  rt_barrier();
  float *patches = core_scratch(l, k * l->in_c, k * CHUNK);
  const struct train_window window = {NULL,
                                      (int32_t)train_conv2d_rows(l),
                                      (int32_t)train_conv2d_columns(l),
                                      l->in_w,
                                      1,
                                      1,
                                      l->pad_top,
                                      l->pad_left,
                                      l->stride_h,
                                      l->stride_w};
  struct rt_range mine = rt_share(plane);
  for (uint32_t p = mine.begin; p < mine.end; p += CHUNK) {
    uint32_t count = mine.end - p < CHUNK ? mine.end - p : CHUNK;
    gather_taps(patches, &window, l->out_grad, l->out_c, l, -1, (struct rt_range){p, p + count});
    const struct mmt_f32 mm = {
        l->scratch, patches, (float *)l->in_grad + p, l->in_c, count, k, k, count, plane,
        MMT_NN,     false};
    mmt_f32_alone(&mm);
  }
}
