#include "plan.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "choices.h"
#include "deploy/memory.h"
#include "far.h"
#include "layout.h"
#include "legal.h"
#include "lower.h"
#include "meet.h"
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
  struct choices *choices;
};

static bool choose_tiles(struct plan *plan, const struct plan_options *o, const struct bounds *b,
                         struct net_error *error) {
  const struct net *net = plan->net;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    struct plan_layer *l = &plan->layers[i];
    struct tiles_limit limit = {b->weights[i], b->apart[i], &plan->shortage.missing};
    plan->shortage = (struct plan_short){i, 0};
    if (!choices_tile(b->choices, l, net->layers[i].name, o, &limit, error) &&
        !(lower_directly(net, &net->layers[i], &l->lowered) &&
          choices_tile(b->choices, l, net->layers[i].name, o, &limit, NULL)))
      return false;
    plan->shortage = (struct plan_short){UINT32_MAX, 0};
    plan->lives.life[net->layers[i].output].apart = tile_overlap(&l->tile);
  }
  return true;
}

static bool no_room(const struct net *net, const struct plan_options *o, uint32_t layer,
                    const char *least, uint32_t bytes, struct net_error *error) {
  uint32_t limit = o->l2 - o->code;
  net_fail(error,
           "%.80s, layer %.80s: L2: the activations that live there take %s%u bytes, with the "
           "program (%u) there are %u: %u are missing",
           net->name, net->layers[layer].name, least, bytes, o->code, limit, bytes - limit);
  return fail(error);
}

static bool is_short(struct plan *plan, const struct plan_options *o, uint32_t layer,
                     struct net_error *error) {
  uint32_t bytes = lives_at(&plan->lives, layer);
  plan->shortage = (struct plan_short){layer, bytes - (o->l2 - o->code)};
  return no_room(plan->net, o, layer, "", bytes, error);
}

// Whether no plan can fit: said at once, of the layer that wants most, for there are many plans.
static bool hopeless(const struct net *legal, const struct plan_options *o,
                     struct net_error *error) {
  uint32_t worst = 0;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < legal->layer_count; i++) {
    uint64_t least = stripes_least(legal, i);
    if (least > bytes)
      worst = i, bytes = least;
  }
  if (o->code >= o->l2 || bytes <= o->l2 - o->code)
    return false;
  return !no_room(legal, o, worst, "at least ", bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX,
                  error);
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
    good = good && (!plan->layers_far || gap[i] >= TILE_L1_EACH);
  }
  return good;
}

static uint32_t fullest(const struct lives *lives) {
  uint32_t layer = 0;
  for (uint32_t i = 1; i < lives->layers; i++)
    layer = lives_at(lives, i) > lives_at(lives, layer) ? i : layer;
  return layer;
}

static void set_filters(struct plan *plan) {
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    const struct tile_layer *t = &plan->layers[i].tile;
    plan->lives.filters[i] = t->weight_bytes * tile_filters(t);
  }
}

// Tiles, then places; as long as places leave too little for the tiles, other tiles. Tiles are
// simulated once it is known that some fit.
static bool place(struct plan *plan, const struct plan_options *given, struct bounds *b,
                  uint32_t *gap, struct net_error *error) {
  enum { ROUNDS = 12 };
  struct plan_options o = *given;
  o.l1 = plan_l1_tiles(given);
  uint32_t limit = plan->l2_limit, worst = 0;
  o.cost = NULL;
  for (unsigned round = 0; round < ROUNDS; round++) {
    if (!choose_tiles(plan, &o, b, error))
      return false;
    set_filters(plan);
    lives_find_bound(&plan->lives);
    if (plan->lives.bound > limit) {
      if (!tighten(plan, limit, b, &worst))
        return is_short(plan, &o, worst, error);
      continue;
    }
    lives_place(&plan->lives, o.places);
    if (fits(plan, limit, b, gap)) {
      if (o.cost == given->cost) {
        stay_choose(plan, &o, gap);
        return true;
      }
      o.cost = given->cost;
    }
  }
  plan->shortage = (struct plan_short){fullest(&plan->lives), 1};
  net_fail(error,
           "%.80s: L2: no places for activations and weights were found in %u bytes; activations "
           "take %u",
           plan->net->name, limit, plan->lives.bytes);
  return fail(error);
}

bool plan_is_striped(const struct plan *plan) {
  return plan->net->tensor_count > plan->legal->tensor_count;
}

uint32_t plan_place(const struct plan *plan, int tensor) {
  const struct stripes_tensor *t = &plan->stripes.tensors[tensor];
  if (t->role != STRIPES_ROWS)
    return plan->lives.life[tensor].place;
  return plan->lives.life[t->of].place + t->row * stripes_row_bytes(&plan->net->tensors[t->of]);
}

