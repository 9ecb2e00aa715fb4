// deploy/op/op_qlinear.c: com.microsoft's element by element operators, pools and concatenation on
// codes (op_quant.h).
#include <math.h>
#include <string.h>

#include "deploy/op/op_call.h"
#include "deploy/op/op_quant.h"
#include "deploy/op/op_unary.h"

static bool codes(enum array_type type) {
  return type == ARRAY_U8 || type == ARRAY_I8;
}

// Scale and zero point at i and i + 1, of one element each; the zero point may be left out.
static bool parameters_at(struct op_call *call, uint32_t i, enum array_type type) {
  const struct array *scale = op_in(call, i), *zero = op_in(call, i + 1);
  if (!scale || array_count(scale) != 1 || !array_type_is_float(scale->type) ||
      (zero && (array_count(zero) != 1 || zero->type != type)))
    return op_fail(call, "inputs %u and %u must be one scale and one zero point of its type", i,
                   i + 1);
  return true;
}

static float real_at(const struct op_call *call, uint32_t i, size_t k) {
  const struct array *zero = op_in(call, i + 2);
  int64_t code = array_get_int(call->in[i], k) - (zero ? array_get_int(zero, 0) : 0);
  return (float)array_get(call->in[i + 1], 0) * (float)code;
}

static void put_code(struct op_call *call, size_t i, float x, uint32_t scale) {
  const struct array *zero = op_in(call, scale + 1);
  array_set_int(call->out, i,
                quant_of_real(x, (float)array_get(call->in[scale], 0),
                              zero ? array_get_int(zero, 0) : 0, call->out->type));
}

// A, a_scale, a_zero, B, b_scale, b_zero, y_scale, y_zero
bool op_qlinear_binary_shape(struct op_call *call) {
  enum array_type type = call->in[0] ? call->in[0]->type : ARRAY_NONE;
  struct array to;
  if (!codes(type) || !call->in[3] || call->in[3]->type != type)
    return op_fail(call, "two inputs of uint8, or of int8, are supported");
  if (!parameters_at(call, 1, type) || !parameters_at(call, 4, type) ||
      !parameters_at(call, 6, type))
    return false;
  if (!op_broadcast(call->in[0], call->in[3], &to))
    return op_fail(call, "its inputs' shapes do not fit each other");
  return op_set(call, 0, type, to.rank, to.dims);
}

static int64_t code_at(const struct op_call *call, uint32_t i, size_t k) {
  const struct array *zero = op_in(call, i + 2);
  return array_get_int(call->in[i], k) - (zero ? array_get_int(zero, 0) : 0);
}

bool op_qlinear_binary(struct op_call *call) {
  const struct array *zero = op_in(call, 7);
  struct quant_pair by = {(float)array_get(call->in[1], 0), (float)array_get(call->in[4], 0),
                          (float)array_get(call->in[6], 0), zero ? array_get_int(zero, 0) : 0,
                          call->out->type};
  struct op_walk walk;
  op_walk_over(&walk, call->out);
  op_walk_repeat(&walk, 0, call->in[0]);
  op_walk_repeat(&walk, 1, call->in[3]);
  for (size_t i = 0; i < array_count(call->out); i++, op_walk_step(&walk)) {
    int64_t a = code_at(call, 0, (size_t)walk.place[0]);
    int64_t b = code_at(call, 3, (size_t)walk.place[1]);
    array_set_int(call->out, i,
                  call->argument == OP_QADD ? quant_sum(&by, a, b) : quant_product(&by, a, b));
  }
  return true;
}

// X, x_scale, x_zero, y_scale, y_zero; channels_last is not supported.
bool op_qlinear_pool_shape(struct op_call *call) {
  const struct array *x = call->in[0];
  if (graph_int(call->node, "channels_last", 0))
    return op_fail(call, "attribute channels_last 1 is not supported; 0 is");
  if (!x || !codes(x->type) || x->rank < 3 || !parameters_at(call, 1, x->type) ||
      !parameters_at(call, 3, x->type))
    return op_fail(call, "pictures of uint8 or int8, with one scale and zero point, are supported");
  int64_t dims[ARRAY_RANK] = {x->dims[0], x->dims[1], 1, 1, 1, 1, 1, 1};
  return op_set(call, 0, x->type, x->rank, dims);
}

