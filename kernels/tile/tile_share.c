// kernels/tile/tile_share.c
#include "kernels/nn/nn_split.h"
#include "kernels/rt/rt.h"
#include "tile_kernel.h"

void tile_shares(struct tile_layer *l, tile_share_fn *share) {
  for (uint32_t i = 0; i < TILE_CORES; i++)
    share(l, &l->first, i, &l->share[i]);
}

const struct tile_share *tile_mine(const struct tile_layer *l, const struct tile *t,
                                   tile_share_fn *share, struct tile_share *own) {
  uint32_t core = rt_core_id();
  if (t->only && rt_core_count() == TILE_CORES)
    return &l->share[core];
  share(l, t, core, own);
  return own;
}

void tile_share_bands(const struct tile_layer *l, const struct tile *t, uint32_t core,
                      struct tile_share *s) {
  (void)l;
  uint32_t rows = t->rows, fours = t->channels / 4u, k = nn_split_bands_count(rows, fours);
  uint32_t parts = rt_core_count() >> k, part = core >> k, bands = 1u << k;
  *s = (struct tile_share){0, 0, 0, 0};
  if (part >= parts)
    return; // a core too many
  struct rt_range r = nn_split_share(rows, bands, rows >> k, core & (bands - 1)),
                  f = nn_split_share(fours, parts, nn_split_divide(fours, k), part);
  *s = (struct tile_share){(uint16_t)r.begin, (uint16_t)r.end, (uint16_t)f.begin, (uint16_t)f.end};
}
