// kernels/ref/ref_pool.c
#include "ref_pool.h"

#include "kernels/nn/nn_bits.h"
#include "ref_requant.h"

struct window {
  int32_t most, total;
  uint32_t inside; // pixels
};

static struct window window_of(const struct nn_pool *l, uint32_t y0, uint32_t x0, uint32_t c) {
  struct window w = {INT32_MIN, 0, 0};
  uint32_t bytes = nn_bits_bytes(l->channels, l->bits);
  for (uint32_t i = 0; i < l->kernel_h; i++) {
    for (uint32_t j = 0; j < l->kernel_w; j++) {
      uint32_t y = y0 * l->stride_h + i - l->pad_top, x = x0 * l->stride_w + j - l->pad_left;
      if (y >= l->in_h || x >= l->in_w) // negative ones are huge
        continue;
      const uint8_t *pixel = l->in + (y * l->in_w + x) * bytes;
      int32_t value = l->is_signed ? nn_bits_signed(pixel, c, l->bits)
                                   : (int32_t)nn_bits_unsigned(pixel, c, l->bits);
      w.total += value;
      w.inside++;
      w.most = value > w.most ? value : w.most;
    }
  }
  return w;
}

static uint32_t low(const struct nn_pool *l, int32_t value) {
  return (uint32_t)value & ((1u << l->bits) - 1);
}

uint32_t ref_maxpool(const struct nn_pool *l, uint32_t y, uint32_t x, uint32_t c) {
  return low(l, window_of(l, y, x, c).most);
}

// Rounded to the nearest: twice the magnitude, one more half.
static int32_t nearest(int32_t total, int32_t n) {
  int32_t size = (2 * (total < 0 ? -total : total) + n) / (2 * n);
  return total < 0 ? -size : size;
}

// Rounded down: no average is below -128.
uint32_t ref_avgpool(const struct nn_pool *l, uint32_t y, uint32_t x, uint32_t c) {
  static const struct nn_average plain;
  return ref_avgpool_by(l, &plain, y, x, c);
}

uint32_t ref_avgpool_by(const struct nn_pool *l, const struct nn_average *by, uint32_t y,
                        uint32_t x, uint32_t c) {
  const struct window w = window_of(l, y, x, c);
  uint32_t n = by->inside ? w.inside : (uint32_t)l->kernel_h * l->kernel_w;
  if (n == 0) // a window of padding alone, which the kernels refuse
    return 0;
  if (by->requant)
    return ref_requant_i32(by->requant, w.total, c);
  if (by->nearest)
    return low(l, nearest(w.total, (int32_t)n));
  uint32_t total = (uint32_t)w.total + 128 * n;
  return low(l, (int32_t)(total / n) - 128);
}
