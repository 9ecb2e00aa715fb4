#include "meet.h"

#include "deploy/memory.h"

static uint32_t up(uint32_t value) {
  return (value + 3) & ~3u;
}

static enum stripes_role role_of(const struct plan *plan, int tensor) {
  return plan->stripes.tensors[tensor].role;
}

// The network's inputs stand in L3 as the caller puts them there.
static void place_far(struct plan *plan) {
  const struct net *net = plan->net;
  uint32_t at = 0;
  plan->far_places = memory_new(net->tensor_count, sizeof *plan->far_places);
  for (uint32_t i = 0; i < net->input_count; i++) {
    plan->far_places[net->inputs[i]] = at;
    at += (uint32_t)net_tensor_bytes(&net->tensors[net->inputs[i]]);
  }
  for (uint32_t t = 0; t < net->tensor_count; t++) {
    bool input = false;
    for (uint32_t i = 0; i < net->input_count; i++)
      input |= net->inputs[i] == (int)t;
    if (input || role_of(plan, (int)t) != STRIPES_FAR)
      continue;
    plan->far_places[t] = at = up(at);
    at += (uint32_t)net_tensor_bytes(&net->tensors[t]);
  }
  plan->far_bytes = at;
}

static void add_stripe(struct plan *plan, int tensor) {
  const struct stripes_tensor *t = &plan->stripes.tensors[tensor];
  const struct net_tensor *whole = &plan->net->tensors[t->of];
  MEMORY_APPEND(plan->leaving, plan->leaving_count);
  plan->leaving[plan->leaving_count++] =
      (struct tile_stripe){.l3 = plan->far_places[t->of] + t->row * stripes_row_bytes(whole),
                           .l2 = plan->lives.life[tensor].place,
                           .bytes = (uint32_t)net_tensor_bytes(&plan->net->tensors[tensor])};
}

static bool shares_rows(const struct plan *plan, int a, int b) {
  const struct stripes_tensor *x = &plan->stripes.tensors[a], *y = &plan->stripes.tensors[b];
  return x->of == y->of && x->row < y->row + plan->net->tensors[b].h &&
         y->row < x->row + plan->net->tensors[a].h;
}

// Whether the layer reads of what the one in front of it makes, through L3.
static bool reads_at_once(const struct plan *plan, uint32_t layer) {
  const struct net_layer *l = &plan->net->layers[layer];
  for (uint32_t k = 0; k < l->input_count; k++) {
    if (role_of(plan, l->inputs[k]) == STRIPES_COME &&
        shares_rows(plan, l->inputs[k], l[-1].output))
      return true;
  }
  return false;
}

// What a layer makes may be under way until the next one has ended, but of stripes that are alone.
void meet_leave(struct plan *plan) {
  uint32_t count = plan->net->layer_count, gone = 0;
  place_far(plan);
  plan->meetings = memory_new(count, sizeof *plan->meetings);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t before = plan->leaving_count;
    int out = plan->net->layers[i].output;
    bool goes = role_of(plan, out) == STRIPES_GO;
    if (goes)
      add_stripe(plan, out);
    if (!goes && gone == before)
      continue;
    bool now =
        goes && (i + 1 == count || plan->stripes.layers[i].alone || reads_at_once(plan, i + 1));
    uint32_t wait = now ? plan->leaving_count : before;
    plan->meetings[i].leave = (uint16_t)plan->leaving_count;
    plan->meetings[i].gone = wait > gone ? (uint16_t)wait : 0;
    gone = wait;
  }
}

void meet_arrive(struct plan *plan) {
  for (uint32_t i = 0; i < plan->piece_count; i++) {
    if (plan->piece_tensors[i] >= 0)
      plan->meetings[plan->piece_layers[i]].arrive = (uint16_t)(i + 1);
  }
}

int meet_made(const struct plan *plan, int tensor) {
  uint32_t stripe = 0, needed = 0;
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    int out = plan->net->layers[i].output;
    if (role_of(plan, out) != STRIPES_GO)
      continue;
    stripe++;
    needed = shares_rows(plan, out, tensor) ? stripe : needed;
  }
  for (uint32_t i = 0; needed && i < plan->net->layer_count; i++) {
    if (plan->meetings[i].gone >= needed)
      return (int)i;
  }
  return NET_NONE;
}
