// tests/deploy/real.c: random graphs in floats, as exporters write them: the network in real
// numbers against the operators' definitions (deploy/op).
#include "deploy/lower/real.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/host/int_run.h"
#include "deploy/memory.h"
#include "deploy/op/op.h"
#include "deploy/quant/quantize.h"
#include "net_random.h"

Suite *real_suite(void);

struct build {
  struct graph *g;
  struct draw draw;
  int names, version;
  int64_t c, h, w; // of the value at hand
  bool last;       // its channels stand last
};

static int64_t within(struct build *b, int64_t low, int64_t high) {
  return draw_within(&b->draw, low, high);
}

static int constant(struct build *b, int rank, const int64_t *dims, double low, double high) {
  struct array a = {.data = NULL};
  char name[24];
  snprintf(name, sizeof name, "c%d", b->names++);
  array_set_shape(&a, ARRAY_F32, rank, dims);
  array_allocate(&a);
  for (size_t i = 0; i < array_count(&a); i++)
    array_set(&a, i, low + (high - low) * (double)within(b, 0, 1000) / 1000);
  return graph_constant(b->g, name, &a);
}

static int number(struct build *b, double value) {
  return constant(b, 0, NULL, value, value);
}

static int whole(struct build *b, int count, const int64_t *values) {
  struct array a = {.type = ARRAY_I64, .rank = 1, .dims = {count}};
  char name[24];
  snprintf(name, sizeof name, "c%d", b->names++);
  array_allocate(&a);
  for (int i = 0; i < count; i++)
    array_set_int(&a, (size_t)i, values[i]);
  return graph_constant(b->g, name, &a);
}

static struct graph_node *node(struct build *b, const char *op, int x, int y) {
  char name[24];
  struct graph_node *n = graph_add_node(b->g, NULL, "", op, b->version);
  graph_add_input(n, x);
  if (y != GRAPH_NONE)
    graph_add_input(n, y);
  snprintf(name, sizeof name, "v%d", b->names++);
  graph_add_output(n, graph_value(b->g, name));
  return n;
}

static int made(struct build *b, const char *op, int x, int y) {
  return node(b, op, x, y)->outputs[0];
}

static void ints(struct graph_node *n, const char *name, int count, const int64_t *values) {
  memcpy(graph_add_attr(n, name, GRAPH_INTS, (uint32_t)count)->ints, values,
         (size_t)count * sizeof *values);
}

static void text(struct graph_node *n, const char *name, const char *value) {
  graph_add_attr(n, name, GRAPH_TEXT, 1)->text = memory_text(value);
}

// ---------------------------------------------------------------------------- operators

static int pad(struct build *b, int x) {
  int64_t p[4] = {within(b, 0, 2), within(b, 0, 2), within(b, 0, 2), within(b, 0, 2)};
  int64_t first[8] = {0, 0, p[0], p[1], 0, 0, p[2], p[3]};
  b->h += p[0] + p[2], b->w += p[1] + p[3];
  if (b->version >= 11)
    return made(b, "Pad", x, whole(b, 8, first));
  struct graph_node *n = node(b, "Pad", x, GRAPH_NONE);
  ints(n, "pads", 8, first);
  return n->outputs[0];
}

// up: one more, if it begins before the padding behind.
static int64_t windows(int64_t size, int64_t kernel, int64_t stride, int64_t before, int64_t after,
                       bool up) {
  int64_t span = size + before + after - kernel, count = span / stride + 1;
  return up && span % stride && count * stride < size + before ? count + 1 : count;
}

