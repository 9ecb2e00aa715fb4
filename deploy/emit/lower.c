#include "lower.h"

#include <stdlib.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "deploy/net/net_ref.h"
#include "kernels/nn/nn_dw_quad.h"
#include "kernels/nn/nn_finish.h"
#include "kernels/nn/nn_lookup.h"
#include "kernels/nn/nn_pool_window.h"
#include "kernels/tile/tile_kernel.h"
#include "range.h"

// A layer on its way.
struct lowering {
  const struct net *net;
  const struct net_layer *layer;
  const struct net_tensor *in, *out;
  struct tile_layer *tile;
};

static bool refuse(const struct net_layer *layer, const char *text, struct net_error *error) {
  net_fail(error, "layer %.80s (%s): the generator does not support %s", layer->name,
           net_kind_name(layer->kind), text);
  if (error)
    error->status = EX_UNAVAILABLE;
  return false;
}

// ---------------------------------------------------------------------------- requantization

static bool clips(const struct lowering *k) {
  const struct net_requant *rq = &k->layer->requant;
  int32_t low = k->out->is_signed ? -(1 << (k->out->bits - 1)) : 0;
  return rq->low > low || rq->high < low + (1 << k->out->bits) - 1;
}

// kappa, lambda and a shift by the kernels themselves: a signed output's half of the range is added
// to lambda there.
static bool norm_fits(const struct lowering *k) {
  const struct net_requant *rq = &k->layer->requant;
  bool plain = rq->kind == NET_COPY || (rq->kind == NET_NORM && !rq->wide);
  uint32_t bits = k->out->bits, shift = rq->kind == NET_COPY ? 0 : rq->shift;
  if (!plain || !net_has_weights(k->layer->kind))
    return false;
  if (!k->out->is_signed)
    return true;
  return rq->kind == NET_NORM && shift + bits <= 31 &&
         range_fits(k->net, k->layer, (int64_t)1 << (bits - 1 + shift));
}

// NORM is SCALE by 1; what cannot leave 32 bits needs no 64.
static enum nn_scheme scheme_of(const struct lowering *k) {
  const struct net_requant *rq = &k->layer->requant;
  bool wide = rq->wide && (!net_has_weights(k->layer->kind) || !range_fits(k->net, k->layer, 0));
  switch (rq->kind) {
  case NET_ICN:
    return NN_ICN;
  case NET_THRESHOLDS:
    return NN_THRESHOLDS;
  case NET_FOLDED:
    return NN_FOLDED;
  case NET_TFLITE:
    return NN_TFLITE;
  case NET_SCALE:
    return wide ? NN_WIDE_SCALE : NN_SCALE;
  case NET_NORM:
    return wide ? NN_WIDE : NN_SCALE;
  default:
    return NN_SCALE;
  }
}

static bool lower_requant(const struct lowering *k, struct net_error *error) {
  enum { ZERO_MOST = 255 };
  const struct net_requant *rq = &k->layer->requant;
  struct tile_layer *t = k->tile;
  if (rq->kind == NET_SUMS)
    return true;
  t->clip = clips(k) && rq->kind != NET_TFLITE;
  t->low = (int16_t)rq->low, t->high = (int16_t)rq->high;
  t->shift = rq->kind == NET_NORM ? rq->shift : 0;
  if (norm_fits(k))
    return true;
  bool zero = net_adds_zero(rq);
  if (zero && abs(rq->zero) > ZERO_MOST)
    return refuse(k->layer, "zero points of outputs beyond -255..255", error);
  t->shift = 0;
  t->requant = (struct tile_requant){.scheme = scheme_of(k),
                                     .used = true,
                                     .per_channel = rq->per_channel && rq->kind != NET_COPY,
                                     .shift = rq->kind == NET_COPY ? 0 : rq->shift,
                                     .zero = zero ? (int16_t)rq->zero : 0,
                                     .low = (int16_t)rq->low,
                                     .high = (int16_t)rq->high,
                                     .m = rq->kind == NET_SCALE ? rq->m : 1};
  return true;
}

// ---------------------------------------------------------------------------- layers with filters

static bool is_u8(const struct net_tensor *t) {
  return t->bits == 8 && !t->is_signed;
}

static bool padded(const struct net_layer *l) {
  return l->pad_top || l->pad_bottom || l->pad_left || l->pad_right;
}

// What nn_conv2d.h and nn_linear.h take.
static bool is_plain(const struct lowering *k) {
  const struct net_layer *l = k->layer;
  bool out = l->requant.kind == NET_SUMS ? l->kind == NET_LINEAR : is_u8(k->out);
  return is_u8(k->in) && out && l->weight_bits == 8 && !k->tile->requant.used && !k->tile->clip &&
         !(padded(l) && l->pad_value);
}

