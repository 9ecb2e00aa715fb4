// deploy/quant/equalize.c
#include "equalize.h"

#include <math.h>
#include <stdlib.h>

#include "deploy/memory.h"

enum { ROUNDS = 20 };

// A channel's factor in one round, and in all: what is more would only move the trouble elsewhere.
static const float most_factor = 4;

// The layer that alone reads what this one writes; NET_NONE.
static int only_reader(const struct net *net, int tensor) {
  int reader = NET_NONE;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    for (uint32_t k = 0; k < net->layers[i].input_count; k++) {
      if (net->layers[i].inputs[k] != tensor)
        continue;
      if (reader != NET_NONE)
        return NET_NONE;
      reader = (int)i;
    }
  }
  for (uint32_t i = 0; i < net->output_count; i++) {
    if (net->outputs[i] == tensor)
      return NET_NONE;
  }
  return reader;
}

static bool scales_through(const struct real_layer *l) {
  return l->function == REAL_IDENTITY && isinf(l->high) && (isinf(l->low) || fabsf(l->low) <= 0);
}

static int partner(const struct real_net *real, uint32_t layer) {
  const struct net_layer *l = &real->net->layers[layer];
  int next = only_reader(real->net, l->output);
  if (!net_has_weights(l->kind) || !scales_through(&real->layers[layer]) || next == NET_NONE)
    return NET_NONE;
  const struct net_layer *n = &real->net->layers[next];
  return net_has_weights(n->kind) && (n->kind != NET_CONV || n->groups == 1) ? next : NET_NONE;
}

// Input channel of the second layer's weight i.
static uint32_t channel_of(const struct net *net, const struct net_layer *l, size_t i) {
  if (l->kind == NET_DEPTHWISE)
    return (uint32_t)(i / (l->weight_count / net_output(net, l)->c));
  return (uint32_t)(i % net_input(net, l, 0)->c);
}

static void take_most(float *range, float weight) {
  *range = fmaxf(*range, fabsf(weight));
}

// The largest change of a channel.
static float equalize_pair(struct real_net *real, uint32_t first, uint32_t second) {
  const struct net *net = real->net;
  const struct net_layer *a = &net->layers[first], *b = &net->layers[second];
  struct real_layer *x = &real->layers[first], *y = &real->layers[second];
  uint32_t channels = net_output(net, a)->c;
  size_t taps = a->weight_count / channels;
  float *range_a = memory_new(channels, sizeof *range_a),
        *factor = memory_new(channels, sizeof *factor);
  float largest = 1;
  for (size_t i = 0; i < a->weight_count; i++)
    take_most(&range_a[i / taps], x->weights[i]);
  for (size_t i = 0; i < b->weight_count; i++)
    take_most(&factor[channel_of(net, b, i)], y->weights[i]);
  for (uint32_t c = 0; c < channels; c++) {
    float ratio = factor[c] > 0 && range_a[c] > 0 ? sqrtf(range_a[c] / factor[c]) : 1;
    factor[c] = fminf(fmaxf(ratio, 1 / most_factor), most_factor);
    largest = fmaxf(largest, fmaxf(factor[c], 1 / factor[c]));
    if (x->bias)
      x->bias[c] /= factor[c];
  }
  for (size_t i = 0; i < a->weight_count; i++)
    x->weights[i] /= factor[i / taps];
  for (size_t i = 0; i < b->weight_count; i++)
    y->weights[i] *= factor[channel_of(net, b, i)];
  free(range_a);
  free(factor);
  return largest;
}

uint32_t equalize(struct real_net *real) {
  uint32_t pairs = 0;
  float moved = 2;
  for (int round = 0; round < ROUNDS && moved > 1.01f; round++) {
    pairs = 0, moved = 1;
    for (uint32_t i = 0; i < real->net->layer_count; i++) {
      int next = partner(real, i);
      if (next == NET_NONE)
        continue;
      moved = fmaxf(moved, equalize_pair(real, i, (uint32_t)next));
      pairs++;
    }
  }
  return pairs;
}
