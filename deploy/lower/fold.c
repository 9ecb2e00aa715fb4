// deploy/lower/fold.c: see fold.h.
#include "deploy/lower/fold.h"

#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"

enum { SHAPE_ELEMENTS = 64 }; // of what is computed here: shapes, indices

static bool is(const struct graph_node *node, const char *op) {
  return strcmp(node->op, op) == 0;
}

static bool small(const struct array *array) {
  return array && array->data && array->type != ARRAY_STRING && array->rank <= 1 &&
         array_count(array) <= SHAPE_ELEMENTS;
}

// `Constant` has its value as a tensor, a number, or a list.
static bool constant(const struct graph_node *node, struct array *out) {
  const struct graph_attr *a = NULL;
  static const char *const names[] = {"value", "value_int", "value_ints", "value_float",
                                      "value_floats"};
  for (size_t i = 0; i < sizeof names / sizeof *names && !a; i++)
    a = graph_attr(node, names[i]);
  if (!a)
    return false;
  if (a->kind == GRAPH_TENSOR) {
    array_copy(out, &a->tensor);
    return out->data != NULL;
  }
  if (a->kind != GRAPH_INTS && a->kind != GRAPH_FLOATS)
    return false;
  bool list = a->name[strlen(a->name) - 1] == 's';
  *out = (struct array){.type = a->kind == GRAPH_INTS ? ARRAY_I64 : ARRAY_F32, .rank = list};
  out->dims[0] = a->count;
  array_allocate(out);
  for (uint32_t i = 0; i < a->count; i++)
    a->kind == GRAPH_INTS ? array_set_int(out, i, a->ints[i]) : array_set(out, i, a->floats[i]);
  return true;
}

static void vector(struct array *out, enum array_type type, int rank, size_t count) {
  *out = (struct array){.type = type, .rank = rank, .dims = {(int64_t)count}};
  array_allocate(out);
}

// Picks elements of a vector of numbers.
static bool gather(const struct array *data, const struct array *index, struct array *out) {
  if (!small(data) || !small(index) || data->rank != 1)
    return false;
  int64_t size = data->dims[0];
  size_t count = array_count(index);
  vector(out, data->type, index->rank, count);
  for (size_t i = 0; i < count; i++) {
    int64_t at = array_get_int(index, i);
    at += at < 0 ? size : 0;
    if (at < 0 || at >= size) {
      array_clear(out);
      return false;
    }
    array_set_int(out, i, array_get_int(data, (size_t)at));
  }
  return true;
}

static bool concat(const struct graph *graph, const struct graph_node *node, struct array *out) {
  size_t count = 0, at = 0;
  for (uint32_t i = 0; i < node->input_count; i++) {
    if (!small(graph_const(graph, node, i)))
      return false;
    count += array_count(graph_const(graph, node, i));
  }
  if (!node->input_count || count > SHAPE_ELEMENTS)
    return false;
  vector(out, graph_const(graph, node, 0)->type, 1, count);
  for (uint32_t i = 0; i < node->input_count; i++)
    for (size_t k = 0; k < array_count(graph_const(graph, node, i)); k++)
      array_set_int(out, at++, array_get_int(graph_const(graph, node, i), k));
  return true;
}

static bool slice(const struct graph *graph, const struct graph_node *node, struct array *out) {
  const struct array *data = graph_const(graph, node, 0);
  const struct array *starts = graph_const(graph, node, 1), *ends = graph_const(graph, node, 2);
  if (!small(data) || data->rank != 1 || node->input_count > 4 ||
      (node->input_count > 1 &&
       (!small(starts) || !small(ends) || array_count(starts) != 1 || array_count(ends) != 1)))
    return false;
  const struct graph_attr *s = graph_attr(node, "starts"), *e = graph_attr(node, "ends");
  if (node->input_count == 1 && (!s || !e || s->kind != GRAPH_INTS || e->kind != GRAPH_INTS ||
                                 s->count != 1 || e->count != 1))
    return false;
  int64_t size = data->dims[0];
  int64_t from = starts ? array_get_int(starts, 0) : s->ints[0];
  int64_t to = ends ? array_get_int(ends, 0) : e->ints[0];
  from = from < -size ? 0 : from < 0 ? from + size : from > size ? size : from;
  to = to < -size ? 0 : to < 0 ? to + size : to > size ? size : to;
  vector(out, data->type, 1, to > from ? (size_t)(to - from) : 0);
  for (int64_t i = from; i < to; i++)
    array_set_int(out, (size_t)(i - from), array_get_int(data, (size_t)i));
  return true;
}

static bool reshaped(const struct array *data, int rank, struct array *out) {
  if (!small(data) || (rank == 0 && array_count(data) != 1))
    return false;
  array_copy(out, data);
  out->dims[0] = (int64_t)array_count(data);
  out->rank = rank;
  return true;
}

static bool compute(const struct graph *graph, const struct graph_node *node, struct array *out) {
  const struct array *first = graph_const(graph, node, 0);
  if (is(node, "Constant"))
    return constant(node, out);
  if (is(node, "Gather"))
    return gather(first, graph_const(graph, node, 1), out);
  if (is(node, "Concat"))
    return concat(graph, node, out);
  if (is(node, "Slice"))
    return slice(graph, node, out);
  if (is(node, "Unsqueeze"))
    return first && first->rank == 0 && reshaped(first, 1, out);
  if (is(node, "Squeeze"))
    return first && first->rank == 1 && reshaped(first, 0, out);
  if (is(node, "Identity") && first)
    array_copy(out, first);
  if (is(node, "Cast") && small(first)) {
    enum array_type to = (enum array_type)graph_int(node, "to", 0);
    if (!array_type_size(to))
      return false;
    vector(out, to, first->rank, array_count(first));
    for (size_t i = 0; i < array_count(first); i++)
      array_set(out, i, array_get(first, i));
  }
  return out->data != NULL;
}

bool fold_node(struct graph *graph, const struct graph_node *node) {
  struct array out = {.data = NULL};
  if (node->output_count != 1 || node->outputs[0] == GRAPH_NONE)
    return false;
  struct array *known = &graph->values[node->outputs[0]].array;
  if (!known->data && compute(graph, node, &out))
    *known = out;
  return known->data != NULL;
}
