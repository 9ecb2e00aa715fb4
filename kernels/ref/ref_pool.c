// kernels/ref/ref_pool.c
#include "ref_pool.h"

struct window {
  uint32_t most, total;
};

static struct window window_of(const struct nn_pool *l, uint32_t y0, uint32_t x0, uint32_t c) {
  struct window w = {0, 0};
  for (uint32_t i = 0; i < l->kernel_h; i++) {
    for (uint32_t j = 0; j < l->kernel_w; j++) {
      uint32_t y = y0 * l->stride_h + i - l->pad_top, x = x0 * l->stride_w + j - l->pad_left;
      if (y >= l->in_h || x >= l->in_w) // negative ones are huge
        continue;
      uint32_t value = l->in[(y * l->in_w + x) * l->channels + c];
      w.total += value;
      w.most = value > w.most ? value : w.most;
    }
  }
  return w;
}

uint8_t ref_maxpool_u8(const struct nn_pool *l, uint32_t y, uint32_t x, uint32_t c) {
  return (uint8_t)window_of(l, y, x, c).most;
}

uint8_t ref_avgpool_u8(const struct nn_pool *l, uint32_t y, uint32_t x, uint32_t c) {
  return (uint8_t)(window_of(l, y, x, c).total / ((uint32_t)l->kernel_h * l->kernel_w));
}
