// deploy/graph/graph.c: see graph.h. Building, and asking for attributes and values.
#include "deploy/graph/graph.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/memory.h"

struct graph *graph_new(const char *name) {
  struct graph *graph = memory_new(1, sizeof *graph);
  graph->name = memory_text(name ? name : "");
  return graph;
}

static void free_attr(struct graph_attr *attr) {
  free(attr->name);
  free(attr->ints);
  free(attr->floats);
  free(attr->text);
  array_clear(&attr->tensor);
}

static void free_node(struct graph_node *node) {
  for (uint32_t i = 0; i < node->attr_count; i++)
    free_attr(&node->attrs[i]);
  free(node->attrs);
  free(node->name);
  free(node->op);
  free(node->domain);
  free(node->inputs);
  free(node->outputs);
}

static void free_value(struct graph_value *value) {
  free(value->name);
  array_clear(&value->array);
  if (value->quant) {
    free(value->quant->scale);
    free(value->quant->zero);
    free(value->quant);
  }
}

void graph_free(struct graph *graph) {
  if (!graph)
    return;
  for (uint32_t i = 0; i < graph->node_count; i++)
    free_node(&graph->nodes[i]);
  for (uint32_t i = 0; i < graph->value_count; i++)
    free_value(&graph->values[i]);
  free(graph->nodes);
  free(graph->values);
  free(graph->inputs);
  free(graph->outputs);
  free(graph->index);
  free(graph->name);
  free(graph);
}

// FNV-1a: the place of a name, or the free one where it belongs. The table is at most half full.
static int *place(const struct graph *graph, const char *name) {
  uint32_t hash = 2166136261u;
  for (const char *c = name; *c; c++)
    hash = (hash ^ (uint8_t)*c) * 16777619u;
  for (;; hash++) {
    int *slot = &graph->index[hash & (graph->index_size - 1)];
    if (*slot == GRAPH_NONE || strcmp(graph->values[*slot].name, name) == 0)
      return slot;
  }
}

static void grow_index(struct graph *graph) {
  if (2 * graph->value_count < graph->index_size)
    return;
  free(graph->index);
  graph->index_size = graph->index_size ? 2 * graph->index_size : 64;
  graph->index = memory_new(graph->index_size, sizeof *graph->index);
  for (uint32_t i = 0; i < graph->index_size; i++)
    graph->index[i] = GRAPH_NONE;
  for (uint32_t i = 0; i < graph->value_count; i++)
    *place(graph, graph->values[i].name) = (int)i;
}

int graph_find(const struct graph *graph, const char *name) {
  return graph->index_size ? *place(graph, name) : GRAPH_NONE;
}

int graph_value(struct graph *graph, const char *name) {
  grow_index(graph);
  int *slot = place(graph, name);
  if (*slot != GRAPH_NONE)
    return *slot;
  MEMORY_APPEND(graph->values, graph->value_count);
  struct graph_value *value = &graph->values[graph->value_count];
  *value = (struct graph_value){.name = memory_text(name)};
  *slot = (int)graph->value_count;
  return (int)graph->value_count++;
}

int graph_constant(struct graph *graph, const char *name, struct array *array) {
  int number = graph_value(graph, name);
  array_clear(&graph->values[number].array);
  graph->values[number].array = *array;
  return number;
}

struct graph_node *graph_add_node(struct graph *graph, const char *name, const char *domain,
                                  const char *op, int version) {
  MEMORY_APPEND(graph->nodes, graph->node_count);
  struct graph_node *node = &graph->nodes[graph->node_count];
  *node = (struct graph_node){.op = memory_text(op), .domain = memory_text(domain)};
  node->name = name && *name ? memory_text(name) : memory_format("%s_%u", op, graph->node_count);
  node->version = version;
  graph->node_count++;
  return node;
}

void graph_list(int **list, uint32_t *count, int value) {
  MEMORY_APPEND(*list, *count);
  (*list)[(*count)++] = value;
}

void graph_add_input(struct graph_node *node, int value) {
  graph_list(&node->inputs, &node->input_count, value);
}

