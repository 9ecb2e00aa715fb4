#include "lower.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "kernels/nn/nn_conv2d.h"
#include "kernels/nn/nn_linear.h"
#include "kernels/rt/rt_host.h"
#include "kernels/tile/tile_kernel.h"

// ---------------------------------------------------------------------------- what is refused

static bool refuse(const struct net_layer *layer, const char *text, struct net_error *error) {
  net_fail(error, "layer %.80s (%s): the generator does not support %s", layer->name,
           net_kind_name(layer->kind), text);
  if (error)
    error->status = EX_UNAVAILABLE;
  return false;
}

static const char *odd_tensor(const struct net *net, const struct net_layer *layer) {
  for (uint32_t i = 0; i < layer->input_count; i++) {
    const struct net_tensor *t = net_input(net, layer, i);
    if (t->bits != 8 || t->is_signed)
      return "inputs that are not unsigned with 8 bits";
  }
  const struct net_tensor *out = net_output(net, layer);
  if (layer->requant.kind == NET_SUMS)
    return layer->kind == NET_LINEAR ? NULL : "32-bit sums but of linear layers";
  if (out->bits != 8 || out->is_signed)
    return "outputs that are not unsigned with 8 bits";
  return layer->requant.low != 0 || layer->requant.high != 255 ? "clips within 0..255" : NULL;
}

static const char *odd_filters(const struct net_layer *layer) {
  const struct net_requant *rq = &layer->requant;
  if (layer->weight_bits != 8 || layer->weight_zero)
    return "weights with other than 8 bits, or a zero point";
  if (layer->kind == NET_CONV && layer->groups != 1)
    return "groups";
  if (layer->dilation_h != 1 || layer->dilation_w != 1)
    return "dilation";
  if (rq->kind == NET_SUMS)
    return NULL;
  if (rq->kind != NET_NORM || rq->wide)
    return "a requantization other than norm in 32 bits";
  if (layer->kind == NET_CONV && layer->pad_value &&
      layer->pad_top + layer->pad_bottom + layer->pad_left + layer->pad_right)
    return "padding with values other than 0";
  return NULL;
}

static const char *odd_pool(const struct net *net, const struct net_layer *layer) {
  const struct net_requant *rq = &layer->requant;
  if (layer->kind == NET_MAXPOOL)
    return rq->kind == NET_COPY ? NULL : "a requantization behind it";
  bool whole =
      rq->kind == NET_DIVIDE && !rq->round && rq->divisor == layer->kernel_h * layer->kernel_w;
  (void)net;
  return whole ? NULL : "averages other than the floor of the sum over the window's size";
}

static const char *odd_add(const struct net_layer *layer) {
  const struct net_requant *rq = &layer->requant;
  if (layer->input_count != 2 || rq->kind != NET_NORM || rq->wide || rq->per_channel)
    return "additions of other than two tensors with one norm";
  for (uint32_t i = 0; layer->scaled && i < 2; i++) {
    if (layer->scaled[i].fixed || layer->scaled[i].shift)
      return "inputs that are shifted before the sum";
  }
  return NULL;
}

static const char *odd(const struct net *net, const struct net_layer *layer) {
  const char *tensor = odd_tensor(net, layer);
  if (tensor)
    return tensor;
  switch (layer->kind) {
  case NET_CONV:
  case NET_DEPTHWISE:
  case NET_LINEAR:
    return odd_filters(layer);
  case NET_MAXPOOL:
  case NET_AVGPOOL:
    return odd_pool(net, layer);
  case NET_ADD:
    return odd_add(layer);
  default:
    return "this operator";
  }
}

// ---------------------------------------------------------------------------- parameters

