// kernels/train/train_broadcast.c
#include "train_broadcast.h"

#include "kernels/rt/rt.h"
#include "train_typed.h"

// A walk over positions of axes, and the elements of two tensors that belong to one.
struct walk {
  uint32_t rank, size[TRAIN_RANK], at[TRAIN_RANK];
  uint32_t step[2][TRAIN_RANK], place[2];
};

// To position `index`, counted with the last axis fastest.
static void walk_to(struct walk *w, uint32_t index) {
  w->place[0] = w->place[1] = 0;
  for (uint32_t i = w->rank; i-- > 0;) {
    uint32_t rest = index / w->size[i];
    w->at[i] = index - rest * w->size[i];
    index = rest;
    w->place[0] += w->at[i] * w->step[0][i];
    w->place[1] += w->at[i] * w->step[1][i];
  }
}

static void walk_on(struct walk *w) {
  for (uint32_t i = w->rank; i-- > 0;) {
    w->place[0] += w->step[0][i];
    w->place[1] += w->step[1][i];
    if (++w->at[i] < w->size[i])
      return;
    w->place[0] -= w->size[i] * w->step[0][i];
    w->place[1] -= w->size[i] * w->step[1][i];
    w->at[i] = 0;
  }
}

static uint32_t positions(uint32_t rank, const uint32_t *size) {
  uint32_t count = 1;
  for (uint32_t i = 0; i < rank; i++)
    count *= size[i];
  return count;
}

// Steps of a tensor that has these axes; 0 along the others.
static void steps_of(uint32_t *step, const struct train_broadcast *op, uint32_t axes) {
  uint32_t next = 1;
  for (uint32_t i = op->rank; i-- > 0;) {
    bool has = axes >> i & 1;
    step[i] = has ? next : 0;
    next *= has ? op->size[i] : 1;
  }
}

static enum kernel_status refuse(uint32_t rank, const uint32_t *size, enum train_type type) {
  if (!rank || rank > TRAIN_RANK || type >= TRAIN_TYPES)
    return KERNEL_BAD_SHAPE;
  for (uint32_t i = 0; i < rank; i++) {
    if (!size[i])
      return KERNEL_BAD_SHAPE;
  }
  return KERNEL_OK;
}

TRAIN_TYPED void forward(const struct train_broadcast *op, enum train_type t) {
  struct walk w = {.rank = op->rank};
  for (uint32_t i = 0; i < op->rank; i++)
    w.size[i] = op->size[i];
  steps_of(w.step[0], op, op->a_axes);
  steps_of(w.step[1], op, op->b_axes);
  struct rt_range mine = rt_split(positions(op->rank, op->size), 2);
  walk_to(&w, mine.begin);
  for (uint32_t i = mine.begin; i < mine.end; i++, walk_on(&w)) {
    float a = train_get(op->a, w.place[0], t), b = train_get(op->b, w.place[1], t);
    train_put(op->out, i, op->product ? a * b : a + b, t);
  }
}

enum kernel_status train_broadcast_fw(const struct train_broadcast *op) {
  enum kernel_status status = refuse(op->rank, op->size, op->type);
  if (status == KERNEL_OK && (!op->a || !op->b || !op->out))
    status = KERNEL_BAD_POINTER;
  if (status == KERNEL_OK)
    TRAIN_BY_TYPE(op->type, forward, op);
  return status;
}

// The gradient of one operand: which axes it has, and what it is multiplied by.
struct side {
  void *grad;
  uint32_t axes;
  const void *other;
  uint32_t other_axes;
};

// A walk over axes that are chosen by `axes`; place 0 in the gradient of the output, 1 in the other
// operand.
static struct walk walk_over(const struct train_broadcast *op, const struct side *s,
                             uint32_t axes) {
  struct walk w = {.rank = op->rank};
  for (uint32_t i = 0; i < op->rank; i++)
    w.size[i] = axes >> i & 1 ? op->size[i] : 1;
  steps_of(w.step[0], op, ~0u);
  steps_of(w.step[1], op, s->other_axes);
  return w;
}

TRAIN_TYPED void gradient(const struct train_broadcast *op, const struct side *s,
                          enum train_type t) {
  struct walk outer = walk_over(op, s, s->axes), inner = walk_over(op, s, ~s->axes);
  struct rt_range mine = rt_split(positions(op->rank, outer.size), 2);
  uint32_t terms = positions(op->rank, inner.size);
  walk_to(&outer, mine.begin);
  for (uint32_t i = mine.begin; i < mine.end; i++, walk_on(&outer)) {
    float sum = op->add ? train_get(s->grad, i, t) : 0;
    walk_to(&inner, 0);
    for (uint32_t k = 0; k < terms; k++, walk_on(&inner)) {
      float g = train_get(op->out_grad, outer.place[0] + inner.place[0], t);
      float by = op->product ? train_get(s->other, outer.place[1] + inner.place[1], t) : 1;
      sum = __builtin_fmaf(g, by, sum);
    }
    train_put(s->grad, i, sum, t);
  }
}

enum kernel_status train_broadcast_ig(const struct train_broadcast *op) {
  enum kernel_status status = refuse(op->rank, op->size, op->type);
  if (status == KERNEL_OK && (!op->out_grad || (op->product && (!op->a || !op->b))))
    status = KERNEL_BAD_POINTER;
  if (status != KERNEL_OK)
    return status;
  const struct side a = {op->a_grad, op->a_axes, op->b, op->b_axes};
  const struct side b = {op->b_grad, op->b_axes, op->a, op->a_axes};
  if (a.grad)
    TRAIN_BY_TYPE(op->type, gradient, op, &a);
  if (b.grad)
    TRAIN_BY_TYPE(op->type, gradient, op, &b);
  return KERNEL_OK;
}

// ---- transposition

static bool is_permutation(const struct train_transpose *op) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < op->rank; i++)
    seen |= op->order[i] < op->rank ? 1u << op->order[i] : 0;
  return seen == (1u << op->rank) - 1;
}

TRAIN_TYPED void transpose(const struct train_transpose *op, enum train_type t) {
  struct walk w = {.rank = op->rank};
  uint32_t step[TRAIN_RANK], next = 1;
  for (uint32_t i = op->rank; i-- > 0; next *= op->size[i])
    step[i] = next;
  for (uint32_t i = 0; i < op->rank; i++) {
    w.size[i] = op->size[op->order[i]];
    w.step[0][i] = step[op->order[i]];
  }
  struct rt_range mine = rt_split(next, 2);
  walk_to(&w, mine.begin);
  for (uint32_t i = mine.begin; i < mine.end; i++, walk_on(&w))
    train_copy(op->dst, i, op->src, w.place[0], t);
}

enum kernel_status train_transpose(const struct train_transpose *op) {
  enum kernel_status status = refuse(op->rank, op->size, op->type);
  if (status == KERNEL_OK && !is_permutation(op))
    status = KERNEL_BAD_SHAPE;
  if (status == KERNEL_OK && (!op->src || !op->dst))
    status = KERNEL_BAD_POINTER;
  if (status == KERNEL_OK)
    TRAIN_BY_TYPE(op->type, transpose, op);
  return status;
}
