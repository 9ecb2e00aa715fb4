// deploy/lower/tidy_functions.c: functions of one value that a file has in pieces.
//
// No pattern is sought: a subgraph of operators that act element by element, with constants of one
// element, is evaluated at many points, and compared with the functions that layers have.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/lower/tidy.h"
#include "deploy/memory.h"
#include "deploy/op/op.h"

enum { POINTS = 513, DENSE = 192, SOURCES = 8, STEPS = 16 };

// -9.6..9.6 in steps of 0.05, where the functions bend, and on to 13,500, where clips may be.
static double point(int i) {
  int n = abs(i - POINTS / 2);
  double x = n <= DENSE ? n * 0.05 : DENSE * 0.05 * pow(1.12, n - DENSE);
  return i < POINTS / 2 ? -x : x;
}

// Who makes each value, and how many nodes read it (outputs of the graph: one more).
struct view {
  struct graph *graph;
  int *maker, *readers;
  int steps; // of evaluation that are left
};

static bool elementwise(const struct graph_node *node) {
  static const char *const ops[] = {"Abs", "Add",  "Clip",       "Div",     "Erf", "Exp",
                                    "Log", "Max",  "Min",        "Mul",     "Neg", "PRelu",
                                    "Pow", "Relu", "Reciprocal", "Sigmoid", "Sub", "Softplus",
                                    "Sum", "Tanh", "HardSigmoid"};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (strcmp(node->op, ops[i]) == 0 && !*node->domain)
      return node->input_count >= 1 && node->input_count <= 3 && node->output_count == 1;
  return false;
}

static void open_view(struct view *v, struct graph *graph) {
  *v = (struct view){.graph = graph};
  v->maker = memory_new(graph->value_count, sizeof *v->maker);
  v->readers = memory_new(graph->value_count, sizeof *v->readers);
  for (uint32_t i = 0; i < graph->value_count; i++)
    v->maker[i] = GRAPH_NONE;
  for (uint32_t n = 0; n < graph->node_count; n++) {
    const struct graph_node *node = &graph->nodes[n];
    for (uint32_t o = 0; !node->removed && o < node->output_count; o++)
      if (node->outputs[o] != GRAPH_NONE)
        v->maker[node->outputs[o]] = (int)n;
    for (uint32_t i = 0; !node->removed && i < node->input_count; i++)
      if (node->inputs[i] != GRAPH_NONE)
        v->readers[node->inputs[i]]++;
  }
  for (uint32_t i = 0; i < graph->output_count; i++)
    v->readers[graph->outputs[i]]++;
}

static const struct graph_node *maker(const struct view *v, int value) {
  return v->maker[value] == GRAPH_NONE ? NULL : &v->graph->nodes[v->maker[value]];
}

// What the value is at all points, if it is a function of `source` alone.
static bool evaluate(struct view *v, int value, int source, struct array *to) {
  const struct array *fixed = &v->graph->values[value].array;
  const struct graph_node *node = maker(v, value);
  if (value == source) {
    *to = (struct array){.type = ARRAY_F64, .rank = 1, .dims = {POINTS}};
    array_allocate(to);
    for (int i = 0; i < POINTS; i++)
      array_set(to, (size_t)i, point(i));
    return true;
  }
  if (fixed->data && array_type_is_float(fixed->type) && array_count(fixed) == 1) {
    *to = (struct array){.type = ARRAY_F64, .rank = 0};
    array_allocate(to);
    array_set(to, 0, array_get(fixed, 0));
    return true;
  }
  if (!node || !elementwise(node) || v->steps-- <= 0)
    return false;
  struct array in[3] = {{.data = NULL}, {.data = NULL}, {.data = NULL}};
  const struct array *list[3] = {NULL, NULL, NULL};
  struct net_error error = {.text = ""};
  bool good = true;
  for (uint32_t i = 0; good && i < node->input_count; i++)
    if (node->inputs[i] != GRAPH_NONE) {
      good = evaluate(v, node->inputs[i], source, &in[i]);
      list[i] = &in[i];
    }
  good = good && op_apply(node, list, node->input_count, to, &error);
  for (int i = 0; i < 3; i++)
    array_clear(&in[i]);
  return good;
}

// ---------------------------------------------------------------------------- the functions

struct known {
  const char *op;
  double a, b; // attributes alpha and beta, or min and max
};

static double known_at(const struct known *f, double x) {
  if (strcmp(f->op, "Clip") == 0)
    return fmin(fmax(x, f->a), f->b);
  if (strcmp(f->op, "LeakyRelu") == 0)
    return x < 0 ? f->a * x : x;
  if (strcmp(f->op, "HardSigmoid") == 0)
    return fmin(fmax(f->a * x + f->b, 0), 1);
  if (strcmp(f->op, "HardSwish") == 0)
    return x * fmin(fmax(x / 6 + 0.5, 0), 1);
  if (strcmp(f->op, "Sigmoid") == 0)
    return 1 / (1 + exp(-x));
  if (strcmp(f->op, "Tanh") == 0)
    return tanh(x);
  if (strcmp(f->op, "Silu") == 0)
    return x / (1 + exp(-x));
  if (strcmp(f->op, "Gelu") == 0)
    return x * 0.5 * (1 + erf(x / sqrt(2)));
  return x * tanh(log1p(exp(x))); // Mish
}

