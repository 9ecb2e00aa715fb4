// deploy/quant/bits_losses.c: what fewer bits of one tensor cost.
#include <stdlib.h>
#include <string.h>

#include "bits_program.h"
#include "deploy/memory.h"
#include "trials.h"

struct measure {
  const struct bits_problem *p;
  struct trials *trials;
  uint8_t *weights, *outputs; // lists of layers with weights
  double base;                // the error with 8 bits
  struct net_error *error;
};

// One tensor of a layer at 4 and at 2 bits; `bits` is its place in a list.
static bool measure_tensor(struct measure *m, uint32_t layer, uint8_t *bits,
                           double losses[BITS_CHOICES]) {
  losses[0] = 0;
  for (int k = 1; k < BITS_CHOICES; k++) {
    *bits = (uint8_t)(8 >> k);
    double error = trials_error(m->trials, layer, m->error);
    *bits = 8;
    if (error < 0)
      return false;
    losses[k] = error > m->base ? error - m->base : 0;
    if (losses[k] < losses[k - 1])
      losses[k] = losses[k - 1];
  }
  return true;
}

static bool measure_all(struct measure *m, struct bits_losses *losses) {
  m->base = trials_error(m->trials, m->p->layer_count, m->error);
  bool good = m->base >= 0;
  for (uint32_t i = 0, at = 0; good && i < m->p->layer_count; i++) {
    const struct bits_layer *l = &m->p->layers[i];
    if (!l->weights)
      continue;
    good = measure_tensor(m, i, &m->weights[at], losses->weights[i]);
    if (good && !m->p->fixed[l->y.group])
      good = measure_tensor(m, i, &m->outputs[at], losses->groups[l->y.group]);
    at++;
  }
  return good;
}

bool bits_losses_measure(struct real_net *real, const struct bits_problem *p,
                         const struct quantize_samples *samples,
                         const struct quantize_options *options, struct bits_losses *losses,
                         struct net_error *error) {
  struct measure m = {.p = p, .error = error};
  struct quantize_options eights = *options;
  m.weights = memory_new(p->layer_count, 1), m.outputs = memory_new(p->layer_count, 1);
  memset(m.weights, 8, p->layer_count);
  memset(m.outputs, 8, p->layer_count);
  eights.weight_bits = eights.activation_bits = 8;
  eights.weight_list = m.weights, eights.output_list = m.outputs;
  eights.list_count = p->layer_count;
  losses->weights = memory_new(p->layer_count, sizeof *losses->weights);
  losses->groups = memory_new(p->group_count, sizeof *losses->groups);
  m.trials = trials_new(real, samples, &eights, error);
  bool good = m.trials && measure_all(&m, losses);
  if (m.trials)
    trials_free(m.trials);
  free(m.weights);
  free(m.outputs);
  return good;
}

void bits_losses_free(struct bits_losses *losses) {
  free(losses->weights);
  free(losses->groups);
}
