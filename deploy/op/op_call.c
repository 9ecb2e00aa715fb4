// deploy/op/op_call.c: what the operators' functions have in common (op_call.h).
#include "deploy/op/op_call.h"

#include <math.h>
#include <string.h>

#include "deploy/memory.h"

const struct array *op_in(const struct op_call *call, uint32_t i) {
  return i < call->in_count ? call->in[i] : NULL;
}

bool op_set(struct op_call *call, uint32_t i, enum array_type type, int rank, const int64_t *dims) {
  char text[ARRAY_SHAPE_TEXT];
  if (i >= call->node->output_count)
    return true; // nobody asks for it
  if (rank < 0 || rank > ARRAY_RANK)
    return op_fail(call, "an output of %d dimensions; up to %d are supported", rank, ARRAY_RANK);
  if (!array_type_size(type))
    return op_fail(call, "an output of type %s is not supported; types of numbers are",
                   array_type_name(type));
  array_set_shape(&call->out[i], type, rank, dims);
  for (int k = 0; k < rank; k++)
    if (dims[k] < 0)
      return op_fail(call, "its output would have a dimension of %lld", (long long)dims[k]);
  return array_shape_ok(&call->out[i]) ||
         op_fail(call, "an output of %s is too large", array_shape_text(&call->out[i], text));
}

bool op_like(struct op_call *call, uint32_t i, const struct array *array) {
  return op_set(call, i, array->type, array->rank, array->dims);
}

bool op_same(struct op_call *call) {
  return op_like(call, 0, call->in[0]);
}

bool op_float(struct op_call *call) {
  if (!array_type_is_float(call->in[0]->type))
    return op_fail(call, "input 0 has the type %s; floats are supported",
                   array_type_name(call->in[0]->type));
  return op_same(call);
}

bool op_axis(struct op_call *call, int64_t axis, int rank, int *to) {
  if (axis < -rank || axis >= rank)
    return op_fail(call, "axis %lld of %d dimensions", (long long)axis, rank);
  *to = (int)(axis < 0 ? axis + rank : axis);
  return true;
}

bool op_list(struct op_call *call, const char *attribute, int input, int64_t list[OP_LIST],
             int *count) {
  const struct array *values = input < 0 ? NULL : op_in(call, (uint32_t)input);
  const struct graph_attr *attr = attribute ? graph_attr(call->node, attribute) : NULL;
  size_t n = values ? array_count(values) : attr && attr->kind == GRAPH_INTS ? attr->count : 0;
  *count = -1;
  if (!values && (!attr || attr->kind != GRAPH_INTS))
    return true;
  if (n > OP_LIST)
    return op_fail(call, "a list of %zu numbers; up to %d are supported", n, OP_LIST);
  for (size_t i = 0; i < n; i++)
    list[i] = values ? array_get_int(values, i) : attr->ints[i];
  *count = (int)n;
  return true;
}

double *op_numbers(const struct array *array) {
  size_t count = array_count(array);
  double *list = memory_new(count, sizeof *list);
  if (array->type == ARRAY_F32)
    for (size_t i = 0; i < count; i++)
      list[i] = (double)((const float *)array->data)[i];
  else
    for (size_t i = 0; i < count; i++)
      list[i] = array_get(array, i);
  return list;
}

bool op_put(struct op_call *call, uint32_t output, size_t i, double value) {
  struct array *to = &call->out[output];
  if (array_type_is_float(to->type) || to->type == ARRAY_BOOL) {
    array_set(to, i, value);
    return true;
  }
  if (!(fabs(value) <= 0x1p53))
    return op_fail(call, "an integer beyond 2^53; up to there they are exact, and supported");
  array_set_int(to, i, (int64_t)value);
  return true;
}

void op_copy(struct array *to, size_t i, const struct array *from, size_t k) {
  size_t size = array_type_size(to->type);
  memcpy((char *)to->data + i * size, (const char *)from->data + k * size, size);
}

// ---------------------------------------------------------------------------- walks

void op_strides(const struct array *array, int64_t strides[ARRAY_RANK]) {
  int64_t step = 1;
  for (int i = array->rank - 1; i >= 0; i--) {
    strides[i] = step;
    step *= array->dims[i];
  }
}

void op_walk_over(struct op_walk *walk, const struct array *shape) {
  *walk = (struct op_walk){.rank = shape->rank};
  memcpy(walk->dims, shape->dims, (size_t)shape->rank * sizeof *shape->dims);
}

void op_walk_repeat(struct op_walk *walk, int k, const struct array *array) {
  int64_t strides[ARRAY_RANK] = {0};
  int first = walk->rank - array->rank;
  op_strides(array, strides);
  for (int i = 0; i < walk->rank; i++)
    walk->stride[k][i] = i < first || array->dims[i - first] == 1 ? 0 : strides[i - first];
}

void op_walk_step(struct op_walk *walk) {
  for (int i = walk->rank - 1; i >= 0; i--) {
    bool wraps = ++walk->at[i] == walk->dims[i];
    for (int k = 0; k < 3; k++)
      walk->place[k] += wraps ? -walk->stride[k][i] * (walk->dims[i] - 1) : walk->stride[k][i];
    if (!wraps)
      return;
    walk->at[i] = 0;
  }
}

bool op_broadcast(const struct array *a, const struct array *b, struct array *to) {
  struct array out = {.type = a->type, .rank = a->rank > b->rank ? a->rank : b->rank};
  for (int i = 0; i < out.rank; i++) {
    int ia = i - (out.rank - a->rank), ib = i - (out.rank - b->rank);
    int64_t x = ia < 0 ? 1 : a->dims[ia], y = ib < 0 ? 1 : b->dims[ib];
    if (x != y && x != 1 && y != 1)
      return false;
    out.dims[i] = x == 1 ? y : x;
  }
  *to = out;
  return true;
}
