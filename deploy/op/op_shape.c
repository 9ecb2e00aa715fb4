// deploy/op/op_shape.c: what changes shapes and keeps the elements' order, or is about shapes.
#include <math.h>
#include <string.h>

#include "deploy/op/op_call.h"

static bool copy_all(const struct op_call *call) {
  size_t bytes = array_count(call->out) * array_type_size(call->out->type);
  if (bytes)
    memcpy(call->out->data, call->in[0]->data, bytes);
  return true;
}

// ---------------------------------------------------------------------------- Reshape

bool op_reshape_shape(struct op_call *call) {
  const struct array *x = call->in[0];
  int64_t dims[OP_LIST], product = 1;
  int count, rest = -1;
  if (!op_list(call, "shape", 1, dims, &count))
    return false;
  if (count < 0 || count > ARRAY_RANK)
    return op_fail(call, "a shape of 0 to %d dimensions is supported", ARRAY_RANK);
  bool zeros = graph_int(call->node, "allowzero", 0) != 0;
  for (int i = 0; i < count; i++) {
    if (dims[i] == 0 && !zeros) {
      if (i >= x->rank)
        return op_fail(call, "its shape takes over dimension %d, which its input has not", i);
      dims[i] = x->dims[i];
    }
    if (dims[i] < -1 || dims[i] > ARRAY_ELEMENTS || (dims[i] == -1 && rest >= 0))
      return op_fail(call, "its shape has a dimension of %lld", (long long)dims[i]);
    rest = dims[i] == -1 ? i : rest;
    product *= dims[i] == -1 ? 1 : dims[i];
    if (product > ARRAY_ELEMENTS)
      return op_fail(call, "its shape is too large");
  }
  int64_t all = (int64_t)array_count(x);
  if (rest >= 0)
    dims[rest] = product ? all / product : 0;
  if (product * (rest >= 0 ? dims[rest] : 1) != all)
    return op_fail(call, "its shape has not as many elements as its input (%lld)", (long long)all);
  return op_set(call, 0, x->type, count, dims);
}

bool op_reshape(struct op_call *call) {
  return copy_all(call);
}

bool op_flatten_shape(struct op_call *call) {
  const struct array *x = call->in[0];
  int64_t axis = graph_int(call->node, "axis", 1), dims[2] = {1, 1};
  if (axis < -x->rank || axis > x->rank)
    return op_fail(call, "axis %lld of %d dimensions", (long long)axis, x->rank);
  axis += axis < 0 ? x->rank : 0;
  for (int i = 0; i < x->rank; i++)
    dims[i >= axis] *= x->dims[i];
  return op_set(call, 0, x->type, 2, dims);
}

bool op_flatten(struct op_call *call) {
  return copy_all(call);
}

// The axes, as marks; *none: not given.
static bool marked_axes(struct op_call *call, int rank, bool marked[ARRAY_RANK], bool *none) {
  int64_t list[OP_LIST];
  int count, axis;
  if (!op_list(call, "axes", 1, list, &count))
    return false;
  *none = count < 0;
  for (int i = 0; i < count; i++) {
    if (!op_axis(call, list[i], rank, &axis))
      return false;
    if (marked[axis])
      return op_fail(call, "axis %d is there twice", axis);
    marked[axis] = true;
  }
  return true;
}

bool op_squeeze_shape(struct op_call *call) {
  const struct array *x = call->in[0];
  bool marked[ARRAY_RANK] = {false}, none;
  int64_t dims[ARRAY_RANK];
  int rank = 0;
  if (!marked_axes(call, x->rank, marked, &none))
    return false;
  for (int i = 0; i < x->rank; i++) {
    if (marked[i] && x->dims[i] != 1)
      return op_fail(call, "axis %d has %lld elements, not 1", i, (long long)x->dims[i]);
    if (none ? x->dims[i] != 1 : !marked[i])
      dims[rank++] = x->dims[i];
  }
  return op_set(call, 0, x->type, rank, dims);
}

bool op_squeeze(struct op_call *call) {
  return copy_all(call);
}

bool op_unsqueeze_shape(struct op_call *call) {
  const struct array *x = call->in[0];
  bool marked[ARRAY_RANK] = {false}, none;
  int64_t dims[ARRAY_RANK], list[OP_LIST];
  int count, from = 0;
  if (!op_list(call, "axes", 1, list, &count))
    return false;
  if (count < 0 || x->rank + count > ARRAY_RANK)
    return op_fail(call, "axes for up to %d dimensions are supported", ARRAY_RANK);
  if (!marked_axes(call, x->rank + count, marked, &none))
    return false;
  for (int i = 0; i < x->rank + count; i++)
    dims[i] = marked[i] ? 1 : x->dims[from++];
  return op_set(call, 0, x->type, x->rank + count, dims);
}

