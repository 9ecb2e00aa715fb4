#include "pack.h"

#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "kernels/nn/nn_conv2d.h"
#include "kernels/nn/nn_dw_3.h"
#include "kernels/nn/nn_dw_filter.h"
#include "kernels/nn/nn_linear.h"
#include "kernels/nn/nn_mixed.h"
#include "kernels/rt/rt_host.h"
#include "kernels/tile/tile_kernel.h"
#include "lower.h"

// ---------------------------------------------------------------------------- sizes

static uint32_t up(uint32_t value) {
  return (value + 3) & ~3u;
}

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static struct nn_conv2d conv_of(const struct tile_layer *t, uint32_t channels) {
  return (struct nn_conv2d){.in_h = t->in_h,
                            .in_w = t->in_w,
                            .in_c = t->in_c,
                            .out_c = (uint16_t)channels,
                            .kernel_h = t->kernel_h,
                            .kernel_w = t->kernel_w,
                            .stride_h = t->stride_h,
                            .stride_w = t->stride_w,
                            .shift = t->shift};
}

static struct nn_linear linear_of(const struct tile_layer *t, uint32_t channels) {
  return (struct nn_linear){.inputs = t->in_c, .outputs = (uint16_t)channels, .shift = t->shift};
}

static struct nn_mixed mixed_of(const struct tile_layer *t, uint32_t channels) {
  return (struct nn_mixed){.shape = conv_of(t, channels),
                           .in_bits = t->in_bits,
                           .weight_bits = t->weight_bits,
                           .out_bits = t->out_bits,
                           .in_signed = t->in_signed,
                           .out_signed = t->out_signed,
                           .pad_value = t->pad_value};
}

static uint32_t taps_of(const struct tile_layer *t) {
  return (uint32_t)t->kernel_h * t->kernel_w;
}

static uint32_t mixed_bytes(const struct tile_layer *t) {
  struct nn_mixed k = mixed_of(t, t->tile_c);
  return nn_mixed_packed_size(&k);
}

// Of some of the input's channels: sums.
static struct nn_mixed part_of(const struct tile_layer *t, uint32_t channels, uint32_t inputs) {
  struct nn_mixed k = mixed_of(t, channels);
  k.shape.in_c = (uint16_t)inputs, k.shape.shift = 0;
  k.out_bits = 32;
  return k;
}

static uint32_t part_bytes(const struct tile_layer *t) {
  struct nn_mixed k = part_of(t, t->tile_c, t->tile_k);
  return nn_mixed_packed_size(&k);
}

static uint32_t tables_bytes(const struct tile_layer *t) {
  uint32_t bytes = 4u << t->in_bits;
  for (unsigned i = 1; i < t->inputs; i++)
    bytes += 4u << t->more[i - 1].bits;
  return bytes;
}

// Filters channel by channel, with kappa and lambda behind.
static bool takes_channels(const struct tile_layer *t) {
  return t->kernel == &tile_depthwise || t->kernel == &tile_quads;
}

// Of the filters, without what stands behind them.
static uint32_t filter_bytes(const struct tile_layer *t) {
  struct nn_conv2d conv = conv_of(t, t->tile_c);
  struct nn_linear linear = linear_of(t, t->tile_c);
  if (t->kernel == &tile_conv || t->kernel == &tile_rows)
    return nn_conv2d_packed_size(&conv);
  if (t->kernel == &tile_planes)
    return 4u * NN_DW_3_WORDS * t->tile_c;
  if (t->kernel == &tile_linear || t->kernel == &tile_sums)
    return nn_linear_packed_size(&linear);
  if (t->kernel == &tile_mixed)
    return mixed_bytes(t);
  if (t->kernel == &tile_parts)
    return part_bytes(t);
  if (takes_channels(t))
    return up(nn_bits_bytes(taps_of(t), t->weight_bits) * t->tile_c);
  if (t->kernel == &tile_direct)
    return up(t->weight_bits / 8u * taps_of(t) * (t->in_c / t->groups) * t->tile_c);
  return t->kernel == &tile_lookup ? tables_bytes(t) : 0;
}

// What stands there without a scheme: kappa and lambda, or lambda.
static uint32_t plain_bytes(const struct tile_layer *t) {
  uint32_t one = 4u * t->tile_c;
  if (takes_channels(t))
    return t->out_bits < 32 ? 2 * one : one;
  return t->kernel == &tile_sums || t->kernel == &tile_direct || t->kernel == &tile_parts ? one : 0;
}

void pack_sizes(struct tile_layer *t) {
  t->filter_bytes = filter_bytes(t);
  t->weight_bytes = t->filter_bytes + (t->requant.used ? tile_requant_bytes(t) : plain_bytes(t));
}

// ---------------------------------------------------------------------------- a tile

