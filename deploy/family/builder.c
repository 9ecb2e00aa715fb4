#include "builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"

enum {
  SPREAD = 70,       // standard deviation of codes before the clip
  ABOVE = 40,        // their mean behind a ReLU
  RELU_RMS = 75,     // root mean square of what the clip leaves of these
  LINEAR_RMS = 50,   // of codes around 128
  LINEAR_ZERO = 128, //
  WEIGHT_RMS = 73,   // of integers from -127 to 127
};

// xorshift64* (Vigna, 2016).
static uint32_t draw(struct builder *b) {
  uint64_t x = b->random;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  b->random = x;
  return (uint32_t)((x * UINT64_C(0x2545F4914F6CDD1D)) >> 32);
}

static int32_t draw_within(struct builder *b, int32_t most) {
  return (int32_t)(((uint64_t)draw(b) * (uint64_t)(2 * most + 1)) >> 32) - most;
}

struct builder_window builder_same(uint8_t kernel, uint8_t stride) {
  uint8_t pad = kernel / 2;
  return (struct builder_window){kernel, kernel, stride, pad, pad, pad, pad};
}

struct builder builder_new(const char *name, uint64_t seed) {
  return (struct builder){net_new(name), seed};
}

static int tensor(struct builder *b, const char *name, uint32_t h, uint32_t w, uint32_t c,
                  enum builder_end end) {
  struct net_tensor t = {.h = h, .w = w, .c = c, .bits = end == BUILDER_SUMS ? 32 : 8};
  t.is_signed = end == BUILDER_SUMS;
  t.zero = end == BUILDER_LINEAR ? LINEAR_ZERO : 0;
  t.name = (char *)name;
  return net_add_tensor(b->net, &t);
}

int builder_input(struct builder *b, uint32_t h, uint32_t w, uint32_t c) {
  int at = tensor(b, "input", h, w, c, BUILDER_RELU);
  b->net->inputs = memory_new(1, sizeof(int));
  b->net->inputs[0] = at;
  b->net->input_count = 1;
  return at;
}

static int add_layer(struct builder *b, const char *name, struct net_layer *layer, int one,
                     int other) {
  layer->name = memory_text(name);
  layer->input_count = other == NET_NONE ? 1 : 2;
  layer->inputs = memory_new(layer->input_count, sizeof(int));
  layer->inputs[0] = one;
  if (other != NET_NONE)
    layer->inputs[1] = other;
  net_add_layer(b->net, layer);
  return layer->output;
}

static void set_window(struct net_layer *layer, struct builder_window window) {
  layer->kernel_h = window.kernel_h;
  layer->kernel_w = window.kernel_w;
  layer->stride_h = layer->stride_w = window.stride;
  layer->pad_top = window.top;
  layer->pad_bottom = window.bottom;
  layer->pad_left = window.left;
  layer->pad_right = window.right;
}

static uint32_t windows(uint32_t in, uint32_t pads, uint32_t kernel, uint32_t stride) {
  return (in + pads - kernel) / stride + 1;
}

// Weights of `channels` filters with `taps` each; the first of a filter brings its sum near 0, so
// that no channel is above or below the others for all inputs.
static void draw_weights(struct builder *b, struct net_layer *layer, uint32_t channels,
                         size_t taps) {
  layer->weight_count = channels * taps;
  layer->weights = memory_new(layer->weight_count, 1);
  for (uint32_t c = 0; c < channels; c++) {
    int8_t *filter = layer->weights + c * taps;
    int64_t sum = 0;
    for (size_t i = 0; i < taps; i++)
      sum += filter[i] = (int8_t)draw_within(b, 127);
    for (size_t i = 0; i < taps && taps > 4; i++) {
      int64_t part = sum / (int64_t)(taps - i), now = filter[i] - part;
      int64_t kept = now < -127 ? -127 : now > 127 ? 127 : now;
      sum -= filter[i] - kept;
      filter[i] = (int8_t)kept;
    }
  }
}

static int64_t filter_sum(const int8_t *filter, size_t taps) {
  int64_t sum = 0;
  for (size_t i = 0; i < taps; i++)
    sum += filter[i];
  return sum;
}

// NORM: kappa in 32..63 and the shift that goes with it; lambda moves the mean and takes the
// input's zero off the sums.
static void set_norm(struct builder *b, struct net_layer *layer, uint32_t channels, size_t taps,
                     int32_t in_zero, enum builder_end end) {
  struct net_requant *rq = &layer->requant;
  double rms = in_zero ? LINEAR_RMS : RELU_RMS,
         spread = end == BUILDER_LINEAR ? LINEAR_RMS : SPREAD,
         ratio = spread / (sqrt((double)taps) * WEIGHT_RMS * rms);
  int32_t middle = end == BUILDER_LINEAR ? LINEAR_ZERO : ABOVE;
  *rq = (struct net_requant){.kind = NET_NORM, .per_channel = true, .low = 0, .high = 255};
  while (ratio * (double)(1u << rq->shift) < 36)
    rq->shift++;
  rq->kappa = memory_new(channels, sizeof *rq->kappa);
  rq->lambda = memory_new(channels, sizeof *rq->lambda);
  for (uint32_t c = 0; c < channels; c++) {
    rq->kappa[c] = (int32_t)lround(ratio * (double)(1u << rq->shift)) + draw_within(b, 4);
    rq->lambda[c] = (int64_t)(middle + draw_within(b, 16)) * (1 << rq->shift) -
                    in_zero * rq->kappa[c] * filter_sum(layer->weights + c * taps, taps);
  }
}

