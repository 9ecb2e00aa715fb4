// tests/deploy/quantized.c: random quantized networks in ONNX's two forms: the integer form against
// the operators' definitions (deploy/op), tensor by tensor.
//
// QOperator graphs must be equal in every code, but for averages of windows. In QDQ graphs,
// operators between DequantizeLinear and QuantizeLinear round sums of rounded numbers by
// definition, where the integer form rounds the exact sum once: a code may be the next one where
// the exact result lies at the boundary.
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/host/int_run.h"
#include "deploy/lower/quantized.h"
#include "deploy/memory.h"
#include "deploy/net/net_text.h"
#include "deploy/op/op.h"
#include "deploy/read/sample.h"
#include "net_random.h"

Suite *quantized_suite(void);

// A graph in the making; `coded`: QOperator.
struct build {
  struct graph *g;
  struct draw draw;
  bool coded, powers;
  enum array_type type;
  int names;
};

struct stage {
  char name[24]; // of the codes
  double scale;
  int64_t zero;
  int c, h, w;
};

static const char *fresh(struct build *b, char name[24]) {
  snprintf(name, 24, "v%d", b->names++);
  return name;
}

static int constant(struct build *b, const struct array *a) {
  char name[24];
  struct array copy = *a;
  return graph_constant(b->g, fresh(b, name), &copy);
}

static int scalar(struct build *b, enum array_type type, double value) {
  struct array a = {.type = type};
  array_allocate(&a);
  array_set(&a, 0, value);
  return constant(b, &a);
}

static int list(struct build *b, enum array_type type, int rank, const int64_t *dims, int low,
                int high) {
  struct array a = {.data = NULL};
  array_set_shape(&a, type, rank, dims);
  array_allocate(&a);
  for (size_t i = 0; i < array_count(&a); i++)
    array_set_int(&a, i, draw_within(&b->draw, low, high));
  return constant(b, &a);
}

static int reals(struct build *b, int64_t count, const double *values) {
  struct array a = {.type = ARRAY_F32, .rank = 1, .dims = {count}};
  array_allocate(&a);
  for (int64_t i = 0; i < count; i++)
    array_set(&a, (size_t)i, values[i]);
  return constant(b, &a);
}

// Inputs: numbers of values, GRAPH_NONE to end. The output's number.
static int node(struct build *b, const char *domain, const char *op, const int *inputs,
                struct graph_node **made) {
  char name[24];
  struct graph_node *n = graph_add_node(b->g, NULL, domain, op, *domain ? 1 : 13);
  for (; *inputs != GRAPH_NONE; inputs++)
    graph_add_input(n, *inputs);
  int out = graph_value(b->g, fresh(b, name));
  graph_add_output(n, out);
  if (made)
    *made = n;
  return out;
}
#define NODE(b, op, ...)      node(b, "", op, (int[]){__VA_ARGS__, GRAPH_NONE}, NULL)
#define MICROSOFT(b, op, ...) node(b, "com.microsoft", op, (int[]){__VA_ARGS__, GRAPH_NONE}, NULL)

static double draw_scale(struct build *b, double about) {
  double s = about * (double)draw_within(&b->draw, 60, 160) / 100;
  return b->powers ? exp2(round(log2(s))) : (double)(float)s;
}

static int64_t draw_zero(struct build *b) {
  int low = b->type == ARRAY_I8 ? -128 : 0;
  return draw_within(&b->draw, 0, 2) ? draw_within(&b->draw, low, low + 255) : low;
}

static int scale_of(struct build *b, const struct stage *s) {
  return scalar(b, ARRAY_F32, s->scale);
}
static int zero_of(struct build *b, const struct stage *s) {
  return scalar(b, b->type, (double)s->zero);
}
static int codes_of(struct build *b, const struct stage *s) {
  return graph_find(b->g, s->name);
}

