// deploy/read/tflite_pool.c: pools, means.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "tflite_lowering.h"

static bool pool_window(struct lowering *l, struct net_layer *layer) {
  const struct net_tensor *in = net_input(l->net, layer, 0);
  int32_t n[4] = {
      lowering_option(l, TFLITE_POOL_WINDOW_H, 0), lowering_option(l, TFLITE_POOL_WINDOW_W, 0),
      lowering_option(l, TFLITE_CONV_STRIDE_H, 0), lowering_option(l, TFLITE_CONV_STRIDE_W, 0)};
  for (int i = 0; i < 4; i++) {
    if (n[i] < 1 || n[i] > 255)
      return lowering_fail(l, "a window or stride of %d; 1 to 255 are supported", n[i]);
  }
  uint32_t before[2] = {0, 0}, after[2] = {0, 0};
  if (lowering_choice(l, TFLITE_CONV_PADDING) == TFLITE_SAME) {
    lowering_same(in->h, (uint32_t)n[0], (uint32_t)n[2], 1, &before[0], &after[0]);
    lowering_same(in->w, (uint32_t)n[1], (uint32_t)n[3], 1, &before[1], &after[1]);
  }
  layer->kernel_h = (uint8_t)n[0], layer->kernel_w = (uint8_t)n[1];
  layer->stride_h = (uint8_t)n[2], layer->stride_w = (uint8_t)n[3];
  layer->pad_top = (uint8_t)before[0], layer->pad_bottom = (uint8_t)after[0];
  layer->pad_left = (uint8_t)before[1], layer->pad_right = (uint8_t)after[1];
  return true;
}

bool lowering_pool(struct lowering *l) {
  bool max = l->op->code == TFLITE_MAX_POOL_2D;
  int input = lowering_operand(l, 0, true);
  int output = input < 0 ? -1 : lowering_result(l);
  if (output < 0)
    return false;
  if (!l->real && !lowering_same_codes(l, lowering_input(l, 0), lowering_output(l)))
    return lowering_fail(l, "input and output with different scales");
  struct net_layer layer = lowering_layer(l, max ? NET_MAXPOOL : NET_AVGPOOL, input, output);
  layer.requant.kind = max ? NET_COPY : NET_DIVIDE;
  layer.requant.round = !max;
  lowering_clip(l, &layer.requant);
  if (pool_window(l, &layer))
    return lowering_add(l, &layer);
  free(layer.name);
  free(layer.inputs);
  return false;
}

void lowering_factor(struct net_requant *rq, struct tflite_factor factor, int64_t lambda) {
  rq->kind = NET_TFLITE;
  rq->kappa = memory_copy(&factor.multiplier, 1, sizeof factor.multiplier);
  rq->shifts = memory_copy(&factor.shift, 1, sizeof factor.shift);
  rq->lambda = memory_copy(&lambda, 1, sizeof lambda);
}

// The number of pixels goes into the factor.
static struct tflite_factor mean_factor(double ratio, uint32_t pixels) {
  struct tflite_factor f = tflite_factor_of(ratio);
  int bits = 31 - __builtin_clz(pixels), room = 31 + f.shift;
  bits = bits < room ? bits : room;
  f.multiplier = (int32_t)(((int64_t)f.multiplier << bits) / pixels);
  f.shift = (int8_t)(f.shift - bits);
  return f;
}

static bool over_pixels(const struct lowering *l) {
  const struct tflite_tensor *in = lowering_input(l, 0), *axes = lowering_input(l, 1);
  if (!axes || !axes->data || axes->type != TFLITE_INT32 || tflite_elements(axes) != 2 ||
      in->rank != 4)
    return false;
  int32_t a[2];
  memcpy(a, axes->data, sizeof a);
  for (int i = 0; i < 2; i++)
    a[i] += a[i] < 0 ? 4 : 0;
  return (a[0] == 1 && a[1] == 2) || (a[0] == 2 && a[1] == 1);
}

bool lowering_mean(struct lowering *l) {
  const struct tflite_tensor *in = lowering_input(l, 0), *out = lowering_output(l);
  if (!over_pixels(l))
    return lowering_fail(l, "over other dimensions than height and width");
  int input = lowering_operand(l, 0, true);
  int output = input < 0 ? -1 : lowering_result(l);
  if (output < 0)
    return false;
  const struct net_tensor *t = &l->net->tensors[input];
  if (t->h > 255 || t->w > 255)
    return lowering_fail(l, "over %u x %u pixels; at most 255 x 255 are supported", t->h, t->w);
  uint32_t pixels = t->h * t->w;
  double ratio =
      l->real ? 0 : (double)tflite_scale(l->model, in, 0) / (double)tflite_scale(l->model, out, 0);
  struct net_layer layer = lowering_layer(l, NET_AVGPOOL, input, output);
  layer.kernel_h = (uint8_t)t->h, layer.kernel_w = (uint8_t)t->w;
  if (l->real)
    return lowering_add(l, &layer);
  lowering_factor(&layer.requant, mean_factor(ratio, pixels),
                  -(int64_t)tflite_zero(l->model, in, 0) * pixels);
  layer.requant.zero = tflite_zero(l->model, out, 0);
  return lowering_add(l, &layer);
}
