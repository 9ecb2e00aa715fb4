// deploy/net/net_check.c: what every room behind the readers relies on.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "net.h"

enum { SIDE_MAX = 65535, ELEMENTS_MAX = 1 << 28, INPUTS_MAX = 64 };

static int64_t least(const struct net_tensor *t) {
  return t->is_signed ? -((int64_t)1 << (t->bits - 1)) : 0;
}

static int64_t most(const struct net_tensor *t) {
  return least(t) + ((int64_t)1 << t->bits) - 1;
}

static bool check_bits(uint32_t bits) {
  return bits == 8 || bits == 4 || bits == 2;
}

static bool check_tensor(const struct net_tensor *t, struct net_error *error) {
  if (!t->name || !*t->name)
    return net_fail(error, "a tensor has no name");
  if (!t->h || !t->w || !t->c || t->h > SIDE_MAX || t->w > SIDE_MAX || t->c > SIDE_MAX)
    return net_fail(error, "tensor '%s' is %u x %u x %u; each must be 1 to %d", t->name, t->h, t->w,
                    t->c, SIDE_MAX);
  if ((uint64_t)t->h * t->w * t->c > ELEMENTS_MAX)
    return net_fail(error, "tensor '%s' has more than %d elements", t->name, ELEMENTS_MAX);
  if (t->bits != 32 && !check_bits(t->bits))
    return net_fail(error, "tensor '%s' has %u bits; 8, 4, 2 and 32 are supported", t->name,
                    t->bits);
  if (t->bits == 32 && !t->is_signed)
    return net_fail(error, "tensor '%s' holds sums and is not signed", t->name);
  return true;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool check_names(const struct net *net, struct net_error *error) {
  const char **names = memory_new(net->tensor_count, sizeof *names), *twice = NULL;
  for (uint32_t i = 0; i < net->tensor_count; i++)
    names[i] = net->tensors[i].name;
  qsort(names, net->tensor_count, sizeof *names, by_name);
  for (uint32_t i = 1; i < net->tensor_count; i++) {
    if (strcmp(names[i - 1], names[i]) == 0)
      twice = names[i];
  }
  free(names);
  return !twice || net_fail(error, "two tensors are named '%s'", twice);
}

// ---------------------------------------------------------------------------- numbers of tensors

static bool valid(const struct net *net, int number) {
  return number >= 0 && (uint32_t)number < net->tensor_count;
}

// Inputs have to be there, the output not yet.
static bool check_order(const struct net *net, const struct net_layer *layer, bool *known,
                        struct net_error *error) {
  if (layer->input_count < 1 || layer->input_count > INPUTS_MAX || !layer->inputs)
    return net_fail(error, "layer '%s' has %u inputs; 1 to %d are supported", layer->name,
                    layer->input_count, INPUTS_MAX);
  for (uint32_t i = 0; i < layer->input_count; i++) {
    if (!valid(net, layer->inputs[i]))
      return net_fail(error, "layer '%s' reads tensor %d, which does not exist", layer->name,
                      layer->inputs[i]);
    if (!known[layer->inputs[i]])
      return net_fail(error, "layer '%s' reads '%s' before it is computed", layer->name,
                      net_input(net, layer, i)->name);
    if (net_input(net, layer, i)->bits == 32)
      return net_fail(error, "layer '%s' reads the 32-bit sums '%s'; 8, 4 or 2 bits are supported",
                      layer->name, net_input(net, layer, i)->name);
  }
  if (!valid(net, layer->output))
    return net_fail(error, "layer '%s' writes tensor %d, which does not exist", layer->name,
                    layer->output);
  if (known[layer->output])
    return net_fail(error, "layer '%s' writes '%s', which is there already", layer->name,
                    net_output(net, layer)->name);
  known[layer->output] = true;
  return true;
}

// ---------------------------------------------------------------------------- shapes

static bool check_windows(const struct net *net, const struct net_layer *layer,
                          struct net_error *error) {
  const struct net_tensor *in = net_input(net, layer, 0), *out = net_output(net, layer);
  const uint32_t sides[2][7] = {{in->h, out->h, layer->kernel_h, layer->stride_h, layer->dilation_h,
                                 layer->pad_top, layer->pad_bottom},
                                {in->w, out->w, layer->kernel_w, layer->stride_w, layer->dilation_w,
                                 layer->pad_left, layer->pad_right}};
  for (int i = 0; i < 2; i++) {
    const uint32_t *s = sides[i];
    if (!s[2] || !s[3] || !s[4])
      return net_fail(error, "layer '%s': kernel, stride and dilation must be at least 1",
                      layer->name);
    uint32_t padded = s[0] + s[5] + s[6], reach = s[4] * (s[2] - 1) + 1;
    uint32_t size = padded < reach ? 0 : (padded - reach) / s[3] + 1;
    if (size != s[1])
      return net_fail(error, "layer '%s': %s is %u, but window, stride and padding give %u",
                      layer->name, i ? "the output's width" : "the output's height", s[1], size);
    if ((layer->kind == NET_MAXPOOL || layer->kind == NET_AVGPOOL) &&
        (s[5] >= s[2] || s[6] >= s[2] || s[4] != 1))
      return net_fail(error,
                      "layer '%s': a pool's padding must be smaller than its window, and "
                      "its dilation 1",
                      layer->name);
  }
  return true;
}

static bool same_pixels(const struct net_tensor *a, const struct net_tensor *b) {
  return a->h == b->h && a->w == b->w;
}

static bool check_equal_inputs(const struct net *net, const struct net_layer *layer,
                               struct net_error *error) {
  const struct net_tensor *out = net_output(net, layer);
  for (uint32_t i = 0; i < layer->input_count; i++) {
    const struct net_tensor *in = net_input(net, layer, i);
    bool vector = layer->kind == NET_MULTIPLY && i == 1 && in->h == 1 && in->w == 1;
    if ((!vector && !same_pixels(in, out)) || in->c != out->c)
      return net_fail(error, "layer '%s': input '%s' is %u x %u x %u, the output %u x %u x %u",
                      layer->name, in->name, in->h, in->w, in->c, out->h, out->w, out->c);
  }
  return true;
}

static bool check_concat(const struct net *net, const struct net_layer *layer,
                         struct net_error *error) {
  uint64_t channels = 0;
  for (uint32_t i = 0; i < layer->input_count; i++) {
    if (!same_pixels(net_input(net, layer, i), net_output(net, layer)))
      return net_fail(error, "layer '%s': input '%s' has another height or width than the output",
                      layer->name, net_input(net, layer, i)->name);
    channels += net_input(net, layer, i)->c;
  }
  return channels == net_output(net, layer)->c ||
         net_fail(error, "layer '%s': the inputs have %llu channels, the output %u", layer->name,
                  (unsigned long long)channels, net_output(net, layer)->c);
}

static bool check_channels(const struct net *net, const struct net_layer *layer,
                           struct net_error *error) {
  const struct net_tensor *in = net_input(net, layer, 0), *out = net_output(net, layer);
  if (layer->kind == NET_CONV &&
      (!layer->groups || in->c % layer->groups || out->c % layer->groups))
    return net_fail(error, "layer '%s': %u groups do not divide %u and %u channels", layer->name,
                    layer->groups, in->c, out->c);
  if (layer->kind != NET_CONV && layer->kind != NET_LINEAR && layer->kind != NET_CONCAT &&
      in->c != out->c)
    return net_fail(error, "layer '%s': %u channels come in and %u go out", layer->name, in->c,
                    out->c);
  return true;
}

static bool check_resize(const struct net *net, const struct net_layer *layer,
                         struct net_error *error) {
  const struct net_tensor *in = net_input(net, layer, 0), *out = net_output(net, layer);
  if ((layer->dilation_h != 1 && layer->dilation_h != layer->stride_h) ||
      (layer->dilation_w != 1 && layer->dilation_w != layer->stride_w))
    return net_fail(error, "layer '%s': a resizing's dilation is 1, or its stride", layer->name);
  if (layer->pad_value < least(in) || layer->pad_value > most(in))
    return net_fail(error, "layer '%s': the value %d between elements is no code of '%s'",
                    layer->name, layer->pad_value, in->name);
  return (out->h == in->h * layer->stride_h && out->w == in->w * layer->stride_w) ||
         net_fail(error, "layer '%s': the output must be %u x %u times the input", layer->name,
                  layer->stride_h, layer->stride_w);
}

static bool check_count(const struct net_layer *layer, struct net_error *error) {
  uint32_t n = layer->input_count;
  bool good = layer->kind == NET_ADD        ? n >= 2
              : layer->kind == NET_MULTIPLY ? n == 2
              : layer->kind == NET_CONCAT   ? n >= 1
                                            : n == 1;
  return good || net_fail(error, "layer '%s' (%s) has %u inputs", layer->name,
                          net_kind_name(layer->kind), n);
}

static bool check_shape(const struct net *net, const struct net_layer *layer,
                        struct net_error *error) {
  const struct net_tensor *out = net_output(net, layer);
  if (!check_count(layer, error) || !check_channels(net, layer, error))
    return false;
  switch (layer->kind) {
  case NET_CONV:
  case NET_DEPTHWISE:
  case NET_MAXPOOL:
  case NET_AVGPOOL:
    return check_windows(net, layer, error);
  case NET_LINEAR:
    return (out->h == 1 && out->w == 1) ||
           net_fail(error, "layer '%s': a linear layer's output is 1 x 1 x outputs", layer->name);
  case NET_CONCAT:
    return check_concat(net, layer, error);
  case NET_RESIZE:
    return check_resize(net, layer, error);
  default:
    return check_equal_inputs(net, layer, error);
  }
}

// ---------------------------------------------------------------------------- weights

static bool check_weights(const struct net *net, const struct net_layer *layer,
                          struct net_error *error) {
  const struct net_tensor *in = net_input(net, layer, 0);
  if (!check_bits(layer->weight_bits))
    return net_fail(error, "layer '%s': weights have %u bits; 8, 4 and 2 are supported",
                    layer->name, layer->weight_bits);
  size_t count = net_weight_count(net, layer);
  if (!layer->weights || layer->weight_count != count)
    return net_fail(error, "layer '%s' has %zu weights; its shape needs %zu", layer->name,
                    layer->weight_count, count);
  int limit = 1 << (layer->weight_bits - 1);
  for (size_t i = 0; i < count; i++) {
    if (layer->weights[i] < -limit || layer->weights[i] >= limit)
      return net_fail(error, "layer '%s': weight %zu is %d, beyond %u bits", layer->name, i,
                      layer->weights[i], layer->weight_bits);
  }
  if (layer->pad_value < least(in) || layer->pad_value > most(in))
    return net_fail(error, "layer '%s': the padding's value %d is no code of '%s'", layer->name,
                    layer->pad_value, in->name);
  uint32_t zeros = layer->weight_zero_per_channel ? net_output(net, layer)->c : 1;
  for (uint32_t i = 0; layer->weight_zero && i < zeros; i++) {
    if (abs(layer->weight_zero[i]) > 1024)
      return net_fail(error, "layer '%s': a weight's zero is %d; -1024 to 1024 are supported",
                      layer->name, layer->weight_zero[i]);
  }
  return true;
}

static bool check_scaled(const struct net_layer *layer, struct net_error *error) {
  for (uint32_t i = 0; layer->scaled && i < layer->input_count; i++) {
    const struct net_scaled *s = &layer->scaled[i];
    if (s->shift > 31 || s->left < -31 || s->left > 30 || abs(s->zero) > 255)
      return net_fail(error, "layer '%s': input %u's shift or zero is out of range", layer->name,
                      i);
  }
  return true;
}

static bool check_operands(const struct net *net, const struct net_layer *layer,
                           struct net_error *error) {
  if (net_has_weights(layer->kind))
    return check_weights(net, layer, error);
  if (layer->kind == NET_TABLE && !layer->table)
    return net_fail(error, "layer '%s' has no table", layer->name);
  return check_scaled(layer, error);
}

// ---------------------------------------------------------------------------- requantization

static bool wants_kappa(enum net_requant_kind kind) {
  return kind == NET_NORM || kind == NET_SCALE || kind == NET_ICN || kind == NET_TFLITE;
}

static bool wants_shifts(enum net_requant_kind kind) {
  return kind == NET_ICN || kind == NET_FOLDED || kind == NET_TFLITE;
}

static bool check_arrays(const struct net_layer *layer, struct net_error *error) {
  const struct net_requant *rq = &layer->requant;
  const char *missing = wants_kappa(rq->kind) && !rq->kappa             ? "kappa"
                        : wants_shifts(rq->kind) && !rq->shifts         ? "shifts"
                        : rq->kind == NET_THRESHOLDS && !rq->thresholds ? "thresholds"
                                                                        : NULL;
  return !missing ||
         net_fail(error, "layer '%s': its requantization has no %s", layer->name, missing);
}

static bool check_shifts(const struct net *net, const struct net_layer *layer,
                         struct net_error *error) {
  const struct net_requant *rq = &layer->requant;
  int low = rq->kind == NET_FOLDED ? 0 : -31, high = rq->kind == NET_TFLITE ? 30 : 31;
  if ((rq->kind == NET_NORM && rq->shift > (rq->wide ? 62 : 31)) ||
      (rq->kind == NET_ICN && rq->shift > 2) || rq->shift > 62)
    return net_fail(error, "layer '%s': a shift of %u is out of range", layer->name, rq->shift);
  for (uint32_t i = 0; rq->shifts && i < net_kappa_count(net, layer); i++) {
    if (rq->shifts[i] < low || rq->shifts[i] > high)
      return net_fail(error, "layer '%s': shift %d of channel %u is beyond %d..%d", layer->name,
                      rq->shifts[i], i, low, high);
  }
  return true;
}

// `wide` sums are exact: |kappa * sum + lambda| <= 2^31 * 2^31 + 2^62 < 2^63.
static bool check_lambda(const struct net *net, const struct net_layer *layer,
                         struct net_error *error) {
  const struct net_requant *rq = &layer->requant;
  int64_t limit = rq->wide ? (int64_t)1 << 61 : INT32_MAX;
  for (uint32_t i = 0; rq->lambda && i < net_lambda_count(net, layer); i++) {
    if (rq->lambda[i] > limit || rq->lambda[i] < -limit - 1)
      return net_fail(error, "layer '%s': lambda %lld of channel %u is beyond %d bits%s",
                      layer->name, (long long)rq->lambda[i], i, rq->wide ? 62 : 32,
                      rq->wide ? "" : "; a wide requantization takes it");
  }
  return true;
}

static bool check_thresholds(const struct net *net, const struct net_layer *layer,
                             struct net_error *error) {
  if (layer->requant.kind != NET_THRESHOLDS)
    return true;
  const struct net_tensor *out = net_output(net, layer);
  uint32_t steps = (1u << out->bits) - 1;
  for (uint32_t i = 0; i < net_kappa_count(net, layer); i++) {
    const int32_t *row = layer->requant.thresholds + (size_t)i * steps;
    for (uint32_t j = 1; j < steps; j++) {
      if (row[j] < row[j - 1])
        return net_fail(error, "layer '%s': the thresholds of channel %u do not ascend",
                        layer->name, i);
    }
  }
  return true;
}

static bool check_clip(const struct net *net, const struct net_layer *layer,
                       struct net_error *error) {
  const struct net_tensor *out = net_output(net, layer);
  const struct net_requant *rq = &layer->requant;
  if ((out->bits == 32) != (rq->kind == NET_SUMS))
    return net_fail(error, "layer '%s': '%s' has %u bits, which its requantization does not give",
                    layer->name, out->name, out->bits);
  if (rq->kind == NET_SUMS)
    return true;
  if (rq->low < least(out) || rq->high > most(out) || rq->low > rq->high)
    return net_fail(error, "layer '%s' clips to %d..%d; '%s' takes %lld..%lld", layer->name,
                    rq->low, rq->high, out->name, (long long)least(out), (long long)most(out));
  return true;
}

static bool check_requant(const struct net *net, const struct net_layer *layer,
                          struct net_error *error) {
  const struct net_requant *rq = &layer->requant;
  if ((unsigned)rq->kind > NET_COPY)
    return net_fail(error, "layer '%s' has an unknown requantization", layer->name);
  if (rq->kind == NET_DIVIDE && layer->kind != NET_AVGPOOL)
    return net_fail(error, "layer '%s': only average pools divide", layer->name);
  if (rq->kind == NET_THRESHOLDS && rq->zero != least(net_output(net, layer)))
    return net_fail(error, "layer '%s': thresholds begin at %d, the codes of '%s' at %lld",
                    layer->name, rq->zero, net_output(net, layer)->name,
                    (long long)least(net_output(net, layer)));
  if (rq->divisor < 0)
    return net_fail(error, "layer '%s' divides by %d", layer->name, rq->divisor);
  return check_clip(net, layer, error) && check_arrays(layer, error) &&
         check_shifts(net, layer, error) && check_lambda(net, layer, error) &&
         check_thresholds(net, layer, error);
}

// ---------------------------------------------------------------------------- all

static bool check_layer(const struct net *net, const struct net_layer *layer, bool *known,
                        struct net_error *error) {
  if (!layer->name)
    return net_fail(error, "a layer has no name");
  if ((unsigned)layer->kind >= NET_KINDS)
    return net_fail(error, "layer '%s' is of no known kind", layer->name);
  return check_order(net, layer, known, error) && check_shape(net, layer, error) &&
         check_operands(net, layer, error) && check_requant(net, layer, error);
}

static bool check_ends(const struct net *net, const bool *known, struct net_error *error) {
  if (!net->output_count)
    return net_fail(error, "the network has no output");
  if (!net->layer_count)
    return net_fail(error, "the network has no layers: it computes nothing");
  for (uint32_t i = 0; i < net->output_count; i++) {
    if (!valid(net, net->outputs[i]) || !known[net->outputs[i]])
      return net_fail(error, "output %u of the network is not computed", i);
  }
  return true;
}

static bool check_inputs(const struct net *net, bool *known, struct net_error *error) {
  if (!net->input_count)
    return net_fail(error, "the network has no input");
  for (uint32_t i = 0; i < net->input_count; i++) {
    if (!valid(net, net->inputs[i]) || known[net->inputs[i]])
      return net_fail(error, "input %u of the network is no tensor, or one named before", i);
    known[net->inputs[i]] = true;
  }
  return true;
}

bool net_check(const struct net *net, struct net_error *error) {
  for (uint32_t i = 0; i < net->tensor_count; i++) {
    if (!check_tensor(&net->tensors[i], error))
      return false;
  }
  bool *known = memory_new(net->tensor_count, sizeof *known);
  bool good = check_names(net, error) && check_inputs(net, known, error);
  for (uint32_t i = 0; good && i < net->layer_count; i++)
    good = check_layer(net, &net->layers[i], known, error);
  good = good && check_ends(net, known, error);
  free(known);
  return good;
}