// Behind a Cast to their own type, as PyTorch writes it, or not.
static int real_of(struct build *b, const struct stage *s) {
  int codes = codes_of(b, s);
  if (draw_within(&b->draw, 0, 3) == 0) {
    struct graph_node *cast;
    codes = node(b, "", "Cast", (int[]){codes, GRAPH_NONE}, &cast);
    graph_set_int(cast, "to", b->type);
  }
  return NODE(b, "DequantizeLinear", codes, scale_of(b, s), zero_of(b, s));
}

static void name_stage(const struct build *b, struct stage *s, int value) {
  snprintf(s->name, sizeof s->name, "%.20s", b->g->values[value].name);
}

static void quantize(struct build *b, struct stage *s, int value) {
  name_stage(b, s, NODE(b, "QuantizeLinear", value, scale_of(b, s), zero_of(b, s)));
}

static void set_ints(struct graph_node *n, const char *name, int count, const int64_t *values) {
  memcpy(graph_add_attr(n, name, GRAPH_INTS, (uint32_t)count)->ints, values,
         (size_t)count * sizeof *values);
}

// ---------------------------------------------------------------------------- layers

struct matrix {
  int codes, scales, zeros, bias, bias_scales;
  double scale; // about
};

// Weights by channel or of one scale, and int32 biases.
static struct matrix draw_matrix(struct build *b, int rank, const int64_t *dims, int64_t filters,
                                 double x_scale) {
  struct matrix m;
  bool by_channel = draw_within(&b->draw, 0, 1) && rank == 4;
  bool uint8 = b->type == ARRAY_U8 && !by_channel && draw_within(&b->draw, 0, 1);
  double scales[64] = {0}, units[64] = {0};
  int64_t count = by_channel ? filters : 1;
  for (int64_t i = 0; i < count; i++) {
    scales[i] = draw_scale(b, 0.02);
    units[i] = (double)((float)x_scale * (float)scales[i]);
  }
  m.scale = scales[0];
  m.codes = list(b, uint8 ? ARRAY_U8 : ARRAY_I8, rank, dims, uint8 ? 0 : -127, uint8 ? 255 : 127);
  m.scales = by_channel ? reals(b, count, scales) : scalar(b, ARRAY_F32, scales[0]);
  m.zeros = by_channel ? list(b, ARRAY_I8, 1, &count, 0, 0)
                       : scalar(b, uint8 ? ARRAY_U8 : ARRAY_I8,
                                uint8 ? (double)draw_within(&b->draw, 100, 150) : 0);
  m.bias = list(b, ARRAY_I32, 1, &filters, -3000, 3000);
  m.bias_scales = by_channel ? reals(b, count, units) : scalar(b, ARRAY_F32, units[0]);
  return m;
}

static int weights_of(struct build *b, const struct matrix *m, bool by_axis) {
  struct graph_node *n;
  int w = node(b, "", "DequantizeLinear", (int[]){m->codes, m->scales, m->zeros, GRAPH_NONE}, &n);
  if (by_axis)
    graph_set_int(n, "axis", 0);
  return w;
}

static int bias_of(struct build *b, const struct matrix *m) {
  struct graph_node *n;
  int bias = node(b, "", "DequantizeLinear", (int[]){m->bias, m->bias_scales, GRAPH_NONE}, &n);
  graph_set_int(n, "axis", 0);
  return bias;
}

