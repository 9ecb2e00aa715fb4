// deploy/op/op_unary.c: functions of one array, element by element.
#include "deploy/op/op_unary.h"

#include <math.h>
#include <string.h>

#include "deploy/op/op_call.h"

static double rounded_even(double x) {
  return nearbyint(x);
}
static double sign_of(double x) {
  return (x > 0) - (x < 0);
}
static double reciprocal(double x) {
  return 1 / x;
}
static double sigmoid(double x) {
  return 1 / (1 + exp(-x));
}
static double softplus(double x) {
  return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}
static double mish(double x) {
  return x * tanh(softplus(x));
}
static double softsign(double x) {
  return x / (1 + fabs(x));
}
static double hard_swish(double x) {
  return x * fmin(fmax(x / 6 + 0.5, 0), 1);
}
static double relu(double x) {
  return x < 0 ? 0 : x;
}
static double negated(double x) {
  return -x;
}

static double (*const plain[])(double) = {[OP_ABS] = fabs,          [OP_ACOS] = acos,
                                          [OP_ACOSH] = acosh,       [OP_ASIN] = asin,
                                          [OP_ASINH] = asinh,       [OP_ATAN] = atan,
                                          [OP_ATANH] = atanh,       [OP_CEIL] = ceil,
                                          [OP_COS] = cos,           [OP_COSH] = cosh,
                                          [OP_ERF] = erf,           [OP_EXP] = exp,
                                          [OP_FLOOR] = floor,       [OP_HARD_SWISH] = hard_swish,
                                          [OP_LOG] = log,           [OP_MISH] = mish,
                                          [OP_NEG] = negated,       [OP_RECIPROCAL] = reciprocal,
                                          [OP_RELU] = relu,         [OP_ROUND] = rounded_even,
                                          [OP_SIGMOID] = sigmoid,   [OP_SIGN] = sign_of,
                                          [OP_SIN] = sin,           [OP_SINH] = sinh,
                                          [OP_SOFTPLUS] = softplus, [OP_SOFTSIGN] = softsign,
                                          [OP_SQRT] = sqrt,         [OP_TAN] = tan,
                                          [OP_TANH] = tanh};

// Those with attributes: a is alpha (lambd; Gelu: whether by tanh), b is beta (gamma, bias).
struct parameters {
  double a, b;
};

static double shrunk(double x, struct parameters p) {
  return x < -p.a ? x + p.b : x > p.a ? x - p.b : 0;
}

// Hendrycks and Gimpel, 2016: exactly, and as they approximate it.
static double gelu(double x, struct parameters p) {
  return x / 2 *
         (1 + (p.a > 0 ? tanh(M_2_SQRTPI * M_SQRT1_2 * (x + 0.044715 * x * x * x))
                       : erf(x * M_SQRT1_2)));
}

static double with_parameters(enum op_unary function, double x, struct parameters p) {
  switch (function) {
  case OP_CELU:
    return fmax(x, 0) + fmin(0, p.a * expm1(x / p.a));
  case OP_ELU:
    return x < 0 ? p.a * expm1(x) : x;
  case OP_GELU:
    return gelu(x, p);
  case OP_HARD_SIGMOID:
    return fmin(fmax(p.a * x + p.b, 0), 1);
  case OP_LEAKY_RELU:
    return x < 0 ? p.a * x : x;
  case OP_SELU:
    return p.b * (x < 0 ? p.a * expm1(x) : x);
  case OP_SHRINK:
    return shrunk(x, p);
  default:
    return x > p.a ? x : 0; // ThresholdedRelu
  }
}

static struct parameters parameters_of(const struct graph_node *node, enum op_unary function) {
  switch (function) {
  case OP_GELU:
    return (struct parameters){strcmp(graph_text(node, "approximate", "none"), "tanh") == 0, 0};
  case OP_HARD_SIGMOID:
    return (struct parameters){graph_float(node, "alpha", (double)0.2f),
                               graph_float(node, "beta", 0.5)};
  case OP_LEAKY_RELU:
    return (struct parameters){graph_float(node, "alpha", (double)0.01f), 0};
  case OP_SELU: // Klambauer et al., 2017
    return (struct parameters){graph_float(node, "alpha", 1.67326319217681884765625),
                               graph_float(node, "gamma", 1.05070102214813232421875)};
  case OP_SHRINK:
    return (struct parameters){graph_float(node, "lambd", 0.5), graph_float(node, "bias", 0)};
  default:
    return (struct parameters){graph_float(node, "alpha", 1), 0};
  }
}

bool op_unary_shape(struct op_call *call) {
  if (call->in[0]->type == ARRAY_BOOL)
    return op_fail(call, "of type bool; numbers are supported");
  return op_same(call);
}