// Pads of the four sides, or auto_pad; what comes out.
static void window(struct build *b, struct graph_node *n, const int64_t k[2], bool up) {
  static const char *const modes[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
  int64_t most = up ? 4 : 2, s[2] = {within(b, 1, most), within(b, 1, most)}, p[4] = {0};
  const char *mode = modes[within(b, 0, 3)];
  for (int i = 0; i < 4 && strcmp(mode, "NOTSET") == 0; i++)
    p[i] = within(b, 0, k[i % 2] - 1);
  ints(n, "strides", 2, s);
  if (strcmp(mode, "NOTSET") == 0)
    ints(n, "pads", 4, p);
  else
    text(n, "auto_pad", mode);
  bool same = strncmp(mode, "SAME", 4) == 0;
  b->h = same ? (b->h + s[0] - 1) / s[0] : windows(b->h, k[0], s[0], p[0], p[2], up);
  b->w = same ? (b->w + s[1] - 1) / s[1] : windows(b->w, k[1], s[1], p[1], p[3], up);
}

static int conv(struct build *b, int x) {
  int64_t group = b->c > 1 && within(b, 0, 2) == 0 ? b->c : 1;
  int64_t dims[4] = {group * within(b, 1, group > 1 ? 2 : 6), b->c / group, within(b, 1, 3),
                     within(b, 1, 3)};
  struct graph_node *n = node(b, "Conv", x, constant(b, 4, dims, -0.7, 0.7));
  window(b, n, dims + 2, false);
  if (within(b, 0, 1))
    graph_add_input(n, constant(b, 1, dims, -1, 1));
  graph_set_int(n, "group", group);
  b->c = dims[0];
  return n->outputs[0];
}

static int pool(struct build *b, int x) {
  int64_t k[2] = {within(b, 1, 3), within(b, 1, 3)};
  struct graph_node *n = node(b, within(b, 0, 1) ? "MaxPool" : "AveragePool", x, GRAPH_NONE);
  ints(n, "kernel_shape", 2, k);
  bool up = b->version >= 10 && within(b, 0, 1);
  window(b, n, k, up);
  graph_set_int(n, "ceil_mode", up);
  if (*n->op == 'A')
    graph_set_int(n, "count_include_pad", up ? 0 : within(b, 0, 1));
  return n->outputs[0];
}

static int norm(struct build *b, int x) {
  struct graph_node *n = node(b, "BatchNormalization", x, constant(b, 1, &b->c, 0.5, 1.5));
  for (int i = 0; i < 2; i++)
    graph_add_input(n, constant(b, 1, &b->c, -1, 1));
  graph_add_input(n, constant(b, 1, &b->c, 0.5, 1.5));
  return n->outputs[0];
}

// A number for each channel, in the dimension where they are.
static int affine(struct build *b, int x) {
  static const char *const ops[] = {"Add", "Sub", "Mul", "Div"};
  int64_t dims[3] = {b->last ? 1 : b->c, 1, b->last ? b->c : 1};
  return made(b, ops[within(b, 0, 3)], x, constant(b, 3, dims, 0.5, 1.5));
}

static int turn(struct build *b, int x) {
  static const int64_t to_last[4] = {0, 2, 3, 1}, to_first[4] = {0, 3, 1, 2};
  struct graph_node *n = node(b, "Transpose", x, GRAPH_NONE);
  ints(n, "perm", 4, b->last ? to_first : to_last);
  b->last = !b->last;
  return n->outputs[0];
}

static int clipped(struct build *b, int x, double low, double high) {
  struct graph_node *n = node(b, "Clip", x, b->version < 11 ? GRAPH_NONE : number(b, low));
  if (b->version < 11) {
    graph_add_attr(n, "min", GRAPH_FLOATS, 1)->floats[0] = low;
    graph_add_attr(n, "max", GRAPH_FLOATS, 1)->floats[0] = high;
  } else {
    graph_add_input(n, number(b, high));
  }
  return n->outputs[0];
}

// In one piece, or as exporters write what their operator set does not have.
static int function(struct build *b, int x) {
  static const char *const ops[] = {"Relu", "Sigmoid",  "Tanh",      "HardSigmoid", "LeakyRelu",
                                    "Elu",  "Softplus", "HardSwish", "Mish"};
  int gate, last = b->version < 14 ? 6 : b->version < 18 ? 7 : 8;
  int64_t slopes[3] = {b->last ? 1 : b->c, 1, b->last ? b->c : 1};
  switch (within(b, 0, 7)) {
  case 6:
    return made(b, "PRelu", x, constant(b, 3, slopes, -0.5, 0.5));
  case 0:
    gate = clipped(b, made(b, "Add", x, number(b, 3)), 0, 6);
    return made(b, "Div", made(b, "Mul", gate, x), number(b, 6));
  case 1:
    return made(b, "Mul", x, made(b, "Sigmoid", x, GRAPH_NONE));
  case 2:
    return made(b, "Min", made(b, "Relu", x, GRAPH_NONE), number(b, 6));
  case 3:
    return made(b, "Max", x, made(b, "Mul", x, number(b, 0.125)));
  case 4:
    gate = made(b, "Tanh", made(b, "Softplus", x, GRAPH_NONE), GRAPH_NONE);
    return made(b, "Mul", gate, x);
  case 5:
    return clipped(b, x, -1, 1);
  default:
    return made(b, ops[within(b, 0, last)], x, GRAPH_NONE);
  }
}

// Squeeze and excite.
static int excite(struct build *b, int x) {
  static const int64_t axes[2] = {-1, 2};
  int64_t dims[4] = {b->c, b->c, 1, 1};
  struct graph_node *n = node(b, "ReduceMean", x, b->version < 18 ? GRAPH_NONE : whole(b, 2, axes));
  if (b->version < 18)
    ints(n, "axes", 2, axes);
  int gate = made(b, "Conv", n->outputs[0], constant(b, 4, dims, -1, 1));
  gate = made(b, "HardSigmoid", gate, GRAPH_NONE);
  const int64_t shape[4] = {1, b->c, b->h, b->w};
  if (within(b, 0, 1))
    gate = made(b, "Expand", gate, whole(b, 4, shape));
  return made(b, "Mul", gate, x);
}

static int residual(struct build *b, int x) {
  const int64_t pads[4] = {1, 1, 1, 1}, dims[4] = {b->c, b->c, 3, 3};
  struct graph_node *n = node(b, "Conv", x, constant(b, 4, dims, -0.5, 0.5));
  ints(n, "pads", 4, pads);
  int branch = n->outputs[0];
  switch (within(b, 0, 3)) {
  case 0:
    return made(b, "Sub", branch, x);
  case 1:
    return made(b, "Sub", x, branch);
  case 2:
    return made(b, "Add", branch, x);
  default:
    break;
  }
  graph_set_int(node(b, "Concat", x, branch), "axis", within(b, 0, 1) ? 1 : -3);
  b->c *= 2;
  return b->g->nodes[b->g->node_count - 1].outputs[0];
}

static int resize(struct build *b, int x) {
  static const char *const modes[] = {"half_pixel", "pytorch_half_pixel", "asymmetric"};
  double scales[4] = {1, 1, (double)within(b, 1, 4), (double)within(b, 2, 3)};
  struct array a = {.type = ARRAY_F32, .rank = 1, .dims = {4}};
  char name[24];
  snprintf(name, sizeof name, "c%d", b->names++);
  array_allocate(&a);
  for (size_t i = 0; i < 4; i++)
    array_set(&a, i, scales[i]);
  int factors = graph_constant(b->g, name, &a);
  bool old = b->version < 11;
  struct graph_node *n =
      node(b, b->version < 10 ? "Upsample" : "Resize", x, old ? factors : GRAPH_NONE);
  if (!old) {
    graph_add_input(n, GRAPH_NONE);
    graph_add_input(n, factors);
    text(n, "coordinate_transformation_mode", modes[within(b, 0, 2)]);
    text(n, "nearest_mode", "floor");
  }
  text(n, "mode", "linear");
  b->h *= (int64_t)scales[2], b->w *= (int64_t)scales[3];
  return n->outputs[0];
}

static int transposed(struct build *b, int x) {
  int64_t group = within(b, 0, 2) ? 1 : b->c, s[2], p[4], d[2], extra[2] = {0},
          *size[] = {&b->h, &b->w};
  int64_t dims[4] = {b->c, within(b, 1, group > 1 ? 1 : 4), 0, 0};
  for (int i = 0; i < 2; i++) {
    s[i] = within(b, 1, 3), dims[2 + i] = s[i] + within(b, 0, 2), d[i] = within(b, 1, 2);
    p[i] = within(b, 0, s[i] - 1), p[i + 2] = within(b, 0, s[i] - 1);
    extra[i] = s[i] > 1 ? within(b, 0, 1) : 0;
    *size[i] = (*size[i] - 1) * s[i] + (dims[2 + i] - 1) * d[i] + 1 + extra[i] - p[i] - p[i + 2];
  }
  struct graph_node *n = node(b, "ConvTranspose", x, constant(b, 4, dims, -0.5, 0.5));
  ints(n, "strides", 2, s), ints(n, "pads", 4, p), ints(n, "dilations", 2, d);
  ints(n, "output_padding", 2, extra);
  graph_set_int(n, "group", group);
  b->c = dims[1] * group;
  if (within(b, 0, 1))
    graph_add_input(n, constant(b, 1, &b->c, -1, 1));
  return n->outputs[0];
}

static int end(struct build *b, int x) {
  static const int64_t vector[2] = {1, -1};
  if (within(b, 0, 1))
    x = made(b, "Reshape", x, whole(b, 2, vector));
  else
    x = made(b, "Flatten", x, GRAPH_NONE);
  const int64_t dims[2] = {b->c * b->h * b->w, 5};
  x = made(b, "MatMul", x, constant(b, 2, dims, -0.5, 0.5));
  return made(b, "Add", x, constant(b, 1, dims + 1, -1, 1));
}

static int step(struct build *b, int x) {
  int (*const first[])(struct build *, int) = {conv,     conv,   conv,      pool,     pad,
                                               norm,     turn,   affine,    function, excite,
                                               residual, resize, transposed};
  int (*const last[])(struct build *, int) = {turn, turn, affine, function};
  return b->last ? last[within(b, 0, 3)](b, x) : first[within(b, 0, 12)](b, x);
}

static struct graph *drawn(uint64_t seed, bool last) {
  struct build b = {.g = graph_new("drawn"), .draw = {seed + 1}, .last = last};
  b.version = (int)within(&b, 8, 18);
  b.c = within(&b, 1, 4), b.h = within(&b, 6, 12), b.w = within(&b, 6, 12);
  int x = graph_value(b.g, "x");
  const int64_t dims[4] = {1, last ? b.h : b.c, last ? b.w : b.h, last ? b.c : b.w};
  array_set_shape(&b.g->values[x].array, ARRAY_F32, 4, dims);
  graph_list(&b.g->inputs, &b.g->input_count, x);
  x = last ? turn(&b, x) : x;
  for (int i = 0; i < 7 && b.h > 2 && b.w > 2 && b.c * b.h * b.w < 4000; i++)
    x = step(&b, x);
  graph_list(&b.g->outputs, &b.g->output_count, end(&b, x));
  return b.g;
}

// ---------------------------------------------------------------------------- both ways

static void execute(const struct graph *g, const float *hwc, bool last, double expected[5]) {
  struct net_error error = {.text = ""};
  struct op_run *run = op_run_new(g);
  struct array x = g->values[g->inputs[0]].array;
  x.data = NULL;
  array_allocate(&x);
  size_t count = array_count(&x), c = (size_t)x.dims[1];
  for (size_t i = 0; i < count; i++)
    array_set(&x, i, (double)hwc[last ? i : i % (count / c) * c + i / (count / c)]);
  op_run_set(run, g->inputs[0], &x);
  ck_assert_msg(op_run_execute(run, &error), "%s", error.text);
  const struct array *y = op_run_get(run, g->outputs[0]);
  ck_assert_uint_eq(array_count(y), 5);
  for (size_t i = 0; i < 5; i++)
    expected[i] = array_get(y, i);
  op_run_free(run);
}

enum { PER_TEST = 100 };

START_TEST(layers_give_what_operators_give) {
  const struct tidy_shape shape = {0, 0, 0};
  for (int k = 0; k < PER_TEST; k++) {
    struct net_error error = {.text = ""};
    bool last = k % 3 == 0;
    struct graph *g = drawn((uint64_t)_i * PER_TEST + (uint64_t)k, last);
    struct draw draw = {(uint64_t)k + 1};
    float x[4 * 12 * 12];
    double expected[5];
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
      x[i] = (float)draw_within(&draw, -1000, 1000) / 500;
    execute(g, x, last, expected); // before the graph is tidied
    struct real_net *real = lower_real("drawn", g, &shape, &error);
    ck_assert_msg(real != NULL, "%d.%d: %s", _i, k, error.text);
    struct real_run *run = real_run_new(real);
    memcpy(real_tensor(run, real->net->inputs[0]), x,
           real_elements(run, real->net->inputs[0]) * sizeof *x);
    real_execute(run);
    const float *y = real_tensor(run, real->net->outputs[0]);
    for (int i = 0; i < 5; i++)
      ck_assert_msg(fabs((double)y[i] - expected[i]) <= 1e-4 * (1 + fabs(expected[i])),
                    "%d.%d: %g, not %g", _i, k, (double)y[i], expected[i]);
    real_run_free(run);
    real_free(real);
    graph_free(g);
  }
}
END_TEST

// A chain of a function's pieces is one layer, with what is in front of it.
START_TEST(pieces_become_one_layer) {
  struct build b = {.g = graph_new("pieces"), .draw = {1}, .version = 13, .c = 2, .h = 3, .w = 3};
  const int64_t dims[4] = {1, 2, 3, 3}, filters[4] = {2, 2, 1, 1};
  struct net_error error = {.text = ""};
  int x = graph_value(b.g, "x");
  array_set_shape(&b.g->values[x].array, ARRAY_F32, 4, dims);
  graph_list(&b.g->inputs, &b.g->input_count, x);
  x = norm(&b, made(&b, "Conv", x, constant(&b, 4, filters, -1, 1)));
  made(&b, "Exp", x, GRAPH_NONE); // idle
  int six = made(&b, "Min", made(&b, "Relu", x, GRAPH_NONE), number(&b, 6));
  int gate = clipped(&b, made(&b, "Add", number(&b, 3), six), 0, 6);
  int y = made(&b, "Mul", made(&b, "Mul", gate, number(&b, 1.0 / 6)), six);
  graph_list(&b.g->outputs, &b.g->output_count, y);
  struct real_net *real = lower_real("pieces", b.g, &(struct tidy_shape){0, 0, 0}, &error);
  ck_assert_msg(real != NULL, "%s", error.text);
  ck_assert_uint_eq(real->net->layer_count, 2);
  ck_assert_float_eq(real->layers[0].high, 6);
  ck_assert_int_eq(real->layers[1].function, REAL_HARD_SWISH);
  real_free(real);
  graph_free(b.g);
}
END_TEST

static int code(struct build *b, int64_t value) {
  struct array a = {.type = ARRAY_I8};
  char name[24];
  snprintf(name, sizeof name, "c%d", b->names++);
  array_allocate(&a);
  array_set_int(&a, 0, value);
  return graph_constant(b->g, name, &a);
}

// Codes between layers are left out, but for what clips them; weights are what their codes say.
START_TEST(quantizers_are_left_out) {
  struct build b = {.g = graph_new("codes"), .draw = {1}, .version = 13, .c = 1, .h = 2, .w = 2};
  struct net_error error = {.text = ""};
  const int64_t dims[4] = {1, 1, 2, 2};
  int x = graph_value(b.g, "x");
  array_set_shape(&b.g->values[x].array, ARRAY_F32, 4, dims);
  graph_list(&b.g->inputs, &b.g->input_count, x);
  int weights = whole(&b, 4, (int64_t[]){9, -5, 127, -128});
  struct array *w = &b.g->values[weights].array, copy = {.data = NULL};
  array_set_shape(&copy, ARRAY_I8, 4, dims);
  array_allocate(&copy);
  for (size_t i = 0; i < 4; i++)
    array_set_int(&copy, i, array_get_int(w, i));
  array_clear(w);
  *w = copy;
  int scale = number(&b, 0.5);
  weights = made(&b, "DequantizeLinear", weights, scale);
  x = made(&b, "Conv", x, weights);
  struct graph_node *n = node(&b, "QuantizeLinear", x, number(&b, 0.25));
  graph_add_input(n, code(&b, 3));
  n = node(&b, "Clip", n->outputs[0], code(&b, -97));
  graph_add_input(n, code(&b, 43));
  n = node(&b, "DequantizeLinear", n->outputs[0], number(&b, 0.25));
  graph_add_input(n, code(&b, 3));
  graph_list(&b.g->outputs, &b.g->output_count, n->outputs[0]);
  struct real_net *real = lower_real("codes", b.g, &(struct tidy_shape){0, 0, 0}, &error);
  ck_assert_msg(real != NULL, "%s", error.text);
  ck_assert_uint_eq(real->quantizers, 1);
  ck_assert_uint_eq(real->net->layer_count, 1);
  ck_assert_float_eq(real->layers[0].low, -25);
  ck_assert_float_eq(real->layers[0].high, 10);
  const float expected[] = {4.5F, -2.5F, 63.5F, -64};
  for (int i = 0; i < 4; i++)
    ck_assert_float_eq(real->layers[0].weights[i], expected[i]);
  real_free(real);
  graph_free(b.g);
}
END_TEST

// One scale of weights for a layer, whose second filter's normalization makes it small.
static int largest_code(bool keep) {
  struct build b = {.g = graph_new("norm"), .draw = {5}, .version = 13, .c = 2, .h = 3, .w = 3};
  const int64_t dims[4] = {1, 2, 3, 3}, filters[4] = {2, 2, 3, 3};
  struct net_error error = {.text = ""};
  int x = graph_value(b.g, "x");
  array_set_shape(&b.g->values[x].array, ARRAY_F32, 4, dims);
  graph_list(&b.g->inputs, &b.g->input_count, x);
  int y = norm(&b, made(&b, "Conv", x, constant(&b, 4, filters, -1, 1)));
  const struct graph_node *node = &b.g->nodes[b.g->node_count - 1];
  array_set(&b.g->values[node->inputs[1]].array, 1, 0.01); // scale
  graph_list(&b.g->outputs, &b.g->output_count, y);
  struct real_net *real = lower_real("norm", b.g, &(struct tidy_shape){0, 0, 0}, &error);
  ck_assert_msg(real && real->net->layer_count == 1, "%s", error.text);
  float values[18];
  for (int i = 0; i < 18; i++)
    values[i] = (float)i / 9 - 1;
  struct quantize_samples samples = {(float *[]){values}, NULL, 1};
  struct quantize_options options = {.weight_bits = 8, .activation_bits = 8, .per_layer = true};
  options.scheme = BITS_FOLDED, options.keep_norms = keep;
  struct net *net = quantize(real, &samples, &options, &error);
  ck_assert_msg(net != NULL, "%s", error.text);
  int most = 0;
  for (int i = 18; i < 36; i++)
    most = abs(net->layers[0].weights[i]) > most ? abs(net->layers[0].weights[i]) : most;
  ck_assert_int_eq(net->layers[0].requant.per_channel, keep);
  net_free(net);
  real_free(real);
  graph_free(b.g);
  return most;
}

START_TEST(kept_norms_leave_weights_their_range) {
  ck_assert_int_le(largest_code(false), 4);
  ck_assert_int_ge(largest_code(true), 100);
}
END_TEST

// A mean over a padded window of numbers on both sides of 0, whose codes have a zero that is none.
static struct graph *padded_mean(struct draw *draw, bool counts) {
  const int64_t dims[4] = {1, 1, 5, 4};
  struct graph *g = graph_new("mean");
  struct build b = {.g = g, .version = 13};
  int x = graph_value(g, "x");
  array_set_shape(&g->values[x].array, ARRAY_F32, 4, dims);
  graph_list(&g->inputs, &g->input_count, x);
  struct graph_node *n = node(&b, "AveragePool", x, GRAPH_NONE);
  int64_t kernel[2] = {draw_within(draw, 2, 4), draw_within(draw, 2, 4)}, pads[4];
  for (int i = 0; i < 4; i++)
    pads[i] = draw_within(draw, 0, 1);
  ints(n, "kernel_shape", 2, kernel);
  ints(n, "pads", 4, pads);
  graph_set_int(n, "count_include_pad", counts);
  graph_list(&g->outputs, &g->output_count, n->outputs[0]);
  return g;
}

// The integers' result is the numbers' within a code and a half: one of the inputs' rounding, which
// a mean does not enlarge, and one of its own.
static void expect_mean(struct real_net *real, float *x) {
  struct net_error error = {.text = ""};
  struct quantize_samples samples = {&x, NULL, 1};
  struct quantize_options options = {.weight_bits = 8, .activation_bits = 8};
  struct net *net = quantize(real, &samples, &options, &error);
  ck_assert_msg(net != NULL, "%s", error.text);
  struct real_run *numbers = real_run_new(real);
  struct int_run *codes = int_new(net);
  int in = net->inputs[0], out = net->outputs[0];
  double scale = net->tensors[in].scale;
  memcpy(real_tensor(numbers, in), x, int_elements(codes, in) * sizeof *x);
  for (size_t i = 0; i < int_elements(codes, in); i++)
    int_tensor(codes, in)[i] = (int32_t)lround((double)x[i] / scale) + net->tensors[in].zero;
  real_execute(numbers);
  ck_assert(int_execute(codes, &error));
  for (size_t i = 0; i < int_elements(codes, out); i++) {
    double got = net->tensors[out].scale * (int_tensor(codes, out)[i] - net->tensors[out].zero);
    ck_assert_double_eq_tol(got, (double)real_tensor(numbers, out)[i], 1.5 * scale);
  }
  int_free(codes);
  real_run_free(numbers);
  net_free(net);
}

START_TEST(padding_counts_as_zero_in_means) {
  struct draw draw = {9};
  for (int k = 0; k < 100; k++) {
    struct net_error error = {.text = ""};
    struct graph *g = padded_mean(&draw, k % 2);
    struct real_net *real = lower_real("mean", g, &(struct tidy_shape){0, 0, 0}, &error);
    ck_assert_msg(real != NULL, "%s", error.text);
    float x[20];
    for (int i = 0; i < 20; i++)
      x[i] = (float)draw_within(&draw, -1000, 500) / 250;
    expect_mean(real, x);
    real_free(real);
    graph_free(g);
  }
}
END_TEST

Suite *real_suite(void) {
  Suite *suite = suite_create("real");
  TCase *tc = tcase_create("real");
  tcase_set_timeout(tc, 60);
  tcase_add_loop_test(tc, layers_give_what_operators_give, 0, 5);
  tcase_add_test(tc, pieces_become_one_layer);
  tcase_add_test(tc, quantizers_are_left_out);
  tcase_add_test(tc, padding_counts_as_zero_in_means);
  tcase_add_test(tc, kept_norms_leave_weights_their_range);
  suite_add_tcase(suite, tc);
  return suite;
}
