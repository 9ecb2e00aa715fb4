// kernels/train/train_elem.c
#include "train_elem.h"

#include "kernels/rt/rt.h"

enum kernel_status train_residual_fw(const struct train_residual *l) {
  if (!l->count)
    return KERNEL_BAD_SHAPE;
  if (!l->a || !l->b || !l->out)
    return KERNEL_BAD_POINTER;
  struct rt_range mine = rt_split(l->count, 1);
  for (uint32_t i = mine.begin; i < mine.end; i++)
    l->out[i] = l->a[i] + l->b[i];
  return KERNEL_OK;
}

enum kernel_status train_residual_ig(const struct train_residual *l) {
  if (!l->count)
    return KERNEL_BAD_SHAPE;
  if (!l->out_grad || !l->a_grad || !l->b_grad)
    return KERNEL_BAD_POINTER;
  struct rt_range mine = rt_split(l->count, 1);
  for (uint32_t i = mine.begin; i < mine.end; i++) {
    float g = l->out_grad[i];
    l->a_grad[i] = l->add ? l->a_grad[i] + g : g;
    l->b_grad[i] = l->add ? l->b_grad[i] + g : g;
  }
  return KERNEL_OK;
}

static uint32_t hash(uint32_t x) {
  x ^= x >> 16;
  x *= 0x85ebca6b;
  x ^= x >> 13;
  x *= 0xc2b2ae35;
  return x ^ x >> 16;
}

enum kernel_status train_dropout(const struct train_dropout *l) {
  if (!l->count || !(l->keep > 0 && l->keep <= 1))
    return KERNEL_BAD_SHAPE;
  if (!l->in || !l->out)
    return KERNEL_BAD_POINTER;
  uint32_t below = l->keep == 1 ? UINT32_MAX : (uint32_t)(l->keep * 0x1p32f);
  float scale = 1.0f / l->keep;
  struct rt_range mine = rt_split(l->count, 1);
  for (uint32_t i = mine.begin; i < mine.end; i++)
    l->out[i] = l->keep == 1 || hash(i ^ hash(l->seed)) < below ? l->in[i] * scale : 0;
  return KERNEL_OK;
}
