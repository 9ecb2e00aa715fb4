// deploy/op/op_binary.h: the functions of two arrays, by number.
#ifndef DEPLOY_OP_BINARY_H
#define DEPLOY_OP_BINARY_H

enum op_binary {
  OP_ADD,
  OP_SUB,
  OP_MUL,
  OP_DIV,
  OP_MOD,
  OP_POW,
  OP_MAX,
  OP_MIN,
  OP_PRELU,
  OP_SHIFT,
  OP_MEAN // of several: a sum, then divided
};

enum op_compare { OP_EQUAL, OP_GREATER, OP_GREATER_EQUAL, OP_LESS, OP_LESS_EQUAL };
enum op_logic { OP_AND, OP_OR, OP_XOR };

#endif
