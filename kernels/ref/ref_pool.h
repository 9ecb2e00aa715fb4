// kernels/ref/ref_pool.h: pooling in the plainest C, for host and target.
#ifndef REF_POOL_H
#define REF_POOL_H

#include "kernels/nn/nn_pool.h"

// One output: row y, column x, channel c.
uint8_t ref_maxpool_u8(const struct nn_pool *layer, uint32_t y, uint32_t x, uint32_t c);
uint8_t ref_avgpool_u8(const struct nn_pool *layer, uint32_t y, uint32_t x, uint32_t c);

#endif
