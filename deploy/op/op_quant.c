// deploy/op/op_quant.c: quantized operators (op_quant.h).
#include "deploy/op/op_quant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "deploy/op/op_call.h"
#include "deploy/op/op_window.h"

int64_t quant_least(enum array_type type) {
  return type == ARRAY_I8    ? INT8_MIN
         : type == ARRAY_I16 ? INT16_MIN
         : type == ARRAY_I32 ? INT32_MIN
                             : 0;
}

int64_t quant_most(enum array_type type) {
  return type == ARRAY_I8    ? INT8_MAX
         : type == ARRAY_U8  ? UINT8_MAX
         : type == ARRAY_I16 ? INT16_MAX
         : type == ARRAY_U16 ? UINT16_MAX
                             : INT32_MAX;
}

static int64_t code_of(double x, int64_t zero, enum array_type type) {
  double least = (double)(quant_least(type) - zero), most = (double)(quant_most(type) - zero);
  double r = nearbyint(x);
  return (int64_t)(r < least ? least : r > most ? most : isnan(r) ? 0 : r) + zero;
}

int64_t quant_code(int64_t sum, float factor, int64_t zero, enum array_type type) {
  return code_of((double)((float)sum * factor), zero, type);
}

int64_t quant_of_real(float x, float scale, int64_t zero, enum array_type type) {
  return code_of((double)(x / scale), zero, type);
}

int64_t quant_sum(const struct quant_pair *by, int64_t a, int64_t b) {
  double sum = (double)a * (double)by->a + (double)b * (double)by->b;
  return code_of(sum / (double)by->to, by->zero, by->type);
}

int64_t quant_product(const struct quant_pair *by, int64_t a, int64_t b) {
  return quant_code(a * b, by->a * by->b / by->to, by->zero, by->type);
}

// ---------------------------------------------------------------------------- parameters

static bool small_type(enum array_type type) {
  return type == ARRAY_U8 || type == ARRAY_I8;
}

static bool is_code(enum array_type type) { // differences have room in 64 bits
  return !array_type_is_float(type) && array_type_size(type) <= 4;
}

// One scale and one zero point of this type, at inputs i and i + 1.
static bool scalar_at(struct op_call *call, uint32_t i) {
  const struct array *scale = op_in(call, i), *zero = op_in(call, i + 1);
  if (!scale || array_count(scale) != 1 || !array_type_is_float(scale->type))
    return op_fail(call, "input %u must be one scale", i);
  if (zero && (array_count(zero) != 1 || !is_code(zero->type)))
    return op_fail(call, "input %u must be one zero point of at most 32 bits", i + 1);
  return true;
}

static int64_t zero_at(const struct op_call *call, uint32_t i, size_t k) {
  const struct array *zero = op_in(call, i);
  return zero ? array_get_int(zero, array_count(zero) == 1 ? 0 : k) : 0;
}

static float scale_at(const struct op_call *call, uint32_t i, size_t k) {
  const struct array *scale = op_in(call, i);
  return (float)array_get(scale, array_count(scale) == 1 ? 0 : k);
}

// ---------------------------------------------------------------------------- QuantizeLinear

// Elements behind the axis, and along it, of parameters that differ along one.
static bool channels_of(struct op_call *call, size_t *inner, size_t *channels) {
  const struct array *x = call->in[0], *scale = call->in[1], *zero = op_in(call, 2);
  int axis;
  *inner = 1, *channels = 1;
  if (zero && !is_code(zero->type))
    return op_fail(call, "zero points of type %s; integers of at most 32 bits are supported",
                   array_type_name(zero->type));
  if (zero && array_count(zero) != array_count(scale))
    return op_fail(call, "%zu scales and %zu zero points", array_count(scale), array_count(zero));
  if (array_count(scale) == 1)
    return true;
  if (scale->rank != 1 || !op_axis(call, graph_int(call->node, "axis", 1), x->rank, &axis))
    return scale->rank == 1 ? false
                            : op_fail(call, "scales by blocks are not supported; one, or one for "
                                            "each element of the axis, are");
  if (scale->dims[0] != x->dims[axis])
    return op_fail(call, "%lld scales for a dimension of %lld", (long long)scale->dims[0],
                   (long long)x->dims[axis]);
  *channels = (size_t)x->dims[axis];
  for (int i = axis + 1; i < x->rank; i++)
    *inner *= (size_t)x->dims[i];
  return true;
}

bool op_quantize_shape(struct op_call *call) {
  const struct array *x = call->in[0], *zero = op_in(call, 2);
  enum array_type type =
      zero ? zero->type : (enum array_type)graph_int(call->node, "output_dtype", ARRAY_U8);
  size_t inner, channels;
  if (!small_type(type) && type != ARRAY_I16 && type != ARRAY_U16)
    return op_fail(call, "codes of type %s; uint8, int8, uint16 and int16 are supported",
                   array_type_name(type));
  return channels_of(call, &inner, &channels) && op_set(call, 0, type, x->rank, x->dims);
}

