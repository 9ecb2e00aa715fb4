// kernels/train/train_rnn.c
#include "train_rnn.h"

#include <stddef.h>

#include "kernels/mm/mmt_f32.h"
#include "kernels/rt/rt.h"
#include "train_gated.h"
#include "train_math.h"

static struct train_gated gated(const struct train_rnn *l) {
  return (struct train_gated){.in = l->in,
                              .wx = l->wx,
                              .wh = l->wh,
                              .start = l->start,
                              .out = l->out,
                              .out_grad = l->out_grad,
                              .in_grad = l->in_grad,
                              .wx_grad = l->wx_grad,
                              .wh_grad = l->wh_grad,
                              .scratch = l->scratch,
                              .steps = l->steps,
                              .in_n = l->in_n,
                              .state_n = l->state_n,
                              .add = l->add,
                              .type = l->type};
}

uint32_t train_rnn_buffer_size(const struct train_rnn *l) {
  const struct train_gated other = gated(l);
  return l->type == TRAIN_F32 ? l->steps * l->state_n * 4
                              : train_gated_buffer_size(TRAIN_GATED_RNN, &other);
}

static enum kernel_status refuse(const struct train_rnn *l) {
  if (!l->steps || !l->in_n || !l->state_n || l->type >= TRAIN_TYPES)
    return KERNEL_BAD_SHAPE;
  return l->in && l->wx && l->wh && l->out ? KERNEL_OK : KERNEL_BAD_POINTER;
}

// What the states get from the inputs is one matrix product; the rest goes step by step.
enum kernel_status train_rnn_fw(const struct train_rnn *l) {
  enum kernel_status status = refuse(l);
  if (status != KERNEL_OK)
    return status;
  if (l->type != TRAIN_F32) {
    const struct train_gated other = gated(l);
    return train_gated_fw(TRAIN_GATED_RNN, &other);
  }
  uint32_t n = l->state_n;
  float *out = l->out;
  const float *wh = l->wh;
  const struct mmt_f32 mm = {l->in,   l->wx,   l->out, l->steps, n,    l->in_n,
                             l->in_n, l->in_n, n,      MMT_NT,   false};
  mmt_f32(MMT_F32_AUTO, &mm);
  rt_barrier();
  struct rt_range mine = rt_share(n);
  for (size_t t = 0; t < l->steps; t++) {
    const float *before = t > 0 ? out + (t - 1) * n : l->start;
    for (size_t i = mine.begin; i < mine.end; i++) {
      float sum = out[t * n + i];
      for (size_t j = 0; before && j < n; j++)
        sum = __builtin_fmaf(wh[i * n + j], before[j], sum);
      out[t * n + i] = train_tanh(sum);
    }
    rt_barrier();
  }
  return KERNEL_OK;
}

static void errors(const struct train_rnn *l, float *e) {
  size_t n = l->state_n;
  const float *out_grad = l->out_grad, *out = l->out, *wh = l->wh;
  struct rt_range mine = rt_share(l->state_n);
  for (size_t t = l->steps; t-- > 0;) {
    for (size_t i = mine.begin; i < mine.end; i++) {
      float sum = out_grad[t * n + i], h = out[t * n + i];
      for (size_t j = 0; t + 1 < l->steps && j < n; j++)
        sum = __builtin_fmaf(wh[j * n + i], e[(t + 1) * n + j], sum);
      e[t * n + i] = sum * (1.0f - h * h);
    }
    rt_barrier();
  }
}

// Gradient of Wh: the states but the last, and the start.
static void wh_gradient(const struct train_rnn *l, const float *e) {
  size_t n = l->state_n;
  const float *out = l->out, *start = l->start;
  float *wh_grad = l->wh_grad;
  struct rt_range mine = rt_share(l->state_n);
  for (size_t i = mine.begin; i < mine.end; i++) {
    for (size_t j = 0; j < n; j++) {
      float sum = l->add ? wh_grad[i * n + j] : 0;
      if (start)
        sum = __builtin_fmaf(e[i], start[j], sum);
      for (size_t t = 1; t < l->steps; t++)
        sum = __builtin_fmaf(e[t * n + i], out[(t - 1) * n + j], sum);
      wh_grad[i * n + j] = sum;
    }
  }
}

enum kernel_status train_rnn_bw(const struct train_rnn *l) {
  enum kernel_status status = refuse(l);
  if (status == KERNEL_OK &&
      (!l->out_grad || !l->in_grad || !l->wx_grad || !l->wh_grad || !l->scratch))
    status = KERNEL_BAD_POINTER;
  if (status != KERNEL_OK)
    return status;
  if (l->type != TRAIN_F32) {
    const struct train_gated other = gated(l);
    return train_gated_bw(TRAIN_GATED_RNN, &other);
  }
  uint32_t n = l->state_n;
  float *e = l->scratch;
  errors(l, e);
  const struct mmt_f32 wg = {e, l->in,   l->wx_grad, n,      l->in_n, l->steps,
                             n, l->in_n, l->in_n,    MMT_TN, l->add};
  const struct mmt_f32 ig = {e, l->wx,   l->in_grad, l->steps, l->in_n, n,
                             n, l->in_n, l->in_n,    MMT_NN,   false};
  mmt_f32(MMT_F32_AUTO, &wg);
  mmt_f32(MMT_F32_AUTO, &ig);
  wh_gradient(l, e);
  return KERNEL_OK;
}
