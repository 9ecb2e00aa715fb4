// deploy/host/int_run.c
#include "int_run.h"

#include <stdlib.h>

#include "deploy/memory.h"
#include "int_layer.h"

struct int_run {
  const struct net *net;
  int32_t **values;  // per tensor
  int16_t **weights; // per layer; NULL without
  int16_t *columns;
};

static size_t elements(const struct net_tensor *t) {
  return (size_t)t->h * t->w * t->c;
}

void int_reload(struct int_run *run, uint32_t layer) {
  const struct net_layer *l = &run->net->layers[layer];
  if (net_has_weights(l->kind))
    int_conv_weights(run->net, l, run->weights[layer]);
}

struct int_run *int_new(const struct net *net) {
  struct int_run *run = memory_new(1, sizeof *run);
  run->net = net;
  run->values = memory_new(net->tensor_count, sizeof *run->values);
  run->weights = memory_new(net->layer_count, sizeof *run->weights);
  for (uint32_t i = 0; i < net->tensor_count; i++)
    run->values[i] = memory_new(elements(&net->tensors[i]), sizeof **run->values);
  size_t most = 0;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    if (!net_has_weights(l->kind))
      continue;
    run->weights[i] = memory_new(l->weight_count, sizeof **run->weights);
    int_reload(run, i);
    size_t columns = int_conv_columns(l, net_input(net, l, 0), net_output(net, l));
    most = columns > most ? columns : most;
  }
  run->columns = memory_new(most, sizeof *run->columns);
  return run;
}

void int_free(struct int_run *run) {
  if (!run)
    return;
  for (uint32_t i = 0; i < run->net->tensor_count; i++)
    free(run->values[i]);
  for (uint32_t i = 0; i < run->net->layer_count; i++)
    free(run->weights[i]);
  free(run->values);
  free(run->weights);
  free(run->columns);
  free(run);
}

int32_t *int_tensor(const struct int_run *run, int number) {
  return run->values[number];
}

size_t int_elements(const struct int_run *run, int number) {
  return elements(&run->net->tensors[number]);
}

size_t int_largest(const struct int_run *run, int number) {
  const int32_t *values = int_tensor(run, number);
  size_t best = 0;
  for (size_t i = 1; i < int_elements(run, number); i++)
    best = values[i] > values[best] ? i : best;
  return best;
}

void int_execute_layer(struct int_run *run, uint32_t number) {
  enum { INPUTS_MAX = 64 }; // net_check.c
  static void (*const execute[NET_KINDS])(const struct int_layer *) = {
      [NET_CONV] = int_conv,
      [NET_DEPTHWISE] = int_depthwise,
      [NET_LINEAR] = int_linear,
      [NET_MAXPOOL] = int_pool,
      [NET_AVGPOOL] = int_pool,
      [NET_ADD] = int_elementwise,
      [NET_MULTIPLY] = int_elementwise,
      [NET_CONCAT] = int_elementwise,
      [NET_TABLE] = int_elementwise,
      [NET_RESIZE] = int_elementwise};
  const struct net_layer *layer = &run->net->layers[number];
  const struct net_tensor *inputs[INPUTS_MAX];
  int32_t *values[INPUTS_MAX];
  for (uint32_t i = 0; i < layer->input_count; i++) {
    inputs[i] = net_input(run->net, layer, i);
    values[i] = run->values[layer->inputs[i]];
  }
  struct int_layer one = {.layer = layer,
                          .in = inputs[0],
                          .out = net_output(run->net, layer),
                          .inputs = inputs,
                          .values = values,
                          .result = run->values[layer->output],
                          .weights = run->weights[number],
                          .columns = run->columns};
  execute[layer->kind](&one);
}

static bool check_input(const struct net_tensor *t, const int32_t *values,
                        struct net_error *error) {
  int64_t least = t->is_signed ? -((int64_t)1 << (t->bits - 1)) : 0;
  int64_t most = least + ((int64_t)1 << t->bits) - 1;
  for (size_t i = 0; i < elements(t); i++) {
    if (values[i] < least || values[i] > most)
      return net_fail(error, "input '%s': element %zu is %d; codes are %lld to %lld", t->name, i,
                      values[i], (long long)least, (long long)most);
  }
  return true;
}

bool int_execute(struct int_run *run, struct net_error *error) {
  for (uint32_t i = 0; i < run->net->input_count; i++) {
    int input = run->net->inputs[i];
    if (!check_input(&run->net->tensors[input], run->values[input], error))
      return false;
  }
  for (uint32_t i = 0; i < run->net->layer_count; i++)
    int_execute_layer(run, i);
  return true;
}
