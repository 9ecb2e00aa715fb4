// deploy/quant/bits.c
#include "bits.h"

#include <stdlib.h>
#include <sysexits.h>

#include "deploy/memory.h"

enum { MOST = 8, LEAST = 2 };

// Algorithm 2 cuts the first of the layers that hold the largest part of the weights, or nearly.
static const double delta = 0.05;

static uint64_t bytes_of(uint64_t elements, uint8_t bits) {
  return (elements * bits + 7) / 8;
}

// ---------------------------------------------------------------------------- footprints

enum bits_scheme bits_scheme_of(const struct bits_budget *budget, uint8_t weights,
                                uint8_t out_bits) {
  if (budget->scheme != BITS_DEFAULT)
    return budget->scheme;
  return !budget->per_channel && weights == 8 && out_bits == 8 ? BITS_FOLDED : BITS_ICN;
}

uint64_t bits_parameter_bytes(const struct bits_budget *budget, uint32_t channels, uint8_t weights,
                              uint8_t out_bits) {
  uint64_t c = channels, zeros = 1 + 1 + (budget->per_channel ? 2 * c : 1); // Z_x, Z_y, Z_w
  switch (bits_scheme_of(budget, weights, out_bits)) {
  case BITS_FOLDED:
    return zeros + 4 * c + 4 + 1; // B_q, M0, N0
  case BITS_THRESHOLDS:
    return zeros + 2 * c * ((uint64_t)1 << out_bits);
  default:
    return zeros + 4 * c + 4 * c + c;
  }
}

uint64_t bits_weight_bytes(const struct bits_problem *p, uint32_t layer,
                           const struct bits_result *r) {
  return bytes_of(p->layers[layer].weights, r->weights[layer]);
}

uint64_t bits_read_only(const struct bits_problem *p, const struct bits_budget *budget,
                        const struct bits_result *r) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < p->layer_count; i++) {
    const struct bits_layer *l = &p->layers[i];
    if (l->weights)
      sum += bits_weight_bytes(p, i, r) +
             bits_parameter_bytes(budget, l->channels, r->weights[i], r->groups[l->y.group]);
  }
  return sum;
}

uint64_t bits_layer_bytes(const struct bits_problem *p, uint32_t layer,
                          const struct bits_result *r) {
  const struct bits_layer *l = &p->layers[layer];
  uint64_t sum = 0;
  for (uint32_t i = 0; i < l->alive_count; i++)
    sum += bytes_of(l->alive[i].elements, r->groups[l->alive[i].group]);
  return sum;
}

// ---------------------------------------------------------------------------- algorithm 1

// Whether the second of a layer's two tensors is the one to be cut: it is the wider or the larger.
static bool cut_bits(const struct bits_result *r, struct bits_tensor first,
                     struct bits_tensor second, bool ties) {
  uint8_t q1 = r->groups[first.group], q2 = r->groups[second.group];
  uint64_t mem1 = first.elements * q1, mem2 = second.elements * q2;
  return q2 > LEAST && (q2 > q1 || (q2 == q1 && (ties ? mem2 >= mem1 : mem2 > mem1)));
}

// Halves the second tensor's bits until the layer fits, or it is the other's turn.
static bool cut(const struct bits_problem *p, const struct bits_budget *budget,
                struct bits_result *r, uint32_t layer, struct bits_tensor first,
                struct bits_tensor second, bool ties) {
  bool changed = false, alone = p->fixed[first.group] || first.group == second.group;
  while (bits_layer_bytes(p, layer, r) > budget->read_write && !p->fixed[second.group] &&
         (alone ? r->groups[second.group] > LEAST : cut_bits(r, first, second, ties))) {
    r->groups[second.group] /= 2;
    changed = true;
  }
  return changed;
}

static uint32_t worst_layer(const struct bits_problem *p, const struct bits_result *r) {
  uint32_t worst = 0;
  for (uint32_t i = 1; i < p->layer_count; i++) {
    if (bits_layer_bytes(p, i, r) > bits_layer_bytes(p, worst, r))
      worst = i;
  }
  return worst;
}

static bool assign_activations(const struct bits_problem *p, const struct bits_budget *budget,
                               struct bits_result *r, struct net_error *error) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i + 1 < p->layer_count; i++)
      changed |= cut(p, budget, r, i, p->layers[i].x, p->layers[i].y, true);
    for (uint32_t i = p->layer_count - 1; i > 0; i--)
      changed |= cut(p, budget, r, i, p->layers[i].y, p->layers[i].x, false);
  }
  uint32_t worst = worst_layer(p, r);
  r->peak_bytes = bits_layer_bytes(p, worst, r);
  if (r->peak_bytes <= budget->read_write)
    return true;
  return net_fail(
      error,
      "no solution: layer %u ('%.100s') needs %llu bytes of activations, %llu more than "
      "the %llu of read-write memory, with as few bits as the rule gives",
      worst, p->layers[worst].name, (unsigned long long)r->peak_bytes,
      (unsigned long long)(r->peak_bytes - budget->read_write),
      (unsigned long long)budget->read_write);
}

// ---------------------------------------------------------------------------- algorithm 2

// The layer to be cut; layer_count: none is left.
static uint32_t heaviest(const struct bits_problem *p, const struct bits_result *r) {
  double total = 0, most = -1;
  for (uint32_t i = 0; i < p->layer_count; i++)
    total += (double)bits_weight_bytes(p, i, r);
  for (uint32_t i = 0; i < p->layer_count; i++) {
    double part = (double)bits_weight_bytes(p, i, r) / total;
    if (r->weights[i] > LEAST && part > most)
      most = part;
  }
  for (uint32_t i = 0; i < p->layer_count; i++) {
    if (r->weights[i] > LEAST && (double)bits_weight_bytes(p, i, r) / total > most - delta)
      return i;
  }
  return p->layer_count;
}

static bool assign_weights(const struct bits_problem *p, const struct bits_budget *budget,
                           struct bits_result *r, struct net_error *error) {
  for (;;) {
    r->read_only_bytes = bits_read_only(p, budget, r);
    if (r->read_only_bytes <= budget->read_only)
      return true;
    uint32_t layer = heaviest(p, r);
    if (layer == p->layer_count)
      return net_fail(error,
                      "no solution: with 2 bits everywhere weights and parameters need %llu bytes, "
                      "%llu more than the %llu of read-only memory",
                      (unsigned long long)r->read_only_bytes,
                      (unsigned long long)(r->read_only_bytes - budget->read_only),
                      (unsigned long long)budget->read_only);
    r->weights[layer] /= 2;
  }
}

bool bits_assign(const struct bits_problem *p, const struct bits_budget *budget,
                 struct bits_result *r, struct net_error *error) {
  *r = (struct bits_result){.groups = memory_new(p->group_count, 1),
                            .weights = memory_new(p->layer_count, 1)};
  for (uint32_t i = 0; i < p->group_count; i++)
    r->groups[i] = MOST;
  for (uint32_t i = 0; i < p->layer_count; i++)
    r->weights[i] = p->layers[i].weights ? MOST : 0;
  struct net_error first = {.text = ""}, second = {.text = ""};
  bool activations = assign_activations(p, budget, r, &first);
  bool weights = assign_weights(p, budget, r, &second);
  if (activations && weights)
    return true;
  if (!activations && !weights)
    return net_fail(error, "%.330s; %.150s", first.text, second.text + sizeof "no solution:");
  return net_fail(error, "%s", activations ? second.text : first.text);
}

void bits_result_free(struct bits_result *r) {
  free(r->groups);
  free(r->weights);
}
