// deploy/op/op_unary.h: the functions of one array, by number.
#ifndef DEPLOY_OP_UNARY_H
#define DEPLOY_OP_UNARY_H

enum op_unary {
  OP_ABS,
  OP_ACOS,
  OP_ACOSH,
  OP_ASIN,
  OP_ASINH,
  OP_ATAN,
  OP_ATANH,
  OP_CEIL,
  OP_COS,
  OP_COSH,
  OP_ERF,
  OP_EXP,
  OP_FLOOR,
  OP_HARD_SWISH,
  OP_LOG,
  OP_MISH,
  OP_NEG,
  OP_RECIPROCAL,
  OP_RELU,
  OP_ROUND,
  OP_SIGMOID,
  OP_SIGN,
  OP_SIN,
  OP_SINH,
  OP_SOFTPLUS,
  OP_SOFTSIGN,
  OP_SQRT,
  OP_TAN,
  OP_TANH,
  OP_WITH_PARAMETERS,
  OP_CELU = OP_WITH_PARAMETERS,
  OP_ELU,
  OP_GELU,
  OP_HARD_SIGMOID,
  OP_LEAKY_RELU,
  OP_SELU,
  OP_SHRINK,
  OP_THRESHOLDED_RELU,
};

enum op_test { OP_NOT, OP_IS_NAN, OP_IS_INF };

#endif
