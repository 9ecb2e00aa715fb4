// kernels/tile/tile_global.c: averages of all pixels, rounded down; what nn_pool.h does for all
// windows costs small layers more, as it runs cold.
#include <stddef.h>

#include "kernels/nn/nn_pool_window.h"
#include "kernels/rt/rt.h"
#include "tile_kernel.h"

// As nn_pool.h divides: by the high half of a product with ceil(2^32 / n), which is exact for sums
// of as many bytes as a lane of nn_window_sums_8() holds.
static uint32_t divided(uint32_t sum, uint32_t factor) {
  return (uint32_t)((uint64_t)sum * factor >> 32);
}

static enum kernel_status run(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  uint32_t pixels = (uint32_t)l->in_h * l->in_w, factor = (uint32_t)l->scale_a;
  struct rt_range mine = rt_share(t->channels / 4u);
  struct nn_pool_window w = {.first = tile_x(l, t, l1, 0) + 4 * (size_t)mine.begin,
                             .rows = 1,
                             .columns = pixels,
                             .pixel = t->channels};
  uint32_t *out = (uint32_t *)(void *)(tile_y(l, t, l1)) + mine.begin, parts[4];
  for (uint32_t i = mine.begin; i < mine.end; i++, w.first += 4) {
    nn_window_sums_8(parts, &w, 0);
    *out++ = divided(parts[0] & 0xffff, factor) | divided(parts[1] & 0xffff, factor) << 8 |
             divided(parts[0] >> 16, factor) << 16 | divided(parts[1] >> 16, factor) << 24;
  }
  return KERNEL_OK;
}

static void prepare(struct tile_layer *l) {
  l->scale_a = (int32_t)(UINT32_MAX / ((uint32_t)l->in_h * l->in_w) + 1);
}

const struct tile_kernel tile_global = {"tile_global", run, NULL, TILE_PLANS(prepare)};
