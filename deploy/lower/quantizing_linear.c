// deploy/lower/quantizing_linear.c: layers of the convolutions and products that product.h reads.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/lower/product.h"
#include "deploy/lower/window.h"
#include "deploy/memory.h"
#include "deploy/op/op_quant.h"

// ---------------------------------------------------------------------------- layers

// Weights less what makes them int8; uint8's zero points move likewise.
static void fill_weights(const struct product *p, const struct net_tensor *in, bool pixels,
                         struct net_layer *l) {
  const struct array *w = p->w.codes;
  int64_t offset = w->type == ARRAY_U8 ? 128 : 0;
  size_t count = array_count(w), taps = count / p->filters, area = 1;
  size_t *places = p->conv || pixels ? NULL : order_places(in, p->x->order);
  l->weights = memory_new(count, 1), l->weight_count = count;
  for (int i = 2; p->conv && i < w->rank; i++)
    area *= (size_t)w->dims[i];
  for (size_t f = 0; f < p->filters; f++)
    for (size_t i = 0; i < taps; i++) {
      size_t from = p->conv || p->by_output ? f * taps + i : i * p->filters + f;
      size_t depth = taps / area;
      size_t to = p->conv ? i % area * depth + i / area : places ? places[i] : i;
      l->weights[f * taps + to] = (int8_t)(array_get_int(w, from) - offset);
    }
  free(places);
  bool any = false;
  for (uint32_t f = 0; f < p->filters; f++)
    any |= weights_zero(&p->w, f) != offset;
  if (!any)
    return;
  uint32_t zeros = p->w.zeros && array_count(p->w.zeros) > 1 ? p->filters : 1;
  l->weight_zero_per_channel = zeros > 1;
  l->weight_zero = memory_new(zeros, sizeof *l->weight_zero);
  for (uint32_t f = 0; f < zeros; f++)
    l->weight_zero[f] = (int16_t)(weights_zero(&p->w, f) - offset);
}

static void spread_zeros(struct net_layer *l, uint32_t filters) {
  if (!l->weight_zero || l->weight_zero_per_channel)
    return;
  l->weight_zero = memory_grow(l->weight_zero, filters, sizeof *l->weight_zero);
  for (uint32_t f = 1; f < filters; f++)
    l->weight_zero[f] = l->weight_zero[0];
  l->weight_zero_per_channel = true;
}

// Codes rise with sums: a filter whose results have a factor below 0 is turned over, with all
// that is added to its sums. False: a weight of -128 cannot be.
static bool turn_filters(struct product *p, struct net_layer *l) {
  size_t taps = l->weight_count / p->filters;
  for (uint32_t f = 0; f < p->filters; f++) {
    if (p->mul[f] >= 0)
      continue;
    spread_zeros(l, p->filters);
    for (size_t i = 0; i < taps; i++) {
      int8_t *w = &l->weights[f * taps + i];
      if (*w == INT8_MIN)
        return false;
      *w = (int8_t) - *w;
    }
    if (l->weight_zero)
      l->weight_zero[f] = (int16_t)-l->weight_zero[f];
    p->mul[f] = -p->mul[f], p->bias[f] = -p->bias[f];
  }
  return true;
}

static bool conv_layer(struct quantizing *q, const struct product *p, struct net_layer *l,
                       uint32_t hwc[3]) {
  const struct array *w = p->w.codes;
  const struct net_tensor in = q->net->tensors[p->x->tensor];
  int64_t groups = graph_int(p->node, "group", 1);
  struct net_layer window = {.name = NULL};
  if ((w->rank != 3 && w->rank != 4) || !quantizing_picture(q, p->node->inputs[0]) || groups < 1 ||
      groups > 65535 || w->dims[1] * groups != in.c || w->dims[0] % groups)
    return graph_fail(q->error, p->node,
                      "weights of one or two dimensions for a picture of %u channels in %lld "
                      "groups are supported",
                      in.c, (long long)groups);
  uint32_t kernel[2] = {w->rank == 4 ? (uint32_t)w->dims[2] : 1, (uint32_t)w->dims[w->rank - 1]};
  if (w->rank == 4 && w->dims[2] > 255)
    return graph_fail(q->error, p->node, "kernels of 1 to 255 are supported");
  if (!window_read(p->node, p->x->pad, &in, kernel, &window, &hwc[0], &hwc[1], q->error))
    return false;
  bool depthwise = groups == in.c && w->dims[0] == in.c && in.c > 1;
  l->kind = depthwise ? NET_DEPTHWISE : NET_CONV;
  memcpy(&l->kernel_h, &window.kernel_h, 10); // kernel, stride, dilation, pads
  l->groups = depthwise ? 1 : (uint32_t)groups;
  l->pad_value = (int32_t)p->x_zero;
  hwc[2] = p->filters;
  return true;
}

