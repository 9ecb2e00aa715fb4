// deploy/net/net.c
#include "net.h"

#include <stdarg.h>
#include <stdlib.h>

#include "deploy/memory.h"

bool net_fail(struct net_error *error, const char *format, ...) {
  if (!error)
    return false;
  va_list args;
  va_start(args, format);
  vsnprintf(error->text, sizeof error->text, format, args);
  va_end(args);
  return false;
}

struct net *net_new(const char *name) {
  struct net *net = memory_new(1, sizeof *net);
  net->name = memory_text(name);
  return net;
}

void net_free_layer(struct net_layer *layer) {
  free(layer->name);
  free(layer->inputs);
  free(layer->weights);
  free(layer->weight_zero);
  free(layer->scaled);
  free(layer->table);
  free(layer->requant.kappa);
  free(layer->requant.lambda);
  free(layer->requant.shifts);
  free(layer->requant.thresholds);
}

void net_free(struct net *net) {
  if (!net)
    return;
  for (uint32_t i = 0; i < net->tensor_count; i++)
    free(net->tensors[i].name);
  for (uint32_t i = 0; i < net->layer_count; i++)
    net_free_layer(&net->layers[i]);
  free(net->tensors);
  free(net->layers);
  free(net->inputs);
  free(net->outputs);
  free(net->name);
  free(net);
}

int net_add_tensor(struct net *net, const struct net_tensor *tensor) {
  net->tensors = memory_grow(net->tensors, net->tensor_count + 1, sizeof *tensor);
  net->tensors[net->tensor_count] = *tensor;
  net->tensors[net->tensor_count].name = memory_text(tensor->name);
  return (int)net->tensor_count++;
}

int net_add_layer(struct net *net, const struct net_layer *layer) {
  net->layers = memory_grow(net->layers, net->layer_count + 1, sizeof *layer);
  net->layers[net->layer_count] = *layer;
  return (int)net->layer_count++;
}

static void *copied(const void *from, size_t count, size_t size) {
  return from ? memory_copy(from, count, size) : NULL;
}

struct net_layer net_plain_layer(enum net_kind kind, char *name, const int *inputs,
                                 uint32_t count) {
  return (struct net_layer){.name = name,
                            .kind = kind,
                            .inputs = count ? memory_copy(inputs, count, sizeof *inputs) : NULL,
                            .input_count = count,
                            .kernel_h = 1,
                            .kernel_w = 1,
                            .stride_h = 1,
                            .stride_w = 1,
                            .dilation_h = 1,
                            .dilation_w = 1,
                            .groups = 1,
                            .weight_bits = 8};
}

struct net_layer net_copy_layer(const struct net *net, const struct net_layer *from) {
  struct net_layer l = *from;
  const struct net_tensor *out = net_output(net, from);
  struct net_requant *rq = &l.requant;
  uint32_t sets = net_kappa_count(net, from);
  l.name = memory_text(from->name);
  l.inputs = memory_copy(from->inputs, from->input_count, sizeof *l.inputs);
  l.weights =
      net_has_weights(from->kind) ? memory_copy(from->weights, from->weight_count, 1) : NULL;
  l.weight_zero =
      copied(from->weight_zero, from->weight_zero_per_channel ? out->c : 1, sizeof *l.weight_zero);
  l.scaled = copied(from->scaled, from->input_count, sizeof *l.scaled);
  l.table = copied(from->table, (size_t)1 << (net_input(net, from, 0)->bits % 32), 1);
  rq->kappa = copied(rq->kappa, sets, sizeof *rq->kappa);
  rq->lambda = copied(rq->lambda, net_lambda_count(net, from), sizeof *rq->lambda);
  rq->shifts = copied(rq->shifts, sets, sizeof *rq->shifts);
  if (rq->thresholds)
    rq->thresholds =
        copied(rq->thresholds, sets * (((size_t)1 << out->bits) - 1), sizeof *rq->thresholds);
  return l;
}

