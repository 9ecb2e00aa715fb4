// kernels/train/train_attention.c
#include "train_attention.h"

#include "kernels/rt/rt.h"
#include "train_extent.h"
#include "train_product.h"
#include "train_softmax.h"
#include "train_typed.h"

static uint32_t larger(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

uint32_t train_attention_fw_buffer_size(const struct train_attention *l) {
  uint32_t n = l->rows, w = l->width, d = l->heads ? w / l->heads : 0;
  return larger(train_product_buffer_size(n, w, w, l->type),
                larger(train_product_buffer_size(n, n, d, l->type),
                       train_product_buffer_size(n, d, n, l->type)));
}

// Bytes of the gradients of q, k, v, z and the scores, in whole words.
static uint32_t inner_size(const struct train_attention *l) {
  uint32_t count = 4 * l->rows * l->width + l->heads * l->rows * l->rows;
  return (count + count % 2) * train_bytes(l->type);
}

uint32_t train_attention_bw_buffer_size(const struct train_attention *l) {
  return inner_size(l) + larger(train_attention_fw_buffer_size(l),
                                train_product_buffer_size(l->width, l->width, l->rows, l->type));
}

static enum kernel_status refuse(const struct train_attention *l, uint32_t scratch) {
  if (!l->rows || !l->width || !l->heads || l->width % l->heads || l->type >= TRAIN_TYPES ||
      train_bad_matmul(l->matmul))
    return KERNEL_BAD_SHAPE;
  return l->in && l->wq && l->wk && l->wv && l->wo && l->q && l->k && l->v && l->z && l->p &&
                 (!scratch || train_aligned(l->scratch))
             ? KERNEL_OK
             : KERNEL_BAD_POINTER;
}

// A layer in work: `buffer` is the products' scratch.
struct work {
  const struct train_attention *l;
  void *buffer;
  uint32_t n, w, d; // rows, width, width of a head
};

static struct work work_of(const struct train_attention *l, uint32_t offset) {
  return (struct work){l, (void *)((uintptr_t)l->scratch + offset), l->rows, l->width,
                       l->width / l->heads};
}

static void *at(const struct work *o, const void *base, size_t i) {
  return train_at(base, i, o->l->type);
}

// c = op(a) op(b), matrices of `width` columns.
static void dense(const struct work *o, void *c, const void *a, const void *b,
                  enum mmt_layout layout, bool add) {
  const struct train_product p = {.a = a,
                                  .b = b,
                                  .c = c,
                                  .n = layout == MMT_TN ? o->w : o->n,
                                  .m = o->w,
                                  .k = layout == MMT_TN ? o->n : o->w,
                                  .lda = o->w,
                                  .ldb = o->w,
                                  .ldc = o->w,
                                  .layout = layout,
                                  .add = add,
                                  .scratch = o->buffer,
                                  .matmul = o->l->matmul,
                                  .type = o->l->type};
  train_product(&p);
}

// Rows of `c` = bias, from which the products then begin: sums are rounded once.
TRAIN_TYPED void set_rows(void *c, const void *bias, struct rt_range rows, uint32_t width,
                          enum train_type t) {
  for (uint32_t r = rows.begin; r < rows.end; r++) {
    for (uint32_t i = 0; i < width; i++)
      train_copy(c, (size_t)r * width + i, bias, i, t);
  }
}

static void begin_with(const struct work *o, void *c, const void *bias) {
  if (bias)
    TRAIN_BY_TYPE(o->l->type, set_rows, c, bias, rt_split(o->n, 2), o->w);
}

// bias_grad (+)= the sums of the columns of `d`.
TRAIN_TYPED void sum_columns(const struct work *o, void *bias_grad, const void *d,
                             enum train_type t) {
  struct rt_range mine = rt_split(o->w, 2);
  for (uint32_t i = mine.begin; i < mine.end; i++) {
    float sum = o->l->add ? train_get(bias_grad, i, t) : 0;
    for (uint32_t r = 0; r < o->n; r++)
      sum += train_get(d, (size_t)r * o->w + i, t);
    train_put(bias_grad, i, sum, t);
  }
}

static void bias_gradient(const struct work *o, void *bias_grad, const void *d) {
  if (bias_grad)
    TRAIN_BY_TYPE(o->l->type, sum_columns, o, bias_grad, d);
}

// Scores: c [n][n] of head h = a b', columns of the head.
static void scores(const struct work *o, uint32_t h, void *c, const void *a, const void *b) {
  const struct train_product p = {.a = at(o, a, h * o->d),
                                  .b = at(o, b, h * o->d),
                                  .c = at(o, c, (size_t)h * o->n * o->n),
                                  .n = o->n,
                                  .m = o->n,
                                  .k = o->d,
                                  .lda = o->w,
                                  .ldb = o->w,
                                  .ldc = o->n,
                                  .layout = MMT_NT,
                                  .scratch = o->buffer,
                                  .matmul = o->l->matmul,
                                  .type = o->l->type};
  train_product(&p);
}

// Columns of head h of c = op(a) b, with a [n][n] of the head, and columns of b.
static void mix(const struct work *o, uint32_t h, void *c, const void *a, const void *b,
                enum mmt_layout layout) {
  const struct train_product p = {.a = at(o, a, (size_t)h * o->n * o->n),
                                  .b = at(o, b, h * o->d),
                                  .c = at(o, c, h * o->d),
                                  .n = o->n,
                                  .m = o->d,
                                  .k = o->n,
                                  .lda = o->n,
                                  .ldb = o->w,
                                  .ldc = o->w,
                                  .layout = layout,
                                  .scratch = o->buffer,
                                  .matmul = o->l->matmul,
                                  .type = o->l->type};
  train_product(&p);
}

TRAIN_TYPED void multiply(void *x, uint32_t i, uint32_t end, float by, enum train_type t) {
  for (; i < end; i++)
    train_put(x, i, train_get(x, i, t) * by, t);
}

// All scores times 1 / sqrt(width of a head).
static void scale(const struct work *o, void *p) {
  struct rt_range mine = rt_share(o->l->heads * o->n * o->n);
  float by = 1.0f / __builtin_sqrtf((float)o->d);
  TRAIN_BY_TYPE(o->l->type, multiply, p, mine.begin, mine.end, by);
}

enum kernel_status train_attention_fw(const struct train_attention *l) {
  enum kernel_status status = refuse(l, train_attention_fw_buffer_size(l));
  if (status != KERNEL_OK || !l->out)
    return status != KERNEL_OK ? status : KERNEL_BAD_POINTER;
  const struct work o = work_of(l, 0);
  begin_with(&o, l->q, l->bq);
  begin_with(&o, l->k, l->bk);
  begin_with(&o, l->v, l->bv);
  begin_with(&o, l->out, l->bo);
  rt_barrier();
  dense(&o, l->q, l->in, l->wq, MMT_NT, l->bq != NULL);
  dense(&o, l->k, l->in, l->wk, MMT_NT, l->bk != NULL);
  dense(&o, l->v, l->in, l->wv, MMT_NT, l->bv != NULL);
  rt_barrier();
  for (uint32_t h = 0; h < l->heads; h++)
    scores(&o, h, l->p, l->q, l->k);
  rt_barrier();
  scale(&o, l->p);
  rt_barrier();
  const struct train_softmax softmax = {
      .in = l->p, .out = l->p, .rows = l->heads * o.n, .columns = o.n, .type = l->type};
  train_softmax_fw(&softmax);
  rt_barrier();
  for (uint32_t h = 0; h < l->heads; h++)
    mix(&o, h, l->z, l->p, l->v, MMT_NN);
  rt_barrier();
  dense(&o, l->out, l->z, l->wo, MMT_NT, l->bo != NULL);
  return KERNEL_OK;
}

// Gradients of z, q, k, v and of the scores.
struct inner {
  void *dz, *dq, *dk, *dv, *dp;
};

static void heads_bw(const struct work *o, const struct inner *g) {
  const struct train_attention *l = o->l;
  for (uint32_t h = 0; h < l->heads; h++) {
    scores(o, h, g->dp, g->dz, l->v);
    mix(o, h, g->dv, l->p, g->dz, MMT_TN);
  }
  rt_barrier();
  const struct train_softmax softmax = {.out = l->p,
                                        .out_grad = g->dp,
                                        .in_grad = g->dp,
                                        .rows = l->heads * o->n,
                                        .columns = o->n,
                                        .type = l->type};
  train_softmax_ig(&softmax);
  rt_barrier();
  scale(o, g->dp);
  rt_barrier();
  for (uint32_t h = 0; h < l->heads; h++) {
    mix(o, h, g->dq, g->dp, l->k, MMT_NN);
    mix(o, h, g->dk, g->dp, l->q, MMT_TN);
  }
  rt_barrier();
}

enum kernel_status train_attention_bw(const struct train_attention *l) {
  enum kernel_status status = refuse(l, train_attention_bw_buffer_size(l));
  if (status == KERNEL_OK &&
      (!l->out_grad || !l->in_grad || !l->wq_grad || !l->wk_grad || !l->wv_grad || !l->wo_grad))
    status = KERNEL_BAD_POINTER;
  if (status != KERNEL_OK)
    return status;
  const struct work o = work_of(l, inner_size(l));
  size_t count = (size_t)o.n * o.w;
  void *s = l->scratch;
  const struct inner g = {s, at(&o, s, count), at(&o, s, 2 * count), at(&o, s, 3 * count),
                          at(&o, s, 4 * count)};
  dense(&o, g.dz, l->out_grad, l->wo, MMT_NN, false);
  dense(&o, l->wo_grad, l->out_grad, l->z, MMT_TN, l->add);
  rt_barrier();
  heads_bw(&o, &g);
  bias_gradient(&o, l->bq_grad, g.dq);
  bias_gradient(&o, l->bk_grad, g.dk);
  bias_gradient(&o, l->bv_grad, g.dv);
  bias_gradient(&o, l->bo_grad, l->out_grad);
  dense(&o, l->wq_grad, g.dq, l->in, MMT_TN, l->add);
  dense(&o, l->wk_grad, g.dk, l->in, MMT_TN, l->add);
  dense(&o, l->wv_grad, g.dv, l->in, MMT_TN, l->add);
  dense(&o, l->in_grad, g.dq, l->wq, MMT_NN, false);
  dense(&o, l->in_grad, g.dk, l->wk, MMT_NN, true); // the same core has the same elements
  dense(&o, l->in_grad, g.dv, l->wv, MMT_NN, true);
  return KERNEL_OK;
}
