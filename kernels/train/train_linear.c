// kernels/train/train_linear.c
#include "train_linear.h"

#include "kernels/mm/mmt_f32.h"
#include "kernels/mm/mmt_f32_tile.h"
#include "kernels/rt/rt.h"
#include "train_extent.h"
#include "train_gemv.h"
#include "train_linear_product.h"
#include "train_product.h"
#include "train_typed.h"

static bool one_fits(const struct train_linear *l);

uint32_t train_linear_fw_buffer_size(const struct train_linear *l) {
  return one_fits(l) ? 0 : train_product_buffer_size(l->batch, l->out_n, l->in_n, l->type);
}

uint32_t train_linear_wg_buffer_size(const struct train_linear *l) {
  return train_linear_product_wg_size(l);
}

uint32_t train_linear_ig_buffer_size(const struct train_linear *l) {
  return train_linear_product_ig_size(l);
}

static enum kernel_status refuse(const struct train_linear *l, const void *one, const void *two,
                                 const void *three) {
  if (!l->batch || !l->in_n || !l->out_n || l->type >= TRAIN_TYPES || train_bad_matmul(l->matmul))
    return KERNEL_BAD_SHAPE;
  return train_aligned(one) && train_aligned(two) && train_aligned(three) ? KERNEL_OK
                                                                          : KERNEL_BAD_POINTER;
}

// A column range of a matrix, strip by strip, the widest first.
static __attribute__((noinline)) void all_strips(train_gemv_fn **fn, struct train_gemv *g,
                                                 uint32_t columns) {
  uint32_t i = 0;
  while (columns > 0) {
    uint32_t width = train_gemv_width(i);
    if (width > columns) {
      i++;
      continue;
    }
    fn[i](g);
    g->w += width;
    g->x += width;
    columns -= width;
  }
}

// A share that is a single strip keeps nothing across a call: that saves a small layer 1 %.
static inline __attribute__((always_inline)) void strips(train_gemv_fn **fn, struct train_gemv g,
                                                         uint32_t columns) {
  if (TRAIN_USUALLY(columns == train_gemv_width(0)))
    fn[0](&g);
  else
    all_strips(fn, &g, columns);
}

static __attribute__((noinline)) void add_bias(const struct train_linear *l) {
  struct rt_range mine = rt_share(l->out_n);
  float *out = l->out;
  const float *bias = l->bias;
  for (uint32_t b = 0; b < l->batch; b++) {
    for (uint32_t o = mine.begin; o < mine.end; o++)
      out[b * l->out_n + o] += bias[o];
  }
}

// One input: each core a range of rows of the weights, in blocks of up to eight. (The split and
// the choices of mmt_f32() would cost more than a tenth of a small layer.) In 16 bits the output
// begins with the bias; for pairs of inputs that cross words see train_linear_product.c.
static bool one_fits(const struct train_linear *l) {
  return l->batch == 1 && !l->matmul;
}

// Returns how many rows are left. Apart: most layers have few rows a core, and keep nothing across
// a call then.
static __attribute__((noinline)) uint32_t all_but_last(mmt_tile_fn **tiles, struct mmt_tile *t,
                                                       uint32_t rows) {
  for (; rows > MMT_TILE_ROWS; rows -= MMT_TILE_ROWS) {
    tiles[MMT_TILE_ROWS - 1](t);
    t->a.at = (const char *)t->a.at + MMT_TILE_ROWS * t->a.step;
    t->c = (char *)t->c + MMT_TILE_ROWS * t->c_step;
  }
  return rows;
}

TRAIN_TYPED void forward_one(const struct train_linear *l, enum train_type type) {
  struct rt_range mine = rt_share(l->out_n);
  uint32_t row = l->in_n * train_bytes(type);
  mmt_tile_fn **tiles = type == TRAIN_F32    ? mmt_column_tiles_s_nt
                        : type == TRAIN_FP16 ? mmt_column_tiles_h_nt
                                             : mmt_column_tiles_ah_nt;
  struct mmt_tile t; // field by field: the compiler would call memset()
  t.a.step = row;
  t.a.at = (const char *)l->weights + mine.begin * row;
  t.b.at = l->in;
  t.c = train_at(l->out, mine.begin, type);
  t.c_step = train_bytes(type);
  t.k = row / 4;
  t.blocks = 1;
  t.add = type != TRAIN_F32 && l->bias;
  t.a.next = t.b.next = t.c_next = t.b.step = 0; // one block, one column
  for (uint32_t o = mine.begin; t.add && o < mine.end; o++)
    train_copy(l->out, o, l->bias, o, type);
  uint32_t rows = mine.end - mine.begin;
  if (rows > MMT_TILE_ROWS)
    rows = all_but_last(tiles, &t, rows);
  if (TRAIN_USUALLY(rows > 0))
    tiles[rows - 1](&t);
}