// Whole fours of channels where inputs are used as they stand.
static bool is_pointwise(const struct lowering *k) {
  const struct net_layer *l = k->layer;
  enum { CHANNELS_LEAST = 8 }; // two words of nn_strip_u8.h
  return l->kind == NET_CONV && l->kernel_h == 1 && l->kernel_w == 1 && l->stride_h == 1 &&
         l->stride_w == 1 && !padded(l) && k->in->c % 4 == 0 && k->in->c >= CHANNELS_LEAST &&
         k->out->c % 4 == 0;
}

// Depthwise layers whose channels' loops are called at once.
static bool is_threes(const struct lowering *k) {
  const struct net_layer *l = k->layer;
  return l->kind == NET_DEPTHWISE && l->kernel_h == 3 && l->kernel_w <= 3 && k->in->c % 4 == 0 &&
         k->in->bits == 8 && l->weight_bits == 8 && k->out->bits == 8 && !k->tile->requant.used;
}

// Of them, what nn_dw_quad.h takes; with one row of padding below at most, so any tile of it.
static bool is_quads(const struct lowering *k) {
  const struct net_layer *l = k->layer;
  const struct nn_depthwise whole = {.in_h = (uint16_t)k->in->h,
                                     .in_w = (uint16_t)k->in->w,
                                     .channels = (uint16_t)k->in->c,
                                     .kernel_h = l->kernel_h,
                                     .kernel_w = l->kernel_w,
                                     .stride_h = l->stride_h,
                                     .stride_w = l->stride_w,
                                     .pad_top = l->pad_top,
                                     .pad_left = l->pad_left,
                                     .in_bits = k->in->bits,
                                     .out_bits = k->out->bits,
                                     .pad_value = (int16_t)l->pad_value};
  return nn_dw_quads_fit(&whole, k->out->h, k->out->w);
}

static const struct tile_kernel *depthwise_kernel(const struct lowering *k) {
  if (is_threes(k) && is_quads(k))
    return &tile_quads;
  return is_threes(k) && k->layer->stride_w == 1 ? &tile_planes : &tile_depthwise;
}

static bool is_direct(const struct lowering *k) {
  enum { FILTER_MOST = 1 << 16 }; // nn_mixed.h
  const struct net_layer *l = k->layer;
  return l->weight_zero || l->dilation_h != 1 || l->dilation_w != 1 ||
         (l->kind == NET_CONV && l->groups != 1) ||
         (l->kind != NET_DEPTHWISE && l->weight_count / k->out->c > FILTER_MOST);
}

// The end of blocks that all channels have (nn_finish.h); if there is none, tiles look themselves.
static struct nn_end end_of(const struct lowering *k) {
  const struct net_requant *rq = &k->layer->requant;
  const struct tile_layer *t = k->tile;
  uint32_t channels = k->out->c, weights = (uint32_t)(k->layer->weight_count / channels);
  struct nn_requant_i32 all = tile_requant_of(t, NULL);
  int32_t *bias = memory_new(channels, sizeof *bias);
  for (uint32_t c = 0; c < channels && rq->lambda; c++)
    bias[c] = (int32_t)rq->lambda[c];
  all.bias = bias, all.factor = rq->kappa, all.shifts = rq->shifts;
  struct nn_end end =
      nn_end_of(&all, channels, nn_end_sums(weights, k->in->bits, k->layer->weight_bits));
  free(bias);
  return end.kind == NN_END_NONE ? (struct nn_end){NN_END_ASK, 0} : end;
}

static bool lower_filters(const struct lowering *k, struct net_error *error) {
  const struct net_layer *l = k->layer;
  struct tile_layer *t = k->tile;
  bool sums = l->requant.kind == NET_SUMS;
  if (!lower_requant(k, error))
    return false;
  t->kind = l->kind == NET_CONV        ? TILE_CONV
            : l->kind == NET_DEPTHWISE ? TILE_DEPTHWISE
            : sums                     ? TILE_SUMS
                                       : TILE_LINEAR;
  t->kernel = l->kind == NET_DEPTHWISE ? depthwise_kernel(k)
              : !is_plain(k)           ? &tile_mixed
              : is_pointwise(k)        ? &tile_rows
              : l->kind == NET_CONV    ? &tile_conv
              : sums                   ? &tile_sums
                                       : &tile_linear;
  if ((t->kernel == &tile_mixed || t->kernel == &tile_depthwise) && t->requant.used &&
      !is_direct(k))
    t->requant.end = end_of(k);
  return !is_direct(k) || lower_directly(k->net, l, t);
}

// For kernels that know schemes only.
static void use_scheme(struct tile_layer *t) {
  if (t->requant.used)
    return;
  t->requant = (struct tile_requant){
      .scheme = NN_SCALE, .used = true, .per_channel = true, .shift = t->shift, .m = 1};
  t->shift = 0;
}

