// kernels/train/train_linear_product.c: matrix products (train_product.h), but for the gradients of
// a batch of one in 16 bits: that of the weights is an outer product, two elements at a time, that
// of the input goes down the columns of the weights.
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

enum { OUTER_PAIRS = 8 };

// Rows begin at words.
static bool outer_fits(const struct train_linear *l) {
  return l->type != TRAIN_F32 && !l->matmul && l->batch == 1 && l->in_n % 2 == 0;
}

// `pairs` of columns of the outer product: the inputs stay in registers while the rows pass.
TRAIN_TYPED void outer_strip(const struct train_linear *l, uint32_t first, uint32_t pairs, bool add,
                             enum train_type t) {
  struct rt_range mine = rt_split(l->out_n, 1);
  uint16_t *row = (uint16_t *)l->weights_grad + (size_t)mine.begin * l->in_n + first;
  float x[OUTER_PAIRS];
  for (uint32_t i = 0; i < pairs; i++)
    x[i] = train_get2(l->in, first + 2 * i);
  for (uint32_t o = mine.begin; o < mine.end; o++, row += l->in_n) {
    float y = flh((const uint16_t *)l->out_grad + o, 0), w[OUTER_PAIRS];
    for (uint32_t i = 0; add && i < pairs; i++)
      w[i] = train_get2(row, 2 * i);
    for (uint32_t i = 0; i < pairs; i++)
      w[i] = add ? train_mac2_by(w[i], x[i], y, t) : train_mul2_by(x[i], y, t);
    for (uint32_t i = 0; i < pairs; i++)
      train_put2(row, 2 * i, w[i]);
  }
}

TRAIN_TYPED void outer(const struct train_linear *l, bool add, enum train_type t) {
  uint32_t i = 0;
  for (; i + 2 * OUTER_PAIRS <= l->in_n; i += 2 * OUTER_PAIRS)
    outer_strip(l, i, OUTER_PAIRS, add, t);
  for (; i < l->in_n; i += 2)
    outer_strip(l, i, 1, add, t);
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
    if (l->add)
      TRAIN_BY_TYPE(l->type, outer, l, true);
    else
      TRAIN_BY_TYPE(l->type, outer, l, false);
    return KERNEL_OK;
  }
  const struct train_product p = {l->out_grad, l->in,      l->weights_grad, l->out_n, l->in_n,
                                  l->batch,    l->out_n,   l->in_n,         l->in_n,  MMT_TN,
                                  l->add,      l->scratch, l->matmul,       l->type};
  return train_product(&p);
}

// ---- input gradient

// A batch of one: sums of a few columns stay in registers while the rows pass.
enum { DOWN_COLUMNS = 12 };

static bool down_fits(const struct train_linear *l) {
  return l->type != TRAIN_F32 && !l->matmul && l->batch == 1;
}

// Offsets of loads have to be constants, not what loops are unrolled to.
#define DOWN_EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define DOWN_LOAD(i)  x[i] = flh(w, 2 * (i));
#define DOWN_MAC(i)   sum[i] = train_mac_of(sum[i], x[i], factor, t);
#define DOWN_CLEAR(i) sum[i] = 0;
#define DOWN_PUT(i)   train_put(l->in_grad, first + (i), sum[i], t);

TRAIN_TYPED void down_strip(const struct train_linear *l, uint32_t first, enum train_type t) {
  const uint16_t *w = (const uint16_t *)l->weights + first, *y = l->out_grad;
  float sum[DOWN_COLUMNS], x[DOWN_COLUMNS];
  DOWN_EACH(DOWN_CLEAR)
  for (uint32_t o = 0; o < l->out_n; o++, w += l->in_n) {
    float factor = flh(y + o, 0);
    DOWN_EACH(DOWN_LOAD)
    DOWN_EACH(DOWN_MAC)
  }
  DOWN_EACH(DOWN_PUT)
}

TRAIN_TYPED void down_column(const struct train_linear *l, uint32_t column, enum train_type t) {
  float sum = 0;
  for (uint32_t o = 0; o < l->out_n; o++)
    sum = train_mac(sum, l->weights, (size_t)o * l->in_n + column, l->out_grad, o, t);
  train_put(l->in_grad, column, sum, t);
}

TRAIN_TYPED void down(const struct train_linear *l, enum train_type t) {
  struct rt_range mine = rt_split(l->in_n, 2); // a word of results has one writer
  uint32_t i = mine.begin;
  for (; i + DOWN_COLUMNS <= mine.end; i += DOWN_COLUMNS)
    down_strip(l, i, t);
  for (; i < mine.end; i++)
    down_column(l, i, t);
}

uint32_t train_linear_product_ig_size(const struct train_linear *l) {
  return down_fits(l) ? 0 : train_product_buffer_size(l->batch, l->in_n, l->out_n, l->type);
}

enum kernel_status train_linear_product_ig(const struct train_linear *l) {
  if (train_linear_product_ig_size(l) > 0 && !train_aligned(l->scratch))
    return KERNEL_BAD_POINTER;
  if (down_fits(l)) {
    if (l->type == TRAIN_FP16)
      down(l, TRAIN_FP16);
    else
      down(l, TRAIN_BF16);
    return KERNEL_OK;
  }
  const struct train_product p = {l->out_grad, l->weights, l->in_grad, l->batch, l->in_n,
                                  l->out_n,    l->out_n,   l->in_n,    l->in_n,  MMT_NN,
                                  false,       l->scratch, l->matmul,  l->type};
  return train_product(&p);
}
