// deploy/op/op_norm.c: normalizations: softmax, by batch, instance, layer, neighbours.
#include "deploy/op/op_norm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "deploy/op/op_call.h"

static size_t product(const struct array *a, int from, int to) {
  size_t count = 1;
  for (int i = from; i < to; i++)
    count *= (size_t)a->dims[i];
  return count;
}

// ---------------------------------------------------------------------------- Softmax

// From operator set 13 along one axis; before, all dimensions from `axis` on are one.
bool op_softmax_shape(struct op_call *call) {
  int axis, rank = call->in[0]->rank;
  bool old = call->node->version < 13;
  int64_t asked = graph_int(call->node, "axis", old ? 1 : -1);
  if (!rank || (old && asked == rank))
    return rank ? op_float(call) : op_fail(call, "of a scalar");
  return op_axis(call, asked, rank, &axis) && op_float(call);
}

static void softmax_one(struct op_call *call, size_t first, size_t count, size_t step) {
  const struct array *x = call->in[0];
  double most = -INFINITY, sum = 0;
  size_t best = 0;
  for (size_t i = 0; i < count; i++) {
    double v = array_get(x, first + i * step);
    best = v > most || i == 0 ? i : best;
    most = fmax(most, v);
  }
  for (size_t i = 0; i < count; i++)
    sum += exp(array_get(x, first + i * step) - most);
  for (size_t i = 0; i < count; i++) {
    double v = array_get(x, first + i * step) - most;
    array_set(call->out, first + i * step,
              call->argument == OP_HARDMAX   ? i == best
              : call->argument == OP_SOFTMAX ? exp(v) / sum
                                             : v - log(sum));
  }
}

bool op_softmax(struct op_call *call) {
  const struct array *x = call->in[0];
  bool old = call->node->version < 13;
  int64_t axis = graph_int(call->node, "axis", old ? 1 : -1);
  axis += axis < 0 ? x->rank : 0;
  size_t count = old ? product(x, (int)axis, x->rank) : (size_t)x->dims[axis];
  size_t step = old ? 1 : product(x, (int)axis + 1, x->rank);
  size_t rows = product(x, 0, (int)axis);
  for (size_t r = 0; count && r < rows; r++)
    for (size_t i = 0; i < step; i++)
      softmax_one(call, r * count * step + i, count, step);
  return true;
}

// ---------------------------------------------------------------------------- mean and variance

struct moments {
  double mean, variance;
};

static struct moments moments_of(const struct array *x, size_t first, size_t count) {
  struct moments m = {0, 0};
  for (size_t i = 0; i < count; i++)
    m.mean += array_get(x, first + i) / (double)count;
  for (size_t i = 0; i < count; i++) {
    double d = array_get(x, first + i) - m.mean;
    m.variance += d * d / (double)count;
  }
  return m;
}

// ---------------------------------------------------------------------------- BatchNormalization

bool op_batch_norm_shape(struct op_call *call) {
  const struct array *x = call->in[0];
  bool training = graph_int(call->node, "training_mode", 0) != 0;
  if ((call->node->version < 7 && !graph_int(call->node, "is_test", 0)) ||
      !graph_int(call->node, "spatial", 1))
    return op_fail(call, "is_test 0 and spatial 0 are not supported; 1 is");
  for (uint32_t i = 1; i < 5; i++)
    if (x->rank < 2 || array_count(call->in[i]) != (size_t)x->dims[1])
      return op_fail(call, "input %u has not one element for each channel", i);
  for (uint32_t i = 1; i < call->node->output_count; i++)
    if (call->node->outputs[i] != GRAPH_NONE &&
        (!training || i > 2 || !op_like(call, i, call->in[i + 2])))
      return op_fail(call, "output %u is supported with training_mode 1 only", i);
  return op_float(call);
}

