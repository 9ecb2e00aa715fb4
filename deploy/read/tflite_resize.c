// deploy/read/tflite_resize.c: RESIZE_NEAREST_NEIGHBOR, RESIZE_BILINEAR.
#include <stdlib.h>

#include "deploy/memory.h"
#include "deploy/net/bilinear.h"
#include "tflite_lowering.h"

// Of codes, TensorFlow Lite's positions have 10 bits, exact for these; then its sum is rounded as
// the pool's is.
static bool is_exact(const struct lowering *l, uint32_t factor) {
  return l->real || (factor & (factor - 1)) == 0;
}

// The pool behind the repeated pixels.
static void set_window(const struct bilinear *down, const struct bilinear *across,
                       struct net_layer *layer) {
  layer->kernel_h = down->kernel, layer->kernel_w = across->kernel;
  layer->stride_h = down->stride, layer->stride_w = across->stride;
  layer->pad_top = down->before, layer->pad_bottom = down->after;
  layer->pad_left = across->before, layer->pad_right = across->after;
}

static bool interpolate(struct lowering *l, int input, int output, uint32_t h, uint32_t w) {
  bool half = lowering_choice(l, TFLITE_BILINEAR_HALF) != 0;
  struct bilinear down, across;
  if (!lowering_same_codes(l, lowering_input(l, 0), lowering_output(l)) && !l->real)
    return lowering_fail(l, "input and output with different scales");
  if (!is_exact(l, h) || !is_exact(l, w) || !bilinear_of(h, half, &down) ||
      !bilinear_of(w, half, &across))
    return lowering_fail(l,
                         "by %u x %u; factors of codes that are powers of two, and 1 to 127, "
                         "are supported",
                         h, w);
  struct net_tensor between = l->net->tensors[output];
  between.h = l->net->tensors[input].h * down.repeat;
  between.w = l->net->tensors[input].w * across.repeat;
  between.name = memory_format("%s repeated", between.name);
  int repeated = lowering_between(l, &between);
  free(between.name);
  struct net_layer layer = lowering_layer(l, NET_RESIZE, input, repeated);
  layer.stride_h = down.repeat, layer.stride_w = across.repeat;
  lowering_add(l, &layer);
  layer = lowering_layer(l, NET_AVGPOOL, repeated, output);
  set_window(&down, &across, &layer);
  layer.requant.kind = NET_DIVIDE;
  layer.requant.round = true;
  return lowering_add(l, &layer);
}

bool lowering_resize(struct lowering *l) {
  bool linear = l->op->code == TFLITE_RESIZE_BILINEAR;
  int input = lowering_operand(l, 0, true);
  int output = input < 0 ? -1 : lowering_result(l);
  if (output < 0)
    return false;
  const struct net_tensor *in = &l->net->tensors[input], *out = &l->net->tensors[output];
  uint32_t h = out->h / in->h, w = out->w / in->w;
  int corners = linear ? TFLITE_BILINEAR_CORNERS : TFLITE_NEAREST_CORNERS;
  if (lowering_choice(l, corners) || out->h % in->h || out->w % in->w || h > 255 || w > 255)
    return lowering_fail(l,
                         "from %u x %u to %u x %u; whole factors without aligned corners are "
                         "supported",
                         in->h, in->w, out->h, out->w);
  if (linear && h * w > 1)
    return interpolate(l, input, output, h, w);
  struct net_layer layer = lowering_layer(l, NET_RESIZE, input, output);
  layer.stride_h = (uint8_t)h, layer.stride_w = (uint8_t)w;
  return lowering_add(l, &layer);
}
