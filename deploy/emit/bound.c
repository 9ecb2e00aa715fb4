#include "bound.h"

#include "pieces.h"

enum { CORES = 8, DMA_BYTES = 8 };

static uint64_t parts(uint64_t total, uint64_t each) {
  return (total + each - 1) / each;
}

// Slots per so many MAC; of layers without, a word a slot.
static uint64_t compute(const struct tile_layer *t, uint64_t macs) {
  switch (t->kind) {
  case TILE_CONV:
    return parts(macs * 24, 64 * CORES);
  case TILE_DEPTHWISE:
    return parts(macs * 96, 90 * CORES);
  case TILE_LINEAR:
  case TILE_SUMS:
    return parts(macs * 17, 32 * CORES);
  default:
    return parts((uint64_t)t->in_h * t->in_w * t->in_c, 4 * CORES);
  }
}

static uint64_t moved(const struct tile_layer *t) {
  uint64_t patches = tile_patches(t), channels = parts(t->out_c, t->tile_c), in = 0;
  uint64_t in_parts = parts(t->in_c, t->tile_k);
  bool own = tile_by_channel(t), once = in_parts == 1 && (own || t->rows_first || patches == 1);
  for (unsigned i = 0; i < t->inputs; i++)
    in += t->here >> i & 1
              ? 0
              : tile_in_bytes(t, i) * patches * in_parts * (own || !once ? channels : 1);
  bool again = in_parts > 1 || (t->rows_first && channels > 1);
  uint64_t filters = (uint64_t)t->weight_bytes * tile_filters(t) * (again ? patches : 1);
  if (!t->stored)
    return in + filters;
  return in + filters + (uint64_t)t->out_h * t->out_w * tile_out_pixel(t, t->out_c);
}

// Filters and descriptions that do not stay in L2, and rows of activations that come and go.
static uint64_t through_l3(const struct plan *plan, uint32_t layer) {
  const struct net_layer *l = &plan->net->layers[layer];
  uint64_t bytes = 0;
  for (uint32_t i = pieces_kept(plan); i < plan->piece_count; i++) {
    if (plan->piece_layers[i] == layer && plan->piece_tensors[i] < 0)
      bytes += plan->pieces[i].bytes;
  }
  for (uint32_t k = 0; k < l->input_count; k++) {
    if (plan->stripes.tensors[l->inputs[k]].role == STRIPES_COME)
      bytes += net_tensor_bytes(&plan->net->tensors[l->inputs[k]]);
  }
  if (plan->stripes.tensors[l->output].role == STRIPES_GO)
    bytes += net_tensor_bytes(&plan->net->tensors[l->output]);
  return bytes;
}

struct bound bound_of(const struct plan *plan, uint32_t layer) {
  const struct plan_layer *l = &plan->layers[layer];
  return (struct bound){compute(&l->tile, net_macs(plan->net, &plan->net->layers[layer])),
                        parts(moved(&l->tile), DMA_BYTES), through_l3(plan, layer)};
}

uint64_t bound_most(const struct bound *b, const char **which) {
  uint64_t most = b->compute > b->l2 ? b->compute : b->l2;
  *which = b->compute >= b->l2 ? "compute" : "l2";
  if (b->l3 <= most)
    return most;
  *which = "l3";
  return b->l3;
}

uint64_t bound_estimate(const struct plan *plan) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    const struct plan_layer *l = &plan->layers[i];
    const struct bound b = bound_of(plan, i);
    const char *which;
    uint64_t own = l->cycles ? l->cycles : l->estimate, most = bound_most(&b, &which);
    sum += own > most ? own : most;
  }
  return sum;
}
