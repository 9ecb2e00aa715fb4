// deploy/op/op_reduce.c: reductions along axes, ArgMax and ArgMin, CumSum.
#include "deploy/op/op_reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "deploy/op/op_call.h"

// The axes are an attribute before operator set 18 (ReduceSum: 13), then an input; none: all.
static bool reduced_axes(struct op_call *call, bool reduced[ARRAY_RANK]) {
  int64_t list[OP_LIST];
  int count, axis, rank = call->in[0]->rank;
  if (!op_list(call, "axes", 1, list, &count))
    return false;
  bool none = count <= 0;
  for (int i = 0; i < rank; i++)
    reduced[i] = none && !graph_int(call->node, "noop_with_empty_axes", 0);
  for (int i = 0; i < count; i++) {
    if (!op_axis(call, list[i], rank, &axis))
      return false;
    reduced[axis] = true;
  }
  return true;
}

static bool set_reduced(struct op_call *call, const bool reduced[ARRAY_RANK],
                        enum array_type type) {
  const struct array *x = call->in[0];
  bool keep = graph_int(call->node, "keepdims", 1) != 0;
  int64_t dims[ARRAY_RANK];
  int rank = 0;
  for (int i = 0; i < x->rank; i++) {
    if (reduced[i] && !keep)
      continue;
    dims[rank++] = reduced[i] ? 1 : x->dims[i];
  }
  return op_set(call, 0, type, rank, dims);
}

bool op_reduce_shape(struct op_call *call) {
  bool reduced[ARRAY_RANK] = {false};
  if (call->in[0]->type == ARRAY_BOOL)
    return op_fail(call, "of type bool; numbers are supported");
  return reduced_axes(call, reduced) && set_reduced(call, reduced, call->in[0]->type);
}

static double begin(enum op_reduce f) {
  return f == OP_REDUCE_PROD  ? 1
         : f == OP_REDUCE_MAX ? -INFINITY
         : f == OP_REDUCE_MIN ? INFINITY
                              : 0;
}

static double added(enum op_reduce f, double to, double x) {
  switch (f) {
  case OP_REDUCE_MAX:
    return fmax(to, x);
  case OP_REDUCE_MIN:
    return fmin(to, x);
  case OP_REDUCE_PROD:
    return to * x;
  case OP_REDUCE_L1:
    return to + fabs(x);
  case OP_REDUCE_L2:
  case OP_REDUCE_SQUARES:
    return to + x * x;
  case OP_REDUCE_LOG_SUM_EXP:
    return to + exp(x);
  default:
    return to + x;
  }
}

static double ended(enum op_reduce f, double sum, size_t count) {
  switch (f) {
  case OP_REDUCE_MEAN:
    return sum / (double)count;
  case OP_REDUCE_L2:
    return sqrt(sum);
  case OP_REDUCE_LOG_SUM:
  case OP_REDUCE_LOG_SUM_EXP:
    return log(sum);
  default:
    return sum;
  }
}

// A walk over x whose place 0 is the element of what is left.
static struct op_walk walk_reduced(const struct op_call *call, const bool reduced[ARRAY_RANK]) {
  const struct array *x = call->in[0];
  struct op_walk walk;
  op_walk_over(&walk, x);
  int64_t step = 1;
  for (int i = x->rank - 1; i >= 0; i--) {
    walk.stride[0][i] = reduced[i] ? 0 : step;
    step *= reduced[i] ? 1 : x->dims[i];
  }
  return walk;
}

bool op_reduce(struct op_call *call) {
  enum op_reduce f = (enum op_reduce)call->argument;
  bool reduced[ARRAY_RANK] = {false};
  if (!reduced_axes(call, reduced))
    return false;
  size_t count = array_count(call->out), all = array_count(call->in[0]);
  double *sums = memory_new(count, sizeof *sums), *x = op_numbers(call->in[0]);
  struct op_walk walk = walk_reduced(call, reduced);
  for (size_t i = 0; i < count; i++)
    sums[i] = begin(f);
  for (size_t i = 0; i < all; i++, op_walk_step(&walk))
    sums[walk.place[0]] = added(f, sums[walk.place[0]], x[i]);
  bool good = true;
  for (size_t i = 0; good && i < count; i++) {
    double v = ended(f, sums[i], count ? all / count : 1);
    good = op_put(call, 0, i, array_type_is_float(call->out->type) ? v : trunc(v));
  }
  free(sums);
  free(x);
  return good;
}

// ---------------------------------------------------------------------------- ArgMax, ArgMin

static bool arg_axis(struct op_call *call, bool reduced[ARRAY_RANK], int *axis) {
  if (!op_axis(call, graph_int(call->node, "axis", 0), call->in[0]->rank, axis))
    return false;
  if (call->in[0]->dims[*axis] == 0)
    return op_fail(call, "along a dimension of 0");
  reduced[*axis] = true;
  return true;
}

bool op_arg_shape(struct op_call *call) {
  bool reduced[ARRAY_RANK] = {false};
  int axis;
  return arg_axis(call, reduced, &axis) && set_reduced(call, reduced, ARRAY_I64);
}

bool op_arg(struct op_call *call) {
  bool reduced[ARRAY_RANK] = {false}, last = graph_int(call->node, "select_last_index", 0) != 0;
  int axis = 0;
  if (!arg_axis(call, reduced, &axis))
    return false;
  size_t count = array_count(call->out);
  double *x = op_numbers(call->in[0]), *best = memory_new(count, sizeof *best);
  struct op_walk walk = walk_reduced(call, reduced);
  for (size_t i = 0; i < array_count(call->in[0]); i++, op_walk_step(&walk)) {
    double v = call->argument == OP_ARG_MAX ? x[i] : -x[i], *to = &best[walk.place[0]];
    if (walk.at[axis] == 0 || v > *to || (last && v >= *to)) {
      *to = v;
      array_set_int(call->out, (size_t)walk.place[0], walk.at[axis]);
    }
  }
  free(x);
  free(best);
  return true;
}

// ---------------------------------------------------------------------------- CumSum

bool op_cumsum_shape(struct op_call *call) {
  if (array_count(call->in[1]) != 1)
    return op_fail(call, "input 1 (axis) must have one element");
  int axis;
  return op_axis(call, array_get_int(call->in[1], 0), call->in[0]->rank, &axis) && op_same(call);
}

bool op_cumsum(struct op_call *call) {
  const struct array *x = call->in[0];
  bool exclusive = graph_int(call->node, "exclusive", 0) != 0;
  bool reverse = graph_int(call->node, "reverse", 0) != 0, good = true;
  int64_t strides[ARRAY_RANK] = {0};
  int axis = 0;
  op_axis(call, array_get_int(call->in[1], 0), x->rank, &axis);
  op_strides(x, strides);
  int64_t size = x->dims[axis], step = strides[axis];
  struct op_walk walk;
  op_walk_over(&walk, x);
  for (size_t i = 0; good && i < array_count(x); i++, op_walk_step(&walk)) {
    if (walk.at[axis] != 0)
      continue;
    double sum = 0;
    for (int64_t k = 0; good && k < size; k++) {
      size_t at = i + (size_t)((reverse ? size - 1 - k : k) * step);
      double v = array_get(x, at);
      good = op_put(call, 0, at, exclusive ? sum : sum + v);
      sum += v;
    }
  }
  return good;
}