static struct stage conv(struct build *b, const struct stage *x, int filters, int kernel, int group,
                         int stride) {
  int64_t depth = x->c / group, dims[4] = {filters, depth, kernel, kernel};
  struct stage y = {.c = filters, .zero = draw_zero(b)};
  struct matrix m = draw_matrix(b, 4, dims, filters, x->scale);
  int pad = kernel / 2;
  y.h = (x->h + 2 * pad - kernel) / stride + 1, y.w = (x->w + 2 * pad - kernel) / stride + 1;
  y.scale = draw_scale(b, x->scale * m.scale * 40 * sqrt((double)(depth * kernel * kernel)));
  struct graph_node *n;
  int out;
  if (b->coded)
    out = node(b, "", "QLinearConv",
               (int[]){codes_of(b, x), scale_of(b, x), zero_of(b, x), m.codes, m.scales, m.zeros,
                       scale_of(b, &y), zero_of(b, &y), m.bias, GRAPH_NONE},
               &n);
  else
    out = node(b, "", "Conv",
               (int[]){real_of(b, x), weights_of(b, &m, true), bias_of(b, &m), GRAPH_NONE}, &n);
  n = &b->g->nodes[b->g->node_count - 1];
  set_ints(n, "pads", 4, (int64_t[]){pad, pad, pad, pad});
  set_ints(n, "strides", 2, (int64_t[]){stride, stride});
  graph_set_int(n, "group", group);
  if (b->coded)
    name_stage(b, &y, out);
  else
    quantize(b, &y, draw_within(&b->draw, 0, 1) ? NODE(b, "Relu", out) : out);
  return y;
}

static struct stage two(struct build *b, const struct stage *p, const struct stage *q, bool add) {
  struct stage y = *p;
  y.scale = draw_scale(b, add ? p->scale + q->scale : p->scale * q->scale * 40);
  y.zero = draw_zero(b);
  if (b->coded)
    name_stage(b, &y,
               MICROSOFT(b, add ? "QLinearAdd" : "QLinearMul", codes_of(b, p), scale_of(b, p),
                         zero_of(b, p), codes_of(b, q), scale_of(b, q), zero_of(b, q),
                         scale_of(b, &y), zero_of(b, &y)));
  else
    quantize(b, &y, NODE(b, add ? "Add" : "Mul", real_of(b, p), real_of(b, q)));
  return y;
}

static struct stage average(struct build *b, const struct stage *x) {
  struct stage y = {.c = x->c, .h = 1, .w = 1, .scale = draw_scale(b, x->scale / 2)};
  y.zero = draw_zero(b);
  if (b->coded)
    name_stage(b, &y,
               MICROSOFT(b, "QLinearGlobalAveragePool", codes_of(b, x), scale_of(b, x),
                         zero_of(b, x), scale_of(b, &y), zero_of(b, &y)));
  else
    quantize(b, &y, NODE(b, "GlobalAveragePool", real_of(b, x)));
  return y;
}

static struct stage sigmoid(struct build *b, const struct stage *x) {
  struct stage y = *x;
  y.scale = draw_scale(b, 1.0 / 256), y.zero = b->type == ARRAY_I8 ? -128 : 0;
  if (b->coded)
    name_stage(b, &y,
               MICROSOFT(b, "QLinearSigmoid", codes_of(b, x), scale_of(b, x), zero_of(b, x),
                         scale_of(b, &y), zero_of(b, &y)));
  else
    quantize(b, &y, NODE(b, "Sigmoid", real_of(b, x)));
  return y;
}

static struct stage concatenate(struct build *b, const struct stage *p, const struct stage *q) {
  struct stage y = *p;
  y.c = p->c + q->c, y.scale = draw_scale(b, fmax(p->scale, q->scale)), y.zero = draw_zero(b);
  struct graph_node *n;
  int out;
  if (b->coded)
    out = node(b, "com.microsoft", "QLinearConcat",
               (int[]){scale_of(b, &y), zero_of(b, &y), codes_of(b, p), scale_of(b, p),
                       zero_of(b, p), codes_of(b, q), scale_of(b, q), zero_of(b, q), GRAPH_NONE},
               &n);
  else
    out = node(b, "", "Concat", (int[]){real_of(b, p), real_of(b, q), GRAPH_NONE}, &n);
  graph_set_int(&b->g->nodes[b->g->node_count - 1], "axis", 1);
  if (b->coded)
    name_stage(b, &y, out);
  else
    quantize(b, &y, out);
  return y;
}

