// deploy/tune/train_memory.c: see train_memory.h.
#include "deploy/tune/train_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sysexits.h>

#include "deploy/tune/train_again.h"

enum { SUM_SLOTS = 2 };

// ---------------------------------------------------------------- bytes

uint32_t train_memory_near(const struct train_plan *plan) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < plan->count; i++)
    sum += plan->layers[i].far ? 0 : train_plan_floats(&plan->layers[i]);
  return sum;
}

static uint32_t largest(const struct train_plan *plan, bool far) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < plan->count; i++) {
    uint32_t floats = train_plan_floats(&plan->layers[i]);
    most = floats > most && (!far || plan->layers[i].far) ? floats : most;
  }
  return most;
}

uint32_t train_memory_largest(const struct train_plan *plan) {
  return largest(plan, false);
}

uint32_t train_memory_largest_out(const struct train_plan *plan) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < plan->count; i++)
    most = train_plan_out(plan, i) > most ? train_plan_out(plan, i) : most;
  return (most + 1) / 2 * 2;
}

static uint64_t far_floats(const struct train_plan *plan) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < plan->count; i++)
    sum += plan->layers[i].far ? train_plan_floats(&plan->layers[i]) : 0;
  return sum;
}

static uint32_t shared_place(const struct train_plan *plan) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < plan->count; i++)
    most =
        plan->layers[i].shared && train_plan_out(plan, i) > most ? train_plan_out(plan, i) : most;
  return most;
}

// Input, outputs and their gradients.
static uint64_t activations(const struct train_plan *plan) {
  uint64_t sum = 2ull * train_memory_largest_out(plan) + train_plan_in(plan) + shared_place(plan);
  for (uint32_t i = 0; i < plan->count; i++)
    sum += plan->layers[i].shared || plan->layers[i].passes ? 0 : train_plan_out(plan, i);
  return sum;
}

// Weights are floats, in 16 bits with copies; their gradients have the type's size.
static uint64_t bytes_of(const struct train_plan *plan, const struct train_memory_options *o,
                         const struct train_memory *m) {
  uint32_t bytes = plan->type == TRAIN_F32 ? 4 : 2;
  uint64_t near = train_memory_near(plan), elements = activations(plan);
  uint64_t slots = m->slots ? m->slots + (o->batch > 1 ? SUM_SLOTS : 0) : 0;
  elements += m->at_once ? largest(plan, false) : near; // gradients
  elements += plan->type == TRAIN_F32 ? 0 : near;
  return elements * bytes + near * (o->batch > 1 ? 8 : 4) + slots * largest(plan, true) * 4;
}

static void measure(struct train_memory *m, const struct train_plan *plan,
                    const struct train_memory_options *o) {
  m->slot_floats = largest(plan, true);
  m->shared = shared_place(plan);
  m->l3_floats = far_floats(plan);
  m->l2_bytes = bytes_of(plan, o, m);
}

static bool fits(struct train_memory *m, const struct train_plan *plan,
                 const struct train_memory_options *o) {
  measure(m, plan, o);
  return m->l2_bytes <= o->l2_bytes;
}

// ---------------------------------------------------------------- computing again

// The lowest layer that goes backward.
static uint32_t lowest(const struct train_plan *plan) {
  uint32_t i = 0;
  while (i < plan->count && (!plan->layers[i].weights || plan->layers[i].layer.frozen))
    i++;
  return i;
}

// Outputs that nothing reads backward.
static void let_pass(struct train_plan *plan) {
  for (uint32_t i = 0; i + 1 < plan->count; i++)
    plan->layers[i].passes = i + 1 < lowest(plan);
}

// Whether a set in a place of `place` elements is better than the best so far: it frees enough for
// fewer cycles, or else more.
static bool is_better(const struct train_again *way, uint64_t place, const struct train_again *best,
                      uint64_t best_place, uint64_t wanted) {
  bool enough = way->elements >= wanted + place;
  if (enough != (best->elements >= wanted + best_place))
    return enough;
  return enough ? way->cycles < best->cycles : way->elements + best_place > best->elements + place;
}

// Outputs share a place, so that `wanted` elements are saved if that can be.
static uint64_t share_for(struct train_plan *plan, uint64_t wanted) {
  struct train_again best = {0, 0, 0};
  uint64_t best_place = 0;
  for (uint32_t i = 0; i < plan->count; i++) {
    uint32_t place = train_plan_out(plan, i);
    const struct train_again way = train_again_choose(plan, place, wanted + place);
    if (!is_better(&way, place, &best, best_place, wanted))
      continue;
    best = way;
    best_place = place;
  }
  train_again_mark(plan, best.set);
  return best.cycles;
}

