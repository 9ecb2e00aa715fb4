// kernels/train/train_elem.c
#include "train_elem.h"

#include "kernels/rt/rt.h"
#include "train_math.h"
#include "train_typed.h"

// out = a + b for elements i .. end - 1, i even.
TRAIN_TYPED void add(void *out, const void *a, const void *b, uint32_t i, uint32_t end,
                     enum train_type t) {
  for (uint32_t pairs = train_pairs_end(i, end, t); i < pairs; i += 2)
    train_put2(out, i, train_add2(train_get2(a, i), train_get2(b, i), t));
  for (; i < end; i++)
    train_put(out, i, train_get(a, i, t) + train_get(b, i, t), t);
}

TRAIN_TYPED void copy(void *out, const void *in, uint32_t i, uint32_t end, enum train_type t) {
  for (; i < end; i++)
    train_put(out, i, train_get(in, i, t), t);
}

static enum kernel_status refuse(uint32_t count, enum train_type type) {
  return !count || type >= TRAIN_TYPES ? KERNEL_BAD_SHAPE : KERNEL_OK;
}

enum kernel_status train_residual_fw(const struct train_residual *l) {
  if (refuse(l->count, l->type) != KERNEL_OK)
    return KERNEL_BAD_SHAPE;
  if (!l->a || !l->b || !l->out)
    return KERNEL_BAD_POINTER;
  struct rt_range mine = rt_split(l->count, 2);
  TRAIN_BY_TYPE(l->type, add, l->out, l->a, l->b, mine.begin, mine.end);
  return KERNEL_OK;
}

enum kernel_status train_residual_ig(const struct train_residual *l) {
  if (refuse(l->count, l->type) != KERNEL_OK)
    return KERNEL_BAD_SHAPE;
  if (!l->out_grad || !l->a_grad || !l->b_grad)
    return KERNEL_BAD_POINTER;
  struct rt_range mine = rt_split(l->count, 2);
  void *const to[2] = {l->a_grad, l->b_grad};
  for (int i = 0; i < 2; i++) {
    if (l->add)
      TRAIN_BY_TYPE(l->type, add, to[i], to[i], l->out_grad, mine.begin, mine.end);
    else
      TRAIN_BY_TYPE(l->type, copy, to[i], l->out_grad, mine.begin, mine.end);
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

TRAIN_TYPED void drop(const struct train_dropout *l, uint32_t i, uint32_t end, enum train_type t) {
  uint32_t below = l->keep == 1 ? UINT32_MAX : (uint32_t)(l->keep * 0x1p32f), seed = hash(l->seed);
  float scale = 1.0f / l->keep;
  for (; i < end; i++) {
    bool kept = l->keep == 1 || hash(i ^ seed) < below;
    train_put(l->out, i, kept ? train_get(l->in, i, t) * scale : 0, t);
  }
}

enum kernel_status train_dropout(const struct train_dropout *l) {
  if (refuse(l->count, l->type) != KERNEL_OK || !(l->keep > 0 && l->keep <= 1))
    return KERNEL_BAD_SHAPE;
  if (!l->in || !l->out)
    return KERNEL_BAD_POINTER;
  struct rt_range mine = rt_split(l->count, 2);
  TRAIN_BY_TYPE(l->type, drop, l, mine.begin, mine.end);
  return KERNEL_OK;
}

// ---- SwiGLU

TRAIN_TYPED void swiglu_fw(const struct train_swiglu *l, uint32_t i, uint32_t end,
                           enum train_type t) {
  for (; i < end; i++) {
    float a = train_get(l->a, i, t);
    train_put(l->out, i, a * train_sigmoid(a) * train_get(l->b, i, t), t);
  }
}

TRAIN_TYPED void swiglu_ig(const struct train_swiglu *l, uint32_t i, uint32_t end,
                           enum train_type t) {
  for (; i < end; i++) {
    float a = train_get(l->a, i, t), b = train_get(l->b, i, t), s = train_sigmoid(a);
    float g = train_get(l->out_grad, i, t);
    train_put(l->a_grad, i, g * b * s * __builtin_fmaf(a, 1.0f - s, 1.0f), t);
    train_put(l->b_grad, i, g * a * s, t);
  }
}

static enum kernel_status refuse_swiglu(const struct train_swiglu *l) {
  if (!l->count || l->type >= TRAIN_TYPES)
    return KERNEL_BAD_SHAPE;
  return l->a && l->b ? KERNEL_OK : KERNEL_BAD_POINTER;
}

enum kernel_status train_swiglu_fw(const struct train_swiglu *l) {
  enum kernel_status status = refuse_swiglu(l);
  if (status != KERNEL_OK || !l->out)
    return status != KERNEL_OK ? status : KERNEL_BAD_POINTER;
  struct rt_range mine = rt_split(l->count, 2);
  TRAIN_BY_TYPE(l->type, swiglu_fw, l, mine.begin, mine.end);
  return KERNEL_OK;
}

enum kernel_status train_swiglu_ig(const struct train_swiglu *l) {
  enum kernel_status status = refuse_swiglu(l);
  if (status == KERNEL_OK && (!l->out_grad || !l->a_grad || !l->b_grad))
    status = KERNEL_BAD_POINTER;
  if (status != KERNEL_OK)
    return status;
  struct rt_range mine = rt_split(l->count, 2);
  TRAIN_BY_TYPE(l->type, swiglu_ig, l, mine.begin, mine.end);
  return KERNEL_OK;
}
