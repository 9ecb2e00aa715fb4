#include "mixed.h"

#include <math.h>
#include <stdlib.h>

#include "deploy/memory.h"

// A layer on its way: how many bits its input, its weights and its output lose.
struct mixing {
  const struct net *net;
  struct net_layer *layer;
  int in_zero; // as it was
  unsigned in, weights, out;
};

static int64_t sum_of(const int8_t *filter, size_t taps) {
  int64_t sum = 0;
  for (size_t i = 0; i < taps; i++)
    sum += filter[i];
  return sum;
}

// To the nearest, and as far below 0 as above, that sums stay where they are.
static void cut_weights(const struct mixing *m) {
  int most = (1 << (7 - m->weights)) - 1;
  for (size_t i = 0; i < m->layer->weight_count; i++) {
    int rounded = (m->layer->weights[i] + ((1 << m->weights) >> 1)) >> m->weights;
    m->layer->weights[i] = (int8_t)(rounded > most ? most : rounded < -most ? -most : rounded);
  }
}

// A factor as ICN has it: M0 in 2^30..2^31 - 1 and N0.
static void set_factor(struct net_requant *rq, uint32_t c, double factor) {
  int exponent;
  double mantissa = frexp(factor, &exponent);
  int64_t m0 = llround(mantissa * 2147483648.0);
  rq->kappa[c] = (int32_t)(m0 > INT32_MAX ? INT32_MAX : m0);
  rq->shifts[c] = (int8_t)exponent;
}

// kappa * sum + lambda of the sums as they were, less what the input's zero has in lambda; of the
// sums as they are, the same in the output's codes.
static void set_icn(const struct mixing *m, const int64_t *old_sums) {
  struct net_requant *rq = &m->layer->requant;
  uint32_t channels = net_output(m->net, m->layer)->c;
  size_t taps = m->layer->weight_count / channels;
  unsigned lost = m->in + m->weights;
  int shift = rq->shift;
  rq->kind = NET_ICN;
  rq->shifts = memory_new(channels, sizeof *rq->shifts);
  rq->shift = 0;
  for (uint32_t c = 0; c < channels; c++) {
    double kappa = rq->kappa[c], per_sum = ldexp(1.0, (int)lost);
    double offset = (double)rq->lambda[c] + m->in_zero * kappa * (double)old_sums[c];
    int64_t sum = sum_of(m->layer->weights + c * taps, taps);
    rq->lambda[c] = llround(offset / kappa / per_sum) - (m->in_zero >> m->in) * sum;
    set_factor(rq, c, kappa * per_sum / ldexp(1.0, shift + (int)m->out));
  }
}

static void mix_filters(const struct mixing *m) {
  struct net_layer *l = m->layer;
  uint32_t channels = net_output(m->net, l)->c;
  size_t taps = l->weight_count / channels;
  int64_t *sums = memory_new(channels, sizeof *sums);
  for (uint32_t c = 0; c < channels; c++)
    sums[c] = sum_of(l->weights + c * taps, taps);
  l->weight_bits = (uint8_t)(8 - m->weights);
  cut_weights(m);
  l->pad_value >>= m->in;
  if (l->requant.kind == NET_NORM && m->in + m->weights + m->out > 0)
    set_icn(m, sums);
  free(sums);
}

// Inputs are brought back to 8 bits by their factors.
static void mix_add(const struct mixing *m, const uint8_t *tensors) {
  struct net_layer *l = m->layer;
  for (uint32_t i = 0; i < l->input_count; i++) {
    unsigned lost = 8u - tensors[l->inputs[i]];
    l->scaled[i].mul *= 1 << lost;
    l->scaled[i].zero >>= lost;
  }
  l->requant.shift = (uint8_t)(l->requant.shift + m->out);
}

void family_mix(struct net *net, const uint8_t *weights, const uint8_t *tensors) {
  for (uint32_t i = 0; i < net->layer_count; i++) {
    struct net_layer *l = &net->layers[i];
    bool sums = net_output(net, l)->bits == 32;
    struct mixing m = {.net = net,
                       .layer = l,
                       .in_zero = net_input(net, l, 0)->zero,
                       .in = 8u - tensors[l->inputs[0]],
                       .weights = weights[i] ? 8u - weights[i] : 0,
                       .out = sums ? 0 : 8u - tensors[l->output]};
    if (net_has_weights(l->kind))
      mix_filters(&m);
    else if (l->kind == NET_ADD)
      mix_add(&m, tensors);
    if (!sums)
      l->requant.high = (1 << tensors[l->output]) - 1;
  }
  for (uint32_t i = 0; i < net->tensor_count; i++) {
    struct net_tensor *t = &net->tensors[i];
    if (t->bits == 32)
      continue;
    t->zero >>= 8 - tensors[i];
    t->bits = tensors[i];
  }
}
