// deploy/op/op_call.h: between the files of deploy/op: one operator at work.
//
// An operator is two functions: `shape` checks inputs and attributes and says types and shapes of
// the outputs; `value` fills them.
#ifndef DEPLOY_OP_CALL_H
#define DEPLOY_OP_CALL_H

#include "deploy/op/op.h"

enum { OP_OUTPUTS = 64 };

struct op_call {
  const struct graph_node *node;
  const struct array *const *in; // [in_count]; NULL: left out
  uint32_t in_count;
  struct array *out; // [node->output_count]
  int argument;      // of the table's row
  struct net_error *error;
};

struct op {
  const char *name;
  uint8_t least, most; // inputs; 255: any number
  bool (*shape)(struct op_call *call);
  bool (*value)(struct op_call *call);
  int argument;
  const char *domain; // NULL: ONNX's own
};

const struct op *op_find(const struct graph_node *node);

#define op_fail(call, ...) graph_fail((call)->error, (call)->node, __VA_ARGS__)

// ------------------------------------------------------------ op_call.c
const struct array *op_in(const struct op_call *call, uint32_t i); // NULL: left out
bool op_set(struct op_call *call, uint32_t i, enum array_type type, int rank, const int64_t *dims);
bool op_like(struct op_call *call, uint32_t i, const struct array *array); // type and shape
bool op_same(struct op_call *call);                                        // output 0 is as input 0
bool op_float(struct op_call *call);                                       // ... which is a float
// -rank..rank-1 (`end`: ..rank) to 0..; false with the sentence.
bool op_axis(struct op_call *call, int64_t axis, int rank, int *to);
// A list of integers that is an attribute (before a version), or a constant input i. *count is -1
// if neither is there. False with the sentence if it is too long.
enum { OP_LIST = 64 };
bool op_list(struct op_call *call, const char *attribute, int input, int64_t list[OP_LIST],
             int *count);
double *op_numbers(const struct array *array); // a copy
// Sets element i, exactly: false with the sentence if an integer is beyond 2^53.
bool op_put(struct op_call *call, uint32_t output, size_t i, double value);
void op_copy(struct array *to, size_t i, const struct array *from, size_t k); // of one type

// A walk over the elements of a shape, with the places of up to three other arrays.
struct op_walk {
  int rank;
  int64_t dims[ARRAY_RANK], at[ARRAY_RANK];
  int64_t stride[3][ARRAY_RANK];
  int64_t place[3];
};
void op_walk_over(struct op_walk *walk, const struct array *shape);
// Array k has these dimensions, aligned at the last, and is repeated along those of 1.
void op_walk_repeat(struct op_walk *walk, int k, const struct array *array);
void op_walk_step(struct op_walk *walk);
void op_strides(const struct array *array, int64_t strides[ARRAY_RANK]);
// The common shape of a and b (NumPy's rule); false: there is none.
bool op_broadcast(const struct array *a, const struct array *b, struct array *to);

// ------------------------------------------------------------ op_window.c
enum { OP_SPATIAL = ARRAY_RANK - 2 };
struct op_window {
  int dims; // of a picture
  int64_t kernel[OP_SPATIAL], stride[OP_SPATIAL], dilation[OP_SPATIAL];
  int64_t before[OP_SPATIAL], after[OP_SPATIAL], out[OP_SPATIAL];
};
// kernel: of the weights, or NULL: attribute kernel_shape.
bool op_window(struct op_call *call, const struct array *x, const int64_t *kernel,
               struct op_window *w);
// Integer sums of x and w less their zero points, for integer convolutions: rows of N x M x out.
double *op_convolve(const struct array *x, const struct array *w, const struct array *out,
                    const struct op_window *window, int64_t groups, const double *x_zero,
                    const double *w_zero, size_t w_zeros);
bool op_conv_shape_of(struct op_call *call, const struct array *x, const struct array *w,
                      enum array_type type, struct op_window *window);

// ------------------------------------------------------------ op_matrix.c
bool op_matmul_shape_of(struct op_call *call, const struct array *a, const struct array *b,
                        enum array_type type);
double *op_matmul_of(const struct array *a, const struct array *b, const struct array *out,
                     const double *x, const double *y);

// ------------------------------------------------------------ the functions, by file
#define OP(name) bool op_##name##_shape(struct op_call *), op_##name(struct op_call *)
OP(unary);
OP(cast);
OP(cast_like);
OP(clip);
OP(dropout);
OP(test);
OP(binary);
OP(compare);
OP(logic);
OP(many);
OP(where);
OP(reduce);
OP(arg);
OP(cumsum);
OP(reshape);
OP(flatten);
OP(squeeze);
OP(unsqueeze);
OP(shape);
OP(size);
OP(constant);
OP(fill);
OP(range);
OP(expand);
OP(tile);
OP(transpose);
OP(concat);
OP(split);
OP(slice);
OP(gather);
OP(gather_elements);
OP(pad);
OP(blocks);
OP(conv);
OP(transposed_conv);
OP(pool);
OP(global_pool);
OP(gemm);
OP(matmul);
OP(softmax);
OP(batch_norm);
OP(instance_norm);
OP(layer_norm);
OP(lrn);
OP(mvn);
OP(resize);
OP(quantize);
OP(dequantize);
OP(dynamic_quantize);
OP(conv_integer);
OP(qlinear_conv);
OP(matmul_integer);
OP(qlinear_matmul);
OP(qlinear_binary);
OP(qlinear_pool);
OP(qlinear_concat);
OP(qlinear_unary);
OP(qgemm);
OP(requant_shift);
#undef OP

#endif
