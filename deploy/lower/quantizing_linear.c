// deploy/lower/quantizing_linear.c: convolutions and products of quantized graphs.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/lower/quantizing.h"
#include "deploy/lower/window.h"
#include "deploy/memory.h"
#include "deploy/op/op_quant.h"

static bool is(const struct graph_node *node, const char *op) {
  return strcmp(node->op, op) == 0;
}

// Codes of a constant with their scales and zero points, one or one for each channel of `axis`.
struct weights {
  const struct array *codes, *scales, *zeros; // scales NULL: 1; zeros NULL: 0
};

static double scale_of(const struct weights *w, size_t c) {
  return w->scales ? array_get(w->scales, array_count(w->scales) == 1 ? 0 : c) : 1;
}

static int64_t zero_of(const struct weights *w, size_t c) {
  return w->zeros ? array_get_int(w->zeros, array_count(w->zeros) == 1 ? 0 : c) : 0;
}

// A product in the making. A sum of channel c, with its integer bias, stands for mul[c] * sum +
// add[c] if `affine`; else for x_scale * w_scale * sum.
struct product {
  const struct graph_node *node;
  const struct coded *x;
  int64_t x_zero;
  float x_scale;
  struct weights w;
  bool conv, by_output; // matrices: [outputs][inputs]
  bool unit;            // no operator: each channel of x, times 1
  uint32_t filters;
  int64_t *bias;
  double *mul, *add;
  bool affine;
};

static void drop(struct product *p) {
  free(p->bias);
  free(p->mul);
  free(p->add);
}

// Element i of a constant, or of one behind DequantizeLinear.
static double value_at(const struct array *real, const struct weights *coded, size_t i) {
  const struct array *a = coded->codes ? coded->codes : real;
  i = array_count(a) == 1 ? 0 : i;
  return coded->codes ? (double)(array_get_int(a, i) - zero_of(coded, i)) * scale_of(coded, i)
                      : array_get(a, i);
}

// ---------------------------------------------------------------------------- reading

static bool check_weights(const struct quantizing *q, const struct graph_node *node,
                          const struct product *p, int64_t filters) {
  const struct weights *w = &p->w;
  enum array_type type = w->codes ? w->codes->type : ARRAY_NONE;
  if (type != ARRAY_U8 && type != ARRAY_I8)
    return graph_fail(q->error, node, "weights that are constants of uint8 or int8 are supported%s",
                      type == ARRAY_F32 ? ", not floats: quantize them" : "");
  if (filters < 1 || filters > 65535 || !array_count(w->codes))
    return graph_fail(q->error, node, "1 to 65535 outputs are supported");
  size_t n = (size_t)filters, scales = w->scales ? array_count(w->scales) : 1;
  size_t zeros = w->zeros ? array_count(w->zeros) : 1;
  return ((scales == 1 || scales == n) && (zeros == 1 || zeros == n)) ||
         graph_fail(q->error, node, "%zu scales and %zu zero points for %zu outputs", scales, zeros,
                    n);
}

// Outputs of the matrix or the kernels.
static int64_t filters_of(const struct product *p) {
  const struct array *w = p->w.codes;
  if (!w || w->rank < 2)
    return 0;
  return p->conv || p->by_output ? w->dims[0] : w->dims[w->rank - 1];
}

// sums_stand: for themselves, not for x_scale * w_scale.
static bool begin(const struct quantizing *q, struct product *p, bool sums_stand) {
  if (!p->x)
    return graph_fail(q->error, p->node, "its first input must be quantized");
  if (!check_weights(q, p->node, p, filters_of(p)))
    return false;
  struct quantum x = quantizing_of(q, p->x);
  p->filters = (uint32_t)filters_of(p);
  p->x_scale = sums_stand ? 1 : x.scale, p->x_zero = x.zero;
  p->bias = memory_new(p->filters, sizeof *p->bias);
  p->mul = memory_new(p->filters, sizeof *p->mul);
  p->add = memory_new(p->filters, sizeof *p->add);
  for (uint32_t c = 0; c < p->filters; c++)
    p->mul[c] = (double)(sums_stand ? 1 : x.scale) * scale_of(&p->w, c);
  return true;
}

// The input behind DequantizeLinear, whose input and parameters are constant.
static struct weights dequantized(struct quantizing *q, int value) {
  const struct graph_node *node = quantizing_producer(q, value);
  struct weights w = {NULL, NULL, NULL};
  if (!node || !is(node, "DequantizeLinear"))
    return w;
  w.codes = graph_const(q->graph, node, 0);
  w.scales = graph_const(q->graph, node, 1);
  w.zeros = graph_const(q->graph, node, 2);
  if (!w.scales)
    w.codes = NULL;
  return w;
}

