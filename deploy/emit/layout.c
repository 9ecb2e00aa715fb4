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

static uint32_t up(uint32_t value) {
  return (value + TILE_WORD - 1) & ~(TILE_WORD - 1u);
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

// A tile's place, in words.
static bool take_place(struct use *u, uint32_t bytes, uint16_t *place) {
  uint32_t at = 0;
  if (!take_any(u, bytes, &at))
    return false;
  *place = (uint16_t)(at / TILE_WORD);
  return true;
}

// At an end of L1.
static bool take_end(struct use *u, uint32_t bytes, uint16_t *place) {
  uint32_t top = (u->l1 - bytes) & ~(TILE_WORD - 1u);
  uint32_t at = is_free(u, TILE_L1_USED, bytes) ? TILE_L1_USED : top;
  *place = (uint16_t)(at / TILE_WORD);
  return take(u, at, bytes);
}

static uint32_t bytes_at(uint16_t place) {
  return (uint32_t)place * TILE_WORD;
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
    if (!taken && !take(u, bytes_at(before->y[0]), tiles_input_bytes(t, k)))
      return false;
    taken = true;
  }
  return true;
}

// Beside the first place, which is taken.
static bool take_second(struct use *u, uint32_t bytes, bool twice, uint16_t place[2]) {
  place[1] = place[0];
  return !twice || take_place(u, bytes, &place[1]);
}

static bool take_twice(struct use *u, uint32_t bytes, bool twice, uint16_t place[2]) {
  return take_place(u, bytes, &place[0]) && take_second(u, bytes, twice, place);
}

static bool take_tiles(struct use *u, struct tile_layer *t) {
  bool good = take_any(u, up(tile_scratch_bytes(t)), &t->scratch);
  for (unsigned k = 0; good && k < t->inputs; k++) {
    if (t->early_x >> k & 1)
      good = take_second(u, tiles_input_bytes(t, k), tiles_twice(t, TILES_X), t->x[k]);
    else if (!is_here(t, k))
      good = take_twice(u, tiles_input_bytes(t, k), tiles_twice(t, TILES_X), t->x[k]);
  }
  uint32_t w = up(t->weight_bytes);
  good = good && (t->early ? take_second : take_twice)(u, w, tiles_twice(t, TILES_W), t->w);
  return good && (t->stays || take_twice(u, up(tile_out_bytes(t)), tiles_twice(t, TILES_Y), t->y));
}

static bool place(struct use *u, struct tile_layer *t, const struct tile_layer *before) {
  bool good = (!t->here || take_here(u, t, before)) &&
              (!t->early || take(u, bytes_at(t->w[0]), up(t->weight_bytes)));
  for (unsigned k = 0; good && k < t->inputs; k++)
    good = !(t->early_x >> k & 1) || take(u, bytes_at(t->x[k][0]), tiles_input_bytes(t, k));
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

// The last layer that makes of a tensor; -1: the caller brings it.
static int maker(const struct plan *plan, int tensor) {
  const struct stripes_tensor *tensors = plan->stripes.tensors;
  int layer = -1;
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    if (tensors[plan->net->layers[i].output].of == tensors[tensor].of)
      layer = (int)i;
  }
  return layer;
}

// Whether an input's first tile can come to L1 while the layer in front runs: it is in L2 by then,
// and one run of bytes.
static bool comes_early(const struct plan *plan, uint32_t layer, unsigned input) {
  const struct tile_layer *t = &plan->layers[layer].tile;
  int tensor = plan->net->layers[layer].inputs[input];
  if (plan->stripes.tensors[tensor].role == STRIPES_COME)
    return false;
  int made = maker(plan, tensor), front = (int)layer - 1;
  bool whole = t->tiles.columns == 1 && t->tiles.parts == 1 &&
               (!tile_by_channel(t) || !tiles_twice(t, TILES_W));
  return !is_here(t, input) && whole && tiles_input_bytes(t, input) <= UINT16_MAX &&
         (made < front - 1 || (made == front - 1 && !(made >= 0 && plan->layers[made].tile.stays)));
}

static uint32_t first_bytes(const struct tile_layer *t, unsigned input) {
  bool one = input && t->more[input - 1].pixel;
  return (one ? 1 : (uint32_t)t->first.in_rows * t->in_w) * tile_in_pixel(t, input, t->out_c);
}

static void bring_input(struct plan *plan, uint32_t layer, struct use *u) {
  struct tile_layer *t = &plan->layers[layer].tile, *next = &plan->layers[layer + 1].tile;
  for (unsigned k = 0; k < next->inputs && !next->early_x; k++) {
    if (!comes_early(plan, layer + 1, k) ||
        !take_place(u, tiles_input_bytes(next, k), &next->x[k][0]))
      continue;
    next->early_x = (uint8_t)(1u << k);
    t->ahead_x = next->in[k];
    t->ahead_x_bytes = first_bytes(next, k);
    t->ahead_x_to = bytes_at(next->x[k][0]);
  }
}

// The next layer's first filters, and an input of it, in what this one leaves; not where the next
// one's output is to stay.
static void bring_ahead(struct plan *plan, uint32_t layer, struct use *u) {
  if (layer + 1 == plan->net->layer_count)
    return;
  struct tile_layer *t = &plan->layers[layer].tile, *next = &plan->layers[layer + 1].tile;
  if (next->stays) {
    uint32_t bytes = up(tile_out_bytes(next)), top = (u->l1 - bytes) & ~(TILE_WORD - 1u);
    bool low = t->stays && bytes_at(t->y[0]) == TILE_L1_USED;
    take(u, low ? top : TILE_L1_USED, bytes);
  }
  if (pieces_early(plan, layer + 1)) {
    next->early = take_place(u, up(next->weight_bytes), &next->w[0]);
    t->ahead_piece = next->piece;
    t->ahead_bytes = next->early ? next->weight_bytes : 0;
    t->ahead_to = bytes_at(next->w[0]);
  }
  bring_input(plan, layer, u);
}

// What is left without what came early lies between the ends, in one.
static void place_layer(struct use *u, struct tile_layer *t, struct tile_layer *before) {
  if (place(u, t, before))
    return;
  u->count = 0;
  t->early_x = 0;
  before->ahead_x_bytes = 0;
  if (place(u, t, before))
    return;
  u->count = 0;
  t->early = false;
  before->ahead_bytes = 0;
  place(u, t, before);
}

struct job {
  struct plan *plan;
  uint32_t l1;
};

// On the host's runtime, as the first of the machine's cores: sizes of scratch depend on how many
// there are.
static int place_all(void *user) {
  const struct job *job = user;
  for (uint32_t i = 0; i < job->plan->net->layer_count; i++) {
    struct plan_layer *l = &job->plan->layers[i], *before = i ? l - 1 : l;
    struct use u = {.count = 0, .l1 = job->l1 & ~(TILE_WORD - 1u)};
    place_layer(&u, &l->tile, &before->tile);
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
  rt_host_first(CORES, place_all, &job);
}
