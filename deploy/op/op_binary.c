// deploy/op/op_binary.c: functions of two arrays and of several, element by element, repeated along
// dimensions of 1.
#include "deploy/op/op_binary.h"

#include <math.h>
#include <string.h>

#include "deploy/op/op_call.h"

// Before operator set 7, b's dimensions began at `axis` of a's where `broadcast` was set.
static struct array aligned(const struct op_call *call) {
  struct array b = *call->in[1];
  int64_t axis = graph_int(call->node, "axis", -1), rank = call->in[0]->rank;
  if (call->argument == OP_PRELU && call->node->version < 7 && b.rank == 1 && rank > 1)
    axis = 1;
  else if (call->node->version >= 7 || !graph_int(call->node, "broadcast", 0))
    return b;
  axis += axis < 0 ? rank : 0;
  if (graph_attr(call->node, "axis") || call->argument == OP_PRELU)
    for (; b.rank > 0 && axis >= 0 && axis + b.rank < rank && b.rank < ARRAY_RANK; b.rank++)
      b.dims[b.rank] = 1;
  return b;
}

static bool fail_shapes(struct op_call *call, const struct array *a, const struct array *b) {
  char x[ARRAY_SHAPE_TEXT], y[ARRAY_SHAPE_TEXT];
  return op_fail(call, "shapes %s and %s do not fit each other", array_shape_text(a, x),
                 array_shape_text(b, y));
}

static bool pair_shape(struct op_call *call, enum array_type type) {
  struct array to = {.rank = 0}, b = aligned(call);
  bool mixed = call->argument == OP_POW && type != ARRAY_BOOL;
  if (call->in[0]->type != b.type && !mixed)
    return op_fail(call, "types %s and %s differ", array_type_name(call->in[0]->type),
                   array_type_name(b.type));
  if (!op_broadcast(call->in[0], &b, &to))
    return fail_shapes(call, call->in[0], call->in[1]);
  return op_set(call, 0, type, to.rank, to.dims);
}

bool op_binary_shape(struct op_call *call) {
  enum array_type type = call->in[0]->type;
  if (type == ARRAY_BOOL)
    return op_fail(call, "of type bool; numbers are supported");
  if (call->argument == OP_SHIFT && (array_type_is_float(type) || array_type_is_signed(type)))
    return op_fail(call, "of type %s; unsigned integers are shifted", array_type_name(type));
  return pair_shape(call, type);
}

static double of_floats(enum op_binary f, double a, double b) {
  switch (f) {
  case OP_SUB:
    return a - b;
  case OP_MUL:
    return a * b;
  case OP_DIV:
    return a / b;
  case OP_MOD:
    return fmod(a, b);
  case OP_POW:
    return pow(a, b);
  case OP_MAX:
    return isnan(a) || a > b ? a : b;
  case OP_MIN:
    return isnan(a) || a < b ? a : b;
  case OP_PRELU:
    return a < 0 ? a * b : a;
  default:
    return a + b; // OP_ADD, OP_MEAN
  }
}

// Division truncates (C), the remainder has the divisor's sign (Python) unless `fmod`.
static int64_t divided(enum op_binary f, int64_t a, int64_t b, bool is_signed, bool fmod_asked) {
  if (!is_signed) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    return (int64_t)(f == OP_DIV ? x / y : x % y);
  }
  if (b == -1)
    return f == OP_DIV ? (int64_t) - (uint64_t)a : 0;
  if (f == OP_DIV)
    return a / b;
  int64_t rest = a % b;
  return rest && !fmod_asked && (rest < 0) != (b < 0) ? rest + b : rest;
}

static int64_t power(int64_t a, int64_t b) {
  uint64_t result = 1, factor = (uint64_t)a;
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  for (; b; b >>= 1) {
    result *= b & 1 ? factor : 1;
    factor *= factor;
  }
  return (int64_t)result;
}

static bool above(int64_t a, int64_t b, bool is_signed) {
  return is_signed ? a > b : (uint64_t)a > (uint64_t)b;
}

