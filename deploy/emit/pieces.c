#include "pieces.h"

#include <stdlib.h>

#include "deploy/memory.h"
#include "meet.h"

// So long that the interface has work while the cores compute a tile.
enum { ENOUGH = 32768 };

static uint32_t parts(uint32_t total, uint32_t each) {
  return (total + each - 1) / each;
}

uint32_t pieces_least(const struct tile_layer *t) {
  uint32_t in_parts = parts(t->in_c, t->tile_k);
  if (tile_patches(t) == 1)
    return t->weight_bytes;
  return t->weight_bytes * (t->rows_first ? tile_filters(t) : in_parts);
}

// Whether a piece is rows of activations.
static bool is_rows(const struct plan *plan, uint32_t piece) {
  return plan->piece_tensors[piece] >= 0;
}

// ---------------------------------------------------------------------------- cut

static void add_piece(struct plan *plan, uint32_t layer, int tensor, uint32_t l3, uint32_t bytes) {
  MEMORY_APPEND(plan->pieces, plan->piece_count);
  MEMORY_APPEND(plan->piece_layers, plan->piece_count);
  MEMORY_APPEND(plan->piece_tensors, plan->piece_count);
  plan->pieces[plan->piece_count] = (struct tile_piece){.l3 = l3, .bytes = bytes};
  plan->piece_tensors[plan->piece_count] = tensor;
  plan->piece_layers[plan->piece_count++] = layer;
}

// Rows of activations in L3; where these begin, is known when all weights are.
static void cut_inputs(struct plan *plan, uint32_t layer) {
  const struct net *net = plan->net;
  const struct net_layer *l = &net->layers[layer];
  for (uint32_t k = 0; k < l->input_count; k++) {
    const struct stripes_tensor *t = &plan->stripes.tensors[l->inputs[k]];
    bool again = false;
    for (uint32_t j = 0; j < k; j++)
      again |= l->inputs[j] == l->inputs[k];
    if (t->role == STRIPES_COME && !again)
      add_piece(plan, layer, l->inputs[k],
                plan->far_places[t->of] + t->row * stripes_row_bytes(&net->tensors[t->of]),
                (uint32_t)net_tensor_bytes(&net->tensors[l->inputs[k]]));
  }
}

// Whether the layer's filters are those of the stripe in front of it, tile by tile.
static bool repeats(const struct plan *plan, uint32_t layer) {
  const struct stripes_layer *stripes = plan->stripes.layers;
  if (layer == 0 || stripes[layer].of != stripes[layer - 1].of)
    return false;
  const struct tile_layer *a = &plan->layers[layer].tile, *b = &plan->layers[layer - 1].tile;
  return a->kernel == b->kernel && a->tile_c == b->tile_c && a->tile_k == b->tile_k &&
         a->weight_bytes == b->weight_bytes && a->filter_bytes == b->filter_bytes;
}

// As many tiles as make a piece long enough, and leave room for the one that comes meanwhile.
static uint32_t tiles_together(const struct tile_layer *t, uint32_t gap) {
  uint32_t all = tile_filters(t), bytes = gap / 2 < ENOUGH ? gap / 2 : ENOUGH;
  uint32_t least = pieces_least(t), tiles = bytes / least * (least / t->weight_bytes);
  return tiles == 0 ? least / t->weight_bytes : tiles < all ? tiles : all;
}

static void cut(struct plan *plan, uint32_t layer, uint32_t gap) {
  struct plan_layer *l = &plan->layers[layer];
  struct tile_layer *t = &l->tile;
  cut_inputs(plan, layer);
  if (plan->layers_far)
    add_piece(plan, layer, PLAN_DESCRIPTION, layer * TILE_L1_EACH, TILE_L1_EACH);
  if (t->weight_bytes == 0)
    return;
  uint32_t all = tile_filters(t), each = tiles_together(t, gap);
  t->piece = (uint16_t)plan->piece_count;
  t->piece_tiles = (uint16_t)each;
  l->repeats = repeats(plan, layer);
  l->l3 = l->repeats ? l[-1].l3 : plan->l3_bytes;
  for (uint32_t c = 0; c < all; c += each)
    add_piece(plan, layer, NET_NONE, l->l3 + c * t->weight_bytes,
              (all - c < each ? all - c : each) * t->weight_bytes);
  plan->l3_bytes += l->repeats ? 0 : all * t->weight_bytes;
}