bool op_unsqueeze(struct op_call *call) {
  return copy_all(call);
}

// ---------------------------------------------------------------------------- Shape, Size

static void shape_ends(const struct op_call *call, int64_t *first, int64_t *end) {
  int64_t rank = call->in[0]->rank;
  *first = graph_int(call->node, "start", 0), *end = graph_int(call->node, "end", rank);
  *first = *first < 0 ? *first + rank : *first, *end = *end < 0 ? *end + rank : *end;
  *first = *first < 0 ? 0 : *first > rank ? rank : *first;
  *end = *end < *first ? *first : *end > rank ? rank : *end;
}

bool op_shape_shape(struct op_call *call) {
  int64_t first, end;
  shape_ends(call, &first, &end);
  return op_set(call, 0, ARRAY_I64, 1, (int64_t[]){end - first});
}

bool op_shape(struct op_call *call) {
  int64_t first, end;
  shape_ends(call, &first, &end);
  for (int64_t i = first; i < end; i++)
    array_set_int(call->out, (size_t)(i - first), call->in[0]->dims[i]);
  return true;
}

bool op_size_shape(struct op_call *call) {
  return op_set(call, 0, ARRAY_I64, 0, NULL);
}

bool op_size(struct op_call *call) {
  array_set_int(call->out, 0, (int64_t)array_count(call->in[0]));
  return true;
}

// ---------------------------------------------------------------------------- Constant, ...

static const struct graph_attr *constant_of(const struct graph_node *node) {
  static const char *const names[] = {"value", "value_int", "value_ints", "value_float",
                                      "value_floats"};
  const struct graph_attr *a = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !a; i++)
    a = graph_attr(node, names[i]);
  return a;
}

bool op_constant_shape(struct op_call *call) {
  const struct graph_attr *a = constant_of(call->node);
  if (!a || (a->kind == GRAPH_TENSOR && !a->tensor.data) ||
      (a->kind != GRAPH_INTS && a->kind != GRAPH_FLOATS && a->kind != GRAPH_TENSOR))
    return op_fail(call, "values that are numbers, or a tensor of numbers, are supported");
  if (a->kind == GRAPH_TENSOR)
    return op_like(call, 0, &a->tensor);
  bool list = a->name[strlen(a->name) - 1] == 's';
  return op_set(call, 0, a->kind == GRAPH_INTS ? ARRAY_I64 : ARRAY_F32, list,
                (int64_t[]){a->count});
}

bool op_constant(struct op_call *call) {
  const struct graph_attr *a = constant_of(call->node);
  for (size_t i = 0; i < array_count(call->out); i++) {
    if (a->kind == GRAPH_TENSOR)
      op_copy(call->out, i, &a->tensor, i);
    else if (a->kind == GRAPH_INTS)
      array_set_int(call->out, i, a->ints[i]);
    else
      array_set(call->out, i, a->floats[i]);
  }
  return true;
}

bool op_fill_shape(struct op_call *call) {
  const struct graph_attr *a = graph_attr(call->node, "value");
  int64_t dims[OP_LIST];
  int count;
  if (!op_list(call, NULL, 0, dims, &count))
    return false;
  if (count > ARRAY_RANK || (a && (a->kind != GRAPH_TENSOR || array_count(&a->tensor) != 1)))
    return op_fail(call, "a value of one element, and up to %d dimensions, are supported",
                   ARRAY_RANK);
  return op_set(call, 0, a ? a->tensor.type : ARRAY_F32, count, dims);
}

bool op_fill(struct op_call *call) {
  const struct graph_attr *a = graph_attr(call->node, "value");
  for (size_t i = 0; a && i < array_count(call->out); i++)
    op_copy(call->out, i, &a->tensor, 0);
  return true;
}

bool op_range_shape(struct op_call *call) {
  double n[3];
  for (int i = 0; i < 3; i++) {
    if (array_count(call->in[i]) != 1 || call->in[i]->type != call->in[0]->type)
      return op_fail(call, "start, limit and delta must be single numbers of one type");
    n[i] = array_get(call->in[i], 0);
  }
  double count = ceil((n[1] - n[0]) / n[2]);
  if (!(count < ARRAY_ELEMENTS))
    return op_fail(call, "a range of %g elements", count);
  return op_set(call, 0, call->in[0]->type, 1, (int64_t[]){count > 0 ? (int64_t)count : 0});
}

bool op_range(struct op_call *call) {
  double start = array_get(call->in[0], 0), delta = array_get(call->in[2], 0);
  bool good = true;
  for (size_t i = 0; good && i < array_count(call->out); i++)
    good = op_put(call, 0, i, start + (double)i * delta);
  return good;
}
