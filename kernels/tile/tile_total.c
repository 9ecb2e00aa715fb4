// kernels/tile/tile_total.c: sums of parts of the inputs, added up; then the requantization, if
// there is one. The first input's tile holds the totals.
#include "kernels/rt/rt.h"
#include "tile_kernel.h"

static int32_t *sums_of(const struct tile_layer *l, const struct tile *t, uint8_t *l1,
                        unsigned input) {
  return (int32_t *)(void *)(l1 + l->x[input][t->x]);
}

static void add_up(const struct tile_layer *l, const struct tile *t, uint8_t *l1,
                   struct rt_range mine) {
  int32_t *total = sums_of(l, t, l1, 0);
  for (unsigned k = 1; k < l->inputs; k++) {
    const int32_t *part = sums_of(l, t, l1, k);
    for (uint32_t c = mine.begin; c < mine.end; c++)
      total[c] = (int32_t)((uint32_t)total[c] + (uint32_t)part[c]);
  }
}

static enum kernel_status run(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct rt_range mine = rt_split(t->channels, 4); // in fours, whose outputs are whole bytes
  const int32_t *total = sums_of(l, t, l1, 0);
  uint8_t *out = l1 + l->y[t->y];
  add_up(l, t, l1, mine);
  if (l->out_bits == 32) {
    for (uint32_t c = mine.begin; c < mine.end; c++)
      ((int32_t *)(void *)out)[c] = total[c];
    return KERNEL_OK;
  }
  struct nn_requant_i32 requant = tile_requant_of(l, l1 + l->w[t->w]);
  if (mine.begin < mine.end)
    nn_requant_i32_pixel(&requant, total + mine.begin, out, mine.begin, mine.end);
  return l->clip ? tile_clip(l, t, l1) : KERNEL_OK;
}

const struct tile_kernel tile_total = {"tile_total", run, NULL, NULL};
