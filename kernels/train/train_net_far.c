// kernels/train/train_net_far.c: see train_net_far.h.
#include "train_net_far.h"

#include <stddef.h>

#include "kernels/train/train_net_layers.h"

#ifdef __riscv // hosts have no L3

static const struct train_net_far_layer *layer_of(const struct train_net *net, uint32_t layer) {
  return &net->far->layer[layer];
}

// The next one in L3 above or below; count if there is none.
static uint32_t next_far(const struct train_net *net, uint32_t layer, bool forward) {
  do
    layer += forward ? 1u : UINT32_MAX;
  while (layer < net->count && !layer_of(net, layer)->far);
  return layer < net->count ? layer : net->count;
}

// ---------------------------------------------------------------- slots, by core 0

static struct train_net_far_slot *slot_of(struct train_net_far_ring *ring,
                                          const struct train_net_far_layer *l) {
  return &ring->slot[l->order % ring->slots];
}

// What the slot holds may be overwritten.
static void let_leave(struct train_net_far_slot *s) {
  if (s->leaves)
    rt_l3_wait(s->out);
  s->leaves = false;
}

static void let_come(struct train_net_far_slot *s) {
  if (s->comes)
    rt_l3_wait(s->in);
  s->comes = false;
}

static void start(const struct train_net *net, struct train_net_far_ring *ring, uint32_t layer) {
  const struct train_net_far_layer *l = layer_of(net, layer);
  struct train_net_far_slot *s = slot_of(ring, l);
  if (s->holds == layer + 1)
    return;
  let_leave(s);
  s->in = rt_l3_in(s->floats, ring->l3 + l->at, l->floats * 4);
  s->comes = true;
  s->holds = layer + 1;
}

// Only if it waits for nothing: else there is another occasion.
static void start_ahead(const struct train_net *net, struct train_net_far_ring *ring,
                        uint32_t layer) {
  if (layer == net->count)
    return;
  const struct train_net_far_slot *s = slot_of(ring, layer_of(net, layer));
  if (rt_l3_room(false) && (!s->leaves || rt_l3_done(s->out)))
    start(net, ring, layer);
}

static void bring(const struct train_net *net, struct train_net_far_ring *ring, uint32_t layer) {
  start(net, ring, layer);
  let_come(slot_of(ring, layer_of(net, layer)));
}

// The slot is the layer's, whatever it holds.
static void claim(const struct train_net *net, struct train_net_far_ring *ring, uint32_t layer) {
  struct train_net_far_slot *s = slot_of(ring, layer_of(net, layer));
  let_leave(s);
  let_come(s);
  s->holds = layer + 1;
}

static void put(const struct train_net *net, struct train_net_far_ring *ring, uint32_t layer) {
  const struct train_net_far_layer *l = layer_of(net, layer);
  struct train_net_far_slot *s = slot_of(ring, l);
  s->out = rt_l3_out(ring->l3 + l->at, s->floats, l->floats * 4);
  s->leaves = true;
}

// ---------------------------------------------------------------- passes

static void want(const struct train_net *net, uint32_t layer, bool forward) {
  struct train_net_far *far = net->far;
  const struct train_net_far_layer *l = layer_of(net, layer);
  rt_barrier();
  if (rt_core_id() == 0) {
    if (l->far)
      bring(net, &far->weights, layer);
    start_ahead(net, &far->weights, next_far(net, layer, forward));
    if (l->far && net->sums && !forward && far->examples > 0)
      start_ahead(net, &far->sums, layer);
  }
  if (l->far)
    rt_barrier();
}

static void hold(const struct train_net *net, uint32_t layer) {
  if (!layer_of(net, layer)->far)
    return;
  rt_barrier();
  if (rt_core_id() == 0)
    bring(net, &net->far->weights, layer);
  rt_barrier();
}

// ---------------------------------------------------------------- learning

static float *sums_of(const struct train_net *net, uint32_t layer) {
  const struct train_net_far_layer *l = layer_of(net, layer);
  return l->far ? slot_of(&net->far->sums, l)->floats
                : net->sums + (net->layers[layer].weights - net->weights);
}

// By a step, or into the sums.
static enum kernel_status take(const struct train_net *net, uint32_t layer) {
  uint32_t floats = layer_of(net, layer)->floats;
  if (net->sums)
    return train_net_combine(net, sums_of(net, layer), net->gradients, net->far->examples > 0, 0,
                             floats);
  return train_net_combine(net, net->layers[layer].weights, net->gradients, -net->rate, 0, floats);
}

static enum kernel_status learn(const struct train_net *net, uint32_t layer) {
  struct train_net_far *far = net->far;
  struct train_net_far_ring *ring = net->sums ? &far->sums : &far->weights;
  if (!layer_of(net, layer)->far)
    return take(net, layer);
  rt_barrier();
  if (rt_core_id() == 0) {
    if (net->sums && far->examples > 0)
      bring(net, ring, layer);
    claim(net, ring, layer);
  }
  rt_barrier();
  KERNEL_CHECK(take(net, layer));
  rt_barrier();
  if (rt_core_id() == 0) {
    put(net, ring, layer);
    start_ahead(net, &far->weights, next_far(net, layer, false));
  }
  return KERNEL_OK;
}

static void add(const struct train_net *net) {
  if (rt_core_id() == 0)
    net->far->examples++;
  rt_barrier();
}

static enum kernel_status step(const struct train_net *net, uint32_t layer) {
  struct train_net_far *far = net->far;
  const struct train_net_far_layer *l = layer_of(net, layer);
  if (l->far && rt_core_id() == 0) {
    start(net, &far->weights, layer);
    bring(net, &far->sums, layer);
    claim(net, &far->weights, layer);
    start_ahead(net, &far->weights, next_far(net, layer, true));
    start_ahead(net, &far->sums, next_far(net, layer, true));
  }
  if (l->far)
    rt_barrier();
  KERNEL_CHECK(train_net_combine(net, net->layers[layer].weights, sums_of(net, layer), -net->rate,
                                 0, l->floats));
  rt_barrier();
  if (l->far && rt_core_id() == 0)
    put(net, &far->weights, layer);
  return KERNEL_OK;
}

static enum kernel_status descend(const struct train_net *net) {
  for (uint32_t i = 0; i < net->count && net->sums; i++) {
    if (net->layers[i].weights && !net->layers[i].frozen)
      KERNEL_CHECK(step(net, i));
  }
  rt_barrier();
  if (rt_core_id() == 0)
    net->far->examples = 0;
  rt_barrier();
  return KERNEL_OK;
}

void train_net_far_settle(const struct train_net *net) {
  if (rt_core_id() == 0) {
    for (uint32_t i = 0; i < net->far->weights.slots; i++)
      let_leave(&net->far->weights.slot[i]);
  }
  rt_barrier();
}

const struct train_net_far_calls train_net_far_calls = {want, hold, learn, add, descend};

#endif
