#include "pieces.h"

#include <stdlib.h>

#include "deploy/memory.h"

// So long that the interface has work while the cores compute a tile.
enum { ENOUGH = 32768 };

static uint32_t parts(uint32_t total, uint32_t each) {
  return (total + each - 1) / each;
}

uint32_t pieces_least(const struct tile_layer *t) {
  uint32_t channels = parts(t->out_c, t->tile_c), rows = parts(t->out_h, t->tile_h);
  return t->weight_bytes * (t->rows_first && rows > 1 ? channels : 1);
}

// ---------------------------------------------------------------------------- cut

static void add_piece(struct plan *plan, uint32_t layer, uint32_t bytes) {
  MEMORY_APPEND(plan->pieces, plan->piece_count);
  MEMORY_APPEND(plan->piece_layers, plan->piece_count);
  plan->pieces[plan->piece_count] = (struct tile_piece){.l3 = plan->l3_bytes, .bytes = bytes};
  plan->piece_layers[plan->piece_count++] = layer;
  plan->l3_bytes += bytes;
}

// As many tiles as make a piece long enough, and leave room for the one that comes meanwhile.
static uint32_t tiles_together(const struct tile_layer *t, uint32_t gap) {
  uint32_t channels = parts(t->out_c, t->tile_c), bytes = gap / 2 < ENOUGH ? gap / 2 : ENOUGH;
  if (pieces_least(t) > t->weight_bytes)
    return channels;
  uint32_t tiles = bytes / t->weight_bytes;
  return tiles == 0 ? 1 : tiles < channels ? tiles : channels;
}

static void cut(struct plan *plan, uint32_t layer, uint32_t gap) {
  struct tile_layer *t = &plan->layers[layer].tile;
  if (t->weight_bytes == 0)
    return;
  uint32_t channels = parts(t->out_c, t->tile_c), each = tiles_together(t, gap);
  t->piece = (uint16_t)plan->piece_count;
  t->piece_tiles = (uint16_t)each;
  for (uint32_t c = 0; c < channels; c += each)
    add_piece(plan, layer, (channels - c < each ? channels - c : each) * t->weight_bytes);
}

void pieces_cut(struct plan *plan, const uint32_t *gap) {
  for (uint32_t i = 0; i < plan->net->layer_count; i++)
    cut(plan, i, gap[i]);
}

// ---------------------------------------------------------------------------- places

// Steps (tile_stream.h): of piece i, and of layer i's end.
struct steps {
  uint32_t *piece, *layer;
};

static struct steps steps_of(const struct plan *plan) {
  struct steps s = {memory_new(plan->piece_count, sizeof(uint32_t)),
                    memory_new(plan->net->layer_count, sizeof(uint32_t))};
  for (uint32_t i = 0, p = 0, step = 0; i < plan->net->layer_count; i++) {
    for (; p < plan->piece_count && plan->piece_layers[p] == i; p++)
      s.piece[p] = ++step;
    s.layer[i] = ++step;
  }
  return s;
}

static bool over(uint32_t a, uint32_t a_bytes, uint32_t b, uint32_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

// The step after which piece i may come to `place`; UINT32_MAX: never.
static uint32_t free_after(const struct plan *plan, const struct steps *s, uint32_t i,
                           uint32_t place) {
  const struct tile_piece *p = &plan->pieces[i];
  uint32_t layer = plan->piece_layers[i], after = 0;
  for (uint32_t t = 0; t < plan->lives.count; t++) {
    const struct life *l = &plan->lives.life[t];
    if (l->begin > layer || !over(place, p->bytes, l->place, l->bytes))
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

void pieces_place(struct plan *plan, uint32_t limit) {
  struct steps s = steps_of(plan);
  for (uint32_t i = 0; i < plan->piece_count; i++)
    place_piece(plan, &s, i, limit);
  free(s.piece);
  free(s.layer);
}

bool pieces_early(const struct plan *plan, uint32_t layer) {
  const struct tile_layer *t = &plan->layers[layer].tile;
  if (layer == 0 || t->weight_bytes == 0)
    return false;
  struct steps s = steps_of(plan);
  bool early = plan->pieces[t->piece].after < s.layer[layer - 1];
  free(s.piece);
  free(s.layer);
  return early;
}