bool op_quantize(struct op_call *call) {
  size_t inner, channels;
  channels_of(call, &inner, &channels);
  for (size_t i = 0; i < array_count(call->out); i++) {
    size_t c = i / inner % channels;
    array_set_int(call->out, i,
                  quant_of_real((float)array_get(call->in[0], i), scale_at(call, 1, c),
                                zero_at(call, 2, c), call->out->type));
  }
  return true;
}

bool op_dequantize_shape(struct op_call *call) {
  const struct array *x = call->in[0];
  size_t inner, channels;
  if (!is_code(x->type))
    return op_fail(call, "of type %s; integers of at most 32 bits are supported",
                   array_type_name(x->type));
  return channels_of(call, &inner, &channels) &&
         op_set(call, 0, call->in[1]->type, x->rank, x->dims);
}

bool op_dequantize(struct op_call *call) {
  size_t inner, channels;
  channels_of(call, &inner, &channels);
  for (size_t i = 0; i < array_count(call->out); i++) {
    size_t c = i / inner % channels;
    int64_t code = array_get_int(call->in[0], i) - zero_at(call, 2, c);
    array_set(call->out, i, (double)code * (double)scale_at(call, 1, c));
  }
  return true;
}

// ---------------------------------------------------------------------------- DynamicQuantize...

bool op_dynamic_quantize_shape(struct op_call *call) {
  const struct array *x = call->in[0];
  return op_set(call, 0, ARRAY_U8, x->rank, x->dims) && op_set(call, 1, ARRAY_F32, 0, NULL) &&
         op_set(call, 2, ARRAY_U8, 0, NULL);
}

bool op_dynamic_quantize(struct op_call *call) {
  const struct array *x = call->in[0];
  double low = 0, high = 0;
  for (size_t i = 0; i < array_count(x); i++) {
    low = fmin(low, array_get(x, i));
    high = fmax(high, array_get(x, i));
  }
  float scale = ((float)high - (float)low) / 255;
  int64_t zero = scale > 0 ? code_of((double)(-(float)low / scale), 0, ARRAY_U8) : 0;
  for (size_t i = 0; i < array_count(x); i++)
    array_set_int(call->out, i,
                  scale > 0 ? quant_of_real((float)array_get(x, i), scale, zero, ARRAY_U8) : 0);
  if (call->node->output_count > 1)
    array_set(&call->out[1], 0, (double)scale);
  if (call->node->output_count > 2)
    array_set_int(&call->out[2], 0, zero);
  return true;
}

// ---------------------------------------------------------------------------- convolutions

static double *doubles_of(const struct array *zero, size_t *count) {
  *count = zero ? array_count(zero) : 0;
  return zero ? op_numbers(zero) : NULL;
}

static bool zeros_fit(struct op_call *call, const struct array *zero, uint32_t i, int64_t filters) {
  return !zero || array_count(zero) == 1 || array_count(zero) == (size_t)filters ||
         op_fail(call, "input %u has not one zero point, or one for each of %lld filters", i,
                 (long long)filters);
}

static bool zero_is_code(struct op_call *call, uint32_t i) {
  const struct array *zero = op_in(call, i);
  return !zero || small_type(zero->type) ||
         op_fail(call, "input %u: zero points of uint8 and int8 are supported", i);
}

bool op_conv_integer_shape(struct op_call *call) {
  const struct array *w = call->in[1], *x_zero = op_in(call, 2);
  struct op_window window = {.dims = 0};
  if (!small_type(call->in[0]->type) || !small_type(w->type))
    return op_fail(call, "uint8 and int8 are supported");
  if (x_zero && array_count(x_zero) != 1)
    return op_fail(call, "input 2 must be one zero point");
  return zero_is_code(call, 2) && zero_is_code(call, 3) &&
         op_conv_shape_of(call, call->in[0], w, ARRAY_I32, &window) &&
         zeros_fit(call, op_in(call, 3), 3, w->dims[0]);
}

// Sums of codes less their zero points; the weights' at input w_zero.
static double *integer_sums(struct op_call *call, uint32_t w, uint32_t x_zero, uint32_t w_zero) {
  struct op_window window = {.dims = 0};
  size_t zeros, one;
  if (!op_window(call, call->in[0], call->in[w]->dims + 2, &window))
    return NULL;
  double *zx = doubles_of(op_in(call, x_zero), &one), *zw = doubles_of(op_in(call, w_zero), &zeros);
  double *sums = op_convolve(call->in[0], call->in[w], call->out, &window,
                             graph_int(call->node, "group", 1), zx, zw, zeros);
  free(zx);
  free(zw);
  return sums;
}

