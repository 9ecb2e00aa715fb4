// deploy/op/op_window.h: pools, by number.
#ifndef DEPLOY_OP_WINDOW_H
#define DEPLOY_OP_WINDOW_H

enum op_pool { OP_POOL_MAX, OP_POOL_AVERAGE };

#endif
