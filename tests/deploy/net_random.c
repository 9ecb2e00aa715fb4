// tests/deploy/net_random.c
#include "net_random.h"

#include <stdio.h>
#include <stdlib.h>

#include "deploy/memory.h"

// xorshift64* (Vigna 2016).
uint64_t draw_bits(struct draw *draw) {
  draw->state ^= draw->state >> 12;
  draw->state ^= draw->state << 25;
  draw->state ^= draw->state >> 27;
  return draw->state * 0x2545f4914f6cdd1du;
}

int64_t draw_within(struct draw *draw, int64_t low, int64_t high) {
  return low + (int64_t)((draw_bits(draw) >> 11) % (uint64_t)(high - low + 1));
}

static bool coin(struct draw *draw) {
  return draw_within(draw, 0, 1);
}

static uint8_t some_bits(struct draw *draw) {
  return (uint8_t)(8 >> draw_within(draw, 0, 2));
}

static int32_t lowest(const struct net_tensor *t) {
  return t->is_signed ? -(1 << (t->bits - 1)) : 0;
}

int32_t draw_code(struct draw *draw, const struct net_tensor *t) {
  return lowest(t) + (int32_t)draw_within(draw, 0, (1 << t->bits) - 1);
}

static int32_t any_int32(struct draw *draw) {
  return (int32_t)(uint32_t)draw_bits(draw) >> draw_within(draw, 0, 31);
}

// ---------------------------------------------------------------------------- requantization

static enum net_requant_kind some_requant(struct draw *draw, enum net_kind kind) {
  static const enum net_requant_kind sums[] = {NET_NORM,   NET_SCALE,  NET_ICN,
                                               NET_FOLDED, NET_TFLITE, NET_THRESHOLDS};
  if (kind == NET_AVGPOOL && coin(draw))
    return NET_DIVIDE;
  if (kind == NET_MAXPOOL || kind == NET_TABLE || kind == NET_CONCAT || kind == NET_RESIZE)
    return NET_COPY;
  return sums[draw_within(draw, 0, 5)];
}

