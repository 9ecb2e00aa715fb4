// kernels/train/train_optim.c
#include "train_optim.h"

#include "kernels/rt/rt.h"

enum kernel_status train_optim_sgd(const struct train_optim *s) {
  if (!s->count)
    return KERNEL_BAD_SHAPE;
  if (!s->weights || !s->grad)
    return KERNEL_BAD_POINTER;
  struct rt_range mine = rt_split(s->count, 1);
  for (uint32_t i = mine.begin; i < mine.end; i++) {
    float g = __builtin_fmaf(s->decay, s->weights[i], s->grad[i]);
    if (s->v)
      g = s->v[i] = __builtin_fmaf(s->momentum, s->v[i], g);
    s->weights[i] = __builtin_fmaf(-s->rate, g, s->weights[i]);
  }
  return KERNEL_OK;
}

enum kernel_status train_optim_adam(const struct train_optim *s) {
  if (!s->count || !(s->correction1 > 0) || !(s->correction2 > 0))
    return KERNEL_BAD_SHAPE;
  if (!s->weights || !s->grad || !s->m || !s->v)
    return KERNEL_BAD_POINTER;
  struct rt_range mine = rt_split(s->count, 1);
  float scale1 = 1.0f / s->correction1, scale2 = 1.0f / s->correction2;
  for (uint32_t i = mine.begin; i < mine.end; i++) {
    float g = __builtin_fmaf(s->decay, s->weights[i], s->grad[i]);
    s->m[i] = __builtin_fmaf(s->beta1, s->m[i], (1.0f - s->beta1) * g);
    s->v[i] = __builtin_fmaf(s->beta2, s->v[i], (1.0f - s->beta2) * g * g);
    float step = s->m[i] * scale1 / (__builtin_sqrtf(s->v[i] * scale2) + s->epsilon);
    s->weights[i] = __builtin_fmaf(-s->rate, step, s->weights[i]);
  }
  return KERNEL_OK;
}
