#include "plan.h"

#include <stdlib.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "lower.h"
#include "tiles.h"

static uint32_t up(uint32_t value, uint32_t to) {
  return (value + to - 1) / to * to;
}

static bool fail(struct net_error *error) {
  if (error)
    error->status = EX_CANTCREAT;
  return false;
}

// ---------------------------------------------------------------------------- activations

// From the layer that makes a tensor (the input: 0) to the last that reads it.
struct life {
  uint32_t begin, end, bytes;
};

static struct life *lives(const struct net *net) {
  struct life *life = memory_new(net->tensor_count, sizeof *life);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    life[l->output].begin = life[l->output].end = i;
    for (uint32_t j = 0; j < l->input_count; j++)
      life[l->inputs[j]].end = i;
  }
  for (uint32_t i = 0; i < net->tensor_count; i++)
    life[i].bytes = up((uint32_t)net_tensor_bytes(&net->tensors[i]), 8);
  for (uint32_t i = 0; i < net->output_count; i++)
    life[net->outputs[i]].end = net->layer_count;
  return life;
}

static bool meet(const struct life *a, const struct life *b) {
  return a->begin <= b->end && b->begin <= a->end;
}

// The lowest place for tensor `number` among those placed that live at the same time.
static uint32_t lowest(const struct plan *plan, const struct life *life, const bool *placed,
                       uint32_t number) {
  uint32_t at = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t i = 0; i < plan->net->tensor_count; i++) {
      if (!placed[i] || !meet(&life[i], &life[number]))
        continue;
      uint32_t end = plan->place[i] + life[i].bytes;
      if (at < end && plan->place[i] < at + life[number].bytes)
        at = end, moved = true;
    }
  }
  return at;
}

// The largest first; ties by number. The bound is what lives at the worst layer.
static void place_activations(struct plan *plan) {
  uint32_t count = plan->net->tensor_count;
  struct life *life = lives(plan->net);
  bool *placed = memory_new(count, sizeof *placed);
  for (uint32_t n = 0; n < count; n++) {
    uint32_t best = count;
    for (uint32_t i = 0; i < count; i++) {
      if (!placed[i] && (best == count || life[i].bytes > life[best].bytes))
        best = i;
    }
    plan->place[best] = lowest(plan, life, placed, best);
    placed[best] = true;
    uint32_t end = plan->place[best] + life[best].bytes;
    plan->activations = end > plan->activations ? end : plan->activations;
  }
  for (uint32_t l = 0; l < plan->net->layer_count; l++) {
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
      bytes += life[i].begin <= l && l <= life[i].end ? life[i].bytes : 0;
    plan->bound = bytes > plan->bound ? bytes : plan->bound;
  }
  free(placed);
  free(life);
}

// ---------------------------------------------------------------------------- weights

static void add_piece(struct plan *plan, struct tile_span span, uint32_t bytes) {
  MEMORY_APPEND(plan->pieces, plan->piece_count);
  MEMORY_APPEND(plan->spans, plan->piece_count);
  plan->pieces[plan->piece_count] = (struct tile_piece){.l3 = plan->l3_bytes, .bytes = bytes};
  plan->spans[plan->piece_count++] = span;
  plan->l3_bytes += bytes;
}

// A layer's filters in one piece if that is at most half of the ring, else as many tiles of
// channels at a time as half of it takes: the next ones arrive while these are used.
static void cut(struct plan *plan, struct plan_layer *l) {
  const struct tile_layer *t = &l->tile;
  uint32_t tiles = tile_count(t), rows = (t->out_h + t->tile_h - 1u) / t->tile_h;
  l->first_piece = plan->piece_count;
  if (!t->weight_bytes)
    return;
  uint32_t channels = tiles / rows, half = plan->ring_bytes / 2,
           each = half / t->weight_bytes ? half / t->weight_bytes : 1;
  if (t->rows_first)
    each = channels;
  for (uint32_t c = 0; c < channels; c += each) {
    uint32_t more = channels - c < each ? channels - c : each;
    add_piece(plan, (struct tile_span){c * rows, (c + more) * rows, c}, more * t->weight_bytes);
  }
  l->piece_count = plan->piece_count - l->first_piece;
}

// Each piece behind the one before, or at the ring's start; its place is free when all earlier
// pieces that had a part of it are done.
static void place_pieces(struct plan *plan) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < plan->piece_count; i++) {
    struct tile_piece *p = &plan->pieces[i];
    if (at + p->bytes > plan->ring_bytes)
      at = 0;
    p->l2 = at;
    at = up(at + p->bytes, 4);
    for (uint32_t j = 0; j < i; j++) {
      const struct tile_piece *q = &plan->pieces[j];
      if (q->l2 < p->l2 + p->bytes && p->l2 < q->l2 + q->bytes)
        p->after = j + 1;
    }
  }
}

// ---------------------------------------------------------------------------- the plan

static bool plan_layers(struct plan *plan, const struct plan_options *o, struct net_error *error) {
  const struct net *net = plan->net;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    struct plan_layer *l = &plan->layers[i];
    if (!lower_layer(net, &net->layers[i], &l->tile, error) ||
        !tiles_choose(l, net->layers[i].name, o, plan->ring_bytes, error))
      return false;
    l->weights = lower_weights(net, &net->layers[i], &l->tile, &l->weight_bytes);
    cut(plan, l);
  }
  place_pieces(plan);
  return true;
}

static bool make_plan(struct plan *plan, const struct plan_options *o, struct net_error *error) {
  place_activations(plan);
  uint32_t used = o->code + plan->activations;
  if (used >= o->l2) {
    net_fail(error,
             "%.80s: the program (%u) and the activations (%u) take %u bytes of L2, there are %u: "
             "%u are missing",
             plan->net->name, o->code, plan->activations, used, o->l2, used - o->l2 + 1);
    return fail(error);
  }
  plan->ring = plan->activations;
  plan->ring_bytes = (o->l2 - used) & ~3u;
  return plan_layers(plan, o, error);
}

struct plan *plan_new(const struct net *net, const struct plan_options *options,
                      struct net_error *error) {
  struct plan *plan = memory_new(1, sizeof *plan);
  plan->net = net;
  plan->layers = memory_new(net->layer_count, sizeof *plan->layers);
  plan->place = memory_new(net->tensor_count, sizeof *plan->place);
  if (make_plan(plan, options, error))
    return plan;
  plan_free(plan);
  return NULL;
}

void plan_free(struct plan *plan) {
  if (!plan)
    return;
  for (uint32_t i = 0; i < plan->net->layer_count; i++)
    free(plan->layers[i].weights);
  free(plan->layers);
  free(plan->place);
  free(plan->pieces);
  free(plan->spans);
  free(plan);
}
