// deploy/tune/train_again.c: see train_again.h.
#include "deploy/tune/train_again.h"

#include <stdlib.h>

enum { LAYERS = 64, WAYS = 4096 };

uint64_t train_again_forward(const struct train_plan *plan, uint32_t layer) {
  const struct train_plan_layer *l = &plan->layers[layer];
  uint64_t in = layer ? train_plan_out(plan, layer - 1) : train_plan_in(plan);
  uint64_t macs = (uint64_t)l->weight_count * l->layer.out_h * l->layer.out_w;
  return 4000 + macs / 4 + (in + train_plan_out(plan, layer)) / 2;
}

// Sets none of which is beaten by another in both elements and cycles.
struct ways {
  size_t count;
  struct train_again way[2 * WAYS];
};

static int by_cycles(const void *left, const void *right) {
  const struct train_again *a = left, *b = right;
  if (a->cycles != b->cycles)
    return a->cycles < b->cycles ? -1 : 1;
  if (a->elements != b->elements)
    return a->elements > b->elements ? -1 : 1;
  return a->set < b->set ? -1 : a->set > b->set;
}

static void prune(struct ways *ways) {
  size_t kept = 0;
  qsort(ways->way, ways->count, sizeof *ways->way, by_cycles);
  for (size_t i = 0; i < ways->count && kept < WAYS; i++)
    if (kept == 0 || ways->way[i].elements > ways->way[kept - 1].elements)
      ways->way[kept++] = ways->way[i];
  ways->count = kept;
}

static bool may_share(const struct train_plan *plan, uint32_t layer, uint32_t place) {
  const struct train_plan_layer *l = &plan->layers[layer];
  return train_plan_out(plan, layer) <= place && !l->passes && (layer == 0 || !l[-1].passes);
}

// From the uppermost but one downward: `apart`, sets without the layer above, `beside`, with it.
static void extend(const struct train_plan *plan, uint32_t layer, uint32_t place,
                   struct ways *apart, struct ways *beside) {
  struct train_again with[WAYS];
  size_t count = may_share(plan, layer, place) ? apart->count : 0;
  for (size_t i = 0; i < count; i++) {
    with[i] = apart->way[i];
    with[i].cycles += with[i].set ? train_again_forward(plan, layer) : 0;
    with[i].elements += train_plan_out(plan, layer);
    with[i].set |= UINT64_C(1) << layer;
  }
  for (size_t i = 0; i < beside->count; i++)
    apart->way[apart->count++] = beside->way[i];
  prune(apart);
  for (size_t i = 0; i < count; i++)
    beside->way[i] = with[i];
  beside->count = count;
}

static struct train_again best_of(const struct ways *ways, uint64_t wanted) {
  size_t i = 0;
  while (i + 1 < ways->count && ways->way[i].elements < wanted)
    i++;
  return ways->way[i];
}

struct train_again train_again_choose(const struct train_plan *plan, uint32_t place,
                                      uint64_t wanted) {
  static struct ways apart, beside;
  uint32_t layers = plan->count - 1 < LAYERS ? plan->count - 1 : LAYERS;
  apart.count = 1;
  apart.way[0] = (struct train_again){0, 0, 0};
  beside.count = 0;
  for (uint32_t i = layers; i-- > 0;)
    extend(plan, i, place, &apart, &beside);
  for (size_t i = 0; i < beside.count; i++)
    apart.way[apart.count++] = beside.way[i];
  prune(&apart);
  return best_of(&apart, wanted);
}

void train_again_mark(struct train_plan *plan, uint64_t set) {
  bool above = false;
  for (uint32_t i = plan->count; i-- > 0;) {
    struct train_plan_layer *l = &plan->layers[i];
    l->shared = i < LAYERS && (set >> i & 1);
    l->layer.again = l->shared && above;
    above = above || l->shared;
  }
}
