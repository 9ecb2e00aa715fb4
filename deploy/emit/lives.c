#include "lives.h"

#include <stdlib.h>

#include "deploy/memory.h"
#include "lives_exact.h"
#include "lives_stack.h"

// NODES: what an exact search may take where nobody asked for it, a second at most.
enum { ALIGN = 8, ORDERS = 400, NODES = 300, NODES_EXACT = 100 * 1000 };

static uint32_t up(uint32_t value) {
  return (value + ALIGN - 1) / ALIGN * ALIGN;
}

// ---------------------------------------------------------------------------- lives

static void find_dying(struct lives *all, const struct net_layer *l, uint32_t layer) {
  struct life *out = &all->life[l->output];
  for (uint32_t i = 0, n = 0; i < l->input_count && n < 2; i++) {
    bool again = n > 0 && out->dying[0] == l->inputs[i];
    if (all->life[l->inputs[i]].end == layer && !again)
      out->dying[n++] = l->inputs[i];
  }
}

struct lives lives_of(const struct net *net) {
  struct lives all = {.count = net->tensor_count, .layers = net->layer_count};
  all.life = memory_new(all.count, sizeof *all.life);
  all.filters = memory_new(all.layers, sizeof *all.filters);
  for (uint32_t i = 0; i < all.count; i++)
    all.life[i] = (struct life){.bytes = up((uint32_t)net_tensor_bytes(&net->tensors[i])),
                                .apart = INT32_MAX,
                                .dying = {NET_NONE, NET_NONE}};
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    all.life[l->output].begin = all.life[l->output].end = i;
    all.life[l->output].made = true;
    for (uint32_t j = 0; j < l->input_count; j++)
      all.life[l->inputs[j]].end = i;
  }
  for (uint32_t i = 0; i < net->output_count; i++)
    all.life[net->outputs[i]].end = net->layer_count;
  for (uint32_t i = 0; i < net->layer_count; i++)
    find_dying(&all, &net->layers[i], i);
  return all;
}

void lives_free(struct lives *lives) {
  free(lives->life);
  free(lives->filters);
  lives->life = NULL;
  lives->filters = NULL;
}

static bool lives_in(const struct life *l, uint32_t layer) {
  return l->begin <= layer && layer <= l->end;
}

static bool dies_for(const struct life *out, uint32_t number) {
  return out->dying[0] == (int)number || out->dying[1] == (int)number;
}

uint32_t lives_at(const struct lives *all, uint32_t layer) {
  uint32_t beside = 0, most = 0;
  for (uint32_t i = 0; i < all->count; i++)
    beside += lives_in(&all->life[i], layer) ? all->life[i].bytes : 0;
  for (uint32_t i = 0; i < all->count; i++) {
    const struct life *out = &all->life[i];
    if (out->begin != layer || out->dying[0] == NET_NONE || out->apart == INT32_MAX)
      continue;
    uint32_t in = 0, ahead = out->apart > 0 ? up((uint32_t)out->apart) : 0;
    for (unsigned d = 0; d < 2 && out->dying[d] != NET_NONE; d++)
      in += all->life[out->dying[d]].bytes;
    uint32_t both = ahead + in > out->bytes ? ahead + in : out->bytes;
    most = out->bytes + in > both ? out->bytes + in - both : 0; // saved
  }
  return beside - most;
}

// ---------------------------------------------------------------------------- places

// Whether a and b, which live at the same time, may have their places.
static bool agree(const struct lives *all, uint32_t a, uint32_t b) {
  const struct life *x = &all->life[a], *y = &all->life[b];
  if (x->place + x->bytes <= y->place || y->place + y->bytes <= x->place)
    return true;
  if (dies_for(x, b))
    return (int64_t)y->place - x->place >= x->apart;
  return dies_for(y, a) && (int64_t)x->place - y->place >= y->apart;
}

bool lives_meet(const struct life *a, const struct life *b) {
  return a->begin <= b->end && b->begin <= a->end;
}