static void set_sums(struct builder *b, struct net_layer *layer, uint32_t channels, size_t taps,
                     int32_t in_zero) {
  layer->requant = (struct net_requant){
      .kind = NET_SUMS, .per_channel = true, .low = INT32_MIN, .high = INT32_MAX};
  layer->requant.lambda = memory_new(channels, sizeof *layer->requant.lambda);
  for (uint32_t c = 0; c < channels; c++)
    layer->requant.lambda[c] =
        draw_within(b, 10000) - in_zero * filter_sum(layer->weights + c * taps, taps);
}

static void set_end(struct builder *b, struct net_layer *layer, uint32_t channels, size_t taps,
                    int32_t in_zero, enum builder_end end) {
  if (end == BUILDER_SUMS)
    set_sums(b, layer, channels, taps, in_zero);
  else
    set_norm(b, layer, channels, taps, in_zero, end);
}

static int windowed(struct builder *b, const char *name, int in, enum net_kind kind, uint32_t out_c,
                    struct builder_window window, enum builder_end end) {
  const struct net_tensor x = b->net->tensors[in];
  struct net_layer layer = net_plain_layer(kind, NULL, NULL, 0);
  size_t taps = (size_t)window.kernel_h * window.kernel_w * (kind == NET_DEPTHWISE ? 1 : x.c);
  set_window(&layer, window);
  layer.groups = kind == NET_DEPTHWISE ? x.c : 1;
  layer.pad_value = x.zero;
  draw_weights(b, &layer, out_c, taps);
  set_end(b, &layer, out_c, taps, x.zero, end);
  layer.output =
      tensor(b, name, windows(x.h, window.top + window.bottom, window.kernel_h, window.stride),
             windows(x.w, window.left + window.right, window.kernel_w, window.stride), out_c, end);
  return add_layer(b, name, &layer, in, NET_NONE);
}

int builder_conv(struct builder *b, const char *name, int in, uint32_t out_c,
                 struct builder_window window, enum builder_end end) {
  return windowed(b, name, in, NET_CONV, out_c, window, end);
}

int builder_depthwise(struct builder *b, const char *name, int in, struct builder_window window) {
  return windowed(b, name, in, NET_DEPTHWISE, b->net->tensors[in].c, window, BUILDER_RELU);
}

int builder_linear(struct builder *b, const char *name, int in, uint32_t outputs,
                   enum builder_end end) {
  const struct net_tensor x = b->net->tensors[in];
  struct net_layer layer = net_plain_layer(NET_LINEAR, NULL, NULL, 0);
  size_t taps = (size_t)x.h * x.w * x.c;
  draw_weights(b, &layer, outputs, taps);
  set_end(b, &layer, outputs, taps, x.zero, end);
  layer.output = tensor(b, name, 1, 1, outputs, end);
  return add_layer(b, name, &layer, in, NET_NONE);
}

int builder_add(struct builder *b, const char *name, int one, int other, enum builder_end end) {
  enum { SCALE = 45, SHIFT = 6 }; // 1/sqrt(2): what two independent inputs gain in spread
  const struct net_tensor x = b->net->tensors[one], y = b->net->tensors[other];
  struct net_layer layer = net_plain_layer(NET_ADD, NULL, NULL, 0);
  layer.scaled = memory_new(2, sizeof *layer.scaled);
  layer.scaled[0] = (struct net_scaled){.mul = SCALE, .zero = x.zero};
  layer.scaled[1] = (struct net_scaled){.mul = SCALE, .zero = y.zero};
  layer.requant = (struct net_requant){.kind = NET_NORM, .shift = SHIFT, .low = 0, .high = 255};
  layer.requant.kappa = memory_new(1, sizeof *layer.requant.kappa);
  layer.requant.lambda = memory_new(1, sizeof *layer.requant.lambda);
  layer.requant.kappa[0] = 1;
  layer.requant.lambda[0] = (end == BUILDER_LINEAR ? LINEAR_ZERO : 0) * (1 << SHIFT);
  layer.output = tensor(b, name, x.h, x.w, x.c, end);
  return add_layer(b, name, &layer, one, other);
}

int builder_average(struct builder *b, const char *name, int in) {
  const struct net_tensor x = b->net->tensors[in];
  struct net_layer layer = net_plain_layer(NET_AVGPOOL, NULL, NULL, 0);
  layer.kernel_h = (uint8_t)x.h;
  layer.kernel_w = (uint8_t)x.w;
  layer.requant = (struct net_requant){
      .kind = NET_DIVIDE, .divisor = (int32_t)(x.h * x.w), .low = 0, .high = 255};
  layer.output = tensor(b, name, 1, 1, x.c, x.zero ? BUILDER_LINEAR : BUILDER_RELU);
  return add_layer(b, name, &layer, in, NET_NONE);
}

struct net *builder_end(struct builder *b, int output) {
  b->net->outputs = memory_new(1, sizeof(int));
  b->net->outputs[0] = output;
  b->net->output_count = 1;
  return b->net;
}
