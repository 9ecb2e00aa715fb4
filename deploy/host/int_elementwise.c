// deploy/host/int_elementwise.c: layers of the integer interpreter whose outputs come from one
// element of each input.
#include "deploy/net/net_ref.h"
#include "int_layer.h"

static int32_t scaled(const struct int_layer *run, uint32_t input, size_t i) {
  int32_t code = run->values[input][i];
  return run->layer->scaled ? net_scaled_value(&run->layer->scaled[input], code) : code;
}

static int32_t sum_of(const struct int_layer *run, size_t i) {
  uint32_t sum = 0;
  for (uint32_t k = 0; k < run->layer->input_count; k++)
    sum += (uint32_t)scaled(run, k, i);
  return (int32_t)sum;
}

static int32_t product_of(const struct int_layer *run, size_t i, uint32_t c) {
  const struct net_tensor *b = run->inputs[1];
  size_t at = b->h * (size_t)b->w == 1 ? c : i;
  return (int32_t)((uint32_t)scaled(run, 0, i) * (uint32_t)scaled(run, 1, at));
}

static int32_t joined(const struct int_layer *run, size_t pixel, uint32_t c) {
  uint32_t input = 0;
  while (c >= run->inputs[input]->c)
    c -= run->inputs[input++]->c;
  return scaled(run, input, pixel * run->inputs[input]->c + c);
}

static int32_t looked_up(const struct int_layer *run, size_t i) {
  uint32_t code = (uint32_t)run->values[0][i] & ((1u << run->in->bits) - 1);
  int32_t value = run->layer->table[code];
  return run->out->is_signed ? (int8_t)value : value;
}

static int32_t repeated(const struct int_layer *run, size_t pixel, uint32_t c) {
  const struct net_layer *l = run->layer;
  size_t y = pixel / run->out->w, x = pixel % run->out->w;
  if (y % l->dilation_h || x % l->dilation_w)
    return l->pad_value;
  return run->values[0][(y / l->stride_h * run->in->w + x / l->stride_w) * run->in->c + c];
}

static int32_t value_of(const struct int_layer *run, size_t pixel, uint32_t c) {
  size_t i = pixel * run->out->c + c;
  switch (run->layer->kind) {
  case NET_ADD:
    return sum_of(run, i);
  case NET_MULTIPLY:
    return product_of(run, i, c);
  case NET_CONCAT:
    return joined(run, pixel, c);
  case NET_TABLE:
    return looked_up(run, i);
  default:
    return repeated(run, pixel, c);
  }
}

void int_elementwise(const struct int_layer *run) {
  const struct net_requant *rq = &run->layer->requant;
  size_t pixels = (size_t)run->out->h * run->out->w;
  int32_t *at = run->result;
  for (size_t p = 0; p < pixels; p++) {
    for (uint32_t c = 0; c < run->out->c; c++)
      *at++ = net_requantized(rq, value_of(run, p, c), rq->per_channel ? c : 0, run->out->bits, 1);
  }
}
