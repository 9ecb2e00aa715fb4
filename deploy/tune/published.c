// deploy/tune/published.c: see published.h.
#include "deploy/tune/published.h"

uint64_t tune_layer_bytes(const struct tune_layer *l) {
  uint64_t pixels = (uint64_t)l->height * l->width;
  return 4 * (l->in * pixels + (uint64_t)l->in * l->out + l->out * pixels);
}

// The largest tiles so far, by bytes, falling.
struct tiles {
  struct tune_layer tile[TUNE_PUBLISHED_TILES];
  unsigned count;
};

static void offer(struct tiles *tiles, const struct tune_layer *tile, uint32_t l1_bytes) {
  uint64_t bytes = tune_layer_bytes(tile);
  unsigned at = tiles->count;
  if (bytes >= l1_bytes)
    return;
  while (at > 0 && tune_layer_bytes(&tiles->tile[at - 1]) < bytes)
    at--;
  if (at == TUNE_PUBLISHED_TILES)
    return;
  if (tiles->count < TUNE_PUBLISHED_TILES)
    tiles->count++;
  for (unsigned i = tiles->count - 1; i > at; i--)
    tiles->tile[i] = tiles->tile[i - 1];
  tiles->tile[at] = *tile;
}

// The next smaller divisor; 0: none.
static uint32_t next_divisor(uint32_t size, uint32_t divisor) {
  while (--divisor > 0 && size % divisor)
    continue;
  return divisor;
}

static void all_tiles(struct tiles *tiles, const struct tune_layer *l, uint32_t l1_bytes) {
  struct tune_layer t = *l;
  for (t.in = l->in; t.in; t.in = next_divisor(l->in, t.in)) {
    for (t.height = l->height; t.height; t.height = next_divisor(l->height, t.height)) {
      for (t.width = l->width; t.width; t.width = next_divisor(l->width, t.width)) {
        for (t.out = l->out; t.out; t.out = next_divisor(l->out, t.out))
          offer(tiles, &t, l1_bytes);
      }
    }
  }
}

bool tune_published(const struct tune_search *search, const struct tune_layer *layer,
                    enum tune_step step, uint32_t l1_bytes, struct tune_way *best,
                    struct tune_figures *figures, struct net_error *error) {
  static const struct tune_run alone = {.warm_call = TUNE_SEARCH_CALL, .in_l1 = true};
  struct tiles tiles = {.count = 0};
  struct tune_way ways[TUNE_PUBLISHED_TILES * TUNE_PUBLISHED_KERNELS];
  struct tune_way *all[TUNE_PUBLISHED_TILES * TUNE_PUBLISHED_KERNELS];
  size_t count = 0;
  if (tune_layer_bytes(layer) < l1_bytes)
    offer(&tiles, layer, l1_bytes);
  else
    all_tiles(&tiles, layer, l1_bytes);
  for (unsigned i = 0; i < tiles.count; i++) {
    struct tune_product p = tune_layer_product(&tiles.tile[i], step);
    for (unsigned kernel = 0; kernel < TUNE_PUBLISHED_KERNELS; kernel++, count++) {
      ways[count] = (struct tune_way){
          .tile_n = p.n, .tile_m = p.m, .tile_k = p.k, .matmul = (uint8_t)(1 + kernel)};
      all[count] = &ways[count];
    }
  }
  const struct tune_product product = tune_layer_product(layer, step);
  if (!tune_run_all(search->with, search->store, &product, &alone, all, count, figures, error))
    return false;
  best->cycles = 0;
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || ways[i].cycles < best->cycles)
      *best = ways[i];
  }
  return true;
}