static int ascending(const void *a, const void *b) {
  return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

static void draw_thresholds(struct draw *draw, struct net_requant *rq, size_t rows, size_t steps) {
  rq->thresholds = memory_new(rows * steps, sizeof *rq->thresholds);
  for (size_t i = 0; i < rows * steps; i++)
    rq->thresholds[i] = (int32_t)draw_within(draw, -3000, 3000);
  for (size_t i = 0; i < rows; i++)
    qsort(rq->thresholds + i * steps, steps, sizeof *rq->thresholds, ascending);
}

static int8_t some_shift(struct draw *draw, enum net_requant_kind kind) {
  if (kind == NET_FOLDED)
    return (int8_t)draw_within(draw, 0, 31);
  return (int8_t)(coin(draw) ? draw_within(draw, -12, 2)
                             : draw_within(draw, -31, kind == NET_TFLITE ? 30 : 31));
}

static int64_t some_lambda(struct draw *draw, const struct net_requant *rq) {
  return rq->wide && coin(draw) ? (int64_t)draw_bits(draw) >> draw_within(draw, 3, 63)
                                : any_int32(draw);
}

static int32_t some_factor(struct draw *draw, enum net_requant_kind kind) {
  if ((kind == NET_ICN || kind == NET_TFLITE) && coin(draw))
    return (int32_t)draw_within(draw, 1 << 30, INT32_MAX);
  return any_int32(draw);
}

static void draw_requant(struct draw *draw, const struct net *net, struct net_layer *layer) {
  struct net_requant *rq = &layer->requant;
  const struct net_tensor *out = net_output(net, layer);
  rq->per_channel = coin(draw), rq->wide = coin(draw), rq->round = coin(draw);
  rq->shift = (uint8_t)draw_within(draw, 0, rq->kind == NET_NORM && !rq->wide ? 31 : 62);
  if (coin(draw))
    rq->shift = (uint8_t)(rq->shift % 12);
  if (rq->kind == NET_ICN)
    rq->shift = (uint8_t)(coin(draw) ? 0 : rq->shift % 3);
  rq->m = any_int32(draw), rq->zero = (int32_t)draw_within(draw, -128, 255);
  rq->divisor = coin(draw) ? 0 : (int32_t)draw_within(draw, 1, 20);
  if (rq->kind == NET_SUMS)
    rq->per_channel = true;
  else
    rq->low = draw_code(draw, out),
    rq->high = (int32_t)draw_within(draw, rq->low, lowest(out) + (1 << out->bits) - 1);
  uint32_t kappas = net_kappa_count(net, layer), lambdas = net_lambda_count(net, layer);
  rq->kappa = memory_new(kappas, sizeof *rq->kappa);
  rq->shifts = memory_new(kappas, sizeof *rq->shifts);
  for (uint32_t i = 0; i < kappas; i++) {
    rq->kappa[i] = some_factor(draw, rq->kind);
    rq->shifts[i] = some_shift(draw, rq->kind);
  }
  if (coin(draw)) {
    rq->lambda = memory_new(lambdas, sizeof *rq->lambda);
    for (uint32_t i = 0; i < lambdas; i++)
      rq->lambda[i] = some_lambda(draw, rq);
  }
  if (rq->kind == NET_THRESHOLDS)
    rq->zero = lowest(out);
  if (rq->kind == NET_THRESHOLDS)
    draw_thresholds(draw, rq, kappas, (1u << out->bits) - 1);
}

// ---------------------------------------------------------------------------- operands

static void draw_weights(struct draw *draw, const struct net *net, struct net_layer *layer) {
  layer->weight_bits = some_bits(draw);
  layer->weight_count = net_weight_count(net, layer);
  layer->weights = memory_new(layer->weight_count, 1);
  for (size_t i = 0; i < layer->weight_count; i++)
    layer->weights[i] = (int8_t)(draw_within(draw, 0, (1 << layer->weight_bits) - 1) -
                                 (1 << (layer->weight_bits - 1)));
  layer->weight_zero_per_channel = coin(draw);
  if (coin(draw))
    return;
  uint32_t zeros = layer->weight_zero_per_channel ? net_output(net, layer)->c : 1;
  layer->weight_zero = memory_new(zeros, sizeof *layer->weight_zero);
  for (uint32_t i = 0; i < zeros; i++)
    layer->weight_zero[i] = (int16_t)draw_within(draw, -300, 300);
}

static void draw_scaled(struct draw *draw, struct net_layer *layer) {
  layer->scaled = memory_new(layer->input_count, sizeof *layer->scaled);
  for (uint32_t i = 0; i < layer->input_count; i++)
    layer->scaled[i] = (struct net_scaled){.mul = (int32_t)draw_within(draw, -40000, 40000),
                                           .add = (int32_t)draw_within(draw, -4000, 4000),
                                           .zero = (int32_t)draw_within(draw, -255, 255),
                                           .shift = (uint8_t)draw_within(draw, 0, 20),
                                           .fixed = coin(draw),
                                           .left = (int8_t)draw_within(draw, -20, 4)};
}

static void draw_table(struct draw *draw, const struct net_tensor *in, const struct net_tensor *out,
                       struct net_layer *layer) {
  layer->table = memory_new((size_t)1 << in->bits, 1);
  for (int i = 0; i < 1 << in->bits; i++)
    layer->table[i] = (uint8_t)draw_code(draw, out);
}

// ---------------------------------------------------------------------------- shapes

// What a direction of a window leaves of `size`, with padding that makes it at least 1.
static uint32_t draw_window(struct draw *draw, bool pool, uint32_t size, uint8_t window[5]) {
  enum { KERNEL, STRIDE, DILATION, BEFORE, AFTER };
  for (;;) {
    window[KERNEL] = (uint8_t)draw_within(draw, 1, 4);
    window[STRIDE] = (uint8_t)draw_within(draw, 1, 3);
    window[DILATION] = (uint8_t)(pool ? 1 : draw_within(draw, 1, 2));
    window[BEFORE] = (uint8_t)draw_within(draw, 0, pool ? window[KERNEL] - 1 : 4);
    window[AFTER] = (uint8_t)draw_within(draw, 0, pool ? window[KERNEL] - 1 : 4);
    uint32_t reach = window[DILATION] * (window[KERNEL] - 1u) + 1;
    uint32_t padded = size + window[BEFORE] + window[AFTER];
    // no window of a pool is all padding
    if (padded >= reach && (!pool || size + window[BEFORE] >= reach))
      return (padded - reach) / window[STRIDE] + 1;
  }
}

static void draw_shape(struct draw *draw, const struct net_tensor *in, struct net_layer *l,
                       struct net_tensor *out) {
  uint8_t h[5], w[5];
  bool pool = l->kind == NET_MAXPOOL || l->kind == NET_AVGPOOL;
  out->c = in->c;
  if (l->kind == NET_CONV || l->kind == NET_DEPTHWISE || pool) {
    out->h = draw_window(draw, pool, in->h, h), out->w = draw_window(draw, pool, in->w, w);
    l->kernel_h = h[0], l->kernel_w = w[0], l->stride_h = h[1], l->stride_w = w[1];
    l->dilation_h = h[2], l->dilation_w = w[2], l->pad_top = h[3], l->pad_bottom = h[4];
    l->pad_left = w[3], l->pad_right = w[4];
  } else if (l->kind == NET_RESIZE) {
    l->stride_h = (uint8_t)draw_within(draw, 1, 2), l->stride_w = (uint8_t)draw_within(draw, 1, 2);
    out->h = in->h * l->stride_h, out->w = in->w * l->stride_w;
    l->dilation_h = draw_within(draw, 0, 1) ? l->stride_h : 1;
    l->dilation_w = draw_within(draw, 0, 1) ? l->stride_w : 1;
  } else if (l->kind == NET_LINEAR) {
    out->h = out->w = 1, out->c = (uint32_t)draw_within(draw, 1, 12);
  } else {
    out->h = in->h, out->w = in->w;
  }
  if (l->kind == NET_CONV) {
    l->groups = in->c % 2 == 0 && coin(draw) ? 2 : in->c % 3 == 0 && coin(draw) ? 3 : 1;
    out->c = l->groups * (uint32_t)draw_within(draw, 1, 6);
  }
}

static void draw_inputs(struct draw *draw, struct net *net, int first, struct net_layer *l) {
  const struct net_tensor in = net->tensors[first]; // a copy: the array may move
  l->input_count = l->kind == NET_ADD || l->kind == NET_MULTIPLY ? 2
                   : l->kind == NET_CONCAT                       ? 3
                                                                 : 1;
  l->inputs = memory_new(l->input_count, sizeof *l->inputs);
  l->inputs[0] = first;
  for (uint32_t i = 1; i < l->input_count; i++) {
    struct net_tensor other = {
        .h = in.h, .w = in.w, .c = in.c, .bits = some_bits(draw), .is_signed = coin(draw)};
    if (l->kind == NET_MULTIPLY && coin(draw))
      other.h = other.w = 1;
    if (l->kind == NET_CONCAT)
      other.c = (uint32_t)draw_within(draw, 1, 5);
    other.name = memory_format("side %u", net->tensor_count);
    l->inputs[i] = net_add_tensor(net, &other);
    free(other.name);
    net->inputs = memory_grow(net->inputs, net->input_count + 1, sizeof *net->inputs);
    net->inputs[net->input_count++] = l->inputs[i];
  }
}

// ---------------------------------------------------------------------------- the whole

static int draw_layer(struct draw *draw, struct net *net, int first, bool last) {
  enum net_kind kind = (enum net_kind)draw_within(draw, 0, NET_KINDS - 1);
  struct net_layer l = net_plain_layer(kind, NULL, NULL, 0);
  draw_inputs(draw, net, first, &l);
  struct net_tensor in = net->tensors[first];
  struct net_tensor out = {
      .bits = some_bits(draw), .is_signed = coin(draw), .scale = 1 / 3.0, .zero = 3};
  draw_shape(draw, &in, &l, &out);
  if (l.kind == NET_CONCAT)
    out.c = in.c + net->tensors[l.inputs[1]].c + net->tensors[l.inputs[2]].c;
  l.requant.kind = some_requant(draw, l.kind);
  if (last && net_has_weights(l.kind) && coin(draw))
    l.requant.kind = NET_SUMS, out.bits = 32, out.is_signed = true;
  out.name = memory_format("tensor \"%u\" \xc3\xa9\t\\", net->tensor_count);
  l.output = net_add_tensor(net, &out);
  free(out.name);
  l.name = memory_format("layer: %u", net->layer_count);
  l.pad_value = draw_code(draw, &in);
  if (net_has_weights(l.kind))
    draw_weights(draw, net, &l);
  if (l.kind == NET_MULTIPLY || l.kind == NET_ADD || l.kind == NET_CONCAT)
    draw_scaled(draw, &l);
  if (l.kind == NET_TABLE)
    draw_table(draw, &in, &out, &l);
  draw_requant(draw, net, &l);
  net_add_layer(net, &l);
  return l.output;
}

struct net *net_random(uint64_t seed, uint32_t layers) {
  struct draw draw = {seed * 0x9e3779b97f4a7c15u + 1};
  struct net *net = net_new("random");
  struct net_tensor in = {.name = (char[]){"input"},
                          .h = (uint32_t)draw_within(&draw, 1, 7),
                          .w = (uint32_t)draw_within(&draw, 1, 7),
                          .c = (uint32_t)draw_within(&draw, 1, 9),
                          .bits = some_bits(&draw),
                          .is_signed = coin(&draw),
                          .even = seed % 2};
  int last = net_add_tensor(net, &in);
  net->inputs = memory_new(1, sizeof *net->inputs);
  net->inputs[net->input_count++] = last;
  for (uint32_t i = 0; i < layers; i++)
    last = draw_layer(&draw, net, last, i + 1 == layers);
  net->outputs = memory_new(1, sizeof *net->outputs);
  net->outputs[net->output_count++] = last;
  return net;
}