void pieces_cut(struct plan *plan, const uint32_t *gap) {
  for (uint32_t i = 0; i < plan->net->layer_count; i++)
    cut(plan, i, gap[i]);
  if (plan->layers_far) {
    plan->layers_l3 = (plan->l3_bytes + 15) & ~15u;
    plan->l3_bytes = plan->layers_l3 + plan->net->layer_count * TILE_L1_EACH;
  }
  for (uint32_t i = 0; i < plan->piece_count; i++) {
    int tensor = plan->piece_tensors[i];
    plan->pieces[i].l3 += tensor == NET_NONE           ? 0
                          : tensor == PLAN_DESCRIPTION ? plan->layers_l3
                                                       : plan->l3_bytes;
  }
  for (uint32_t i = 0; i < plan->leaving_count; i++)
    plan->leaving[i].l3 += plan->l3_bytes;
}

// ---------------------------------------------------------------------------- places

// Steps (tile_stream.h): of piece i, of layer i's end, and when what leaves has gone behind it.
// Activations that come have their layer's.
struct steps {
  uint32_t *piece, *end, *layer;
};

static struct steps steps_of(const struct plan *plan) {
  uint32_t layers = plan->net->layer_count;
  struct steps s = {memory_new(plan->piece_count, sizeof(uint32_t)),
                    memory_new(layers, sizeof(uint32_t)), memory_new(layers, sizeof(uint32_t))};
  for (uint32_t i = 0, p = 0, step = 0; i < layers; i++) {
    uint32_t first = p;
    for (; p < plan->piece_count && plan->piece_layers[p] == i; p++)
      s.piece[p] = is_rows(plan, p) ? 0 : ++step;
    s.end[i] = ++step;
    s.layer[i] = plan->meetings[i].gone ? ++step : step;
    for (uint32_t k = first; k < p; k++)
      s.piece[k] = s.piece[k] ? s.piece[k] : s.layer[i];
  }
  return s;
}

static void steps_free(struct steps *s) {
  free(s->piece);
  free(s->end);
  free(s->layer);
}

