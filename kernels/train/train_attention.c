// kernels/train/train_attention.c
#include "train_attention.h"

#include <stddef.h>

#include "kernels/mm/mmt_f32.h"
#include "kernels/rt/rt.h"
#include "train_softmax.h"

uint32_t train_attention_buffer_size(const struct train_attention *l) {
  return (4 * l->rows * l->width + l->heads * l->rows * l->rows) * 4;
}

static enum kernel_status refuse(const struct train_attention *l) {
  if (!l->rows || !l->width || !l->heads || l->width % l->heads)
    return KERNEL_BAD_SHAPE;
  return l->in && l->wq && l->wk && l->wv && l->wo && l->q && l->k && l->v && l->z && l->p
             ? KERNEL_OK
             : KERNEL_BAD_POINTER;
}

// c [n][m] = op(a) * op(b), dense but for the heads' columns: strides as given.
static void product(float *c, const float *a, const float *b, uint32_t n, uint32_t m, uint32_t k,
                    const uint32_t ld[3], enum mmt_layout layout, bool add) {
  const struct mmt_f32 mm = {a, b, c, n, m, k, ld[0], ld[1], ld[2], layout, add};
  mmt_f32(MMT_F32_AUTO, &mm);
}

static void dense(float *c, const float *a, const float *b, const struct train_attention *l,
                  enum mmt_layout layout, bool add) {
  uint32_t w = l->width;
  const uint32_t ld[3] = {w, w, w};
  product(c, a, b, layout == MMT_TN ? w : l->rows, w, layout == MMT_TN ? l->rows : w, ld, layout,
          add);
}

static void scale(float *x, uint32_t count, float by) {
  struct rt_range mine = rt_split(count, 1);
  for (uint32_t i = mine.begin; i < mine.end; i++)
    x[i] *= by;
}

static float head_scale(const struct train_attention *l) {
  uint32_t width = l->width / l->heads; // of one head
  return 1.0f / __builtin_sqrtf((float)width);
}

enum kernel_status train_attention_fw(const struct train_attention *l) {
  enum kernel_status status = refuse(l);
  if (status != KERNEL_OK || !l->out)
    return status != KERNEL_OK ? status : KERNEL_BAD_POINTER;
  uint32_t n = l->rows, d = l->width / l->heads, w = l->width;
  dense(l->q, l->in, l->wq, l, MMT_NT, false);
  dense(l->k, l->in, l->wk, l, MMT_NT, false);
  dense(l->v, l->in, l->wv, l, MMT_NT, false);
  rt_barrier();
  for (uint32_t h = 0; h < l->heads; h++) {
    const uint32_t ld[3] = {w, w, n};
    product(l->p + (size_t)h * n * n, l->q + h * d, l->k + h * d, n, n, d, ld, MMT_NT, false);
  }
  rt_barrier();
  scale(l->p, l->heads * n * n, head_scale(l));
  rt_barrier();
  const struct train_softmax softmax = {l->p, l->p, NULL, NULL, l->heads * n, n, TRAIN_F32};
  train_softmax_fw(&softmax);
  rt_barrier();
  for (uint32_t h = 0; h < l->heads; h++) {
    const uint32_t ld[3] = {n, w, w};
    product(l->z + h * d, l->p + (size_t)h * n * n, l->v + h * d, n, d, n, ld, MMT_NN, false);
  }
  rt_barrier();
  dense(l->out, l->z, l->wo, l, MMT_NT, false);
  return KERNEL_OK;
}

// Gradients of q, k, v and of the scores.
struct inner {
  float *dz, *dq, *dk, *dv, *dp;
};

static void heads_bw(const struct train_attention *l, const struct inner *g) {
  uint32_t n = l->rows, d = l->width / l->heads, w = l->width;
  const uint32_t score[3] = {w, w, n}, wide[3] = {n, w, w};
  for (uint32_t h = 0; h < l->heads; h++) {
    product(g->dp + (size_t)h * n * n, g->dz + h * d, l->v + h * d, n, n, d, score, MMT_NT, false);
    product(g->dv + h * d, l->p + (size_t)h * n * n, g->dz + h * d, n, d, n, wide, MMT_TN, false);
  }
  rt_barrier();
  const struct train_softmax softmax = {NULL, l->p, g->dp, g->dp, l->heads * n, n, TRAIN_F32};
  train_softmax_ig(&softmax);
  rt_barrier();
  scale(g->dp, l->heads * n * n, head_scale(l));
  rt_barrier();
  for (uint32_t h = 0; h < l->heads; h++) {
    const float *dp = g->dp + (size_t)h * n * n;
    product(g->dq + h * d, dp, l->k + h * d, n, d, n, wide, MMT_NN, false);
    product(g->dk + h * d, dp, l->q + h * d, n, d, n, wide, MMT_TN, false);
  }
  rt_barrier();
}

enum kernel_status train_attention_bw(const struct train_attention *l) {
  enum kernel_status status = refuse(l);
  if (status == KERNEL_OK && (!l->out_grad || !l->in_grad || !l->wq_grad || !l->wk_grad ||
                              !l->wv_grad || !l->wo_grad || !l->scratch))
    status = KERNEL_BAD_POINTER;
  if (status != KERNEL_OK)
    return status;
  size_t count = (size_t)l->rows * l->width;
  float *s = l->scratch;
  const struct inner g = {s, s + count, s + 2 * count, s + 3 * count, s + 4 * count};
  dense(g.dz, l->out_grad, l->wo, l, MMT_NN, false);
  dense(l->wo_grad, l->out_grad, l->z, l, MMT_TN, l->add);
  rt_barrier();
  heads_bw(l, &g);
  dense(l->wq_grad, g.dq, l->in, l, MMT_TN, l->add);
  dense(l->wk_grad, g.dk, l->in, l, MMT_TN, l->add);
  dense(l->wv_grad, g.dv, l->in, l, MMT_TN, l->add);
  dense(l->in_grad, g.dq, l->wq, l, MMT_NN, false);
  dense(l->in_grad, g.dk, l->wk, l, MMT_NN, true); // the same core has the same elements
  dense(l->in_grad, g.dv, l->wv, l, MMT_NN, true);
  return KERNEL_OK;
}