static int64_t shifted(const struct op_call *call, int64_t a, int64_t b) {
  if ((uint64_t)b > 63)
    return 0;
  bool left = strcmp(graph_text(call->node, "direction", "LEFT"), "LEFT") == 0;
  return (int64_t)(left ? (uint64_t)a << b : (uint64_t)a >> b);
}

static bool of_integers(struct op_call *call, int64_t a, int64_t b, bool is_signed, int64_t *to) {
  enum op_binary f = (enum op_binary)call->argument;
  bool divides = f == OP_DIV || f == OP_MOD;
  if (divides && b == 0)
    return op_fail(call, "a division of integers by 0");
  *to = f == OP_SUB     ? (int64_t)((uint64_t)a - (uint64_t)b)
        : f == OP_MUL   ? (int64_t)((uint64_t)a * (uint64_t)b)
        : divides       ? divided(f, a, b, is_signed, graph_int(call->node, "fmod", 0) != 0)
        : f == OP_POW   ? power(a, b)
        : f == OP_MAX   ? (above(a, b, is_signed) ? a : b)
        : f == OP_MIN   ? (above(a, b, is_signed) ? b : a)
        : f == OP_SHIFT ? shifted(call, a, b)
        : f == OP_PRELU ? (is_signed && a < 0 ? a * b : a)
                        : (int64_t)((uint64_t)a + (uint64_t)b);
  return true;
}

static bool element(struct op_call *call, const struct array *a, size_t ia, const struct array *b,
                    size_t ib, size_t i) {
  if (array_type_is_float(a->type) || array_type_is_float(b->type)) {
    enum op_binary f = (enum op_binary)call->argument;
    double v = of_floats(f, array_get(a, ia), array_get(b, ib));
    return array_type_is_float(a->type) ? (array_set(call->out, i, v), true)
                                        : op_put(call, 0, i, trunc(v));
  }
  int64_t value = 0;
  if (!of_integers(call, array_get_int(a, ia), array_get_int(b, ib), array_type_is_signed(a->type),
                   &value))
    return false;
  array_set_int(call->out, i, value);
  return true;
}

static struct op_walk walk_pair(const struct op_call *call) {
  struct array b = aligned(call);
  struct op_walk walk;
  op_walk_over(&walk, call->out);
  op_walk_repeat(&walk, 0, call->in[0]);
  op_walk_repeat(&walk, 1, &b);
  return walk;
}

bool op_binary(struct op_call *call) {
  struct op_walk walk = walk_pair(call);
  bool good = true;
  for (size_t i = 0; good && i < array_count(call->out); i++, op_walk_step(&walk))
    good = element(call, call->in[0], (size_t)walk.place[0], call->in[1], (size_t)walk.place[1], i);
  return good;
}

// ---------------------------------------------------------------------------- truth

bool op_compare_shape(struct op_call *call) {
  return pair_shape(call, ARRAY_BOOL);
}

static int order(const struct array *a, size_t ia, const struct array *b, size_t ib) {
  if (array_type_is_float(a->type)) {
    double x = array_get(a, ia), y = array_get(b, ib);
    return isnan(x) || isnan(y) ? 2 : (x > y) - (x < y);
  }
  int64_t x = array_get_int(a, ia), y = array_get_int(b, ib);
  bool is_signed = array_type_is_signed(a->type);
  return above(x, y, is_signed) - above(y, x, is_signed);
}

bool op_compare(struct op_call *call) {
  struct op_walk walk = walk_pair(call);
  for (size_t i = 0; i < array_count(call->out); i++, op_walk_step(&walk)) {
    int o = order(call->in[0], (size_t)walk.place[0], call->in[1], (size_t)walk.place[1]);
    static const bool holds[][3] = {[OP_EQUAL] = {0, 1, 0},
                                    [OP_GREATER] = {0, 0, 1},
                                    [OP_GREATER_EQUAL] = {0, 1, 1},
                                    [OP_LESS] = {1, 0, 0},
                                    [OP_LESS_EQUAL] = {1, 1, 0}};
    array_set_int(call->out, i, o != 2 && holds[call->argument][o + 1]);
  }
  return true;
}