static struct stage maximum(struct build *b, const struct stage *x) {
  struct stage y = *x;
  struct graph_node *n;
  y.h = x->h / 2, y.w = x->w / 2;
  int in = b->coded ? codes_of(b, x) : real_of(b, x);
  int out = node(b, "", "MaxPool", (int[]){in, GRAPH_NONE}, &n);
  set_ints(n, "kernel_shape", 2, (int64_t[]){2, 2});
  set_ints(n, "strides", 2, (int64_t[]){2, 2});
  if (b->coded)
    name_stage(b, &y, out);
  else
    quantize(b, &y, out);
  return y;
}

static struct stage linear(struct build *b, const struct stage *x, int outputs) {
  int64_t inputs = (int64_t)x->c * x->h * x->w, dims[2] = {inputs, outputs};
  struct stage y = {.c = outputs, .h = 1, .w = 1, .zero = draw_zero(b)};
  struct matrix m = draw_matrix(b, 2, dims, outputs, x->scale);
  y.scale = draw_scale(b, x->scale * m.scale * 40 * sqrt((double)inputs));
  int flat = NODE(b, "Flatten", b->coded ? codes_of(b, x) : real_of(b, x));
  if (b->coded)
    name_stage(b, &y,
               MICROSOFT(b, "QGemm", flat, scale_of(b, x), zero_of(b, x), m.codes, m.scales,
                         m.zeros, m.bias, scale_of(b, &y), zero_of(b, &y)));
  else
    quantize(b, &y,
             NODE(b, "Add", NODE(b, "MatMul", flat, weights_of(b, &m, false)), bias_of(b, &m)));
  return y;
}

// An average over windows of two rows, which QOperator graphs have as one node.
static struct stage halved(struct build *b, const struct stage *x) {
  struct stage y = *x;
  struct graph_node *n;
  y.h = x->h / 2, y.scale = draw_scale(b, x->scale), y.zero = draw_zero(b);
  int out;
  if (b->coded)
    out = node(b, "com.microsoft", "QLinearAveragePool",
               (int[]){codes_of(b, x), scale_of(b, x), zero_of(b, x), scale_of(b, &y),
                       zero_of(b, &y), GRAPH_NONE},
               &n);
  else
    out = node(b, "", "AveragePool", (int[]){real_of(b, x), GRAPH_NONE}, &n);
  n = &b->g->nodes[b->g->node_count - 1];
  set_ints(n, "kernel_shape", 2, (int64_t[]){2, 1});
  set_ints(n, "strides", 2, (int64_t[]){2, 1});
  if (b->coded)
    name_stage(b, &y, out);
  else
    quantize(b, &y, out);
  return y;
}

// ---------------------------------------------------------------------------- QDQ alone

// A batch normalization that nothing could be folded into; some channels fall where codes rise.
static struct stage norm(struct build *b, const struct stage *x) {
  struct stage y = *x;
  double numbers[4][64];
  int inputs[6] = {real_of(b, x), 0, 0, 0, 0, GRAPH_NONE};
  for (int i = 0; i < 4; i++) {
    for (int c = 0; c < x->c; c++)
      numbers[i][c] = (double)draw_within(&b->draw, i == 3 ? 50 : -150, 150) / 100;
    inputs[i + 1] = reals(b, x->c, numbers[i]);
  }
  y.scale = draw_scale(b, x->scale * 2), y.zero = draw_zero(b);
  quantize(b, &y, node(b, "", "BatchNormalization", inputs, NULL));
  return y;
}

// Zeros around it, which a maximum counts.
static struct stage padded(struct build *b, const struct stage *x) {
  struct stage y = *x;
  struct array pads = {.type = ARRAY_I64, .rank = 1, .dims = {8}};
  array_allocate(&pads);
  array_set_int(&pads, 2, 1);
  array_set_int(&pads, 7, 2);
  struct stage around = y;
  around.h += 1, around.w += 2;
  quantize(b, &around, NODE(b, "Pad", real_of(b, x), constant(b, &pads)));
  return maximum(b, &around);
}

