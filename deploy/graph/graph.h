// deploy/graph/graph.h: a network as its file has it: operators, attributes, N-dimensional values.
//
// Every reader makes one, in ONNX's terms: operator names, attributes and layouts (NCHW) are those
// of https://onnx.ai/onnx/operators; a reader of another format translates. Nodes stand in an order
// in which they can be executed, each value has one producer.
#ifndef DEPLOY_GRAPH_H
#define DEPLOY_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deploy/graph/array.h"
#include "deploy/net/net.h"

enum { GRAPH_NONE = -1, GRAPH_NODES = 20000 }; // nodes at most

// What a file says of a value's integers: real = scale[c] * (code - zero[c]), c along `axis`.
struct graph_quant {
  double *scale;
  int64_t *zero;
  uint32_t count; // 1: per tensor
  int axis;
};

struct graph_value {
  char *name;                // unique; "" never
  struct array array;        // data: a constant
  struct graph_quant *quant; // NULL: nothing said
};

enum graph_attr_kind { GRAPH_INTS, GRAPH_FLOATS, GRAPH_TEXT, GRAPH_TENSOR, GRAPH_OTHER };

struct graph_attr {
  char *name;
  enum graph_attr_kind kind;
  uint32_t count; // 1 for a single number
  int64_t *ints;
  double *floats;
  char *text;
  struct array tensor;
};

struct graph_node {
  char *name;   // as in the file, or made from operator and number; never ""
  char *op;     // "Conv"
  char *domain; // "" for ONNX's own
  int version;  // of the operator set that the file imports for the domain
  struct graph_attr *attrs;
  uint32_t attr_count;
  int *inputs, *outputs; // numbers of values; GRAPH_NONE: left out
  uint32_t input_count, output_count;
  bool removed;
};

struct graph {
  char *name;
  struct graph_value *values;
  uint32_t value_count;
  struct graph_node *nodes;
  uint32_t node_count;
  int *inputs, *outputs;
  uint32_t input_count, output_count;
  int *index; // hash of names: values' numbers, GRAPH_NONE where free
  uint32_t index_size;
};

struct graph *graph_new(const char *name);
void graph_free(struct graph *graph);

int graph_find(const struct graph *graph, const char *name); // a value's number, or GRAPH_NONE
int graph_value(struct graph *graph, const char *name);      // ... a new one if there is none
int graph_constant(struct graph *graph, const char *name, struct array *array); // takes the data
struct graph_node *graph_add_node(struct graph *graph, const char *name, const char *domain,
                                  const char *op, int version);
void graph_add_input(struct graph_node *node, int value);
void graph_add_output(struct graph_node *node, int value);
void graph_list(int **list, uint32_t *count, int value); // appends

struct graph_attr *graph_add_attr(struct graph_node *node, const char *name,
                                  enum graph_attr_kind kind, uint32_t count);
// Another operator, without attributes and inputs; its outputs stay.
void graph_rewrite(struct graph_node *node, const char *op);
bool graph_is(const struct graph_node *node, const char *op); // its operator is `op`
const struct graph_attr *graph_attr(const struct graph_node *node, const char *name);
int64_t graph_int(const struct graph_node *node, const char *name, int64_t otherwise);
double graph_float(const struct graph_node *node, const char *name, double otherwise);
// ... of either kind, or a tensor of one element.
double graph_number(const struct graph_node *node, const char *name, double otherwise);
const char *graph_text(const struct graph_node *node, const char *name, const char *otherwise);
void graph_set_int(struct graph_node *node, const char *name, int64_t value);

// The node's i-th input or output; NULL if it is left out.
struct graph_value *graph_in(const struct graph *graph, const struct graph_node *node, uint32_t i);
struct graph_value *graph_out(const struct graph *graph, const struct graph_node *node, uint32_t i);
// ... if its values are constant.
const struct array *graph_const(const struct graph *graph, const struct graph_node *node,
                                uint32_t i);

int graph_producer(const struct graph *graph, int value); // node's number, or GRAPH_NONE
// The only node that reads a value which is no output of the graph; else GRAPH_NONE.
int graph_consumer(const struct graph *graph, int value);
bool graph_is_output(const struct graph *graph, int value);
// All that read `from`, outputs of the graph included, read `to` instead.
void graph_replace(struct graph *graph, int from, int to);
void graph_compact(struct graph *graph); // drops removed nodes
// Puts the nodes into an order in which they can be executed. False if there is none.
bool graph_sort(struct graph *graph, struct net_error *error);

// Writes the sentence, "node 'NAME' (OP): ...", and returns false.
bool graph_fail(struct net_error *error, const struct graph_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