bool op_conv_integer(struct op_call *call) {
  double *sums = integer_sums(call, 1, 2, 3);
  for (size_t i = 0; sums && i < array_count(call->out); i++)
    array_set_int(call->out, i, (int64_t)sums[i]);
  free(sums);
  return sums != NULL;
}

// x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias
bool op_qlinear_conv_shape(struct op_call *call) {
  const struct array *x = call->in[0], *w = call->in[3], *bias = op_in(call, 8);
  struct op_window window = {.dims = 0};
  if (!small_type(x->type) || !small_type(w->type) || !call->in[7] ||
      !small_type(call->in[7]->type))
    return op_fail(call, "uint8 and int8 are supported");
  if (!zero_is_code(call, 2) || !zero_is_code(call, 5) || !scalar_at(call, 1) ||
      !scalar_at(call, 6) || !zeros_fit(call, call->in[4], 4, w->dims[0]) ||
      !zeros_fit(call, call->in[5], 5, w->dims[0]))
    return false;
  if (bias && (bias->type != ARRAY_I32 || bias->rank != 1 || bias->dims[0] != w->dims[0]))
    return op_fail(call, "a bias of int32, one for each filter, is supported");
  return op_conv_shape_of(call, x, w, call->in[7]->type, &window);
}

bool op_qlinear_conv(struct op_call *call) {
  const struct array *bias = op_in(call, 8), *out = call->out;
  double *sums = integer_sums(call, 3, 2, 5);
  size_t area = 1, filters = (size_t)out->dims[1];
  for (int i = 2; i < out->rank; i++)
    area *= (size_t)out->dims[i];
  for (size_t i = 0; sums && i < array_count(out); i++) {
    size_t f = i / area % filters;
    int64_t sum = (int64_t)sums[i] + (bias ? array_get_int(bias, f) : 0);
    float factor = scale_at(call, 1, 0) * scale_at(call, 4, f) / scale_at(call, 6, 0);
    array_set_int(call->out, i, quant_code(sum, factor, zero_at(call, 7, 0), out->type));
  }
  free(sums);
  return sums != NULL;
}

// ---------------------------------------------------------------------------- products

// Codes less their zero points, which are one, or one for each row (a) or column (b).
static bool centred(struct op_call *call, uint32_t i, uint32_t zero_input, bool rows, double **to) {
  const struct array *a = call->in[i], *zero = op_in(call, zero_input);
  size_t zeros = zero ? array_count(zero) : 0, last = a->rank ? (size_t)a->dims[a->rank - 1] : 1;
  size_t row = a->rank > 1 ? (size_t)a->dims[a->rank - 2] : 1;
  if (!zero_is_code(call, zero_input))
    return false;
  if (zeros > 1 && zeros != (rows ? row : last))
    return op_fail(call, "input %u has not one zero point, or one for each %s", zero_input,
                   rows ? "row" : "column");
  *to = op_numbers(a);
  for (size_t k = 0; zero && k < array_count(a); k++)
    (*to)[k] -= array_get(zero, zeros == 1 ? 0 : rows ? k / last % row : k % last);
  return true;
}

static double *integer_products(struct op_call *call, uint32_t b, uint32_t a_zero,
                                uint32_t b_zero) {
  double *x = NULL, *y = NULL, *sums = NULL;
  if (centred(call, 0, a_zero, true, &x) && centred(call, b, b_zero, false, &y))
    sums = op_matmul_of(call->in[0], call->in[b], call->out, x, y);
  free(x);
  free(y);
  return sums;
}

bool op_matmul_integer_shape(struct op_call *call) {
  if (!small_type(call->in[0]->type) || !small_type(call->in[1]->type))
    return op_fail(call, "uint8 and int8 are supported");
  return op_matmul_shape_of(call, call->in[0], call->in[1], ARRAY_I32);
}

bool op_matmul_integer(struct op_call *call) {
  double *sums = integer_products(call, 1, 2, 3);
  for (size_t i = 0; sums && i < array_count(call->out); i++)
    array_set_int(call->out, i, (int64_t)sums[i]);
  free(sums);
  return sums != NULL;
}

// a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero
bool op_qlinear_matmul_shape(struct op_call *call) {
  const struct array *b = call->in[3], *zero = call->in[7];
  if (!small_type(call->in[0]->type) || !small_type(b->type) || !zero || !small_type(zero->type))
    return op_fail(call, "uint8 and int8 are supported");
  size_t last = b->rank ? (size_t)b->dims[b->rank - 1] : 1;
  if (!scalar_at(call, 1) || !scalar_at(call, 6) || !zeros_fit(call, call->in[4], 4, (int64_t)last))
    return false;
  return op_matmul_shape_of(call, call->in[0], b, zero->type);
}