// Zeros around it, sometimes in other codes, for a convolution.
static struct stage bordered(struct build *b, const struct stage *x) {
  struct array pads = {.type = ARRAY_I64, .rank = 1, .dims = {8}};
  array_allocate(&pads);
  for (int i = 2; i < 8; i += i == 3 ? 3 : 1)
    array_set_int(&pads, (size_t)i, i % 3);
  struct stage around = *x;
  around.h += 2, around.w += 1;
  if (draw_within(&b->draw, 0, 1))
    around.scale = draw_scale(b, x->scale), around.zero = draw_zero(b);
  quantize(b, &around, NODE(b, "Pad", real_of(b, x), constant(b, &pads)));
  return conv(b, &around, x->c, 3, 1, 1);
}

static struct stage counted(struct build *b, const struct stage *x) {
  struct stage y = *x;
  struct graph_node *n;
  int out = node(b, "", "AveragePool", (int[]){real_of(b, x), GRAPH_NONE}, &n);
  set_ints(n, "kernel_shape", 2, (int64_t[]){3, 3});
  set_ints(n, "pads", 4, (int64_t[]){1, 1, 1, 1});
  graph_set_int(n, "count_include_pad", 1);
  y.scale = draw_scale(b, x->scale / 2), y.zero = draw_zero(b);
  quantize(b, &y, out);
  return y;
}

static struct stage difference(struct build *b, const struct stage *p, const struct stage *q) {
  struct stage y = *p;
  y.scale = draw_scale(b, p->scale + q->scale), y.zero = draw_zero(b);
  quantize(b, &y, NODE(b, "Sub", real_of(b, p), real_of(b, q)));
  return y;
}

// Channels last, as Keras has them: pixels times a matrix.
static struct stage pixels(struct build *b, const struct stage *x, int outputs) {
  struct stage y = {.c = outputs, .h = x->h, .w = x->w, .zero = draw_zero(b)};
  struct matrix m = draw_matrix(b, 2, (int64_t[]){x->c, outputs}, outputs, x->scale);
  struct graph_node *n;
  int last = node(b, "", "Transpose", (int[]){real_of(b, x), GRAPH_NONE}, &n);
  set_ints(n, "perm", 4, (int64_t[]){0, 2, 3, 1});
  y.scale = draw_scale(b, x->scale * m.scale * 40 * sqrt((double)x->c));
  struct stage flat = y;
  quantize(b, &flat, NODE(b, "MatMul", last, weights_of(b, &m, false)));
  int first = node(b, "", "Transpose", (int[]){real_of(b, &flat), GRAPH_NONE}, &n);
  set_ints(n, "perm", 4, (int64_t[]){0, 3, 1, 2});
  quantize(b, &y, first);
  return y;
}

// ---------------------------------------------------------------------------- a network

static struct graph *network(int seed, bool coded) {
  struct build b = {.draw = {(uint64_t)seed + 11}, .coded = coded, .powers = seed % 3 == 0};
  b.type = seed % 2 ? ARRAY_I8 : ARRAY_U8;
  b.g = graph_new("random");
  struct stage x = {.c = 3, .h = 9, .w = 8};
  x.scale = draw_scale(&b, 0.02), x.zero = draw_zero(&b);
  int input = graph_value(b.g, "x");
  array_set_shape(&b.g->values[input].array, ARRAY_F32, 4, (int64_t[]){-1, 3, 9, 8});
  graph_list(&b.g->inputs, &b.g->input_count, input);
  quantize(&b, &x, input);
  struct stage p = conv(&b, &x, 8, 3, 1, 1), q = conv(&b, &p, 8, 3, 8, 1);
  struct stage r = conv(&b, &q, 8, 1, 2, 1), s = two(&b, &p, &r, true);
  struct stage gate = sigmoid(&b, &s), product = two(&b, &s, &gate, false);
  struct stage joined = concatenate(&b, &product, &p);
  if (!coded) {
    struct stage around = norm(&b, &joined), turned = pixels(&b, &around, 6);
    struct stage mean = counted(&b, &turned), apart = difference(&b, &mean, &turned);
    struct stage inside = bordered(&b, &apart);
    joined = padded(&b, &inside);
  }
  joined = halved(&b, &joined);
  struct stage half = maximum(&b, &joined);
  struct stage mean = average(&b, &half), weighted = two(&b, &half, &mean, false);
  struct stage y = linear(&b, &weighted, 7);
  int out = NODE(&b, "Softmax", real_of(&b, &y));
  graph_list(&b.g->outputs, &b.g->output_count, out);
  return b.g;
}