static void forward_batch(const struct train_linear *l) {
  const struct mmt_f32 mm = {l->in,   l->weights, l->out,   l->batch, l->out_n, l->in_n,
                             l->in_n, l->in_n,    l->out_n, MMT_NT,   false};
  mmt_f32_unchecked(MMT_F32_AUTO, &mm);
  if (l->bias) // its split is another one
    rt_barrier();
}

enum kernel_status train_linear_fw(const struct train_linear *l) {
  enum kernel_status status = refuse(l, l->in, l->weights, l->out);
  if (status != KERNEL_OK)
    return status;
  if (TRAIN_RARELY(l->type != TRAIN_F32) && one_fits(l)) {
    if (l->in_n % 2)
      train_linear_product_fw_one(l);
    else if (l->type == TRAIN_FP16)
      forward_one(l, TRAIN_FP16);
    else
      forward_one(l, TRAIN_BF16);
    return KERNEL_OK;
  }
  if (TRAIN_RARELY(l->type != TRAIN_F32 || l->matmul))
    return train_linear_product_fw(l);
  if (TRAIN_USUALLY(one_fits(l)))
    forward_one(l, TRAIN_F32);
  else
    forward_batch(l);
  if (TRAIN_RARELY(l->bias))
    add_bias(l);
  return KERNEL_OK;
}

static void bias_gradient(const struct train_linear *l) {
  const float *out_grad = l->out_grad;
  float *bias_grad = l->bias_grad;
  struct rt_range mine = rt_share(l->out_n);
  for (uint32_t o = mine.begin; o < mine.end; o++) {
    float sum = l->add ? bias_grad[o] : 0;
    for (uint32_t b = 0; b < l->batch; b++)
      sum += out_grad[b * l->out_n + o];
    bias_grad[o] = sum;
  }
}

enum kernel_status train_linear_wg(const struct train_linear *l) {
  enum kernel_status status = refuse(l, l->in, l->out_grad, l->weights_grad);
  if (status != KERNEL_OK)
    return status;
  if (TRAIN_RARELY(l->type != TRAIN_F32 || l->matmul))
    return train_linear_product_wg(l);
  if (TRAIN_RARELY(l->bias_grad))
    bias_gradient(l);
  if (TRAIN_USUALLY(l->batch == 1)) {
    struct rt_range mine = rt_share(l->in_n);
    const struct train_gemv g = {l->out_grad, (float *)l->weights_grad + mine.begin, l->in_n * 4,
                                 l->out_n, (float *)l->in + mine.begin};
    strips(l->add ? train_gemv_outer_add : train_gemv_outer, g, mine.end - mine.begin);
    return KERNEL_OK;
  }
  const struct mmt_f32 mm = {l->out_grad, l->in,   l->weights_grad, l->out_n, l->in_n, l->batch,
                             l->out_n,    l->in_n, l->in_n,         MMT_TN,   l->add};
  mmt_f32_unchecked(MMT_F32_AUTO, &mm);
  return KERNEL_OK;
}

enum kernel_status train_linear_ig(const struct train_linear *l) {
  enum kernel_status status = refuse(l, l->out_grad, l->weights, l->in_grad);
  if (status != KERNEL_OK)
    return status;
  if (TRAIN_RARELY(l->type != TRAIN_F32 || l->matmul))
    return train_linear_product_ig(l);
  if (TRAIN_USUALLY(l->batch == 1)) {
    struct rt_range mine = rt_share(l->in_n);
    const struct train_gemv g = {l->out_grad, (float *)l->weights + mine.begin, l->in_n * 4,
                                 l->out_n, (float *)l->in_grad + mine.begin};
    strips(train_gemv_down, g, mine.end - mine.begin);
    return KERNEL_OK;
  }
  const struct mmt_f32 mm = {l->out_grad, l->weights, l->in_grad, l->batch, l->in_n, l->out_n,
                             l->out_n,    l->in_n,    l->in_n,    MMT_NN,   false};
  mmt_f32_unchecked(MMT_F32_AUTO, &mm);
  return KERNEL_OK;
}