// Bias of int32 behind DequantizeLinear, in units of the sums, or of real numbers.
static bool read_bias(struct quantizing *q, struct product *p, int value) {
  const struct array *real = value == GRAPH_NONE ? NULL : &q->graph->values[value].array;
  struct weights b = dequantized(q, value);
  if (value == GRAPH_NONE)
    return true;
  const struct array *from = real->data ? real : b.codes;
  size_t count = from ? array_count(from) : 0;
  if (!from || (count != 1 && count != p->filters))
    return graph_fail(q->error, p->node,
                      "a bias that is constant, one or one for each of %u "
                      "outputs, is supported",
                      p->filters);
  for (uint32_t c = 0; c < p->filters; c++) {
    size_t i = count == 1 ? 0 : c;
    double unit = p->mul[c];
    bool exact = !real->data && zero_of(&b, i) == 0 && fabs(scale_of(&b, i) - unit) <= 1e-5 * unit;
    if (exact)
      p->bias[c] += array_get_int(from, i);
    else
      p->add[c] += real->data ? array_get(real, i)
                              : (double)(array_get_int(from, i) - zero_of(&b, i)) * scale_of(&b, i);
    p->affine |= !exact;
  }
  return true;
}

static void scale_sums(struct product *p, double alpha) {
  p->affine |= fabs(alpha - 1) > 0;
  for (uint32_t c = 0; c < p->filters; c++)
    p->mul[c] *= alpha;
}

static void scale_bias(struct product *p, double beta) {
  for (uint32_t c = 0; c < p->filters && fabs(beta - 1) > 0; c++) {
    p->add[c] = (p->add[c] + (double)p->bias[c] * p->mul[c]) * beta;
    p->bias[c] = 0;
    p->affine = true;
  }
}

// Conv, Gemm, MatMul between DequantizeLinears.
static bool read_float(struct quantizing *q, const struct graph_node *node, struct product *p) {
  bool gemm = is(node, "Gemm");
  p->node = node;
  p->conv = is(node, "Conv");
  p->by_output = gemm && graph_int(node, "transB", 0);
  p->x = quantizing_in(q, node, 0);
  p->w = dequantized(q, node->input_count > 1 ? node->inputs[1] : GRAPH_NONE);
  if (!p->w.codes)
    p->w.codes = graph_const(q->graph, node, 1); // in floats: to be refused
  if (gemm && graph_int(node, "transA", 0))
    return graph_fail(q->error, node, "attribute transA: 0 is supported");
  if (!begin(q, p, false))
    return false;
  scale_sums(p, gemm ? graph_float(node, "alpha", 1) : 1);
  if (!read_bias(q, p, node->input_count > 2 ? node->inputs[2] : GRAPH_NONE))
    return false;
  scale_bias(p, gemm ? graph_float(node, "beta", 1) : 1);
  return true;
}

// ConvInteger, MatMulInteger: sums stand for themselves.
static bool read_integer(struct quantizing *q, const struct graph_node *node, struct product *p) {
  const struct array *zero = graph_const(q->graph, node, 2);
  p->node = node;
  p->conv = is(node, "ConvInteger");
  p->x = quantizing_in(q, node, 0);
  p->w = (struct weights){graph_const(q->graph, node, 1), NULL, graph_const(q->graph, node, 3)};
  bool given = node->input_count > 2 && node->inputs[2] != GRAPH_NONE;
  if (given && (!zero || array_count(zero) != 1))
    return graph_fail(q->error, node, "input 2: one zero point that is constant is supported");
  if (!begin(q, p, true))
    return false;
  if ((zero ? array_get_int(zero, 0) : 0) != p->x_zero)
    return graph_fail(q->error, node, "its zero point is not that of its input");
  return true;
}

// ---------------------------------------------------------------------------- behind it

// A constant of one element, or one for each output, in the dimension where these are.
static bool by_channel(const struct quantizing *q, const struct graph_node *node,
                       const struct product *p, const struct array *a) {
  const struct array *out = quantizing_shape(q, node->outputs[0]);
  size_t count = array_count(a);
  int last = out->rank - 1, axis = 1; // of a picture; of a matrix's results the last
  if (p->unit) {
    struct net_tensor t = q->net->tensors[p->x->tensor];
    axis = order_channels(&t, p->x->order, out);
  } else if (!p->conv) {
    axis = last;
  }
  if (count == 1)
    return true;
  axis -= out->rank - a->rank;
  return out->type && count == p->filters && axis >= 0 && axis < a->rank &&
         a->dims[axis] == (int64_t)p->filters;
}

