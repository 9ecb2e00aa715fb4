#include "plan.h"

#include <stdlib.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "layout.h"
#include "legal.h"
#include "lower.h"
#include "pack.h"
#include "pieces.h"
#include "stay.h"
#include "tiles.h"

enum { USUAL_L1 = 65536 };

uint32_t plan_l1_size(const struct plan_options *o) {
  return o->l1 > USUAL_L1 ? (o->l1 + 1023) & ~1023u : USUAL_L1;
}

uint32_t plan_l1_tiles(const struct plan_options *o) {
  uint32_t most = plan_l1_size(o) - (USUAL_L1 - PLAN_L1_MOST);
  return o->l1 < most ? o->l1 : most;
}

static bool fail(struct net_error *error) {
  if (error)
    error->status = EX_CANTCREAT;
  return false;
}

// What the tiles of a layer may ask of L2. It depends on places, which depend on tiles.
struct bounds {
  uint32_t *weights; // bytes that the filters have
  int32_t *apart;    // tile_overlap(), at most
};

static bool choose_tiles(struct plan *plan, const struct plan_options *o, const struct bounds *b,
                         struct net_error *error) {
  const struct net *net = plan->net;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    struct plan_layer *l = &plan->layers[i];
    struct tiles_limit limit = {b->weights[i], b->apart[i]};
    if (!tiles_choose(l, net->layers[i].name, o, &limit, error) &&
        !(lower_directly(net, &net->layers[i], &l->tile) &&
          tiles_choose(l, net->layers[i].name, o, &limit, NULL)))
      return false;
    plan->lives.life[net->layers[i].output].apart = tile_overlap(&l->tile);
  }
  return true;
}

static bool no_room(const struct plan *plan, const struct plan_options *o, uint32_t layer,
                    struct net_error *error) {
  uint32_t bytes = lives_at(&plan->lives, layer), limit = o->l2 - o->code;
  net_fail(
      error,
      "%.80s, layer %.80s: L2: the activations that live there take %u bytes, with the program "
      "(%u) there are %u: %u are missing",
      plan->net->name, plan->net->layers[layer].name, bytes, o->code, limit, bytes - limit);
  return fail(error);
}

static uint32_t bytes_of(const struct life *life, int tensor) {
  return tensor == NET_NONE ? 0 : life[tensor].bytes;
}

// Where activations take more than there is, tiles must go along rows, so that the output can lie
// over the input. False if no tiles would help.
static bool tighten(const struct plan *plan, uint32_t limit, struct bounds *b, uint32_t *layer) {
  const struct life *life = plan->lives.life;
  bool some = false;
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    const struct life *out = &life[plan->net->layers[i].output];
    uint32_t here = lives_at(&plan->lives, i),
             in = bytes_of(life, out->dying[0]) + bytes_of(life, out->dying[1]);
    if (here <= limit)
      continue;
    *layer = i;
    int64_t apart = (int64_t)out->bytes - (here - limit);
    if (in == 0 || apart >= b->apart[i])
      return false;
    b->apart[i] = (int32_t)apart;
    some = true;
  }
  return some;
}

static bool fits(const struct plan *plan, uint32_t limit, struct bounds *b, uint32_t *gap) {
  bool good = plan->lives.bytes <= limit;
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    gap[i] = lives_gap(&plan->lives, i, limit);
    if (pieces_least(&plan->layers[i].tile) > gap[i])
      b->weights[i] = gap[i], good = false;
  }
  return good;
}

static void set_filters(struct plan *plan) {
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    const struct tile_layer *t = &plan->layers[i].tile;
    plan->lives.filters[i] = t->weight_bytes * ((t->out_c + t->tile_c - 1u) / t->tile_c);
  }
}