bool op_qlinear_pool(struct op_call *call) {
  const struct array *x = call->in[0], *zero = op_in(call, 2), *to = op_in(call, 4);
  size_t count = array_count(call->out), area = count ? array_count(x) / count : 0;
  float factor =
      (float)array_get(call->in[1], 0) / ((float)array_get(call->in[3], 0) * (float)area);
  for (size_t i = 0; i < count; i++) {
    int64_t sum = 0;
    for (size_t k = 0; k < area; k++)
      sum += array_get_int(x, i * area + k) - (zero ? array_get_int(zero, 0) : 0);
    array_set_int(call->out, i,
                  quant_code(sum, factor, to ? array_get_int(to, 0) : 0, call->out->type));
  }
  return true;
}

// y_scale, y_zero, then X, x_scale, x_zero of each.
bool op_qlinear_concat_shape(struct op_call *call) {
  int64_t dims[ARRAY_RANK], all = 0;
  const struct array *first = op_in(call, 2);
  int axis;
  if (call->in_count < 5 || (call->in_count - 2) % 3 || !first)
    return op_fail(call, "it has %u inputs; 2, and 3 for each tensor, are needed", call->in_count);
  if (!op_axis(call, graph_int(call->node, "axis", 1), first->rank, &axis) ||
      !parameters_at(call, 0, first->type))
    return false;
  memcpy(dims, first->dims, sizeof dims);
  for (uint32_t i = 2; i < call->in_count; i += 3) {
    const struct array *x = call->in[i];
    bool fits = x && codes(x->type) && x->type == first->type && x->rank == first->rank;
    for (int k = 0; fits && k < first->rank; k++)
      fits = k == axis || x->dims[k] == first->dims[k];
    if (!fits)
      return op_fail(call, "inputs 2 and %u differ in more than dimension %d", i, axis);
    if (!parameters_at(call, i + 1, x->type))
      return false;
    all += x->dims[axis];
  }
  dims[axis] = all;
  return op_set(call, 0, first->type, first->rank, dims);
}

bool op_qlinear_concat(struct op_call *call) {
  int axis = 0;
  op_axis(call, graph_int(call->node, "axis", 1), call->in[2]->rank, &axis);
  struct op_walk walk;
  op_walk_over(&walk, call->out);
  for (size_t i = 0; i < array_count(call->out); i++, op_walk_step(&walk)) {
    int64_t at[ARRAY_RANK], strides[ARRAY_RANK], place = 0;
    uint32_t from = 2;
    memcpy(at, walk.at, sizeof at);
    for (; at[axis] >= call->in[from]->dims[axis]; from += 3)
      at[axis] -= call->in[from]->dims[axis];
    op_strides(call->in[from], strides);
    for (int k = 0; k < walk.rank; k++)
      place += at[k] * strides[k];
    put_code(call, i, real_at(call, from, (size_t)place), 0);
  }
  return true;
}

// X, x_scale, x_zero, y_scale, y_zero
bool op_qlinear_unary_shape(struct op_call *call) {
  if (!call->in[0] || !codes(call->in[0]->type))
    return op_fail(call, "uint8 and int8 are supported");
  return parameters_at(call, 1, call->in[0]->type) && parameters_at(call, 3, call->in[0]->type) &&
         op_same(call);
}

bool op_qlinear_unary(struct op_call *call) {
  double alpha = graph_float(call->node, "alpha", (double)0.01f);
  for (size_t i = 0; i < array_count(call->out); i++) {
    double x = (double)real_at(call, 0, i);
    double y = call->argument == OP_SIGMOID ? 1 / (1 + exp(-x)) : x < 0 ? alpha * x : x;
    put_code(call, i, (float)y, 3);
  }
  return true;
}
