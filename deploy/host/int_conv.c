// deploy/host/int_conv.c: convolutions, depthwise and linear layers of the integer interpreter.
//
// A convolution is im2col by rows of output pixels and products of 16-bit rows, which compilers
// turn into the host's multiply-and-add of 16-bit pairs. Codes have at most 8 bits, weights less
// their zeros at most 12: products of 16-bit numbers are exact, and sums wrap at 32 bits.
#include <string.h>

#include "deploy/net/net_ref.h"
#include "int_layer.h"

static size_t group_channels(const struct net_layer *layer, const struct net_tensor *in) {
  return layer->kind == NET_CONV ? in->c / layer->groups : 1;
}

static size_t taps_of(const struct net_layer *layer, const struct net_tensor *in) {
  if (layer->kind == NET_LINEAR)
    return (size_t)in->h * in->w * in->c;
  return (size_t)layer->kernel_h * layer->kernel_w * group_channels(layer, in);
}

size_t int_conv_columns(const struct net_layer *layer, const struct net_tensor *in,
                        const struct net_tensor *out) {
  return taps_of(layer, in) * out->w;
}

static int16_t less_zero(const struct net_layer *layer, size_t i, size_t filter) {
  int zero = 0;
  if (layer->weight_zero)
    zero = layer->weight_zero[layer->weight_zero_per_channel ? filter : 0];
  return (int16_t)(layer->weights[i] - zero);
}

void int_conv_weights(const struct net *net, const struct net_layer *layer, int16_t *weights) {
  size_t filters = net_output(net, layer)->c, taps = layer->weight_count / filters;
  bool turned = layer->kind == NET_DEPTHWISE;
  for (size_t f = 0; f < filters; f++) {
    for (size_t t = 0; t < taps; t++)
      weights[turned ? t * filters + f : f * taps + t] = less_zero(layer, f * taps + t, f);
  }
}

static uint32_t dot(const int16_t *restrict a, const int16_t *restrict b, size_t count) {
  uint32_t sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += (uint32_t)(a[i] * b[i]);
  return sum;
}

// ---------------------------------------------------------------------------- im2col

static const int32_t *pixel_at(const struct int_layer *run, int64_t y, int64_t x) {
  if (y < 0 || y >= run->in->h || x < 0 || x >= run->in->w)
    return NULL; // in the padding
  return run->values[0] + ((size_t)y * run->in->w + (size_t)x) * run->in->c;
}

// One pixel's taps of a row of the window: `count` channels from channel `first` each.
static int16_t *gather_row(const struct int_layer *run, int16_t *to, int64_t y, int64_t x,
                           size_t first, size_t count) {
  const struct net_layer *l = run->layer;
  for (uint32_t j = 0; j < l->kernel_w; j++, x += l->dilation_w) {
    const int32_t *from = pixel_at(run, y, x);
    for (size_t c = 0; c < count; c++)
      *to++ = (int16_t)(from ? from[first + c] : l->pad_value);
  }
  return to;
}

static void gather(const struct int_layer *run, uint32_t y0, uint32_t group) {
  const struct net_layer *l = run->layer;
  size_t count = group_channels(l, run->in);
  int16_t *to = run->columns;
  for (uint32_t x0 = 0; x0 < run->out->w; x0++) {
    int64_t x = (int64_t)x0 * l->stride_w - l->pad_left;
    int64_t y = (int64_t)y0 * l->stride_h - l->pad_top;
    for (uint32_t i = 0; i < l->kernel_h; i++, y += l->dilation_h)
      to = gather_row(run, to, y, x, group * count, count);
  }
}

// ---------------------------------------------------------------------------- layers

static void finish(const struct int_layer *run, int32_t *at, uint32_t sum, uint32_t c) {
  *at = net_requantized(&run->layer->requant, (int32_t)sum, c, run->out->bits, 1);
}

static void products(const struct int_layer *run, int32_t *row, uint32_t group) {
  size_t taps = taps_of(run->layer, run->in);
  uint32_t filters = run->out->c / run->layer->groups, first = group * filters;
  for (uint32_t f = first; f < first + filters; f++) {
    for (uint32_t x = 0; x < run->out->w; x++)
      finish(run, row + (size_t)x * run->out->c + f,
             dot(run->columns + x * taps, run->weights + f * taps, taps), f);
  }
}

void int_conv(const struct int_layer *run) {
  for (uint32_t y = 0; y < run->out->h; y++) {
    int32_t *row = run->result + (size_t)y * run->out->w * run->out->c;
    for (uint32_t group = 0; group < run->layer->groups; group++) {
      gather(run, y, group);
      products(run, row, group);
    }
  }
}

void int_linear(const struct int_layer *run) {
  size_t taps = taps_of(run->layer, run->in);
  for (size_t i = 0; i < taps; i++)
    run->columns[i] = (int16_t)run->values[0][i];
  for (uint32_t f = 0; f < run->out->c; f++)
    finish(run, run->result + f, dot(run->columns, run->weights + f * taps, taps), f);
}

// Sums stand in the result until they are requantized.
static void add_tap(const struct int_layer *run, uint32_t *sums, int64_t y, int64_t x,
                    const int16_t *weights) {
  const int32_t *pixel = pixel_at(run, y, x);
  for (uint32_t c = 0; c < run->out->c; c++)
    sums[c] += (uint32_t)((pixel ? pixel[c] : run->layer->pad_value) * weights[c]);
}

static void depthwise_pixel(const struct int_layer *run, uint32_t y0, uint32_t x0, int32_t *at) {
  const struct net_layer *l = run->layer;
  const int16_t *weights = run->weights;
  memset(at, 0, run->out->c * sizeof *at);
  int64_t y = (int64_t)y0 * l->stride_h - l->pad_top;
  for (uint32_t i = 0; i < l->kernel_h; i++, y += l->dilation_h) {
    int64_t x = (int64_t)x0 * l->stride_w - l->pad_left;
    for (uint32_t j = 0; j < l->kernel_w; j++, x += l->dilation_w, weights += run->out->c)
      add_tap(run, (uint32_t *)at, y, x, weights);
  }
  for (uint32_t c = 0; c < run->out->c; c++)
    finish(run, at + c, (uint32_t)at[c], c);
}

void int_depthwise(const struct int_layer *run) {
  int32_t *at = run->result;
  for (uint32_t y = 0; y < run->out->h; y++) {
    for (uint32_t x = 0; x < run->out->w; x++, at += run->out->c)
      depthwise_pixel(run, y, x, at);
  }
}