bool op_logic_shape(struct op_call *call) {
  if (call->in[0]->type != ARRAY_BOOL)
    return op_fail(call, "of type %s; bool is supported", array_type_name(call->in[0]->type));
  return pair_shape(call, ARRAY_BOOL);
}

bool op_logic(struct op_call *call) {
  struct op_walk walk = walk_pair(call);
  for (size_t i = 0; i < array_count(call->out); i++, op_walk_step(&walk)) {
    int64_t a = array_get_int(call->in[0], (size_t)walk.place[0]);
    int64_t b = array_get_int(call->in[1], (size_t)walk.place[1]);
    array_set_int(call->out, i,
                  call->argument == OP_AND  ? a & b
                  : call->argument == OP_OR ? a | b
                                            : a ^ b);
  }
  return true;
}

// ---------------------------------------------------------------------------- Max, Min, Sum, Mean

bool op_many_shape(struct op_call *call) {
  struct array to = *call->in[0];
  if (to.type == ARRAY_BOOL)
    return op_fail(call, "of type bool; numbers are supported");
  for (uint32_t i = 1; i < call->in_count; i++) {
    if (!call->in[i] || call->in[i]->type != to.type || !op_broadcast(&to, call->in[i], &to))
      return op_fail(call, "inputs 0 and %u differ in type, or in shape so that none repeats", i);
  }
  to.type = call->in[0]->type;
  return op_set(call, 0, to.type, to.rank, to.dims);
}

bool op_many(struct op_call *call) {
  struct array *out = &call->out[0];
  bool good = true;
  struct array kept = *out; // the sum in doubles, where it is of floats
  if (array_type_is_float(out->type))
    kept = (struct array){.type = ARRAY_F64, .rank = out->rank};
  memcpy(kept.dims, out->dims, sizeof kept.dims);
  if (kept.data == NULL)
    array_allocate(&kept);
  struct array asked = *out;
  *out = kept;
  for (uint32_t k = 0; good && k < call->in_count; k++) {
    struct op_walk walk;
    op_walk_over(&walk, out);
    op_walk_repeat(&walk, 0, call->in[k]);
    for (size_t i = 0; good && i < array_count(out); i++, op_walk_step(&walk)) {
      if (k == 0 && array_type_is_float(out->type))
        array_set(out, i, array_get(call->in[0], (size_t)walk.place[0]));
      else if (k == 0)
        op_copy(out, i, call->in[0], (size_t)walk.place[0]);
      else
        good = element(call, out, i, call->in[k], (size_t)walk.place[0], i);
    }
  }
  kept = *out;
  *out = asked;
  if (kept.data == asked.data)
    return good;
  double divisor = call->argument == OP_MEAN ? (double)call->in_count : 1;
  for (size_t i = 0; i < array_count(out); i++)
    array_set(out, i, array_get(&kept, i) / divisor);
  array_clear(&kept);
  return good;
}

// ---------------------------------------------------------------------------- Where

bool op_where_shape(struct op_call *call) {
  struct array to;
  if (call->in[0]->type != ARRAY_BOOL || call->in[1]->type != call->in[2]->type)
    return op_fail(call, "a condition of type bool, and two inputs of one type, are supported");
  if (!op_broadcast(call->in[0], call->in[1], &to))
    return fail_shapes(call, call->in[0], call->in[1]);
  struct array two = to;
  if (!op_broadcast(&two, call->in[2], &to))
    return fail_shapes(call, &two, call->in[2]);
  return op_set(call, 0, call->in[1]->type, to.rank, to.dims);
}

bool op_where(struct op_call *call) {
  struct op_walk walk;
  op_walk_over(&walk, call->out);
  for (int k = 0; k < 3; k++)
    op_walk_repeat(&walk, k, call->in[k]);
  for (size_t i = 0; i < array_count(call->out); i++, op_walk_step(&walk)) {
    bool first = array_get_int(call->in[0], (size_t)walk.place[0]) != 0;
    op_copy(call->out, i, call->in[first ? 1 : 2], (size_t)walk.place[first ? 1 : 2]);
  }
  return true;
}
