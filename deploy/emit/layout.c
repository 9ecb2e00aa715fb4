#include "layout.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "kernels/rt/rt_host.h"
#include "pieces.h"
#include "tiles.h"

enum { PARTS = 2 * TILE_INPUTS + 8 };

struct part {
  uint32_t at, bytes;
};

// What a layer has in L1.
struct use {
  struct part part[PARTS];
  uint32_t count, l1;
};

// Words of the DMA (tiles.c).
enum { WORD = 8 };

static uint32_t up(uint32_t value) {
  return (value + WORD - 1) & ~(WORD - 1u);
}

static bool is_free(const struct use *u, uint32_t at, uint32_t bytes) {
  if (at < TILE_L1_USED || at + bytes > u->l1)
    return false;
  for (uint32_t i = 0; i < u->count; i++) {
    if (at < u->part[i].at + u->part[i].bytes && u->part[i].at < at + bytes)
      return false;
  }
  return true;
}

static bool take(struct use *u, uint32_t at, uint32_t bytes) {
  if (bytes > 0 && !is_free(u, at, bytes))
    return false;
  u->part[u->count++] = (struct part){at, bytes};
  return true;
}

// The lowest place.
static bool take_any(struct use *u, uint32_t bytes, uint32_t *at) {
  uint32_t best = is_free(u, TILE_L1_USED, bytes) ? TILE_L1_USED : UINT32_MAX;
  for (uint32_t i = 0; i < u->count; i++) {
    uint32_t behind = u->part[i].at + u->part[i].bytes;
    if (behind < best && is_free(u, behind, bytes))
      best = behind;
  }
  *at = best;
  return best != UINT32_MAX && take(u, best, bytes);
}

// At an end of L1.
static bool take_end(struct use *u, uint32_t bytes, uint32_t *at) {
  uint32_t top = (u->l1 - bytes) & ~(WORD - 1u);
  *at = is_free(u, TILE_L1_USED, bytes) ? TILE_L1_USED : top;
  return take(u, *at, bytes);
}

static bool is_here(const struct tile_layer *t, unsigned input) {
  return t->here >> input & 1;
}

// The inputs that stayed; all of them are one tensor.
static bool take_here(struct use *u, struct tile_layer *t, const struct tile_layer *before) {
  bool taken = false;
  for (unsigned k = 0; k < t->inputs; k++) {
    if (!is_here(t, k))
      continue;
    t->x[k][0] = t->x[k][1] = before->y[0];
    if (!taken && !take(u, before->y[0], tiles_input_bytes(t, k)))
      return false;
    taken = true;
  }
  return true;
}

static bool take_twice(struct use *u, uint32_t bytes, bool twice, uint32_t place[2]) {
  if (!take_any(u, bytes, &place[0]))
    return false;
  place[1] = place[0];
  return !twice || take_any(u, bytes, &place[1]);
}

static bool take_tiles(struct use *u, struct tile_layer *t) {
  bool good = take_any(u, up(tile_scratch_bytes(t)), &t->scratch);
  for (unsigned k = 0; good && k < t->inputs; k++) {
    if (!is_here(t, k))
      good = take_twice(u, tiles_input_bytes(t, k), tiles_twice(t, TILES_X), t->x[k]);
  }
  uint32_t w = up(t->weight_bytes);
  if (good && !t->early)
    good = take_twice(u, w, tiles_twice(t, TILES_W), t->w);
  else if (good && tiles_twice(t, TILES_W))
    good = take_any(u, w, &t->w[1]);
  else
    t->w[1] = t->w[0];
  return good && (t->stays || take_twice(u, up(tile_out_bytes(t)), tiles_twice(t, TILES_Y), t->y));
}

static bool place(struct use *u, struct tile_layer *t, const struct tile_layer *before) {
  bool good =
      (!t->here || take_here(u, t, before)) && (!t->early || take(u, t->w[0], up(t->weight_bytes)));
  if (good && t->stays) {
    good = take_end(u, up(tile_out_bytes(t)), &t->y[0]);
    t->y[1] = t->y[0];
  }
  return good && take_tiles(u, t);
}

static uint32_t bytes_of(const struct use *u) {
  uint32_t bytes = TILE_L1_USED;
  for (uint32_t i = 0; i < u->count; i++)
    bytes += u->part[i].bytes;
  return bytes;
}

static uint32_t end_of(const struct use *u) {
  uint32_t end = TILE_L1_USED;
  for (uint32_t i = 0; i < u->count; i++)
    end = u->part[i].at + u->part[i].bytes > end ? u->part[i].at + u->part[i].bytes : end;
  return end;
}

// The next layer's first filters, in what this one leaves; not where the next one's output is to
// stay.
static void bring_ahead(struct plan *plan, uint32_t layer, struct use *u) {
  if (layer + 1 == plan->net->layer_count || !pieces_early(plan, layer + 1))
    return;
  struct tile_layer *t = &plan->layers[layer].tile, *next = &plan->layers[layer + 1].tile;
  if (next->stays) {
    uint32_t bytes = up(tile_out_bytes(next)), top = (u->l1 - bytes) & ~(WORD - 1u);
    bool low = t->stays && t->y[0] == TILE_L1_USED;
    take(u, low ? top : TILE_L1_USED, bytes);
  }
  next->early = take_any(u, up(next->weight_bytes), &next->w[0]);
  t->ahead_piece = next->piece;
  t->ahead_bytes = next->early ? next->weight_bytes : 0;
  t->ahead_to = next->w[0];
}

struct job {
  struct plan *plan;
  uint32_t l1;
};

// On the host's runtime, as the first of the machine's cores: sizes of scratch depend on how many
// there are.
static int place_all(void *user) {
  const struct job *job = user;
  for (uint32_t i = 0; rt_core_id() == 0 && i < job->plan->net->layer_count; i++) {
    struct plan_layer *l = &job->plan->layers[i], *before = i ? l - 1 : l;
    struct use u = {.count = 0, .l1 = job->l1 & ~(WORD - 1u)};
    if (!place(&u, &l->tile, &before->tile)) {
      l->tile.early = false; // what is left without lies between the ends, in one
      before->tile.ahead_bytes = 0;
      u.count = 0;
      place(&u, &l->tile, &before->tile);
    }
    uint32_t end = end_of(&u);
    l->l1_bytes = bytes_of(&u);
    job->plan->l1_bytes = end > job->plan->l1_bytes ? end : job->plan->l1_bytes;
    bring_ahead(job->plan, i, &u);
  }
  return 0;
}

void layout_place(struct plan *plan, uint32_t l1) {
  enum { CORES = 8 };
  struct job job = {plan, l1};
  rt_host_run(CORES, place_all, &job);
}