static bool apply_norm(const struct quantizing *q, const struct graph_node *node,
                       struct product *p) {
  const struct array *n[4];
  for (uint32_t i = 0; i < 4; i++) {
    n[i] = graph_const(q->graph, node, i + 1);
    if (!n[i] || array_count(n[i]) != p->filters)
      return graph_fail(q->error, node,
                        "parameters that are constants of %u channels are "
                        "supported",
                        p->filters);
  }
  p->affine = true;
  for (uint32_t c = 0; c < p->filters; c++) {
    double by =
        array_get(n[0], c) / sqrt(array_get(n[3], c) + graph_float(node, "epsilon", (double)1e-5f));
    p->mul[c] *= by;
    p->add[c] = (p->add[c] - array_get(n[2], c)) * by + array_get(n[1], c);
  }
  return true;
}

// x * c, x / c, x - c.
static void apply_constant(struct product *p, const struct graph_node *node, const struct array *a,
                           const struct weights *coded) {
  p->affine = true;
  for (uint32_t c = 0; c < p->filters; c++) {
    double v = value_at(a, coded, c);
    double by = is(node, "Mul") ? v : is(node, "Div") ? 1 / v : 1;
    p->mul[c] *= by;
    p->add[c] = p->add[c] * by - (is(node, "Sub") ? v : 0);
  }
}

static bool is_base(const struct graph_node *node) {
  return is(node, "Conv") || is(node, "Gemm") || is(node, "MatMul") || is(node, "ConvInteger") ||
         is(node, "MatMulInteger");
}

// A node that an affine function of each channel can be: its other input, and the constant's value
// (GRAPH_NONE: none). GRAPH_NONE: it is no such node.
static int affine_input(struct quantizing *q, const struct graph_node *node, int *constant) {
  bool either = is(node, "Add") || is(node, "Mul");
  *constant = GRAPH_NONE;
  if (is(node, "Cast") || is(node, "BatchNormalization") || is(node, "Identity"))
    return node->inputs[0];
  if (!either && !is(node, "Sub") && !is(node, "Div"))
    return GRAPH_NONE;
  for (uint32_t i = 0; i < 2 && node->input_count == 2; i++) {
    bool coded = dequantized(q, node->inputs[i]).codes != NULL;
    *constant = node->inputs[i];
    if ((graph_const(q->graph, node, i) || coded) && (either || i == 1))
      return node->inputs[1 - i];
  }
  return GRAPH_NONE;
}

static bool apply(struct quantizing *q, const struct graph_node *node, int constant,
                  struct product *p) {
  if (is(node, "BatchNormalization"))
    return apply_norm(q, node, p);
  if (constant == GRAPH_NONE)
    return true;
  const struct array *a = &q->graph->values[constant].array;
  struct weights coded = {NULL, NULL, NULL};
  if (!a->data) {
    coded = dequantized(q, constant);
    a = coded.codes;
  }
  if (!a || !by_channel(q, node, p, a))
    return graph_fail(q->error, node,
                      "a constant of one element, or one for each of %u outputs, is supported",
                      p->filters);
  if (is(node, "Add"))
    return read_bias(q, p, constant);
  apply_constant(p, node, a, &coded);
  return true;
}

// An affine function of codes: a layer of its own.
static bool read_unit(struct quantizing *q, const struct graph_node *node, const struct coded *x,
                      struct product *p) {
  const struct net_tensor *t = &q->net->tensors[x->tensor];
  struct quantum own = quantizing_of(q, x);
  *p = (struct product){.node = node, .x = x, .x_zero = own.zero, .x_scale = own.scale};
  if (t->bits != 8 || x->pad[0] || x->pad[1] || x->pad[2] || x->pad[3])
    return graph_fail(q->error, node, "of codes of 8 bits, not padded, is supported");
  p->unit = p->affine = true;
  p->filters = t->c;
  p->bias = memory_new(p->filters, sizeof *p->bias);
  p->mul = memory_new(p->filters, sizeof *p->mul);
  p->add = memory_new(p->filters, sizeof *p->add);
  for (uint32_t c = 0; c < p->filters; c++)
    p->mul[c] = (double)own.scale;
  return true;
}

enum { CHAIN = 8 };

