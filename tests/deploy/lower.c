// tests/deploy/lower.c: graphs of integers, built here, and what the integer form makes of them.
#include "deploy/lower/lower.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

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

Suite *lower_suite(void) {
  Suite *suite = suite_create("lower");
  TCase *tc = tcase_create("lower");
  tcase_add_loop_test(tc, only_vectors_are_vectors, 0, SHAPES);
  suite_add_tcase(suite, tc);
  return suite;
}