static enum tile_kind kind_of(const struct net_layer *layer) {
  switch (layer->kind) {
  case NET_DEPTHWISE:
    return TILE_DEPTHWISE;
  case NET_LINEAR:
    return layer->requant.kind == NET_SUMS ? TILE_SUMS : TILE_LINEAR;
  case NET_MAXPOOL:
    return TILE_MAXPOOL;
  case NET_AVGPOOL:
    return TILE_AVGPOOL;
  case NET_ADD:
    return TILE_ADD;
  default:
    return TILE_CONV;
  }
}

static const struct tile_kernel *kernel_of(enum tile_kind kind) {
  static const struct tile_kernel *const kernels[] = {
      [TILE_CONV] = &tile_conv, [TILE_DEPTHWISE] = &tile_depthwise, [TILE_LINEAR] = &tile_linear,
      [TILE_SUMS] = &tile_sums, [TILE_MAXPOOL] = &tile_maxpool,     [TILE_AVGPOOL] = &tile_avgpool,
      [TILE_ADD] = &tile_add};
  return kernels[kind];
}

// kappa * (sum of scale * (code - zero) + add) + lambda, with everything that does not depend on
// codes in one number.
static void lower_add(const struct net_layer *layer, struct tile_layer *t) {
  const struct net_requant *rq = &layer->requant;
  int32_t kappa = rq->kappa[0], scale[2];
  int64_t lambda = rq->lambda ? rq->lambda[0] : 0;
  for (unsigned i = 0; i < 2; i++) {
    struct net_scaled s = layer->scaled ? layer->scaled[i] : (struct net_scaled){.mul = 1};
    scale[i] = kappa * s.mul;
    lambda += (int64_t)kappa * s.add - (int64_t)kappa * s.mul * s.zero;
  }
  t->scale_a = scale[0], t->scale_b = scale[1], t->lambda = (int32_t)lambda;
}

bool lower_layer(const struct net *net, const struct net_layer *layer, struct tile_layer *tile,
                 struct net_error *error) {
  const struct net_tensor *out = net_output(net, layer);
  const char *text = odd(net, layer);
  if (text)
    return refuse(layer, text, error);
  const struct net_tensor *in = net_input(net, layer, 0);
  bool vector = layer->kind == NET_LINEAR;
  uint32_t in_c = vector ? in->h * in->w * in->c : in->c;
  if (in_c > UINT16_MAX || out->c > UINT16_MAX)
    return refuse(layer, "more than 65,535 channels", error);
  *tile = (struct tile_layer){.kind = kind_of(layer),
                              .kernel = kernel_of(kind_of(layer)),
                              .in_h = vector ? 1 : (uint16_t)in->h,
                              .in_w = vector ? 1 : (uint16_t)in->w,
                              .in_c = (uint16_t)in_c,
                              .out_h = (uint16_t)out->h,
                              .out_w = (uint16_t)out->w,
                              .out_c = (uint16_t)out->c,
                              .kernel_h = vector ? 1 : layer->kernel_h,
                              .kernel_w = vector ? 1 : layer->kernel_w,
                              .stride_h = vector ? 1 : layer->stride_h,
                              .stride_w = vector ? 1 : layer->stride_w,
                              .pad_top = layer->pad_top,
                              .pad_left = layer->pad_left,
                              .pad_right = layer->pad_right,
                              .shift = layer->requant.shift,
                              .pad_value = (int16_t)layer->pad_value};
  if (layer->kind == NET_ADD) {
    tile->kernel_h = tile->kernel_w = tile->stride_h = tile->stride_w = 1;
    lower_add(layer, tile);
  }
  return true;
}

// ---------------------------------------------------------------------------- filters

struct packing {
  const struct tile_layer *tile;
  uint32_t channels;
  const int8_t *weights;
  const int32_t *kappa, *lambda;
  uint8_t *packed;
};

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

static uint32_t depthwise_taps(const struct tile_layer *t) {
  return (uint32_t)t->kernel_h * t->kernel_w;
}