// Of integers, at all their bits.
static bool of_integers(enum op_unary function, int64_t n, bool is_signed, int64_t *to) {
  bool negative = is_signed && n < 0;
  int64_t opposite = (int64_t) - (uint64_t)n;
  *to = function == OP_NEG    ? opposite
        : function == OP_ABS  ? (negative ? opposite : n)
        : function == OP_RELU ? (negative ? 0 : n)
        : negative            ? -1
                              : n != 0;
  return function == OP_NEG || function == OP_ABS || function == OP_RELU || function == OP_SIGN;
}

bool op_unary(struct op_call *call) {
  enum op_unary function = (enum op_unary)call->argument;
  const struct array *x = call->in[0];
  struct parameters p = parameters_of(call->node, function);
  bool real = array_type_is_float(x->type), is_signed = array_type_is_signed(x->type), good = true;
  size_t count = array_count(x);
  int64_t exact;
  for (size_t i = 0; good && i < count; i++) {
    double v = array_get(x, i);
    if (!real && of_integers(function, array_get_int(x, i), is_signed, &exact))
      array_set_int(call->out, i, exact);
    else
      good = op_put(call, 0, i,
                    function < OP_WITH_PARAMETERS ? plain[function](v)
                                                  : with_parameters(function, v, p));
  }
  return good;
}

// ---------------------------------------------------------------------------- IsNaN, IsInf, Not

bool op_test_shape(struct op_call *call) {
  return op_set(call, 0, ARRAY_BOOL, call->in[0]->rank, call->in[0]->dims);
}

bool op_test(struct op_call *call) {
  const struct array *x = call->in[0];
  bool positive = graph_int(call->node, "detect_positive", 1) != 0;
  bool negative = graph_int(call->node, "detect_negative", 1) != 0;
  for (size_t i = 0; i < array_count(x); i++) {
    double v = array_get(x, i);
    bool yes = call->argument == OP_NOT      ? v == 0
               : call->argument == OP_IS_NAN ? isnan(v)
                                             : isinf(v) && (v > 0 ? positive : negative);
    array_set_int(call->out, i, yes);
  }
  return true;
}

// ---------------------------------------------------------------------------- Cast

static bool cast_to(struct op_call *call, enum array_type type) {
  if (!array_type_size(type))
    return op_fail(call, "attribute to: the type %s is not supported; types of numbers are",
                   array_type_name(type));
  return op_set(call, 0, type, call->in[0]->rank, call->in[0]->dims);
}

bool op_cast_shape(struct op_call *call) {
  return cast_to(call, (enum array_type)graph_int(call->node, "to", 0));
}

bool op_cast_like_shape(struct op_call *call) {
  return cast_to(call, call->in[1]->type);
}

// Floats become integers by truncation; integers are cut to the type's bits.
bool op_cast(struct op_call *call) {
  const struct array *x = call->in[0];
  struct array *to = &call->out[0];
  bool exact = !array_type_is_float(x->type) && !array_type_is_float(to->type);
  for (size_t i = 0; i < array_count(x); i++) {
    if (exact)
      array_set_int(to, i, array_get_int(x, i));
    else
      array_set(to, i, array_get(x, i));
  }
  return true;
}

bool op_cast_like(struct op_call *call) {
  return op_cast(call);
}

// ---------------------------------------------------------------------------- Clip, Dropout

bool op_clip_shape(struct op_call *call) {
  for (uint32_t i = 1; i < 3; i++)
    if (op_in(call, i) && array_count(op_in(call, i)) != 1)
      return op_fail(call, "input %u (%s) must have one element", i, i == 1 ? "min" : "max");
  return op_unary_shape(call);
}

bool op_clip(struct op_call *call) {
  const struct array *x = call->in[0], *low = op_in(call, 1), *high = op_in(call, 2);
  double least = low ? array_get(low, 0) : graph_float(call->node, "min", -INFINITY);
  double most = high ? array_get(high, 0) : graph_float(call->node, "max", INFINITY);
  for (size_t i = 0; i < array_count(x); i++) {
    double v = array_get(x, i);
    if (v >= least && v <= most)
      op_copy(call->out, i, x, i);
    else
      array_set(call->out, i, isnan(v) ? v : v > most || least > most ? most : least);
  }
  return true;
}

bool op_dropout_shape(struct op_call *call) {
  const struct array *ratio = op_in(call, 1), *training = op_in(call, 2);
  bool old = call->node->version < 7 && !graph_int(call->node, "is_test", 0);
  bool asked = training && array_count(training) && array_get_int(training, 0);
  bool drops = !ratio || array_count(ratio) != 1 || fabs(array_get(ratio, 0)) > 0;
  if (old || (asked && drops))
    return op_fail(call, "training_mode 1 is not supported; 0, of a trained network, is");
  const struct array *x = call->in[0];
  return op_same(call) &&
         op_set(call, 1, call->node->version < 10 ? x->type : ARRAY_BOOL, x->rank, x->dims);
}

bool op_dropout(struct op_call *call) {
  for (size_t i = 0; i < array_count(call->in[0]); i++) {
    op_copy(call->out, i, call->in[0], i);
    if (call->node->output_count > 1)
      array_set_int(&call->out[1], i, 1);
  }
  return true;
}