struct packing {
  const struct net *net;
  const struct net_layer *layer;
  const struct tile_layer *tile;
  uint32_t at, channels;  // of the layer
  uint32_t in_at, inputs; // the part's
  uint8_t *packed;
};

static int32_t factor_at(const struct packing *p, uint32_t c) {
  const struct net_requant *rq = &p->layer->requant;
  return rq->kappa && rq->kind != NET_COPY ? rq->kappa[rq->per_channel ? c : 0] : 1;
}

static int64_t lambda_at(const struct packing *p, uint32_t c) {
  const struct net_requant *rq = &p->layer->requant;
  bool each = rq->per_channel || net_has_weights(p->layer->kind);
  return rq->lambda && rq->kind != NET_COPY ? rq->lambda[each ? c : 0] : 0;
}

// Arrays of a scheme (struct tile_parameters); those of one element have it once.
static void pack_requant(const struct packing *p) {
  const struct net_requant *rq = &p->layer->requant;
  struct tile_parameters at = tile_parameters(p->tile);
  uint8_t *to = p->packed + p->tile->filter_bytes;
  uint32_t sets = p->tile->requant.per_channel ? p->channels : 1;
  size_t row = ((size_t)1 << p->tile->out_bits) - 1;
  for (uint32_t i = 0; i < p->channels; i++) {
    int64_t wide = lambda_at(p, p->at + i);
    int32_t bias = (int32_t)wide;
    if (at.factor > at.wide_bias)
      memcpy(to + at.wide_bias + 8 * (size_t)i, &wide, 8);
    if (at.thresholds > at.bias)
      memcpy(to + at.bias + 4 * (size_t)i, &bias, 4);
  }
  for (uint32_t i = 0; i < sets; i++) {
    uint32_t from = sets > 1 || p->tile->requant.per_channel ? p->at + i : 0;
    uint32_t own = rq->per_channel ? from : 0;
    int32_t factor = factor_at(p, from);
    if (at.bias > at.factor)
      memcpy(to + at.factor + 4 * (size_t)i, &factor, 4);
    if (at.shifts > at.thresholds)
      memcpy(to + at.thresholds + 4 * row * i, rq->thresholds + row * own, 4 * row);
    if (at.end > at.shifts)
      to[at.shifts + i] = (uint8_t)rq->shifts[own];
  }
}

static void pack_plain(const struct packing *p) {
  uint8_t *to = p->packed + p->tile->filter_bytes;
  bool kappa = p->tile->weight_bytes - p->tile->filter_bytes > 4u * p->tile->tile_c;
  for (uint32_t i = 0; i < p->channels; i++) {
    int32_t factor = factor_at(p, p->at + i), lambda = (int32_t)lambda_at(p, p->at + i);
    if (kappa)
      memcpy(to + 4 * (size_t)i, &factor, 4);
    memcpy(to + 4 * (size_t)(i + (kappa ? p->tile->tile_c : 0)), &lambda, 4);
  }
}

// A filter's weights, `row` of them from a byte on.
static void pack_bits(const struct packing *p, size_t row, uint8_t *to) {
  size_t filter = p->layer->weight_count / p->tile->out_c, rows = p->channels * filter / row;
  const int8_t *from = p->layer->weights + p->at * filter;
  uint32_t bits = p->tile->weight_bits, bytes = nn_bits_bytes((uint32_t)row, bits);
  for (size_t r = 0; r < rows; r++, to += bytes) {
    for (size_t i = 0; i < row; i++)
      nn_bits_put(to, (uint32_t)i, bits, (uint8_t)*from++);
  }
}

static void pack_direct(const struct packing *p) {
  const struct net_layer *l = p->layer;
  size_t filter = l->weight_count / p->tile->out_c;
  for (size_t i = 0; i < p->channels * filter; i++) {
    size_t c = p->at + i / filter;
    int zero = l->weight_zero ? l->weight_zero[l->weight_zero_per_channel ? c : 0] : 0;
    int16_t weight = (int16_t)(l->weights[p->at * filter + i] - zero);
    if (p->tile->weight_bits == 8)
      p->packed[i] = (uint8_t)weight;
    else
      memcpy(p->packed + 2 * i, &weight, 2);
  }
}

static void pack_tables(const struct packing *p) {
  uint8_t *to = p->packed;
  for (unsigned i = 0; i < p->tile->inputs; i++) {
    uint32_t bits = net_input(p->net, p->layer, i)->bits;
    lower_codes(p->net, p->layer, i, (int32_t *)(void *)to);
    to += 4u << bits;
  }
}