bool lower_directly(const struct net *net, const struct net_layer *l, struct tile_layer *t) {
  bool sums = l->requant.kind == NET_SUMS;
  if (!net_has_weights(l->kind) || t->kernel == &tile_direct)
    return false;
  t->kernel = &tile_direct;
  t->groups = (uint16_t)(l->kind == NET_DEPTHWISE ? net_input(net, l, 0)->c
                         : l->kind == NET_CONV    ? l->groups
                                                  : 1);
  t->kind = TILE_CONV;
  t->weight_bits = l->weight_zero ? 16 : 8;
  if (!sums)
    use_scheme(t);
  return true;
}

bool lower_in_parts(struct tile_layer *t) {
  const struct tile_kernel *k = t->kernel;
  if (t->in_c < 2 || (k != &tile_mixed && k != &tile_conv && k != &tile_rows && k != &tile_linear &&
                      k != &tile_sums))
    return false;
  if (t->out_bits != 32)
    use_scheme(t);
  t->kernel = &tile_parts;
  return true;
}

// ---------------------------------------------------------------------------- pools

// All pixels, and as many as a sum's lane holds.
static bool is_global(const struct lowering *k) {
  const struct net_layer *l = k->layer;
  uint32_t pixels = k->in->h * k->in->w;
  return l->kernel_h == k->in->h && l->kernel_w == k->in->w && !padded(l) && pixels > 1 &&
         pixels <= NN_SUMS_MOST(8) && is_u8(k->in) && k->in->c % 4 == 0 && !k->tile->clip;
}

static bool lower_pool(const struct lowering *k, struct net_error *error) {
  enum { WINDOW_MOST = 4096 }; // nn_pool.h
  const struct net_layer *l = k->layer;
  const struct net_requant *rq = &l->requant;
  struct tile_layer *t = k->tile;
  bool max = l->kind == NET_MAXPOOL;
  int32_t window = l->kernel_h * l->kernel_w;
  if (window > WINDOW_MOST)
    return refuse(l, "windows of more than 4096 pixels, but averages without padding", error);
  if (!max && rq->divisor && rq->divisor != window)
    return refuse(l,
                  "averages of signed codes by an even number that is not the window's size, "
                  "rounded to the nearest",
                  error);
  t->kind = max ? TILE_MAXPOOL : TILE_AVGPOOL;
  t->inside = !max && rq->divisor == 0, t->nearest = !max && rq->round;
  t->kernel = max ? &tile_maxpool : t->inside || t->nearest ? &tile_average : &tile_avgpool;
  t->clip = clips(k);
  t->low = (int16_t)rq->low, t->high = (int16_t)rq->high;
  if (t->kernel == &tile_avgpool && is_global(k))
    t->kernel = &tile_global;
  return true;
}

// ---------------------------------------------------------------------------- by elements

// One number for all channels, of values that come from one code.
static bool is_function(const struct net_layer *l) {
  bool one = l->kind == NET_CONCAT || l->kind == NET_TABLE || l->kind == NET_RESIZE;
  return one && !l->requant.per_channel && l->requant.kind != NET_SUMS;
}

static int32_t value_of(const struct lowering *k, unsigned input, int32_t code) {
  const struct net_layer *l = k->layer;
  uint32_t mask = (1u << net_input(k->net, l, input)->bits) - 1;
  int32_t value = code;
  if (l->kind == NET_TABLE) {
    value = l->table[(uint32_t)code & mask];
    value = k->out->is_signed ? (int8_t)value : value;
  } else if (l->scaled && l->kind != NET_RESIZE) {
    value = net_scaled_value(&l->scaled[input], code);
  }
  return is_function(l) ? net_requantized(&l->requant, value, 0, k->out->bits, 1) : value;
}

void lower_codes(const struct net *net, const struct net_layer *layer, unsigned input,
                 int32_t *table) {
  const struct net_tensor *in = net_input(net, layer, input);
  struct lowering k = {net, layer, in, net_output(net, layer), NULL};
  int32_t count = 1 << in->bits;
  for (int32_t i = 0; i < count; i++)
    table[i] = value_of(&k, input, in->is_signed && i >= count / 2 ? i - count : i);
}