// *pixels: the channels of each pixel, which stand last.
static bool matrix_layer(struct quantizing *q, const struct product *p, struct net_layer *l,
                         uint32_t hwc[3], bool *pixels) {
  const struct net_tensor *in = &q->net->tensors[p->x->tensor];
  const struct array *w = p->w.codes, *shape = quantizing_shape(q, p->node->inputs[0]);
  size_t inputs = (size_t)in->h * in->w * in->c;
  bool vector = shape->rank && shape->dims[shape->rank - 1] == (int64_t)inputs;
  *pixels = !vector && order_is_last(in, p->x->order, shape) && w->rank == 2 &&
            array_count(w) == (size_t)in->c * p->filters;
  if (w->rank != 2 || (!*pixels && (array_count(w) != inputs * p->filters || !vector)))
    return graph_fail(q->error, p->node,
                      "a matrix for a vector of %zu elements is supported; this input is %u x %u x "
                      "%u",
                      inputs, in->c, in->h, in->w);
  l->kind = *pixels ? NET_CONV : NET_LINEAR;
  hwc[0] = *pixels ? in->h : 1, hwc[1] = *pixels ? in->w : 1, hwc[2] = p->filters;
  return true;
}

// ---------------------------------------------------------------------------- requantization

struct function {
  const struct product *p;
  const struct quantum *to;
  uint32_t channel;
  int64_t offset; // from the layer's sum to the operator's
  float factor;
};

static int64_t code_of(const void *data, int64_t sum) {
  const struct function *f = data;
  sum += f->offset;
  if (f->p->affine) {
    double real = (double)sum * f->p->mul[f->channel] + f->p->add[f->channel];
    return quant_of_real((float)real, f->to->scale, f->to->zero, f->to->type);
  }
  return quant_code(sum, f->factor, f->to->zero, f->to->type);
}

struct sums {
  int64_t least, most, weights; // of what can come; of the weights less their zero
};

static struct sums sums_of(const struct quantizing *q, const struct product *p,
                           const struct net_layer *l, uint32_t f) {
  const struct net_tensor *in = &q->net->tensors[p->x->tensor];
  size_t taps = l->weight_count / p->filters;
  int64_t low = in->is_signed ? -128 : 0, high = low + 255;
  int zero = l->weight_zero ? l->weight_zero[l->weight_zero_per_channel ? f : 0] : 0;
  struct sums s = {0, 0, 0};
  for (size_t i = 0; i < taps; i++) {
    int64_t w = l->weights[f * taps + i] - zero;
    s.least += w * (w > 0 ? low : high), s.most += w * (w > 0 ? high : low);
    s.weights += w;
  }
  return s;
}

static bool fit_layer(struct quantizing *q, const struct product *p, struct net_layer *l,
                      const struct quantum *to, const struct span *span) {
  struct fit fit;
  int32_t low, high;
  bool good = true;
  quantizing_codes(to, span, &low, &high);
  fit_begin(&fit, p->filters, low, high, to->type == ARRAY_I8);
  for (uint32_t c = 0; good && c < p->filters; c++) {
    struct sums s = sums_of(q, p, l, c);
    struct function f = {p, to, c, p->bias[c] - p->x_zero * s.weights, 0};
    f.factor = p->x_scale * (float)weights_scale(&p->w, c) / to->scale;
    double factor = p->affine ? p->mul[c] / (double)to->scale : (double)f.factor;
    if (!(factor >= 0) || !isfinite(factor))
      good = graph_fail(q->error, p->node, "output %u has the factor %g; numbers are supported", c,
                        factor);
    else if (s.least < INT32_MIN || s.most > INT32_MAX)
      good = graph_fail(q->error, p->node, "its sums can leave 32 bits");
    else
      fit_function(&fit, c, s.least, s.most, factor, code_of, &f);
  }
  l->requant.per_channel = true;
  if (good)
    fit_requant(&fit, &l->requant);
  fit_end(&fit);
  return good;
}