const char *net_kind_name(enum net_kind kind) {
  static const char *const names[NET_KINDS] = {
      [NET_CONV] = "conv",         [NET_DEPTHWISE] = "depthwise", [NET_LINEAR] = "linear",
      [NET_MAXPOOL] = "maxpool",   [NET_AVGPOOL] = "avgpool",     [NET_ADD] = "add",
      [NET_MULTIPLY] = "multiply", [NET_CONCAT] = "concat",       [NET_TABLE] = "table",
      [NET_RESIZE] = "resize"};
  return (unsigned)kind < NET_KINDS ? names[kind] : "unknown";
}

bool net_has_weights(enum net_kind kind) {
  return kind == NET_CONV || kind == NET_DEPTHWISE || kind == NET_LINEAR;
}

bool net_adds_zero(const struct net_requant *requant) {
  return requant->kind == NET_ICN || requant->kind == NET_TFLITE;
}

const struct net_tensor *net_input(const struct net *net, const struct net_layer *layer,
                                   uint32_t i) {
  return &net->tensors[layer->inputs[i]];
}

const struct net_tensor *net_output(const struct net *net, const struct net_layer *layer) {
  return &net->tensors[layer->output];
}

uint32_t net_kappa_count(const struct net *net, const struct net_layer *layer) {
  return layer->requant.per_channel ? net_output(net, layer)->c : 1;
}

uint32_t net_lambda_count(const struct net *net, const struct net_layer *layer) {
  return net_has_weights(layer->kind) ? net_output(net, layer)->c : net_kappa_count(net, layer);
}

size_t net_weight_count(const struct net *net, const struct net_layer *layer) {
  const struct net_tensor *in = net_input(net, layer, 0), *out = net_output(net, layer);
  size_t taps = (size_t)layer->kernel_h * layer->kernel_w;
  switch (layer->kind) {
  case NET_CONV:
    return out->c * taps * (in->c / (layer->groups ? layer->groups : 1));
  case NET_DEPTHWISE:
    return out->c * taps;
  case NET_LINEAR:
    return (size_t)in->h * in->w * in->c * out->c;
  default:
    return 0;
  }
}

uint64_t net_macs(const struct net *net, const struct net_layer *layer) {
  const struct net_tensor *out = net_output(net, layer);
  return (uint64_t)out->h * out->w * net_weight_count(net, layer);
}

size_t net_tensor_bytes(const struct net_tensor *t) {
  size_t pixels = (size_t)t->h * t->w;
  return pixels * (t->bits == 32 ? 4 * (size_t)t->c : ((size_t)t->c * t->bits + 7) / 8);
}

// Filters' taps begin at bytes (nn_mixed.h), channels' filters of depthwise layers do
// (nn_depthwise.h).
size_t net_weight_bytes(const struct net *net, const struct net_layer *layer) {
  size_t count = net_weight_count(net, layer), row = net_input(net, layer, 0)->c;
  if (layer->kind == NET_CONV)
    row /= layer->groups;
  else if (layer->kind == NET_DEPTHWISE)
    row = (size_t)layer->kernel_h * layer->kernel_w;
  return count / row * ((row * layer->weight_bits + 7) / 8);
}

size_t net_parameter_bytes(const struct net *net, const struct net_layer *layer) {
  const struct net_requant *rq = &layer->requant;
  size_t kappas = net_kappa_count(net, layer), bytes = 0;
  if (rq->kappa)
    bytes += 4 * kappas;
  if (rq->shifts)
    bytes += kappas;
  if (rq->thresholds)
    bytes += 4 * kappas * ((1u << net_output(net, layer)->bits) - 1);
  if (rq->lambda)
    bytes += (rq->wide ? 8u : 4u) * (size_t)net_lambda_count(net, layer);
  if (layer->weight_zero)
    bytes += 2 * (size_t)(layer->weight_zero_per_channel ? net_output(net, layer)->c : 1);
  if (layer->table)
    bytes += (size_t)1 << net_input(net, layer, 0)->bits;
  return bytes;
}