// The mean and variance that channel c is normalized by. In training these are the batch's, and the
// running ones come out as outputs 1 and 2.
static struct moments channel_moments(struct op_call *call, size_t c) {
  const struct array *x = call->in[0];
  struct moments kept = {array_get(call->in[3], c), array_get(call->in[4], c)};
  if (!graph_int(call->node, "training_mode", 0))
    return kept;
  struct moments m = {0, 0};
  size_t area = product(x, 2, x->rank), channels = (size_t)x->dims[1];
  double pictures = (double)x->dims[0],
         momentum = graph_float(call->node, "momentum", (double)0.9f);
  for (size_t n = 0; n < (size_t)x->dims[0]; n++)
    m.mean += moments_of(x, (n * channels + c) * area, area).mean / pictures;
  for (size_t n = 0; n < (size_t)x->dims[0]; n++) {
    struct moments one = moments_of(x, (n * channels + c) * area, area);
    m.variance += (one.variance + (one.mean - m.mean) * (one.mean - m.mean)) / pictures;
  }
  if (call->node->output_count > 1)
    array_set(&call->out[1], c, kept.mean * momentum + m.mean * (1 - momentum));
  if (call->node->output_count > 2)
    array_set(&call->out[2], c, kept.variance * momentum + m.variance * (1 - momentum));
  return m;
}

bool op_batch_norm(struct op_call *call) {
  const struct array *x = call->in[0];
  double epsilon = graph_float(call->node, "epsilon", (double)1e-5f);
  size_t area = product(x, 2, x->rank), channels = (size_t)x->dims[1];
  for (size_t c = 0; c < channels; c++) {
    struct moments m = channel_moments(call, c);
    double by = array_get(call->in[1], c) / sqrt(m.variance + epsilon);
    double add = array_get(call->in[2], c);
    for (size_t n = 0; n < (size_t)x->dims[0]; n++)
      for (size_t i = (n * channels + c) * area, last = i + area; i < last; i++)
        array_set(call->out, i, (array_get(x, i) - m.mean) * by + add);
  }
  return true;
}

// ----------------------------------------------------------------------------
// InstanceNormalization, ...

bool op_instance_norm_shape(struct op_call *call) {
  const struct array *x = call->in[0];
  for (uint32_t i = 1; i < 3; i++)
    if (x->rank < 3 || array_count(call->in[i]) != (size_t)x->dims[1])
      return op_fail(call, "input %u has not one element for each channel", i);
  return op_float(call);
}

bool op_instance_norm(struct op_call *call) {
  const struct array *x = call->in[0];
  double epsilon = graph_float(call->node, "epsilon", (double)1e-5f);
  size_t area = product(x, 2, x->rank), channels = (size_t)x->dims[1];
  for (size_t first = 0; area && first < array_count(x); first += area) {
    struct moments m = moments_of(x, first, area);
    size_t c = first / area % channels;
    double by = array_get(call->in[1], c) / sqrt(m.variance + epsilon);
    for (size_t i = 0; i < area; i++)
      array_set(call->out, first + i,
                (array_get(x, first + i) - m.mean) * by + array_get(call->in[2], c));
  }
  return true;
}

bool op_layer_norm_shape(struct op_call *call) {
  const struct array *x = call->in[0];
  int64_t dims[ARRAY_RANK];
  int axis;
  struct array to;
  if (!op_axis(call, graph_int(call->node, "axis", -1), x->rank, &axis))
    return false;
  for (uint32_t i = 1; i < 3; i++)
    if (op_in(call, i) && (!op_broadcast(x, op_in(call, i), &to) || !array_same_shape(x, &to)))
      return op_fail(call, "input %u does not repeat to its input's shape", i);
  for (int i = 0; i < x->rank; i++)
    dims[i] = i < axis ? x->dims[i] : 1;
  return op_float(call) && op_set(call, 1, x->type, x->rank, dims) &&
         op_set(call, 2, x->type, x->rank, dims);
}

bool op_layer_norm(struct op_call *call) {
  const struct array *x = call->in[0], *bias = op_in(call, 2);
  double epsilon = graph_float(call->node, "epsilon", (double)1e-5f);
  int axis = 0;
  op_axis(call, graph_int(call->node, "axis", -1), x->rank, &axis);
  size_t row = product(x, axis, x->rank), count = array_count(x);
  struct op_walk walk;
  struct moments m = {0, 0};
  op_walk_over(&walk, x);
  op_walk_repeat(&walk, 0, call->in[1]);
  if (bias)
    op_walk_repeat(&walk, 1, bias);
  for (size_t i = 0; i < count; i++, op_walk_step(&walk)) {
    if (i % row == 0) {
      m = moments_of(x, i, row);
      if (call->node->output_count > 1)
        array_set(&call->out[1], i / row, m.mean);
      if (call->node->output_count > 2)
        array_set(&call->out[2], i / row, 1 / sqrt(m.variance + epsilon));
    }
    double v = (array_get(x, i) - m.mean) / sqrt(m.variance + epsilon);
    array_set(call->out, i,
              v * array_get(call->in[1], (size_t)walk.place[0]) +
                  (bias ? array_get(bias, (size_t)walk.place[1]) : 0));
  }
  return true;
}