static void pack_mixed(const struct packing *p, const int32_t *kappa, const int32_t *lambda) {
  struct nn_mixed k = mixed_of(p->tile, p->channels);
  struct nn_requant_i32 requant = tile_requant_of(p->tile, p->packed);
  size_t filter = p->layer->weight_count / p->tile->out_c;
  uint8_t *bits = memory_new(p->channels * filter, 1);
  bool scheme = p->tile->requant.used;
  pack_bits(p, p->tile->in_c, bits);
  k.requant = scheme ? &requant : NULL;
  nn_mixed_pack(&k, p->packed, bits, scheme ? NULL : kappa, scheme ? NULL : lambda);
  free(bits);
}

// Of each tap the part's channels.
static void pack_part(const struct packing *p) {
  struct nn_mixed k = part_of(p->tile, p->channels, p->inputs);
  uint32_t bits = p->tile->weight_bits, bytes = nn_bits_bytes(p->inputs, bits);
  size_t filter = p->layer->weight_count / p->tile->out_c, taps = filter / p->tile->in_c;
  const int8_t *from = p->layer->weights + p->at * filter + p->in_at;
  uint8_t *all = memory_new(p->channels * taps * bytes, 1), *to = all;
  for (size_t r = 0; r < p->channels * taps; r++, to += bytes, from += p->tile->in_c) {
    for (uint32_t i = 0; i < p->inputs; i++)
      nn_bits_put(to, i, bits, (uint8_t)from[i]);
  }
  nn_mixed_pack(&k, p->packed, all, NULL, NULL);
  free(all);
}

// As nn_dw_3.h has them.
static void pack_threes(const struct packing *p, const int32_t *kappa, const int32_t *lambda) {
  const struct nn_depthwise k = {.weights = p->layer->weights + (size_t)p->at * taps_of(p->tile),
                                 .kappa = kappa,
                                 .lambda = lambda,
                                 .kernel_h = p->tile->kernel_h,
                                 .kernel_w = p->tile->kernel_w,
                                 .in_bits = p->tile->in_bits,
                                 .weight_bits = p->tile->weight_bits,
                                 .in_signed = p->tile->in_signed};
  nn_dw_filters_3(&k, (uint32_t *)(void *)p->packed, 0, p->channels, false);
}

static void pack_filters(const struct packing *p, const int32_t *kappa, const int32_t *lambda) {
  const struct tile_layer *t = p->tile;
  struct nn_conv2d conv = conv_of(t, p->channels);
  struct nn_linear linear = linear_of(t, p->channels);
  const int8_t *weights = p->layer->weights + p->at * (p->layer->weight_count / t->out_c);
  if (t->kernel == &tile_conv || t->kernel == &tile_rows)
    nn_conv2d_pack(&conv, p->packed, weights, kappa, lambda);
  else if (t->kernel == &tile_linear || t->kernel == &tile_sums)
    nn_linear_pack(&linear, p->packed, weights, kappa, lambda);
  else if (t->kernel == &tile_mixed)
    pack_mixed(p, kappa, lambda);
  else if (t->kernel == &tile_parts)
    pack_part(p);
  else if (takes_channels(t))
    pack_bits(p, taps_of(t), p->packed);
  else if (t->kernel == &tile_planes)
    pack_threes(p, kappa, lambda);
  else if (t->kernel == &tile_direct)
    pack_direct(p);
}

// On the host's runtime, as one core.
static int pack(void *user) {
  const struct packing *p = user;
  int32_t *kappa = memory_new(p->channels, sizeof *kappa),
          *lambda = memory_new(p->channels, sizeof *kappa);
  for (uint32_t i = 0; i < p->channels; i++) {
    kappa[i] = factor_at(p, p->at + i);
    lambda[i] = (int32_t)lambda_at(p, p->at + i);
  }
  if (p->tile->requant.used)
    pack_requant(p);
  else if (p->tile->weight_bytes > p->tile->filter_bytes)
    pack_plain(p);
  if (net_has_weights(p->layer->kind))
    pack_filters(p, kappa, lambda);
  else if (p->tile->kernel == &tile_lookup)
    pack_tables(p);
  free(kappa);
  free(lambda);
  return 0;
}

uint8_t *pack_weights(const struct net *net, const struct net_layer *layer,
                      const struct tile_layer *t, size_t *bytes) {
  *bytes = (size_t)tile_filters(t) * t->weight_bytes;
  if (!*bytes)
    return NULL;
  uint8_t *all = memory_new(*bytes, 1), *to = all;
  for (uint32_t at = 0; at < t->out_c; at += t->tile_c) {
    for (uint32_t in_at = 0; in_at < t->in_c; in_at += t->tile_k, to += t->weight_bytes) {
      struct packing p = {.net = net,
                          .layer = layer,
                          .tile = t,
                          .at = at,
                          .channels = least(t->tile_c, t->out_c - at),
                          .in_at = in_at,
                          .inputs = least(t->tile_k, t->in_c - in_at),
                          .packed = to};
      rt_host_run(1, pack, &p);
    }
  }
  return all;
}