static void place_tensors(struct plan *plan) {
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    const struct net_layer *layer = &plan->net->layers[i];
    struct tile_layer *t = &plan->layers[i].tile;
    for (uint32_t k = 0; k < layer->input_count && k < TILE_INPUTS; k++)
      t->in[k] = plan_place(plan, layer->inputs[k]);
    t->out = plan_place(plan, layer->output);
  }
}

// A stripe's filters are those of the one in front of it, or it has its own.
static bool pack(struct plan *plan, struct net_error *error) {
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    struct plan_layer *l = &plan->layers[i];
    l->weights = pack_weights(plan->net, &plan->net->layers[i], &l->tile, &l->weight_bytes);
    if (!l->repeats)
      continue;
    const struct plan_layer *from = l - 1;
    while (from->repeats)
      from--;
    bool same = from->weight_bytes == l->weight_bytes && from->weights && l->weights &&
                memcmp(from->weights, l->weights, l->weight_bytes) == 0;
    free(l->weights);
    l->weights = NULL;
    if (!same) {
      error->status = EX_SOFTWARE;
      return net_fail(error, "layer %.80s: its stripes have different filters",
                      plan->net->layers[i].name);
    }
  }
  return true;
}

static bool make_plan(struct plan *plan, const struct plan_options *o, struct bounds *b,
                      uint32_t *gap, struct net_error *error) {
  const struct net *net = plan->net;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    b->weights[i] = UINT32_MAX, b->apart[i] = INT32_MAX;
    if (!lower_layer(net, &net->layers[i], &plan->layers[i].lowered, error))
      return false;
    plan->layers[i].tile = plan->layers[i].lowered;
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
  meet_leave(plan);
  pieces_cut(plan, gap);
  meet_arrive(plan);
  pieces_place(plan, plan->l2_limit);
  place_tensors(plan);
  layout_place(plan, plan_l1_tiles(o));
  if (!pack(plan, error))
    return false;
  plan->l2_bytes = plan->lives.bytes;
  for (uint32_t i = 0; i < plan->piece_count; i++) {
    uint32_t end = plan->pieces[i].l2 + plan->pieces[i].bytes;
    plan->l2_bytes = end > plan->l2_bytes ? end : plan->l2_bytes;
  }
  return true;
}

// With what is far in L3.
static struct plan *attempt(const struct net *net, const struct stripes_wish *wish,
                            const struct plan_options *options, struct choices *choices, bool *good,
                            struct net_error *error) {
  struct plan *plan = memory_new(1, sizeof *plan);
  plan->given_tensors = net->tensor_count;
  plan->l1 = plan_l1_size(options);
  plan->l2 = options->l2;
  plan->layers_far = options->layers_far;
  plan->l2_limit = options->l2 > options->code ? (options->l2 - options->code) & ~7u : 0;
  plan->legal = legal_net(net);
  plan->stripes = stripes_new(plan->legal, wish);
  plan->net = plan->stripes.net;
  uint32_t layers = plan->net->layer_count;
  plan->layers = memory_new(layers, sizeof *plan->layers);
  plan->lives = lives_of(&plan->stripes);
  struct bounds b = {memory_new(layers, sizeof *b.weights), memory_new(layers, sizeof *b.apart),
                     choices};
  uint32_t *gap = memory_new(layers, sizeof *gap);
  *good = make_plan(plan, options, &b, gap, error);
  free(b.weights);
  free(b.apart);
  free(gap);
  return plan;
}

// As long as L2 is short, more of the activations are in L3, or stripes are smaller.
struct plan *plan_new(const struct net *net, const struct plan_options *options,
                      struct net_error *error) {
  struct net *legal = legal_net(net);
  struct stripes_wish wish = far_new(legal);
  struct choices *choices = choices_new();
  bool good = false, never = hopeless(legal, options, error);
  struct plan *plan = never ? NULL : attempt(net, &wish, options, choices, &good, error);
  while (!never && !good && plan->shortage.missing > 0 && far_more(&wish, plan)) {
    plan_free(plan);
    plan = attempt(net, &wish, options, choices, &good, error);
  }
  choices_free(choices);
  far_free(&wish);
  net_free(legal);
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
  stripes_free(&plan->stripes);
  lives_free(&plan->lives);
  free(plan->layers);
  free(plan->pieces);
  free(plan->piece_layers);
  free(plan->piece_tensors);
  free(plan->leaving);
  free(plan->meetings);
  free(plan->far_places);
  free(plan);
}