// *order: that of its results.
static bool make_layer(struct quantizing *q, struct product *p, struct net_layer *l,
                       uint32_t hwc[3], struct order *order) {
  const struct coded x = *p->x;
  const struct net_tensor in = q->net->tensors[x.tensor];
  bool pixels = false;
  *order = p->unit ? x.order : order_first;
  if (p->unit) {
    *l = quantizing_unit(p->node->name, x.tensor, in.c);
    hwc[0] = in.h, hwc[1] = in.w, hwc[2] = in.c;
  } else {
    *l = quantizing_layer(p->node->name, NET_LINEAR, &x.tensor, 1);
    if (!p->conv && (x.pad[0] | x.pad[1] | x.pad[2] | x.pad[3]))
      return graph_fail(q->error, p->node, "it reads a padded picture; Conv and pools may");
    if (!(p->conv ? conv_layer(q, p, l, hwc) : matrix_layer(q, p, l, hwc, &pixels)))
      return false;
    fill_weights(p, &in, pixels, l);
    *order = pixels ? order_last : order_first;
  }
  return turn_filters(p, l) ||
         graph_fail(q->error, p->node,
                    "a factor below 0 behind weights of -128 is not supported; -127 to 127 are");
}

static bool finish(struct quantizing *q, struct product *p, int out, const struct quantum *to,
                   const struct span *span) {
  struct net_layer l = {.name = NULL};
  struct order order;
  uint32_t hwc[3] = {0, 0, 0};
  bool good = make_layer(q, p, &l, hwc, &order) && fit_layer(q, p, &l, to, span);
  if (good)
    quantizing_add(q, &l, out, quantizing_tensor(q, out, to, hwc[0], hwc[1], hwc[2]), order);
  else
    quantizing_drop(&l);
  return good;
}

bool quantizing_linear(struct quantizing *q, int value, int out, const struct quantum *to,
                       const struct span *span, bool *known) {
  struct product p;
  bool good = product_read(q, value, &p, known) && (!p.x || finish(q, &p, out, to, span));
  product_drop(&p);
  return good;
}

// Sums as the network's result: of one scale for all outputs, without an addition in floats.
bool quantizing_sums(struct quantizing *q, int value, bool *known) {
  struct product p;
  struct net_layer l;
  struct order order = order_first;
  uint32_t hwc[3] = {0, 0, 0};
  bool good = product_read(q, value, &p, known);
  if (!good || !p.x || !p.mul) {
    product_drop(&p);
    return good;
  }
  double unit = p.mul[0];
  for (uint32_t c = 0; good && c < p.filters; c++) {
    if (p.unit || fabs(p.mul[c] - unit) > 1e-6 * unit || !(unit > 0) ||
        (p.affine && fabs(p.add[c]) > 0))
      good = graph_fail(q->error, p.node,
                        "its result stays in floats with a scale for each output, "
                        "or a bias in floats; QuantizeLinear behind it is "
                        "supported");
  }
  good = good && make_layer(q, &p, &l, hwc, &order);
  if (good) {
    l.requant.kind = NET_SUMS;
    l.requant.lambda = memory_new(p.filters, sizeof *l.requant.lambda);
    for (uint32_t c = 0; c < p.filters; c++)
      l.requant.lambda[c] = p.bias[c] - p.x_zero * sums_of(q, &p, &l, c).weights;
    struct net_tensor t = {.name = q->graph->values[value].name,
                           .h = hwc[0],
                           .w = hwc[1],
                           .c = hwc[2],
                           .bits = 32,
                           .is_signed = true,
                           .scale = unit};
    quantizing_add(q, &l, value, net_add_tensor(q->net, &t), order);
  }
  product_drop(&p);
  return good;
}

bool quantizing_qlinear(struct quantizing *q, const struct graph_node *node, bool *known) {
  const struct span all = {-INFINITY, INFINITY};
  struct quantum to = {1, 0, ARRAY_NONE};
  struct product p;
  bool good = product_read_qlinear(q, node, &p, &to, known) &&
              (!*known || finish(q, &p, node->outputs[0], &to, &all));
  product_drop(&p);
  return good;
}
