// kernels/train/train_optim.c
#include "train_optim.h"

#include <stdbool.h>

#include "kernels/rt/rt.h"
#include "train_typed.h"

// A walk from element i of the gradient on: where it belongs in the weights.
struct place {
  uint32_t row, column;
};
static struct place place_of(const struct train_optim *s, uint32_t i) {
  uint32_t row = s->index ? i / s->columns : 0;
  return (struct place){row, s->index ? i - row * s->columns : i};
}
static inline size_t next(const struct train_optim *s, struct place *p) {
  if (!s->index)
    return p->column++;
  if (p->column == s->columns) {
    p->column = 0;
    p->row++;
  }
  return (size_t)s->index[p->row] * s->columns + p->column++;
}

static bool bad_rows(const struct train_optim *s) {
  return s->index && (!s->columns || s->count % s->columns);
}

TRAIN_TYPED void sgd(const struct train_optim *s, uint32_t i, uint32_t end, enum train_type t) {
  struct place place = place_of(s, i);
  for (; i < end; i++) {
    size_t at = next(s, &place);
    float w = train_get(s->weights, at, t);
    float g = __builtin_fmaf(s->decay, w, train_get(s->grad, i, t));
    if (s->v)
      g = s->v[i] = __builtin_fmaf(s->momentum, s->v[i], g);
    train_put(s->weights, at, __builtin_fmaf(-s->rate, g, w), t);
  }
}

enum kernel_status train_optim_sgd(const struct train_optim *s) {
  if (!s->count || s->type >= TRAIN_TYPES || bad_rows(s))
    return KERNEL_BAD_SHAPE;
  if (!s->weights || !s->grad)
    return KERNEL_BAD_POINTER;
  struct rt_range mine = rt_share(s->count);
  TRAIN_BY_TYPE(s->type, sgd, s, mine.begin, mine.end);
  return KERNEL_OK;
}

TRAIN_TYPED void adam(const struct train_optim *s, uint32_t i, uint32_t end, enum train_type t) {
  float scale1 = 1.0f / s->correction1, scale2 = 1.0f / s->correction2;
  struct place place = place_of(s, i);
  for (; i < end; i++) {
    size_t at = next(s, &place);
    float w = train_get(s->weights, at, t);
    float g = __builtin_fmaf(s->decay, w, train_get(s->grad, i, t));
    s->m[i] = __builtin_fmaf(s->beta1, s->m[i], (1.0f - s->beta1) * g);
    s->v[i] = __builtin_fmaf(s->beta2, s->v[i], (1.0f - s->beta2) * g * g);
    float step = s->m[i] * scale1 / (__builtin_sqrtf(s->v[i] * scale2) + s->epsilon);
    train_put(s->weights, at, __builtin_fmaf(-s->rate, step, w), t);
  }
}

enum kernel_status train_optim_adam(const struct train_optim *s) {
  if (!s->count || s->type >= TRAIN_TYPES || bad_rows(s) || !(s->correction1 > 0) ||
      !(s->correction2 > 0))
    return KERNEL_BAD_SHAPE;
  if (!s->weights || !s->grad || !s->m || !s->v)
    return KERNEL_BAD_POINTER;
  struct rt_range mine = rt_share(s->count);
  TRAIN_BY_TYPE(s->type, adam, s, mine.begin, mine.end);
  return KERNEL_OK;
}