static bool over(uint32_t a, uint32_t a_bytes, uint32_t b, uint32_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

// The step after which piece i may come to `place`; UINT32_MAX: never.
static uint32_t free_after(const struct plan *plan, const struct steps *s, uint32_t i,
                           uint32_t place) {
  const struct tile_piece *p = &plan->pieces[i];
  uint32_t layer = plan->piece_layers[i], after = 0;
  bool comes = is_rows(plan, i);
  for (uint32_t t = 0; t < plan->lives.count; t++) {
    const struct life *l = &plan->lives.life[t];
    bool later = l->begin + (comes ? 1 : 0) > layer; // a layer's output may lie over what comes
    if (later || l->bytes == 0 || (int)t == plan->piece_tensors[i] ||
        !over(place, p->bytes, l->place, l->bytes))
      continue;
    if (l->end >= layer)
      return UINT32_MAX;
    after = s->layer[l->end] > after ? s->layer[l->end] : after;
  }
  for (uint32_t q = 0; q < i; q++) {
    if (s->piece[q] > after && over(place, p->bytes, plan->pieces[q].l2, plan->pieces[q].bytes))
      after = s->piece[q];
  }
  return after;
}

struct choice {
  uint32_t place, after;
};

// Earlier is better; of equal times, lower.
static void offer(const struct plan *plan, const struct steps *s, uint32_t i, int64_t place,
                  uint32_t limit, struct choice *best) {
  if (place < 0 || place + plan->pieces[i].bytes > limit)
    return;
  uint32_t at = (uint32_t)(place + 3) & ~3u, least = i ? plan->pieces[i - 1].after : 0;
  if (at + plan->pieces[i].bytes > limit)
    return;
  uint32_t after = free_after(plan, s, i, at);
  after = after < least ? least : after; // they come in order
  if (after < best->after || (after == best->after && at < best->place))
    *best = (struct choice){at, after};
}

// Rows of a tensor come to that tensor's place, when they are in L3.
static void place_input(struct plan *plan, const struct steps *s, uint32_t i) {
  int tensor = plan->piece_tensors[i], made = meet_made(plan, tensor);
  uint32_t place = plan->lives.life[tensor].place, after = free_after(plan, s, i, place);
  uint32_t least = made == NET_NONE ? 0 : s->layer[made];
  least = i && plan->pieces[i - 1].after > least ? plan->pieces[i - 1].after : least;
  plan->pieces[i].l2 = place;
  plan->pieces[i].after = after > least ? after : least;
}

static void place_piece(struct plan *plan, const struct steps *s, uint32_t i, uint32_t limit) {
  struct choice best = {0, UINT32_MAX};
  uint32_t bytes = (plan->pieces[i].bytes + 3) & ~3u;
  offer(plan, s, i, 0, limit, &best);
  offer(plan, s, i, (int64_t)(limit & ~3u) - bytes, limit, &best);
  for (uint32_t t = 0; t < plan->lives.count; t++) {
    const struct life *l = &plan->lives.life[t];
    offer(plan, s, i, (int64_t)l->place + l->bytes, limit, &best);
    offer(plan, s, i, (int64_t)l->place - bytes, limit, &best);
  }
  for (uint32_t q = 0; q < i; q++) {
    offer(plan, s, i, (int64_t)plan->pieces[q].l2 + plan->pieces[q].bytes, limit, &best);
    offer(plan, s, i, (int64_t)plan->pieces[q].l2 - bytes, limit, &best);
  }
  plan->pieces[i].l2 = best.place;
  plan->pieces[i].after = best.after;
}

// All filters behind the activations, where there is room: then they stay for the next image.
static bool place_all(struct plan *plan, uint32_t limit) {
  uint64_t at = (plan->lives.bytes + 7) & ~7u;
  for (uint32_t i = 0; i < plan->piece_count; i++) {
    plan->pieces[i].l2 = (uint32_t)at;
    plan->pieces[i].after = 0;
    at += (plan->pieces[i].bytes + 7) & ~7u;
    if (is_rows(plan, i) || at > limit)
      return false;
  }
  return true;
}

void pieces_place(struct plan *plan, uint32_t limit) {
  if (place_all(plan, limit))
    return;
  struct steps s = steps_of(plan);
  for (uint32_t i = 0; i < plan->piece_count; i++) {
    if (is_rows(plan, i))
      place_input(plan, &s, i);
    else
      place_piece(plan, &s, i, limit);
  }
  steps_free(&s);
}

// Whether anything but piece i, at any time, is at its place.
static bool shares_place(const struct plan *plan, uint32_t i) {
  const struct tile_piece *p = &plan->pieces[i];
  for (uint32_t t = 0; t < plan->lives.count; t++) {
    const struct life *l = &plan->lives.life[t];
    if (l->bytes > 0 && over(p->l2, p->bytes, l->place, l->bytes))
      return true;
  }
  for (uint32_t q = 0; q < plan->piece_count; q++) {
    if (q != i && over(p->l2, p->bytes, plan->pieces[q].l2, plan->pieces[q].bytes))
      return true;
  }
  return false;
}

uint32_t pieces_kept(const struct plan *plan) {
  uint32_t kept = 0;
  while (kept < plan->piece_count && !is_rows(plan, kept) && !shares_place(plan, kept))
    kept++;
  return kept;
}

bool pieces_early(const struct plan *plan, uint32_t layer) {
  const struct tile_layer *t = &plan->layers[layer].tile;
  if (layer == 0 || t->weight_bytes == 0)
    return false;
  struct steps s = steps_of(plan);
  bool early = plan->pieces[t->piece].after < s.end[layer - 1];
  steps_free(&s);
  return early;
}