// As few cycles as make all fit, or as is wished.
static bool share(struct train_plan *plan, const struct train_memory_options *o,
                  struct train_memory *m) {
  uint32_t bytes = plan->type == TRAIN_F32 ? 4 : 2;
  train_again_mark(plan, 0);
  m->again_cycles = 0;
  if (o->again == TRAIN_NONE || (o->again == TRAIN_FIT && fits(m, plan, o)))
    return fits(m, plan, o);
  uint64_t excess = fits(m, plan, o) ? 0 : m->l2_bytes - o->l2_bytes;
  m->again_cycles =
      share_for(plan, o->again == TRAIN_ALL ? UINT64_MAX / 2 : (excess + bytes - 1) / bytes);
  return fits(m, plan, o);
}

// ---------------------------------------------------------------- L3

static const struct train_plan *sorted; // for qsort()

static int by_floats(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  uint32_t x = train_plan_floats(&sorted->layers[a]), y = train_plan_floats(&sorted->layers[b]);
  return x != y ? (x < y ? -1 : 1) : (a < b ? -1 : a > b);
}

// The `many` smallest or largest ones.
static void move(struct train_plan *plan, const uint32_t *layers, uint32_t count, uint32_t many,
                 bool largest_first) {
  for (uint32_t i = 0; i < count; i++)
    plan->layers[layers[i]].far = largest_first ? i + many >= count : i < many;
}

struct choice {
  uint32_t many;
  bool largest_first;
  uint64_t floats;
};

// The fewest floats with which all fits, with two slots.
static struct choice best_to_move(struct train_plan *plan, const struct train_memory_options *o,
                                  struct train_memory *m, const uint32_t *layers, uint32_t count) {
  struct choice best = {count, true, UINT64_MAX};
  for (uint32_t i = 0; i < 2 * count; i++) {
    struct choice c = {i / 2 + 1, i % 2, 0};
    move(plan, layers, count, c.many, c.largest_first);
    c.floats = far_floats(plan);
    if (c.floats < best.floats && share(plan, o, m))
      best = c;
  }
  return best;
}

static bool move_some(struct train_plan *plan, const struct train_memory_options *o,
                      struct train_memory *m) {
  uint32_t *layers = malloc((plan->count + 1) * sizeof *layers), count = 0;
  if (!layers)
    return false;
  for (uint32_t i = 0; i < plan->count; i++)
    if (plan->layers[i].weights)
      layers[count++] = i;
  sorted = plan;
  qsort(layers, count, sizeof *layers, by_floats);
  m->at_once = true;
  m->slots = 2;
  struct choice c = {count, true, 0};
  if (o->l3 == TRAIN_FIT)
    c = best_to_move(plan, o, m, layers, count);
  move(plan, layers, count, c.many, c.largest_first);
  free(layers);
  bool fit = share(plan, o, m);
  m->slots = 3;
  if (fit && !fits(m, plan, o))
    m->slots = 2;
  measure(m, plan, o);
  return fit;
}

// ---------------------------------------------------------------- all

// Without L3: first with all gradients.
static bool stay(struct train_plan *plan, const struct train_memory_options *o,
                 struct train_memory *m) {
  struct train_memory_options kept = *o;
  if (kept.again == TRAIN_FIT)
    kept.again = TRAIN_NONE;
  if (share(plan, &kept, m))
    return true;
  m->at_once = o->batch == 1;
  return (m->at_once && share(plan, &kept, m)) || share(plan, o, m);
}

bool train_memory_choose(struct train_memory *m, struct train_plan *plan,
                         const struct train_memory_options *o, struct net_error *error) {
  *m = (struct train_memory){.slots = 0};
  if (o->l3 == TRAIN_ALL && plan->type != TRAIN_F32) {
    error->status = EX_UNAVAILABLE;
    return net_fail(error, "weights lie in L3 in floats, not in 16 bits");
  }
  let_pass(plan);
  if (o->l3 == TRAIN_ALL ? move_some(plan, o, m) : stay(plan, o, m))
    return true;
  if (o->l3 == TRAIN_FIT && plan->type == TRAIN_F32 && move_some(plan, o, m))
    return true;
  error->status = 80; // of pulpsim-tune: something has no room
  return net_fail(error,
                  "weights, gradients and activations take %" PRIu64
                  " bytes of L2, which has %" PRIu32 " for them",
                  m->l2_bytes, o->l2_bytes);
}