// As Keras has signals, 1 x width x channels, turned for the convolution.
static struct graph *signal_network(int seed) {
  struct build b = {.draw = {(uint64_t)seed + 5}, .powers = seed % 3 == 0};
  b.type = seed % 2 ? ARRAY_I8 : ARRAY_U8;
  b.g = graph_new("signal");
  struct stage x = {.c = 5, .h = 1, .w = 20}, y = {.c = 6, .h = 1, .w = 20};
  x.scale = draw_scale(&b, 0.02), x.zero = draw_zero(&b);
  int input = graph_value(b.g, "x");
  array_set_shape(&b.g->values[input].array, ARRAY_F32, 3, (int64_t[]){-1, x.w, x.c});
  graph_list(&b.g->inputs, &b.g->input_count, input);
  quantize(&b, &x, input);
  struct graph_node *n;
  int turned = node(&b, "", "Transpose", (int[]){real_of(&b, &x), GRAPH_NONE}, &n);
  set_ints(n, "perm", 3, (int64_t[]){0, 2, 1});
  struct matrix m = draw_matrix(&b, 3, (int64_t[]){y.c, x.c, 3}, y.c, x.scale);
  y.zero = draw_zero(&b), y.scale = draw_scale(&b, x.scale * m.scale * 40 * sqrt(3.0 * x.c));
  int w = weights_of(&b, &m, false), bias = bias_of(&b, &m);
  int sums = node(&b, "", "Conv", (int[]){turned, w, bias, GRAPH_NONE}, &n);
  set_ints(n, "pads", 2, (int64_t[]){1, 1});
  quantize(&b, &y, NODE(&b, "Relu", sums));
  graph_list(&b.g->outputs, &b.g->output_count, real_of(&b, &y));
  return b.g;
}

// Where the file has element k of the tensor.
static size_t place(const struct array *a, const struct net_tensor *t, size_t k) {
  bool last = a->rank > 2 && a->dims[a->rank - 1] == (int64_t)t->c &&
              a->dims[1] == (int64_t)(a->rank == 4 ? t->h : t->w);
  return last ? k : k % t->c * t->h * t->w + k / t->c;
}

// Whether it comes from halved(): an average is one of real numbers in both forms.
static bool is_halved(const struct net *net, uint32_t tensor) {
  for (uint32_t i = 0; i < net->layer_count; i++)
    if (net->layers[i].output == (int)tensor)
      return net->layers[i].kernel_h == 2 && net->layers[i].kernel_w == 1;
  return false;
}

// Codes of a tensor against the operators' value of the same name.
static void compare(const struct net *net, const struct int_run *codes, const struct graph *g,
                    const struct op_run *operators, bool coded, int seed, size_t totals[2]) {
  for (uint32_t i = 0; i < net->tensor_count; i++) {
    const struct net_tensor *t = &net->tensors[i];
    int value = graph_find(g, t->name);
    if (value == GRAPH_NONE || !op_run_get(operators, value)->data)
      continue; // a table in front of a concatenation
    const struct array *a = op_run_get(operators, value);
    if (array_type_is_float(a->type))
      continue;
    for (size_t k = 0; k < int_elements(codes, (int)i); k++) {
      int64_t got = int_tensor(codes, (int)i)[k];
      int64_t expected = array_get_int(a, place(a, t, k));
      totals[0]++, totals[1] += got != expected;
      ck_assert_msg(llabs(got - expected) <= (coded && !is_halved(net, i) ? 0 : 1),
                    "%d: %s[%zu] is %lld, not %lld", seed, t->name, k, (long long)got,
                    (long long)expected);
    }
  }
}

