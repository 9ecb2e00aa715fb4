#include "far.h"

#include <stdlib.h>

#include "deploy/memory.h"

enum {
  STRIPE_BYTES = 65536, // of a layer's stripes together, where there is room
  SHORT_BYTES = 8192,   // shorter ones cost more than another tensor in L3
  LEAST_BYTES = 1024    // a tensor that is not worth it
};

struct stripes_wish far_new(const struct net *legal) {
  struct stripes_wish f = {memory_new(legal->tensor_count, sizeof *f.far),
                           memory_new(legal->layer_count, sizeof *f.bytes),
                           memory_new(legal->layer_count, sizeof *f.alone)};
  for (uint32_t i = 0; i < legal->layer_count; i++)
    f.bytes[i] = STRIPE_BYTES;
  return f;
}

void far_free(struct stripes_wish *f) {
  free(f->far);
  free(f->bytes);
  free(f->alone);
}

static bool is_output(const struct net *net, uint32_t tensor) {
  for (uint32_t i = 0; i < net->output_count; i++) {
    if (net->outputs[i] == (int)tensor)
      return true;
  }
  return false;
}

static bool lives_there(const struct plan *plan, uint32_t tensor) {
  const struct life *l = &plan->lives.life[tensor];
  return l->begin <= plan->shortage.layer && plan->shortage.layer <= l->end;
}

// The least tensor without which the others fit side by side, else the largest; NET_NONE: none that
// lives there can go.
static int candidate(const struct stripes_wish *f, const struct plan *plan) {
  int best = NET_NONE;
  uint64_t all = 0, bytes = 0;
  for (uint32_t t = 0; t < plan->net->tensor_count; t++)
    all += lives_there(plan, t) ? plan->lives.life[t].bytes : 0;
  bool enough = false;
  for (uint32_t t = 0; t < plan->legal->tensor_count; t++) {
    uint32_t own = plan->lives.life[t].bytes;
    bool frees = all - own <= plan->l2_limit;
    if (!lives_there(plan, t) || f->far[t] || own < LEAST_BYTES || is_output(plan->legal, t) ||
        (enough && !frees))
      continue;
    if (best == NET_NONE || (frees && !enough) || (frees ? own < bytes : own > bytes))
      best = (int)t, bytes = own, enough = frees;
  }
  return best;
}

// Bytes that come and go at the layer.
static int64_t moving(const struct plan *plan) {
  int64_t bytes = 0;
  for (uint32_t t = plan->legal->tensor_count; t < plan->net->tensor_count; t++) {
    bytes += lives_there(plan, t) ? (int64_t)plan->lives.life[t].bytes : 0;
  }
  return bytes;
}

// A quarter at a time. False: they have one row each.
static bool shrink(struct stripes_wish *f, const struct plan *plan) {
  uint32_t layer = plan->stripes.layers[plan->shortage.layer].of,
           rows = stripes_rows(plan->legal, layer, f->far, f->bytes[layer]);
  while (f->bytes[layer] > 1) {
    f->bytes[layer] -= f->bytes[layer] / 4 + 1;
    if (stripes_rows(plan->legal, layer, f->far, f->bytes[layer]) < rows)
      return true;
  }
  return false;
}

// Stripes whose rows come or go at the layer, one at a time. False: they are so already.
static bool part(struct stripes_wish *f, const struct plan *plan) {
  uint32_t last = plan->shortage.layer, first = last > 0 ? last - 1 : 0;
  bool changed = false;
  for (uint32_t i = first; i <= last; i++) { // what the one in front makes may be on its way
    uint32_t layer = plan->stripes.layers[i].of;
    changed |= !f->alone[layer];
    f->alone[layer] = true;
  }
  return changed;
}

// What was short without it, need not be any longer.
static void send(struct stripes_wish *f, const struct net *net, int tensor) {
  f->far[tensor] = true;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    bool touches = l->output == tensor;
    for (uint32_t k = 0; k < l->input_count; k++)
      touches |= l->inputs[k] == tensor;
    f->bytes[i] = touches ? STRIPE_BYTES : f->bytes[i];
  }
}

// Stripes become smaller as long as that can be enough, and they stay worth a transfer each.
bool far_more(struct stripes_wish *f, const struct plan *plan) {
  uint32_t layer = plan->stripes.layers[plan->shortage.layer].of;
  int tensor = candidate(f, plan);
  int64_t bytes = moving(plan);
  bool small = f->bytes[layer] < SHORT_BYTES || bytes * 7 / 8 < plan->shortage.missing;
  if (bytes > 0 && (tensor == NET_NONE || !small) && shrink(f, plan))
    return true;
  if (tensor == NET_NONE)
    return bytes > 0 && part(f, plan);
  send(f, plan->legal, tensor);
  return true;
}