// The product behind a value, with what follows it. *known: there is one.
static bool read_product(struct quantizing *q, int value, struct product *p, bool *known) {
  const struct graph_node *chain[CHAIN];
  int constants[CHAIN];
  int count = 0;
  *p = (struct product){.node = NULL};
  *known = false;
  const struct graph_node *node = quantizing_producer(q, value);
  while (node && !is_base(node)) {
    int next = count < CHAIN ? affine_input(q, node, &constants[count]) : GRAPH_NONE;
    if (next == GRAPH_NONE)
      return true;
    chain[count++] = node;
    if (q->values[next].tensor != NET_NONE) {
      *known = q->values[next].real;
      if (!*known || !read_unit(q, node, &q->values[next], p))
        return !*known;
      node = NULL;
      break;
    }
    node = quantizing_sole(q, next);
  }
  bool integer = node && strstr(node->op, "Integer") != NULL;
  if (!*known && (!node || !(integer ? read_integer(q, node, p) : read_float(q, node, p))))
    return !node;
  *known = true;
  if (node)
    quantizing_use(q, node);
  for (int i = count - 1; i >= 0; i--) {
    quantizing_use(q, chain[i]);
    if (!apply(q, chain[i], constants[i], p))
      return false;
  }
  return true;
}

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
    any |= zero_of(&p->w, f) != offset;
  if (!any)
    return;
  uint32_t zeros = p->w.zeros && array_count(p->w.zeros) > 1 ? p->filters : 1;
  l->weight_zero_per_channel = zeros > 1;
  l->weight_zero = memory_new(zeros, sizeof *l->weight_zero);
  for (uint32_t f = 0; f < zeros; f++)
    l->weight_zero[f] = (int16_t)(zero_of(&p->w, f) - offset);
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
    f.factor = p->x_scale * (float)scale_of(&p->w, c) / to->scale;
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
  bool good = read_product(q, value, &p, known) && (!p.x || finish(q, &p, out, to, span));
  drop(&p);
  return good;
}

// Sums as the network's result: of one scale for all outputs, without an addition in floats.
bool quantizing_sums(struct quantizing *q, int value, bool *known) {
  struct product p;
  struct net_layer l;
  struct order order = order_first;
  uint32_t hwc[3] = {0, 0, 0};
  bool good = read_product(q, value, &p, known);
  if (!good || !p.x || !p.mul) {
    drop(&p);
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
  drop(&p);
  return good;
}

// ---------------------------------------------------------------------------- QLinear...

// Where each operator has its inputs.
static const struct places {
  const char *op, *domain;
  uint32_t w, bias, y;
} places[] = {{"QLinearConv", "", 3, 8, 6},
              {"QLinearMatMul", "", 3, 99, 6},
              {"QGemm", "com.microsoft", 3, 6, 7}};

static bool read_qlinear(struct quantizing *q, const struct graph_node *node,
                         const struct places *at, struct product *p) {
  struct quantum said = {1, 0, ARRAY_NONE};
  p->node = node;
  p->conv = is(node, "QLinearConv");
  p->by_output = is(node, "QGemm") && graph_int(node, "transB", 0);
  p->x = quantizing_in(q, node, 0);
  p->w =
      (struct weights){graph_const(q->graph, node, at->w), graph_const(q->graph, node, at->w + 1),
                       graph_const(q->graph, node, at->w + 2)};
  if (!begin(q, p, false))
    return false;
  if (!p->w.scales || !quantizing_read(q, node, 1, quantizing_of(q, p->x).type, &said))
    return graph_fail(q->error, node, "scales that are constants are supported");
  struct quantum own = quantizing_of(q, p->x);
  if (own.zero != said.zero || own.type != said.type || own.scale < said.scale ||
      own.scale > said.scale)
    return graph_fail(q->error, node,
                      "its input's scale and zero point are not those that it was "
                      "quantized with");
  if (is(node, "QGemm") &&
      (graph_int(node, "transA", 0) || fabs(graph_float(node, "alpha", 1) - 1) > 0))
    return graph_fail(q->error, node, "alpha 1 and transA 0 are supported");
  const struct array *bias = graph_const(q->graph, node, at->bias);
  bool given = at->bias < node->input_count && node->inputs[at->bias] != GRAPH_NONE;
  if (given && (!bias || (array_count(bias) != p->filters && array_count(bias) != 1)))
    return graph_fail(q->error, node, "a bias that is constant is supported");
  for (uint32_t c = 0; bias && c < p->filters; c++)
    p->bias[c] = array_get_int(bias, array_count(bias) == 1 ? 0 : c);
  return true;
}

bool quantizing_qlinear(struct quantizing *q, const struct graph_node *node, bool *known) {
  const struct places *at = NULL;
  const struct span all = {-INFINITY, INFINITY};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (is(node, places[i].op) && strcmp(node->domain, places[i].domain) == 0)
      at = &places[i];
  *known = at != NULL;
  if (!at)
    return true;
  struct product p = {.node = node};
  struct quantum to = {1, 0, ARRAY_NONE};
  if (at->y + 1 >= node->input_count || node->inputs[at->y] == GRAPH_NONE)
    return graph_fail(q->error, node,
                      "a result in floats is not supported; inputs %u and %u say "
                      "its codes",
                      at->y, at->y + 1);
  bool good = quantizing_read(q, node, at->y, ARRAY_U8, &to) && read_qlinear(q, node, at, &p) &&
              finish(q, &p, node->outputs[0], &to, &all);
  drop(&p);
  return good;
}
