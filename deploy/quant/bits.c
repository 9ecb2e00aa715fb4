// deploy/quant/bits.c
#include "bits.h"

#include <stdio.h>
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

bool bits_scheme_possible(bool per_channel, enum bits_scheme scheme, struct net_error *error) {
  if (!per_channel || scheme != BITS_FOLDED)
    return true;
  if (error)
    error->status = EX_USAGE;
  return net_fail(error,
                  "--scheme folded has one factor for a layer, and --per-channel a scale for "
                  "each filter: give --per-layer, or --scheme icn or thresholds");
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

// ---------------------------------------------------------------------------- what fits

static uint32_t worst_layer(const struct bits_problem *p, const struct bits_result *r) {
  uint32_t worst = 0;
  for (uint32_t i = 1; i < p->layer_count; i++) {
    if (bits_layer_bytes(p, i, r) > bits_layer_bytes(p, worst, r))
      worst = i;
  }
  return worst;
}

bool bits_judge(const struct bits_problem *p, const struct bits_budget *budget,
                struct bits_result *r, struct net_error *error) {
  uint32_t worst = worst_layer(p, r);
  unsigned long long peak = bits_layer_bytes(p, worst, r), whole = bits_read_only(p, budget, r);
  unsigned long long rw = budget->read_write, ro = budget->read_only;
  char write[300] = "", read[200] = "";
  r->peak_bytes = peak, r->read_only_bytes = whole;
  if (peak > rw)
    snprintf(write, sizeof write,
             "layer %u ('%.100s') needs %llu bytes of activations, %llu more than the %llu of "
             "read-write memory",
             worst, p->layers[worst].name, peak, peak - rw, rw);
  if (whole > ro)
    snprintf(read, sizeof read,
             "weights and parameters need %llu bytes, %llu more than the %llu of read-only memory",
             whole, whole - ro, ro);
  if (!*write && !*read)
    return true;
  return net_fail(error, "no solution: with as few bits as can be chosen, %s%s%s", write,
                  *write && *read ? "; " : "", read);
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

static void assign_activations(const struct bits_problem *p, const struct bits_budget *budget,
                               struct bits_result *r) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i + 1 < p->layer_count; i++)
      changed |= cut(p, budget, r, i, p->layers[i].x, p->layers[i].y, true);
    for (uint32_t i = p->layer_count - 1; i > 0; i--)
      changed |= cut(p, budget, r, i, p->layers[i].y, p->layers[i].x, false);
  }
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

static void assign_weights(const struct bits_problem *p, const struct bits_budget *budget,
                           struct bits_result *r) {
  while (bits_read_only(p, budget, r) > budget->read_only) {
    uint32_t layer = heaviest(p, r);
    if (layer == p->layer_count)
      return;
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
  assign_activations(p, budget, r);
  assign_weights(p, budget, r);
  return bits_judge(p, budget, r, error);
}

void bits_result_free(struct bits_result *r) {
  free(r->groups);
  free(r->weights);
}