static bool equals(const struct known *f, const double *y) {
  for (int i = 0; i < POINTS; i++)
    if (!(fabs(known_at(f, point(i)) - y[i]) <= 2e-5 * (1 + fabs(y[i]))))
      return false;
  return true;
}

// Attributes that these values would have: clips end flat, or where the points end; the slope of a
// leaky ReLU and of a hard sigmoid is that of a part that is straight.
static bool recognized(const double *y, struct known *to) {
  double first = y[0], last = y[POINTS - 1], middle = y[POINTS / 2];
  bool low = fabs(first - point(0)) > 1e-9, high = fabs(last - point(POINTS - 1)) > 1e-9;
  const struct known all[] = {{"Clip", low ? first : -INFINITY, high ? last : INFINITY},
                              {"LeakyRelu", first / point(0), 0},
                              {"HardSigmoid", (y[POINTS / 2 + 10] - middle) / 0.5, middle},
                              {"HardSwish", 0, 0},
                              {"Sigmoid", 0, 0},
                              {"Tanh", 0, 0},
                              {"Silu", 0, 0},
                              {"Gelu", 0, 0},
                              {"Mish", 0, 0}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (equals(&all[i], y)) {
      *to = all[i];
      return !(strcmp(to->op, "Clip") == 0 && (!low && !high)); // nothing changes: let it be
    }
  return false;
}

// ---------------------------------------------------------------------------- the graph

// Values from which the root could be computed, the farthest last: along its inputs, as far as
// nobody else reads them. What others read, too, can only be where a function begins.
static int sources_of(const struct view *v, int root, int sources[SOURCES]) {
  int count = 0;
  for (int at = -1; at < count; at++) {
    const struct graph_node *node = maker(v, at < 0 ? root : sources[at]);
    bool through = at < 0 || v->readers[sources[at]] == 1;
    for (uint32_t i = 0; node && through && elementwise(node) && i < node->input_count; i++) {
      int value = node->inputs[i];
      bool listed = value == GRAPH_NONE || v->graph->values[value].array.data;
      for (int k = 0; k < count; k++)
        listed |= sources[k] == value;
      if (!listed && count < SOURCES)
        sources[count++] = value;
    }
  }
  return count;
}

static void add_number(struct graph_node *node, const char *name, double value) {
  if (isfinite(value))
    graph_add_attr(node, name, GRAPH_FLOATS, 1)->floats[0] = value;
}

static void replace(struct graph_node *node, const struct known *by, int source) {
  bool clip = strcmp(by->op, "Clip") == 0;
  graph_rewrite(node, by->op);
  graph_add_input(node, source);
  add_number(node, clip ? "min" : "alpha", by->a);
  add_number(node, clip ? "max" : "beta", by->b);
}

static bool same_shape(const struct graph *graph, int a, int b) {
  const struct array *x = &graph->values[a].array, *y = &graph->values[b].array;
  return x->type != ARRAY_NONE && y->type != ARRAY_NONE && array_same_shape(x, y);
}

static void try_node(struct view *v, struct graph_node *node) {
  int sources[SOURCES], root = node->outputs[0], count = sources_of(v, root, sources);
  struct known known = {NULL, 0, 0};
  bool found = false;
  for (int i = count - 1; i >= 0 && !found; i--) {
    struct array y = {.data = NULL};
    v->steps = STEPS;
    bool one = same_shape(v->graph, sources[i], root) && evaluate(v, root, sources[i], &y) &&
               array_count(&y) == POINTS && y.type == ARRAY_F64;
    found = one && recognized(y.data, &known);
    if (found)
      replace(node, &known, sources[i]);
    array_clear(&y);
  }
}

// Those that are one node already, by the name that they are to have.
static bool is_whole(const struct graph_node *node) {
  static const char *const ops[] = {"Clip", "Relu", "Sigmoid", "Tanh", "HardSigmoid"};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (strcmp(node->op, ops[i]) == 0)
      return true;
  return false;
}

void tidy_functions(struct graph *graph) {
  struct view v;
  open_view(&v, graph);
  for (uint32_t n = graph->node_count; n-- > 0;) {
    struct graph_node *node = &graph->nodes[n];
    if (!node->removed && elementwise(node) && !is_whole(node) && node->outputs[0] != GRAPH_NONE)
      try_node(&v, node);
  }
  free(v.maker);
  free(v.readers);
}
