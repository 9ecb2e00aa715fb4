// kernels/train/train_linear_product.c: matrix products (train_product.h), but for the weight
// gradient of a batch of one in 16 bits: that is an outer product, two elements at a time.
#include "train_linear_product.h"

#include "kernels/rt/rt.h"
#include "train_extent.h"
#include "train_product.h"
#include "train_typed.h"

// ---- forward

// The output begins with the bias, so that sums are rounded once.
TRAIN_TYPED void set_bias(const struct train_linear *l, enum train_type t) {
  struct rt_range mine = rt_split(l->out_n, 1);
  for (uint32_t b = 0; b < l->batch; b++) {
    for (uint32_t o = mine.begin; o < mine.end; o++)
      train_copy(l->out, (size_t)b * l->out_n + o, l->bias, o, t);
  }
}

enum kernel_status train_linear_product_fw(const struct train_linear *l) {
  if (l->type != TRAIN_F32 && !train_aligned(l->scratch))
    return KERNEL_BAD_POINTER;
  const struct train_product p = {l->in,           l->weights, l->out,    l->batch, l->out_n,
                                  l->in_n,         l->in_n,    l->in_n,   l->out_n, MMT_NT,
                                  l->bias != NULL, l->scratch, l->matmul, l->type};
  if (l->bias) {
    TRAIN_BY_TYPE(l->type, set_bias, l);
    rt_barrier();
  }
  return train_product(&p);
}

// ---- weight gradient

TRAIN_TYPED void bias_gradient(const struct train_linear *l, enum train_type t) {
  struct rt_range mine = rt_split(l->out_n, 1);
  for (uint32_t o = mine.begin; o < mine.end; o++) {
    float sum = l->add ? train_get(l->bias_grad, o, t) : 0;
    for (uint32_t b = 0; b < l->batch; b++)
      sum += train_get(l->out_grad, (size_t)b * l->out_n + o, t);
    train_put(l->bias_grad, o, sum, t);
  }
}

// Rows begin at words.
static bool outer_fits(const struct train_linear *l) {
  return l->type != TRAIN_F32 && !l->matmul && l->batch == 1 && l->in_n % 2 == 0;
}

TRAIN_TYPED void outer(const struct train_linear *l, enum train_type t) {
  struct rt_range mine = rt_split(l->out_n, 1);
  for (uint32_t o = mine.begin; o < mine.end; o++) {
    float y = flh((const uint16_t *)l->out_grad + o, 0);
    size_t row = (size_t)o * l->in_n;
    for (uint32_t i = 0; i < l->in_n; i += 2) {
      float x = train_get2(l->in, i);
      train_put2(l->weights_grad, row + i,
                 l->add ? train_mac2_by(train_get2(l->weights_grad, row + i), x, y, t)
                        : train_mul2_by(x, y, t));
    }
  }
}

uint32_t train_linear_product_wg_size(const struct train_linear *l) {
  return outer_fits(l) ? 0 : train_product_buffer_size(l->out_n, l->in_n, l->batch, l->type);
}

enum kernel_status train_linear_product_wg(const struct train_linear *l) {
  if (train_linear_product_wg_size(l) > 0 && !train_aligned(l->scratch))
    return KERNEL_BAD_POINTER;
  if (l->bias_grad)
    TRAIN_BY_TYPE(l->type, bias_gradient, l);
  if (outer_fits(l)) {
    TRAIN_BY_TYPE(l->type, outer, l);
    return KERNEL_OK;
  }
  const struct train_product p = {l->out_grad, l->in,      l->weights_grad, l->out_n, l->in_n,
                                  l->batch,    l->out_n,   l->in_n,         l->in_n,  MMT_TN,
                                  l->add,      l->scratch, l->matmul,       l->type};
  return train_product(&p);
}

// ---- input gradient

enum kernel_status train_linear_product_ig(const struct train_linear *l) {
  if (l->type != TRAIN_F32 && !train_aligned(l->scratch))
    return KERNEL_BAD_POINTER;
  const struct train_product p = {l->out_grad, l->weights, l->in_grad, l->batch, l->in_n,
                                  l->out_n,    l->out_n,   l->in_n,    l->in_n,  MMT_NN,
                                  false,       l->scratch, l->matmul,  l->type};
  return train_product(&p);
}
