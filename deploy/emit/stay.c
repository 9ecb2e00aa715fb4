#include "stay.h"

#include "deploy/memory.h"
#include "tiles.h"

#include <stdlib.h>

// A layer in four ways: [its input is in L1][its output stays there].
struct ways {
  struct plan_layer way[2][2];
  bool possible[2][2];
};

// A bit for each of the layer's inputs that the layer in front of it makes.
static uint8_t from_before(const struct net *net, uint32_t layer) {
  uint8_t mask = 0;
  for (uint32_t k = 0; layer > 0 && k < net->layers[layer].input_count && k < TILE_INPUTS; k++) {
    if (net->layers[layer].inputs[k] == net->layers[layer - 1].output)
      mask |= (uint8_t)(1u << k);
  }
  return mask;
}

// Whether somebody reads a layer's output in L2: a later layer, or the caller.
static bool wanted_in_l2(const struct plan *plan, uint32_t layer) {
  return plan->lives.life[plan->net->layers[layer].output].end > layer + 1;
}

static uint64_t cost_of(const struct plan_layer *l) {
  return l->cycles ? l->cycles : l->estimate;
}

static void look(const struct plan *plan, const struct plan_options *o, uint32_t layer,
                 uint32_t weights, struct ways *w) {
  const struct net *net = plan->net;
  uint8_t here = from_before(net, layer);
  bool stays = layer + 1 < net->layer_count && from_before(net, layer + 1);
  for (unsigned i = 0; i < 4; i++) {
    struct plan_layer *l = &w->way[i / 2][i % 2];
    const struct tiles_limit limit = {weights, INT32_MAX, NULL};
    *l = plan->layers[layer];
    l->tile.here = i / 2 ? here : 0;
    l->tile.stays = i % 2;
    l->tile.stored = !l->tile.stays || wanted_in_l2(plan, layer);
    bool asked = (here || !(i / 2)) && (stays || !(i % 2));
    w->possible[i / 2][i % 2] =
        i == 0 || (asked && tiles_choose(l, net->layers[layer].name, o, &limit, NULL));
  }
}

// least[i][s]: cycles of the layers up to i, whose output stays or not; before[i][s]: whether its
// input does then.
static void walk(const struct ways *w, uint32_t count, uint64_t (*least)[2], bool (*before)[2]) {
  for (uint32_t i = 0; i < count; i++) {
    for (unsigned s = 0; s < 2; s++) {
      least[i][s] = UINT64_MAX;
      for (unsigned x = 0; x < 2; x++) {
        uint64_t in = i > 0 ? least[i - 1][x] : x ? UINT64_MAX : 0;
        if (!w[i].possible[x][s] || in == UINT64_MAX)
          continue;
        uint64_t cost = in + cost_of(&w[i].way[x][s]);
        if (cost < least[i][s])
          least[i][s] = cost, before[i][s] = x;
      }
    }
  }
}

void stay_choose(struct plan *plan, const struct plan_options *o, const uint32_t *gap) {
  uint32_t count = plan->net->layer_count;
  if (o->objective == PLAN_EQ6 || o->objective == PLAN_DORY)
    return; // that system's layers begin and end in L2
  struct ways *ways = memory_new(count, sizeof *ways);
  uint64_t(*least)[2] = memory_new(count, sizeof *least);
  bool(*before)[2] = memory_new(count, sizeof *before);
  for (uint32_t i = 0; i < count; i++)
    look(plan, o, i, gap[i], &ways[i]);
  walk(ways, count, least, before);
  bool stays = false;
  for (uint32_t i = count; i-- > 0;) {
    bool here = before[i][stays];
    plan->layers[i] = ways[i].way[here][stays];
    stays = here;
  }
  free(ways);
  free(least);
  free(before);
}
