#include "lives.h"

#include <stdlib.h>

#include "deploy/memory.h"
#include "lives_exact.h"
#include "lives_stack.h"

// NODES: what an exact search may take where nobody asked for it, a second at most.
enum { ALIGN = 8, ORDERS = 400, NODES = 300, NODES_EXACT = 100 * 1000 };
// With so many tensors, as stripes make, a node takes too long, and orders are tried fewer.
enum { MANY = 120 };

static uint32_t up(uint32_t value) {
  return (value + ALIGN - 1) / ALIGN * ALIGN;
}

// ---------------------------------------------------------------------------- lives

static bool in_l2(const struct stripes *s, int tensor) {
  enum stripes_role role = s->tensors[tensor].role;
  return role != STRIPES_ROWS && role != STRIPES_FAR;
}

static void find_dying(struct lives *all, const struct stripes *s, uint32_t layer) {
  const struct net_layer *l = &s->net->layers[layer];
  struct life *out = &all->life[l->output];
  for (uint32_t i = 0, n = 0; i < l->input_count && n < 2 && in_l2(s, l->output); i++) {
    bool again = n > 0 && out->dying[0] == l->inputs[i];
    if (in_l2(s, l->inputs[i]) && all->life[l->inputs[i]].end == layer && !again)
      out->dying[n++] = l->inputs[i];
  }
}

// The tensor whose place has it.
static struct life *life_of(struct lives *all, const struct stripes *s, int tensor) {
  const struct stripes_tensor *t = &s->tensors[tensor];
  return &all->life[t->role == STRIPES_ROWS ? t->of : tensor];
}

static void live(struct lives *all, const struct stripes *s, uint32_t layer) {
  const struct net_layer *l = &s->net->layers[layer];
  struct life *out = life_of(all, s, l->output);
  out->begin = out->made ? out->begin : layer;
  out->end = layer;
  out->made = true;
  bool alone = s->layers[layer].alone;
  if (s->tensors[l->output].role == STRIPES_GO && !alone && layer + 1 < all->layers)
    out->end = layer + 1;
  for (uint32_t k = 0; k < l->input_count; k++) {
    struct life *in = life_of(all, s, l->inputs[k]);
    in->end = layer;
    if (s->tensors[l->inputs[k]].role != STRIPES_COME)
      continue;
    bool next = !alone && layer > 0 && s->layers[layer - 1].of == s->layers[layer].of;
    in->begin = next ? layer - 1 : layer;
    in->made = true;
  }
}

struct lives lives_of(const struct stripes *s) {
  const struct net *net = s->net;
  struct lives all = {.count = net->tensor_count, .layers = net->layer_count};
  all.life = memory_new(all.count, sizeof *all.life);
  all.filters = memory_new(all.layers, sizeof *all.filters);
  for (uint32_t i = 0; i < all.count; i++) {
    uint32_t bytes = in_l2(s, (int)i) ? up((uint32_t)net_tensor_bytes(&net->tensors[i])) : 0;
    all.life[i] = (struct life){.bytes = bytes, .apart = INT32_MAX, .dying = {NET_NONE, NET_NONE}};
  }
  for (uint32_t i = 0; i < net->layer_count; i++)
    live(&all, s, i);
  for (uint32_t i = 0; i < net->output_count; i++)
    all.life[net->outputs[i]].end = net->layer_count;
  for (uint32_t i = 0; i < net->layer_count; i++)
    find_dying(&all, s, i);
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

// Tensors that are placed and live while `number` does: of many, few.
struct near {
  uint32_t *tensors, count;
};

static void find_near(const struct lives *all, const uint32_t *placed, uint32_t count,
                      uint32_t number, struct near *near) {
  const struct life *me = &all->life[number];
  near->count = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (lives_meet(&all->life[placed[i]], me))
      near->tensors[near->count++] = placed[i];
  }
}

// Tensor `number` at `place`, if it can be there and that is lower than before.
static void offer(struct lives *all, const struct near *near, uint32_t number, int64_t place,
                  uint32_t *best) {
  if (place < 0 || place >= *best)
    return;
  all->life[number].place = (uint32_t)place;
  for (uint32_t i = 0; i < near->count; i++) {
    if (!agree(all, near->tensors[i], number))
      return;
  }
  *best = (uint32_t)place;
}

static int64_t rounded(int64_t value) {
  return (value + ALIGN - 1) & -(int64_t)ALIGN;
}

static void place_lowest(struct lives *all, const struct near *near, uint32_t number) {
  uint32_t best = UINT32_MAX;
  struct life *me = &all->life[number];
  offer(all, near, number, 0, &best);
  for (uint32_t i = 0; i < near->count; i++) {
    const struct life *other = &all->life[near->tensors[i]];
    offer(all, near, number, other->place + other->bytes, &best);
    if (dies_for(me, near->tensors[i]) && me->apart != INT32_MAX)
      offer(all, near, number,
            me->apart < -(int64_t)other->place ? 0 : other->place - rounded(me->apart), &best);
    if (dies_for(other, number) && other->apart != INT32_MAX)
      offer(all, near, number,
            other->apart < -(int64_t)other->place ? 0 : other->place + rounded(other->apart),
            &best);
  }
  me->place = best;
}

static uint32_t place_in_order(struct lives *all, const uint32_t *order, struct near *near) {
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < all->count; i++) {
    find_near(all, order, i, order[i], near);
    place_lowest(all, near, order[i]);
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
  struct near near = {memory_new(all->count, sizeof *near.tensors), 0};
  sort_by_size(all, order);
  all->bytes = place_in_order(all, order, &near);
  unsigned orders = all->count > MANY ? ORDERS * MANY / all->count : ORDERS;
  for (unsigned n = 0; n < orders && all->bytes > all->bound; n++) {
    state = state * 1664525u + 1013904223u;
    uint32_t a = (state >> 8) % all->count, b = (state >> 20) % all->count;
    swap(order, a, b);
    uint32_t bytes = place_in_order(all, order, &near);
    if (bytes > all->bytes)
      swap(order, a, b);
    else
      all->bytes = bytes;
  }
  all->bytes = place_in_order(all, order, &near);
  free(order);
  free(near.tensors);
}

void lives_find_bound(struct lives *all) {
  all->bound = 0;
  for (uint32_t l = 0; l < all->layers; l++) {
    uint32_t here = lives_at(all, l);
    all->bound = here > all->bound ? here : all->bound;
  }
}

void lives_place(struct lives *all, enum lives_method method) {
  lives_find_bound(all);
  if (method == LIVES_STACK) {
    lives_place_stack(all);
    return;
  }
  place_low(all);
  if (method == LIVES_EXACT || (method == LIVES_BEST && all->count <= MANY))
    lives_place_exactly(all, method == LIVES_EXACT ? NODES_EXACT : NODES);
}

uint32_t lives_gap(const struct lives *all, uint32_t layer, uint32_t limit) {
  uint32_t most = 0;
  for (uint32_t i = 0; i <= all->count; i++) { // what begins at 0, or behind a tensor
    uint32_t from = i < all->count ? all->life[i].place + all->life[i].bytes : 0, to = limit;
    bool taken = i < all->count && !lives_in(&all->life[i], layer);
    for (uint32_t j = 0; j < all->count && !taken; j++) {
      const struct life *t = &all->life[j];
      if (!lives_in(t, layer) || t->bytes == 0 || t->place + t->bytes <= from)
        continue;
      taken = t->place <= from;
      to = t->place > from && t->place < to ? t->place : to;
    }
    most = !taken && to > from && to - from > most ? to - from : most;
  }
  return most;
}