void graph_add_output(struct graph_node *node, int value) {
  graph_list(&node->outputs, &node->output_count, value);
}

struct graph_attr *graph_add_attr(struct graph_node *node, const char *name,
                                  enum graph_attr_kind kind, uint32_t count) {
  MEMORY_APPEND(node->attrs, node->attr_count);
  struct graph_attr *attr = &node->attrs[node->attr_count++];
  *attr = (struct graph_attr){.name = memory_text(name), .kind = kind, .count = count};
  if (kind == GRAPH_INTS)
    attr->ints = memory_new(count, sizeof *attr->ints);
  if (kind == GRAPH_FLOATS)
    attr->floats = memory_new(count, sizeof *attr->floats);
  return attr;
}

void graph_rewrite(struct graph_node *node, const char *op) {
  for (uint32_t i = 0; i < node->attr_count; i++)
    free_attr(&node->attrs[i]);
  free(node->op);
  node->op = memory_text(op);
  node->attr_count = node->input_count = 0;
}

bool graph_is(const struct graph_node *node, const char *op) {
  return strcmp(node->op, op) == 0;
}

const struct graph_attr *graph_attr(const struct graph_node *node, const char *name) {
  for (uint32_t i = 0; i < node->attr_count; i++)
    if (strcmp(node->attrs[i].name, name) == 0)
      return &node->attrs[i];
  return NULL;
}

int64_t graph_int(const struct graph_node *node, const char *name, int64_t otherwise) {
  const struct graph_attr *attr = graph_attr(node, name);
  return attr && attr->kind == GRAPH_INTS && attr->count ? attr->ints[0] : otherwise;
}

double graph_float(const struct graph_node *node, const char *name, double otherwise) {
  const struct graph_attr *attr = graph_attr(node, name);
  return attr && attr->kind == GRAPH_FLOATS && attr->count ? attr->floats[0] : otherwise;
}

double graph_number(const struct graph_node *node, const char *name, double otherwise) {
  const struct graph_attr *a = graph_attr(node, name);
  if (a && a->kind == GRAPH_TENSOR)
    return a->tensor.data && array_count(&a->tensor) ? array_get(&a->tensor, 0) : otherwise;
  return a && a->kind == GRAPH_INTS && a->count ? (double)a->ints[0]
                                                : graph_float(node, name, otherwise);
}

const char *graph_text(const struct graph_node *node, const char *name, const char *otherwise) {
  const struct graph_attr *attr = graph_attr(node, name);
  return attr && attr->kind == GRAPH_TEXT ? attr->text : otherwise;
}

void graph_set_int(struct graph_node *node, const char *name, int64_t value) {
  struct graph_attr *attr = (struct graph_attr *)graph_attr(node, name);
  if (!attr || attr->kind != GRAPH_INTS || !attr->count)
    attr = graph_add_attr(node, name, GRAPH_INTS, 1);
  attr->ints[0] = value;
}

struct graph_value *graph_in(const struct graph *graph, const struct graph_node *node, uint32_t i) {
  return i < node->input_count && node->inputs[i] != GRAPH_NONE ? &graph->values[node->inputs[i]]
                                                                : NULL;
}

struct graph_value *graph_out(const struct graph *graph, const struct graph_node *node,
                              uint32_t i) {
  return i < node->output_count && node->outputs[i] != GRAPH_NONE ? &graph->values[node->outputs[i]]
                                                                  : NULL;
}

const struct array *graph_const(const struct graph *graph, const struct graph_node *node,
                                uint32_t i) {
  const struct graph_value *value = graph_in(graph, node, i);
  return value && value->array.data ? &value->array : NULL;
}

bool graph_fail(struct net_error *error, const struct graph_node *node, const char *format, ...) {
  va_list values;
  int used =
      snprintf(error->text, sizeof error->text, "node '%.80s' (%.40s): ", node->name, node->op);
  va_start(values, format);
  vsnprintf(error->text + used, sizeof error->text - (size_t)used, format, values);
  va_end(values);
  if (!error->status)
    error->status = EX_UNAVAILABLE;
  return false;
}
