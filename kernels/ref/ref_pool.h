// kernels/ref/ref_pool.h: pooling in the plainest C, for host and target.
#ifndef REF_POOL_H
#define REF_POOL_H

#include "kernels/nn/nn_pool.h"

// One output: row y, column x, channel c; the low `bits` of it.
uint32_t ref_maxpool(const struct nn_pool *layer, uint32_t y, uint32_t x, uint32_t c);
uint32_t ref_avgpool_by(const struct nn_pool *layer, const struct nn_average *by, uint32_t y,
                        uint32_t x, uint32_t c);
uint32_t ref_avgpool(const struct nn_pool *layer, uint32_t y, uint32_t x, uint32_t c);

#endif