static void put_input(const struct net *net, const struct int_run *codes, struct op_run *operators,
                      const struct graph *g, struct draw *draw) {
  const struct net_tensor *t = &net->tensors[net->inputs[0]];
  struct array x = g->values[g->inputs[0]].array;
  x.data = NULL;
  array_allocate(&x);
  int low = t->is_signed ? -128 : 0;
  struct sample sample = {.kind = SAMPLE_REALS, .rank = 3, .dims = {t->h, t->w, t->c}};
  sample.count = array_count(&x);
  sample.values = memory_new(sample.count, sizeof *sample.values);
  for (size_t k = 0; k < sample.count; k++) {
    double code = (double)draw_within(draw, 4 * low, 4 * (low + 255)) / 4; // halves between them
    array_set(&x, place(&x, t, k), t->scale * (code - t->zero));
    sample.values[k] = array_get(&x, place(&x, t, k));
  }
  ck_assert(sample_codes(&sample, t, int_tensor(codes, net->inputs[0]), NULL));
  sample_free(&sample);
  op_run_set(operators, g->inputs[0], &x);
}

// Each layer begins with the operators' codes: differences do not spread.
static void run_layers(const struct net *net, struct int_run *codes, const struct graph *g,
                       const struct op_run *operators) {
  for (uint32_t l = 0; l < net->layer_count; l++) {
    for (uint32_t i = 0; i < net->layers[l].input_count; i++) {
      int number = net->layers[l].inputs[i], value = graph_find(g, net->tensors[number].name);
      const struct net_tensor *t = &net->tensors[number];
      const struct array *a = value == GRAPH_NONE ? NULL : op_run_get(operators, value);
      for (size_t k = 0; a && !array_type_is_float(a->type) && k < int_elements(codes, number); k++)
        int_tensor(codes, number)[k] = (int32_t)array_get_int(a, place(a, t, k));
    }
    int_execute_layer(codes, l);
  }
}

enum { SEEDS = 24 };

static void check(struct graph *g, int seed, bool coded, size_t codes_at_least) {
  struct net_error error = {.text = ""};
  struct net *net = quantized_lower("random", g, &error);
  ck_assert_msg(net != NULL, "%d: %s", seed, error.text);
  struct int_run *codes = int_new(net);
  struct op_run *operators = op_run_new(g);
  struct draw draw = {(uint64_t)seed + 77};
  size_t totals[2] = {0, 0};
  for (int i = 0; i < 4; i++) {
    put_input(net, codes, operators, g, &draw);
    ck_assert_msg(op_run_execute(operators, &error), "%d: %s", seed, error.text);
    run_layers(net, codes, g, operators);
    compare(net, codes, g, operators, coded, seed, totals);
  }
  ck_assert_uint_gt(totals[0], codes_at_least);
  ck_assert_msg(totals[1] * 100 <= totals[0], "%d: %zu of %zu codes differ", seed, totals[1],
                totals[0]);
  op_run_free(operators);
  int_free(codes);
  net_free(net);
  graph_free(g);
}

START_TEST(qoperator_is_equal) {
  check(network(_i, true), _i, true, 4000);
}
END_TEST

START_TEST(qdq_is_equal_but_at_boundaries) {
  check(network(_i, false), _i, false, 4000);
}
END_TEST

START_TEST(signals_come_with_channels_last) {
  check(signal_network(_i), _i, false, 400);
}
END_TEST

Suite *quantized_suite(void) {
  Suite *suite = suite_create("quantized");
  TCase *tc = tcase_create("quantized");
  tcase_set_timeout(tc, 60);
  tcase_add_loop_test(tc, qoperator_is_equal, 0, SEEDS);
  tcase_add_loop_test(tc, qdq_is_equal_but_at_boundaries, 0, SEEDS);
  tcase_add_loop_test(tc, signals_come_with_channels_last, 0, SEEDS);
  suite_add_tcase(suite, tc);
  return suite;
}