// Tensor `number` at `place`, if it can be there and that is lower than before.
static void offer(struct lives *all, const uint32_t *placed, uint32_t count, uint32_t number,
                  int64_t place, uint32_t *best) {
  if (place < 0 || place >= *best)
    return;
  all->life[number].place = (uint32_t)place;
  for (uint32_t i = 0; i < count; i++) {
    if (lives_meet(&all->life[placed[i]], &all->life[number]) && !agree(all, placed[i], number))
      return;
  }
  *best = (uint32_t)place;
}

static int64_t rounded(int64_t value) {
  return (value + ALIGN - 1) & -(int64_t)ALIGN;
}

static void place_lowest(struct lives *all, const uint32_t *placed, uint32_t count,
                         uint32_t number) {
  uint32_t best = UINT32_MAX;
  struct life *me = &all->life[number];
  offer(all, placed, count, number, 0, &best);
  for (uint32_t i = 0; i < count; i++) {
    const struct life *other = &all->life[placed[i]];
    if (!lives_meet(other, me))
      continue;
    offer(all, placed, count, number, other->place + other->bytes, &best);
    if (dies_for(me, placed[i]) && me->apart != INT32_MAX)
      offer(all, placed, count, number,
            me->apart < -(int64_t)other->place ? 0 : other->place - rounded(me->apart), &best);
    if (dies_for(other, number) && other->apart != INT32_MAX)
      offer(all, placed, count, number,
            other->apart < -(int64_t)other->place ? 0 : other->place + rounded(other->apart),
            &best);
  }
  me->place = best;
}

static uint32_t place_in_order(struct lives *all, const uint32_t *order) {
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < all->count; i++) {
    place_lowest(all, order, i, order[i]);
    uint32_t end = all->life[order[i]].place + all->life[order[i]].bytes;
    bytes = end > bytes ? end : bytes;
  }
  return bytes;
}

static void sort_by_size(const struct lives *all, uint32_t *order) {
  for (uint32_t i = 0; i < all->count; i++) {
    uint32_t at = i;
    for (; at > 0 && all->life[order[at - 1]].bytes < all->life[i].bytes; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
}

static void swap(uint32_t *order, uint32_t a, uint32_t b) {
  uint32_t kept = order[a];
  order[a] = order[b], order[b] = kept;
}

// From the largest first, pairs of the order change as long as that costs nothing.
static void place_low(struct lives *all) {
  uint32_t *order = memory_new(all->count, sizeof *order), state = 1;
  sort_by_size(all, order);
  all->bytes = place_in_order(all, order);
  for (unsigned n = 0; n < ORDERS && all->bytes > all->bound; n++) {
    state = state * 1664525u + 1013904223u;
    uint32_t a = (state >> 8) % all->count, b = (state >> 20) % all->count;
    swap(order, a, b);
    uint32_t bytes = place_in_order(all, order);
    if (bytes > all->bytes)
      swap(order, a, b);
    else
      all->bytes = bytes;
  }
  all->bytes = place_in_order(all, order);
  free(order);
}

void lives_place(struct lives *all, enum lives_method method) {
  all->bound = 0;
  for (uint32_t l = 0; l < all->layers; l++) {
    uint32_t here = lives_at(all, l);
    all->bound = here > all->bound ? here : all->bound;
  }
  if (method == LIVES_STACK) {
    lives_place_stack(all);
    return;
  }
  place_low(all);
  if (method != LIVES_LOWEST)
    lives_place_exactly(all, method == LIVES_EXACT ? NODES_EXACT : NODES);
}

uint32_t lives_gap(const struct lives *all, uint32_t layer, uint32_t limit) {
  uint32_t most = 0;
  for (uint32_t i = 0; i <= all->count; i++) { // what begins at 0, or behind a tensor
    uint32_t from = i < all->count ? all->life[i].place + all->life[i].bytes : 0, to = limit;
    bool taken = i < all->count && !lives_in(&all->life[i], layer);
    for (uint32_t j = 0; j < all->count && !taken; j++) {
      const struct life *t = &all->life[j];
      if (!lives_in(t, layer) || t->place + t->bytes <= from)
        continue;
      taken = t->place <= from;
      to = t->place > from && t->place < to ? t->place : to;
    }
    most = !taken && to > from && to - from > most ? to - from : most;
  }
  return most;
}