uint32_t lower_tile_bytes(const struct tile_layer *t) {
  switch (t->kind) {
  case TILE_CONV: {
    struct nn_conv2d k = conv_of(t, t->tile_c);
    return nn_conv2d_packed_size(&k);
  }
  case TILE_LINEAR: {
    struct nn_linear k = linear_of(t, t->tile_c);
    return nn_linear_packed_size(&k);
  }
  case TILE_SUMS: { // lambda behind them
    struct nn_linear k = linear_of(t, t->tile_c);
    return nn_linear_packed_size(&k) + 4u * t->tile_c;
  }
  case TILE_DEPTHWISE:
    return ((depthwise_taps(t) * t->tile_c + 3) & ~3u) + 8u * t->tile_c;
  default:
    return 0;
  }
}

static void pack_depthwise(const struct packing *p) {
  uint32_t taps = depthwise_taps(p->tile), c = p->tile->tile_c;
  uint8_t *kappa = p->packed + ((taps * c + 3) & ~3u), *lambda = kappa + 4 * (size_t)c;
  memcpy(p->packed, p->weights, (size_t)p->channels * taps);
  memcpy(kappa, p->kappa, 4 * (size_t)p->channels);
  memcpy(lambda, p->lambda, 4 * (size_t)p->channels);
}

static void pack_sums(const struct packing *p) {
  struct nn_linear k = linear_of(p->tile, p->channels);
  uint8_t *lambda = p->packed + p->tile->weight_bytes - 4 * (size_t)p->tile->tile_c;
  nn_linear_pack(&k, p->packed, p->weights, NULL, NULL);
  memcpy(lambda, p->lambda, 4 * (size_t)p->channels);
}

// On the host's runtime, as one core.
static int pack(void *user) {
  const struct packing *p = user;
  struct nn_conv2d conv = conv_of(p->tile, p->channels);
  struct nn_linear linear = linear_of(p->tile, p->channels);
  if (p->tile->kind == TILE_CONV)
    nn_conv2d_pack(&conv, p->packed, p->weights, p->kappa, p->lambda);
  else if (p->tile->kind == TILE_LINEAR)
    nn_linear_pack(&linear, p->packed, p->weights, p->kappa, p->lambda);
  else if (p->tile->kind == TILE_SUMS)
    pack_sums(p);
  else
    pack_depthwise(p);
  return 0;
}

// Parameters channel by channel, where the layer may have one for all.
static void spread(const struct net_layer *layer, uint32_t channels, int32_t *kappa,
                   int32_t *lambda) {
  const struct net_requant *rq = &layer->requant;
  for (uint32_t c = 0; c < channels; c++) {
    kappa[c] = rq->kappa ? rq->kappa[rq->per_channel ? c : 0] : 1;
    lambda[c] = rq->lambda ? (int32_t)rq->lambda[c] : 0;
  }
}

uint8_t *lower_weights(const struct net *net, const struct net_layer *layer,
                       const struct tile_layer *t, size_t *bytes) {
  uint32_t channels = t->out_c, tiles = (channels + t->tile_c - 1) / t->tile_c;
  *bytes = (size_t)tiles * t->weight_bytes;
  if (!*bytes)
    return NULL;
  (void)net;
  uint8_t *all = memory_new(*bytes, 1);
  int32_t *kappa = memory_new(channels, sizeof *kappa),
          *lambda = memory_new(channels, sizeof *kappa);
  size_t filter = layer->weight_count / channels;
  spread(layer, channels, kappa, lambda);
  for (uint32_t i = 0, at = 0; i < tiles; i++, at += t->tile_c) {
    struct packing p = {.tile = t,
                        .channels = channels - at < t->tile_c ? channels - at : t->tile_c,
                        .weights = layer->weights + at * filter,
                        .kappa = kappa + at,
                        .lambda = lambda + at,
                        .packed = all + (size_t)i * t->weight_bytes};
    rt_host_run(1, pack, &p);
  }
  free(kappa);
  free(lambda);
  return all;
}
