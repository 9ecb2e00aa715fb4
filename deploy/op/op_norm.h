// deploy/op/op_norm.h: normalizations to a sum or a largest element, by number.
#ifndef DEPLOY_OP_NORM_H
#define DEPLOY_OP_NORM_H

enum op_softmax { OP_SOFTMAX, OP_LOG_SOFTMAX, OP_HARDMAX };

#endif
