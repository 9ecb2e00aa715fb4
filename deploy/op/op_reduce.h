// deploy/op/op_reduce.h: reductions, by number.
#ifndef DEPLOY_OP_REDUCE_H
#define DEPLOY_OP_REDUCE_H

enum op_reduce {
  OP_REDUCE_SUM,
  OP_REDUCE_MEAN,
  OP_REDUCE_MAX,
  OP_REDUCE_MIN,
  OP_REDUCE_PROD,
  OP_REDUCE_L1,
  OP_REDUCE_L2,
  OP_REDUCE_SQUARES,
  OP_REDUCE_LOG_SUM,
  OP_REDUCE_LOG_SUM_EXP
};

enum op_arg { OP_ARG_MAX, OP_ARG_MIN };

#endif
