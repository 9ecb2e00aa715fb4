// tests/deploy/lower.c: graphs of integers, built here, and what the integer form makes of them.
#include "deploy/lower/lower.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/host/int_run.h"
#include "deploy/memory.h"

Suite *lower_suite(void);

// A constant of whole numbers in floats, as the PULP tools store them.
static int constant(struct graph *g, const char *name, int rank, const int64_t *dims,
                    const int64_t *values) {
  struct array a = {.data = NULL};
  array_set_shape(&a, ARRAY_F32, rank, dims);
  array_allocate(&a);
  for (size_t i = 0; i < array_count(&a); i++)
    array_set_int(&a, i, values ? values[i] : (int64_t)(i % 5) - 2);
  return graph_constant(g, name, &a);
}

static struct graph_node *node(struct graph *g, const char *op, const char *in, int constant_in,
                               const char *out) {
  struct graph_node *n = graph_add_node(g, op, "", op, 9);
  graph_add_input(n, graph_value(g, in));
  if (constant_in != GRAPH_NONE)
    graph_add_input(n, constant_in);
  graph_add_output(n, graph_value(g, out));
  return n;
}

// x (1x3x4x4) -> Reshape -> MatMul by 48 x 2.
static struct net *reshaped(uint32_t count, const int64_t *shape, struct net_error *error) {
  struct graph *g = graph_new("reshaped");
  const int64_t dims[1] = {count}, picture[4] = {1, 3, 4, 4}, matrix[2] = {48, 2};
  int x = graph_value(g, "x");
  array_set_shape(&g->values[x].array, ARRAY_F32, 4, picture);
  graph_list(&g->inputs, &g->input_count, x);
  node(g, "Reshape", "x", constant(g, "s", 1, dims, shape), "v");
  node(g, "MatMul", "v", constant(g, "w", 2, matrix, NULL), "y");
  graph_list(&g->outputs, &g->output_count, graph_find(g, "y"));
  struct lower_options options = {.input_signed = false};
  struct net *net = lower_graph("reshaped", g, &options, error);
  graph_free(g);
  return net;
}

static const struct {
  int64_t shape[4];
  uint32_t count;
  bool vector;
} shapes[] = {{{1, -1}, 2, true},        {{-1, 48}, 2, true},  {{1, 48, 1, 1}, 4, true},
              {{48}, 1, true},           {{0, -1}, 2, true},   {{-1}, 1, true},
              {{3, 16}, 2, false},       {{-1, 16}, 2, false}, {{1, 3, 16}, 3, false},
              {{0, 3, 4, 4}, 4, false},  {{1, 47}, 2, false},  {{0, 0, -1}, 3, false},
              {{1, 4, 4, 3}, 4, false},  {{1, -48}, 2, false}, {{1, 3, 1, 1}, 4, false},
              {{1, 96, -1, 1}, 4, false}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

START_TEST(only_vectors_are_vectors) {
  struct net_error error = {.text = ""};
  struct net *net = reshaped(shapes[_i].count, shapes[_i].shape, &error);
  if (shapes[_i].vector) {
    ck_assert_msg(net && net->layer_count == 1, "%d: %s", _i, error.text);
    // Element (channel 1, row 0, column 2) of the file is element (0 * 4 + 2) * 3 + 1 here.
    ck_assert_int_eq(net->layers[0].weights[7], (1 * 16 + 2) * 2 % 5 - 2);
  } else {
    ck_assert_msg(!net && error.status == 69 && strstr(error.text, "node '"), "%d: %d '%s'", _i,
                  error.status, error.text);
  }
  net_free(net);
}
END_TEST

// ---------------------------------------------------------------------------- additions

static int number(struct graph *g, const char *name, int64_t value) {
  return constant(g, name, 0, NULL, &value);
}

// x + x, * 5, / 4, floor, * 3, / 8, clipped to 255: the first step reaches 637.
static struct graph *two_steps(void) {
  struct graph *g = graph_new("steps");
  const int64_t picture[4] = {1, 1, 1, 256};
  int x = graph_value(g, "x");
  array_set_shape(&g->values[x].array, ARRAY_F32, 4, picture);
  graph_list(&g->inputs, &g->input_count, x);
  node(g, "Add", "x", x, "a");
  node(g, "Mul", "a", number(g, "five", 5), "b");
  node(g, "Div", "b", number(g, "four", 4), "c");
  node(g, "Floor", "c", GRAPH_NONE, "d");
  node(g, "Mul", "d", number(g, "three", 3), "e");
  node(g, "Div", "e", number(g, "eight", 8), "f");
  struct graph_node *clip = node(g, "Clip", "f", GRAPH_NONE, "y");
  graph_add_attr(clip, "min", GRAPH_FLOATS, 1)->floats[0] = 0;
  graph_add_attr(clip, "max", GRAPH_FLOATS, 1)->floats[0] = 255;
  graph_list(&g->outputs, &g->output_count, graph_find(g, "y"));
  return g;
}

START_TEST(sums_between_two_steps_are_not_cut) {
  struct net_error error = {.text = ""};
  struct lower_options options = {.split = _i != 0};
  struct graph *g = two_steps();
  struct net *net = lower_graph("steps", g, &options, &error);
  ck_assert_msg(net != NULL, "%s", error.text);
  ck_assert_uint_eq(net->layer_count, _i ? 2 : 1);
  ck_assert_uint_eq(net->layers[0].requant.unclipped, _i);
  struct int_run *run = int_new(net);
  for (int i = 0; i < 256; i++)
    int_tensor(run, net->inputs[0])[i] = i;
  ck_assert(int_execute(run, &error));
  for (int i = 0; i < 256 && !_i; i++) {
    int y = 10 * i / 4 * 3 / 8;
    ck_assert_int_eq(int_tensor(run, net->outputs[0])[i], y > 255 ? 255 : y);
  }
  int_free(run);
  net_free(net);
  graph_free(g);
}
END_TEST

Suite *lower_suite(void) {
  Suite *suite = suite_create("lower");
  TCase *tc = tcase_create("lower");
  tcase_add_loop_test(tc, only_vectors_are_vectors, 0, SHAPES);
  tcase_add_loop_test(tc, sums_between_two_steps_are_not_cut, 0, 2);
  suite_add_tcase(suite, tc);
  return suite;
}