bool op_qlinear_matmul(struct op_call *call) {
  const struct array *out = call->out, *b = call->in[3];
  double *sums = integer_products(call, 3, 2, 5);
  size_t columns = b->rank > 1 ? (size_t)b->dims[b->rank - 1] : 1;
  for (size_t i = 0; sums && i < array_count(out); i++) {
    float factor = scale_at(call, 1, 0) * scale_at(call, 4, i % columns) / scale_at(call, 6, 0);
    array_set_int(call->out, i,
                  quant_code((int64_t)sums[i], factor, zero_at(call, 7, 0), out->type));
  }
  free(sums);
  return sums != NULL;
}

// A, a_scale, a_zero, B, b_scale, b_zero, C, y_scale, y_zero
bool op_qgemm_shape(struct op_call *call) {
  const struct array *a = call->in[0], *b = call->in[3], *c = op_in(call, 6);
  bool ta = graph_int(call->node, "transA", 0) != 0, tb = graph_int(call->node, "transB", 0) != 0;
  if (!a || !b || a->rank != 2 || b->rank != 2 || ta || a->dims[1] != b->dims[tb ? 1 : 0])
    return op_fail(call, "two matrices that fit each other, transA 0, are supported");
  int64_t columns = b->dims[tb ? 0 : 1];
  if (!op_in(call, 7) || !op_in(call, 8) || !small_type(call->in[8]->type))
    return op_fail(call, "outputs of floats are not supported; inputs 7 and 8 say the codes'");
  if (!small_type(a->type) || !small_type(b->type) || !scalar_at(call, 1) || !scalar_at(call, 7) ||
      !op_in(call, 4) || !zeros_fit(call, call->in[4], 4, columns) ||
      !zeros_fit(call, call->in[5], 5, columns))
    return false;
  if (c && (c->type != ARRAY_I32 || (array_count(c) != 1 && array_count(c) != (size_t)columns)))
    return op_fail(call, "input 6 (C) must be int32, one or one for each column");
  return op_set(call, 0, call->in[8]->type, 2, (int64_t[]){a->dims[0], columns});
}

bool op_qgemm(struct op_call *call) {
  const struct array *a = call->in[0], *b = call->in[3], *c = op_in(call, 6);
  bool tb = graph_int(call->node, "transB", 0) != 0;
  size_t depth = (size_t)a->dims[1], columns = (size_t)call->out->dims[1];
  double alpha = graph_float(call->node, "alpha", 1);
  for (size_t i = 0; i < array_count(call->out); i++) {
    size_t row = i / columns, column = i % columns;
    int64_t sum = c ? array_get_int(c, array_count(c) == 1 ? 0 : column) : 0;
    for (size_t k = 0; k < depth; k++)
      sum += (array_get_int(a, row * depth + k) - zero_at(call, 2, 0)) *
             (array_get_int(b, tb ? column * depth + k : k * columns + column) -
              zero_at(call, 5, column));
    float factor =
        (float)alpha * scale_at(call, 1, 0) * scale_at(call, 4, column) / scale_at(call, 7, 0);
    array_set_int(call->out, i, quant_code(sum, factor, zero_at(call, 8, 0), call->out->type));
  }
  return true;
}

// ---------------------------------------------------------------------------- RequantShift

bool op_requant_shift_shape(struct op_call *call) {
  const struct array *x = call->in[0];
  struct array to = *x;
  if (!op_broadcast(x, call->in[1], &to) || !op_broadcast(x, call->in[2], &to) ||
      array_count(&to) != array_count(x))
    return op_fail(call, "mul and add that repeat along the input's dimensions are supported");
  if (!(graph_number(call->node, "div", 1) >= 1))
    return op_fail(call, "attribute div: numbers from 1 on are supported");
  return op_same(call);
}

// deploy/lower/lower.h
bool op_requant_shift(struct op_call *call) {
  const struct graph_node *node = call->node;
  double div = graph_number(node, "div", 1);
  double levels = graph_number(node, "n_levels", graph_number(node, "n_levels_out", 256));
  double least = graph_number(node, "signed", 0) != 0 ? -levels / 2 : 0;
  struct op_walk walk;
  bool good = true;
  op_walk_over(&walk, call->out);
  for (int k = 0; k < 3; k++)
    op_walk_repeat(&walk, k, call->in[k]);
  for (size_t i = 0; good && i < array_count(call->out); i++, op_walk_step(&walk)) {
    double x = array_get(call->in[0], (size_t)walk.place[0]);
    double y = x * array_get(call->in[1], (size_t)walk.place[1]) +
               array_get(call->in[2], (size_t)walk.place[2]) + floor(div / 2);
    good = op_put(call, 0, i, fmin(fmax(floor(y / div), least), least + levels - 1));
  }
  return good;
}
