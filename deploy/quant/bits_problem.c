// deploy/quant/bits_problem.c: what the choice of bits sees of a network.
#include <stdlib.h>

#include "bits.h"
#include "deploy/memory.h"

// Kernels of pools, resizing and tables give what they get, in as many bits.
static bool keeps_bits(enum net_kind kind) {
  return kind == NET_MAXPOOL || kind == NET_AVGPOOL || kind == NET_RESIZE || kind == NET_TABLE;
}

static bool is_output(const struct net *net, int tensor) {
  for (uint32_t i = 0; i < net->output_count; i++) {
    if (net->outputs[i] == tensor)
      return true;
  }
  return false;
}

// Tensors' groups: numbers from 0 on. What other layers without weights give has as many bits as
// their first input, too (quantize.h), but for the network's outputs.
static uint32_t *group_tensors(const struct net *net, uint32_t *count) {
  uint32_t *groups = memory_new(net->tensor_count, sizeof *groups);
  for (uint32_t i = 0; i < net->tensor_count; i++)
    groups[i] = i;
  for (uint32_t i = 0; i < net->layer_count; i++) { // in order: the input's group is final
    const struct net_layer *l = &net->layers[i];
    if (keeps_bits(l->kind) || (!net_has_weights(l->kind) && !is_output(net, l->output)))
      groups[l->output] = groups[l->inputs[0]];
  }
  *count = net->tensor_count; // groups that a tensor has given up stay empty
  return groups;
}

static uint32_t last_use(const struct net *net, int tensor) {
  uint32_t last = 0;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    for (uint32_t k = 0; k < net->layers[i].input_count; k++)
      last = net->layers[i].inputs[k] == tensor ? i : last;
    last = net->layers[i].output == tensor ? i : last;
  }
  for (uint32_t i = 0; i < net->output_count; i++)
    last = net->outputs[i] == tensor ? net->layer_count : last;
  return last;
}

// A tensor is there from the layer that writes it; inputs from the first that reads them.
static uint32_t first_use(const struct net *net, int tensor) {
  for (uint32_t i = 0; i < net->layer_count; i++) {
    if (net->layers[i].output == tensor)
      return i;
    for (uint32_t k = 0; k < net->layers[i].input_count; k++) {
      if (net->layers[i].inputs[k] == tensor)
        return i;
    }
  }
  return net->layer_count;
}

static struct bits_tensor tensor_of(const struct net *net, const uint32_t *groups, int number) {
  const struct net_tensor *t = &net->tensors[number];
  return (struct bits_tensor){groups[number], (uint64_t)t->h * t->w * t->c};
}

static void fill_alive(const struct net *net, const uint32_t *groups, uint32_t layer,
                       struct bits_layer *l) {
  for (uint32_t t = 0; t < net->tensor_count; t++) {
    if (first_use(net, (int)t) > layer || last_use(net, (int)t) < layer)
      continue;
    l->alive = memory_grow(l->alive, l->alive_count + 1, sizeof *l->alive);
    l->alive[l->alive_count++] = tensor_of(net, groups, (int)t);
  }
}

struct bits_problem *bits_problem_new(const struct net *net) {
  struct bits_problem *p = memory_new(1, sizeof *p);
  uint32_t *groups = group_tensors(net, &p->group_count);
  p->layer_count = net->layer_count;
  p->layers = memory_new(net->layer_count, sizeof *p->layers);
  p->fixed = memory_new(p->group_count, sizeof *p->fixed);
  for (uint32_t i = 0; i < net->input_count; i++)
    p->fixed[groups[net->inputs[i]]] = true;
  for (uint32_t i = 0; i < net->output_count; i++)
    p->fixed[groups[net->outputs[i]]] = true;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *from = &net->layers[i];
    struct bits_layer *l = &p->layers[i];
    l->name = from->name;
    l->weights = net_weight_count(net, from);
    l->channels = net_output(net, from)->c;
    l->x = tensor_of(net, groups, from->inputs[0]);
    l->y = tensor_of(net, groups, from->output);
    fill_alive(net, groups, i, l);
  }
  free(groups);
  return p;
}

void bits_problem_free(struct bits_problem *problem) {
  if (!problem)
    return;
  for (uint32_t i = 0; i < problem->layer_count; i++)
    free(problem->layers[i].alive);
  free(problem->layers);
  free(problem->fixed);
  free(problem);
}
