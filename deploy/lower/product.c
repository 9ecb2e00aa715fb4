#include "deploy/lower/product.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"

double weights_scale(const struct weights *w, size_t c) {
  return w->scales ? array_get(w->scales, array_count(w->scales) == 1 ? 0 : c) : 1;
}

int64_t weights_zero(const struct weights *w, size_t c) {
  return w->zeros ? array_get_int(w->zeros, array_count(w->zeros) == 1 ? 0 : c) : 0;
}

void product_drop(struct product *p) {
  free(p->bias);
  free(p->mul);
  free(p->add);
}

// Element i of a constant, or of one behind DequantizeLinear.
static double value_at(const struct array *real, const struct weights *coded, size_t i) {
  const struct array *a = coded->codes ? coded->codes : real;
  i = array_count(a) == 1 ? 0 : i;
  return coded->codes
             ? (double)(array_get_int(a, i) - weights_zero(coded, i)) * weights_scale(coded, i)
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
    p->mul[c] = (double)(sums_stand ? 1 : x.scale) * weights_scale(&p->w, c);
  return true;
}

// The input behind DequantizeLinear, whose input and parameters are constant.
static struct weights dequantized(struct quantizing *q, int value) {
  const struct graph_node *node = quantizing_producer(q, value);
  struct weights w = {NULL, NULL, NULL};
  if (!node || !graph_is(node, "DequantizeLinear"))
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
    bool exact =
        !real->data && weights_zero(&b, i) == 0 && fabs(weights_scale(&b, i) - unit) <= 1e-5 * unit;
    if (exact)
      p->bias[c] += array_get_int(from, i);
    else
      p->add[c] += real->data ? array_get(real, i)
                              : (double)(array_get_int(from, i) - weights_zero(&b, i)) *
                                    weights_scale(&b, i);
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
  bool gemm = graph_is(node, "Gemm");
  p->node = node;
  p->conv = graph_is(node, "Conv");
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
  p->conv = graph_is(node, "ConvInteger");
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
    double by = graph_is(node, "Mul") ? v : graph_is(node, "Div") ? 1 / v : 1;
    p->mul[c] *= by;
    p->add[c] = p->add[c] * by - (graph_is(node, "Sub") ? v : 0);
  }
}

static bool is_base(const struct graph_node *node) {
  return graph_is(node, "Conv") || graph_is(node, "Gemm") || graph_is(node, "MatMul") ||
         graph_is(node, "ConvInteger") || graph_is(node, "MatMulInteger");
}

// A node that an affine function of each channel can be: its other input, and the constant's value
// (GRAPH_NONE: none). GRAPH_NONE: it is no such node.
static int affine_input(struct quantizing *q, const struct graph_node *node, int *constant) {
  bool either = graph_is(node, "Add") || graph_is(node, "Mul");
  *constant = GRAPH_NONE;
  if (graph_is(node, "Cast") || graph_is(node, "BatchNormalization") || graph_is(node, "Identity"))
    return node->inputs[0];
  if (!either && !graph_is(node, "Sub") && !graph_is(node, "Div"))
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
  if (graph_is(node, "BatchNormalization"))
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
  if (graph_is(node, "Add"))
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

bool product_read(struct quantizing *q, int value, struct product *p, bool *known) {
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
  p->conv = graph_is(node, "QLinearConv");
  p->by_output = graph_is(node, "QGemm") && graph_int(node, "transB", 0);
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
  if (graph_is(node, "QGemm") &&
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

bool product_read_qlinear(struct quantizing *q, const struct graph_node *node, struct product *p,
                          struct quantum *to, bool *known) {
  const struct places *at = NULL;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (graph_is(node, places[i].op) && strcmp(node->domain, places[i].domain) == 0)
      at = &places[i];
  *p = (struct product){.node = node};
  *known = at != NULL;
  if (!at)
    return true;
  if (at->y + 1 >= node->input_count || node->inputs[at->y] == GRAPH_NONE)
    return graph_fail(q->error, node,
                      "a result in floats is not supported; inputs %u and %u say "
                      "its codes",
                      at->y, at->y + 1);
  return quantizing_read(q, node, at->y, ARRAY_U8, to) && read_qlinear(q, node, at, p);
}