// ---------------------------------------------------------------------------- MeanVariance...

static bool mvn_axes(struct op_call *call, bool reduced[ARRAY_RANK]) {
  int64_t axes[OP_LIST] = {0, 2, 3};
  int count, axis;
  if (!op_list(call, "axes", -1, axes, &count))
    return false;
  count = count < 0 ? 3 : count;
  for (int i = 0; i < count; i++) {
    if (!op_axis(call, axes[i], call->in[0]->rank, &axis))
      return false;
    reduced[axis] = true;
  }
  return true;
}

bool op_mvn_shape(struct op_call *call) {
  bool reduced[ARRAY_RANK] = {false};
  return mvn_axes(call, reduced) && op_float(call);
}

static void mvn_walk(const struct array *x, const bool reduced[ARRAY_RANK], struct op_walk *walk) {
  int64_t step = 1;
  op_walk_over(walk, x);
  for (int i = x->rank - 1; i >= 0; i--) {
    walk->stride[0][i] = reduced[i] ? 0 : step;
    step *= reduced[i] ? 1 : x->dims[i];
  }
}

bool op_mvn(struct op_call *call) {
  const struct array *x = call->in[0];
  bool reduced[ARRAY_RANK] = {false};
  size_t all = array_count(x), count = 1;
  struct op_walk walk;
  mvn_axes(call, reduced);
  for (int i = 0; i < x->rank; i++)
    count *= reduced[i] ? (size_t)x->dims[i] : 1;
  double *sums = memory_new(all, sizeof *sums), *squares = memory_new(all, sizeof *squares);
  mvn_walk(x, reduced, &walk);
  for (size_t i = 0; i < all; i++, op_walk_step(&walk))
    sums[walk.place[0]] += array_get(x, i) / (double)count;
  mvn_walk(x, reduced, &walk);
  for (size_t i = 0; i < all; i++, op_walk_step(&walk)) {
    double d = array_get(x, i) - sums[walk.place[0]];
    squares[walk.place[0]] += d * d / (double)count;
  }
  mvn_walk(x, reduced, &walk);
  for (size_t i = 0; i < all; i++, op_walk_step(&walk))
    array_set(call->out, i,
              (array_get(x, i) - sums[walk.place[0]]) / (sqrt(squares[walk.place[0]]) + 1e-9));
  free(sums);
  free(squares);
  return true;
}

// ---------------------------------------------------------------------------- LRN

bool op_lrn_shape(struct op_call *call) {
  int64_t size = graph_int(call->node, "size", 0);
  if (call->in[0]->rank < 3 || size < 1 || size > 65535)
    return op_fail(call, "pictures, and a size of 1 or more, are supported");
  return op_float(call);
}

bool op_lrn(struct op_call *call) {
  const struct array *x = call->in[0];
  double alpha = graph_float(call->node, "alpha", (double)1e-4f);
  double beta = graph_float(call->node, "beta", 0.75), bias = graph_float(call->node, "bias", 1);
  int64_t size = graph_int(call->node, "size", 1), channels = x->dims[1];
  size_t area = product(x, 2, x->rank);
  for (size_t i = 0; i < array_count(x); i++) {
    int64_t c = (int64_t)(i / area) % channels;
    double squares = 0;
    for (int64_t k = c - (size - 1) / 2; k <= c + size / 2; k++) {
      if (k < 0 || k >= channels)
        continue;
      double v = array_get(x, (size_t)((int64_t)i + (k - c) * (int64_t)area));
      squares += v * v;
    }
    array_set(call->out, i, array_get(x, i) / pow(bias + alpha / (double)size * squares, beta));
  }
  return true;
}