// nn_add.h: kappa * (sum of scale * (code - zero) + add) + lambda, with everything that does not
// depend on codes in one number; 32 bits that wrap, as the requantization's.
static bool lower_add(const struct lowering *k) {
  const struct net_layer *l = k->layer;
  const struct net_requant *rq = &l->requant;
  struct tile_layer *t = k->tile;
  uint32_t scale[2], lambda = rq->lambda ? (uint32_t)rq->lambda[0] : 0;
  if (l->input_count != 2 || rq->kind != NET_NORM || rq->wide || rq->per_channel ||
      net_input(k->net, l, 1)->is_signed != k->in->is_signed)
    return false;
  for (unsigned i = 0; i < 2; i++) {
    struct net_scaled s = l->scaled ? l->scaled[i] : (struct net_scaled){.mul = 1};
    if (s.fixed || s.shift)
      return false;
    scale[i] = (uint32_t)rq->kappa[0] * (uint32_t)s.mul;
    lambda += (uint32_t)rq->kappa[0] * (uint32_t)s.add - scale[i] * (uint32_t)s.zero;
  }
  t->kernel = &tile_add;
  t->scale_a = (int32_t)scale[0], t->scale_b = (int32_t)scale[1], t->lambda = (int32_t)lambda;
  t->shift = rq->shift;
  t->clip = clips(k);
  t->low = (int16_t)rq->low, t->high = (int16_t)rq->high;
  return true;
}

static bool lower_elements(const struct lowering *k, struct net_error *error) {
  const struct net_layer *l = k->layer;
  struct tile_layer *t = k->tile;
  if (l->input_count > TILE_INPUTS)
    return refuse(l, "more than four inputs of a sum or a product", error);
  if (l->requant.kind == NET_SUMS && l->requant.lambda)
    return refuse(l, "32-bit sums with a lambda, but of layers with weights", error);
  t->kind = l->kind == NET_CONCAT ? TILE_CONCAT : l->kind == NET_RESIZE ? TILE_RESIZE : TILE_ADD;
  t->kernel = &tile_lookup;
  t->joint = l->kind == NET_CONCAT     ? NN_JOINT_CONCAT
             : l->kind == NET_MULTIPLY ? NN_JOINT_PRODUCT
                                       : NN_JOINT_SUM;
  t->inputs = (uint8_t)l->input_count;
  for (uint32_t i = 1; i < l->input_count; i++) {
    const struct net_tensor *in = net_input(k->net, l, i);
    bool one = in->h == 1 && in->w == 1;
    t->more[i - 1] = (struct tile_input){(uint16_t)in->c, in->bits, one};
  }
  if (l->kind == NET_ADD && lower_add(k))
    return true;
  return is_function(l) || lower_requant(k, error);
}

// ---------------------------------------------------------------------------- all

static bool lower_kind(const struct lowering *k, struct net_error *error) {
  if (net_has_weights(k->layer->kind))
    return lower_filters(k, error);
  if (k->layer->kind == NET_MAXPOOL || k->layer->kind == NET_AVGPOOL)
    return lower_pool(k, error);
  return lower_elements(k, error);
}

bool lower_layer(const struct net *net, const struct net_layer *layer, struct tile_layer *tile,
                 struct net_error *error) {
  const struct net_tensor *in = net_input(net, layer, 0), *out = net_output(net, layer);
  bool vector = layer->kind == NET_LINEAR;
  bool windows = layer->kind == NET_CONV || layer->kind == NET_DEPTHWISE ||
                 layer->kind == NET_MAXPOOL || layer->kind == NET_AVGPOOL;
  bool strides = windows || layer->kind == NET_RESIZE;
  uint64_t in_c = vector ? (uint64_t)in->h * in->w * in->c : in->c;
  if (in_c > UINT16_MAX || (vector && in->h * in->w > 1 && in->c * in->bits % 8))
    return refuse(layer, "linear layers of so large an input", error);
  *tile = (struct tile_layer){.in_h = vector ? 1 : (uint16_t)in->h,
                              .in_w = vector ? 1 : (uint16_t)in->w,
                              .in_c = (uint16_t)in_c,
                              .out_h = (uint16_t)out->h,
                              .out_w = (uint16_t)out->w,
                              .out_c = (uint16_t)out->c,
                              .tile_h = (uint16_t)out->h,
                              .tile_w = (uint16_t)out->w,
                              .tile_c = (uint16_t)out->c,
                              .tile_k = (uint16_t)in_c,
                              .kernel_h = windows ? layer->kernel_h : 1,
                              .kernel_w = windows ? layer->kernel_w : 1,
                              .stride_h = strides ? layer->stride_h : 1,
                              .stride_w = strides ? layer->stride_w : 1,
                              .groups = 1,
                              .dilation_h = strides ? layer->dilation_h : 1,
                              .dilation_w = strides ? layer->dilation_w : 1,
                              .pad_top = windows ? layer->pad_top : 0,
                              .pad_left = windows ? layer->pad_left : 0,
                              .pad_right = windows ? layer->pad_right : 0,
                              .in_bits = in->bits,
                              .weight_bits = layer->weight_bits,
                              .out_bits = out->bits,
                              .in_signed = in->is_signed,
                              .out_signed = out->is_signed,
                              .inputs = 1,
                              .stored = true,
                              .pad_value = strides ? (int16_t)layer->pad_value : 0};
  struct lowering k = {net, layer, in, out, tile};
  return lower_kind(&k, error);
}