// Tiles, then places; as long as places leave too little for the tiles, other tiles. Tiles are
// simulated once it is known that some fit.
static bool place(struct plan *plan, const struct plan_options *given, struct bounds *b,
                  uint32_t *gap, struct net_error *error) {
  enum { ROUNDS = 12 };
  struct plan_options o = *given;
  o.l1 = plan_l1_tiles(given);
  uint32_t limit = (o.l2 - o.code) & ~7u, worst = 0;
  o.cost = NULL;
  for (unsigned round = 0; round < ROUNDS; round++) {
    if (!choose_tiles(plan, &o, b, error))
      return false;
    set_filters(plan);
    lives_place(&plan->lives, o.places);
    if (plan->lives.bound > limit) {
      if (!tighten(plan, limit, b, &worst))
        return no_room(plan, &o, worst, error);
    } else if (fits(plan, limit, b, gap)) {
      if (o.cost == given->cost) {
        stay_choose(plan, &o, gap);
        return true;
      }
      o.cost = given->cost;
    }
  }
  net_fail(error,
           "%.80s: L2: no places for activations and weights were found in %u bytes; activations "
           "take %u",
           plan->net->name, limit, plan->lives.bytes);
  return fail(error);
}

static void place_tensors(struct plan *plan) {
  const struct life *life = plan->lives.life;
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    const struct net_layer *layer = &plan->net->layers[i];
    struct tile_layer *t = &plan->layers[i].tile;
    for (uint32_t k = 0; k < layer->input_count && k < TILE_INPUTS; k++)
      t->in[k] = life[layer->inputs[k]].place;
    t->out = life[layer->output].place;
  }
}

static bool make_plan(struct plan *plan, const struct plan_options *o, struct bounds *b,
                      uint32_t *gap, struct net_error *error) {
  const struct net *net = plan->net;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    b->weights[i] = UINT32_MAX, b->apart[i] = INT32_MAX;
    if (!lower_layer(net, &net->layers[i], &plan->layers[i].tile, error))
      return false;
  }
  if (o->code >= o->l2) {
    net_fail(error,
             "%.80s: L2: the program takes %u bytes and leaves none of %u to the data; give more "
             "than %u",
             net->name, o->code, o->l2, o->code);
    return fail(error);
  }
  if (!place(plan, o, b, gap, error))
    return false;
  pieces_cut(plan, gap);
  pieces_place(plan, (o->l2 - o->code) & ~7u);
  place_tensors(plan);
  layout_place(plan, plan_l1_tiles(o));
  for (uint32_t i = 0; i < net->layer_count; i++)
    plan->layers[i].weights =
        pack_weights(net, &net->layers[i], &plan->layers[i].tile, &plan->layers[i].weight_bytes);
  plan->l2_bytes = plan->lives.bytes;
  for (uint32_t i = 0; i < plan->piece_count; i++) {
    uint32_t end = plan->pieces[i].l2 + plan->pieces[i].bytes;
    plan->l2_bytes = end > plan->l2_bytes ? end : plan->l2_bytes;
  }
  return true;
}

struct plan *plan_new(const struct net *net, const struct plan_options *options,
                      struct net_error *error) {
  struct plan *plan = memory_new(1, sizeof *plan);
  plan->given_tensors = net->tensor_count;
  plan->l1 = plan_l1_size(options);
  plan->l2 = options->l2;
  plan->net = plan->legal = legal_net(net);
  net = plan->net;
  plan->layers = memory_new(net->layer_count, sizeof *plan->layers);
  plan->lives = lives_of(net);
  struct bounds b = {memory_new(net->layer_count, sizeof *b.weights),
                     memory_new(net->layer_count, sizeof *b.apart)};
  uint32_t *gap = memory_new(net->layer_count, sizeof *gap);
  bool good = make_plan(plan, options, &b, gap, error);
  free(b.weights);
  free(b.apart);
  free(gap);
  if (good)
    return plan;
  plan_free(plan);
  return NULL;
}

void plan_free(struct plan *plan) {
  if (!plan)
    return;
  for (uint32_t i = 0; i < plan->net->layer_count; i++)
    free(plan->layers[i].weights);
  net_free(plan->legal);
  lives_free(&plan->lives);
  free(plan->layers);
  free(plan->pieces);
  free(plan->piece_layers);
  free(plan);
}
