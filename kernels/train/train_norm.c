// kernels/train/train_norm.c
#include "train_norm.h"

#include "kernels/rt/rt.h"
#include "train_typed.h"

static enum kernel_status refuse(enum train_norm_kind kind, const struct train_norm *l) {
  if (kind >= TRAIN_NORM_KINDS || l->type >= TRAIN_TYPES || !l->outer || !l->groups || !l->inner)
    return KERNEL_BAD_SHAPE;
  if ((kind != TRAIN_NORM_BATCH && l->outer != 1) || !(l->epsilon > 0 || kind == TRAIN_NORM_NONE) ||
      (kind == TRAIN_NORM_INSTANCE && (!l->affine || l->groups % l->affine)))
    return KERNEL_BAD_SHAPE;
  bool beta = kind == TRAIN_NORM_RMS || l->beta;
  bool statistics = kind == TRAIN_NORM_NONE || (l->mean && l->rstd);
  return l->in && l->gamma && beta && statistics ? KERNEL_OK : KERNEL_BAD_POINTER;
}

static bool per_element(enum train_norm_kind kind) {
  return kind == TRAIN_NORM_LAYER || kind == TRAIN_NORM_RMS || kind == TRAIN_NORM_NONE;
}

// Index of gamma and beta for element i of group g.
static size_t affine_of(enum train_norm_kind kind, const struct train_norm *l, size_t g, size_t i) {
  if (per_element(kind))
    return i;
  return kind == TRAIN_NORM_INSTANCE ? g % l->affine : g;
}

static size_t first(const struct train_norm *l, size_t o, size_t g) {
  return (o * l->groups + g) * l->inner;
}

// What the elements of a group are moved and scaled by.
struct group {
  float mean, rstd;
};

static struct group group_of(enum train_norm_kind kind, const struct train_norm *l, size_t g) {
  if (kind == TRAIN_NORM_NONE)
    return (struct group){0, 1};
  return (struct group){l->mean[g], l->rstd[g]};
}

TRAIN_TYPED float normal(const struct train_norm *l, struct group s, size_t at, enum train_type t) {
  return (train_get(l->in, at, t) - s.mean) * s.rstd;
}

TRAIN_TYPED void statistics(enum train_norm_kind kind, const struct train_norm *l, size_t g,
                            enum train_type t) {
  float n = (float)(l->outer * l->inner), sum = 0, squares = 0;
  for (size_t o = 0; o < l->outer && kind != TRAIN_NORM_RMS; o++) {
    for (size_t i = 0; i < l->inner; i++)
      sum += train_get(l->in, first(l, o, g) + i, t);
  }
  float mean = sum / n;
  for (size_t o = 0; o < l->outer; o++) {
    for (size_t i = 0; i < l->inner; i++) {
      float d = train_get(l->in, first(l, o, g) + i, t) - mean;
      squares = __builtin_fmaf(d, d, squares);
    }
  }
  l->mean[g] = mean;
  l->rstd[g] = 1.0f / __builtin_sqrtf(squares / n + l->epsilon);
}

TRAIN_TYPED void group_fw(enum train_norm_kind kind, const struct train_norm *l, size_t g,
                          enum train_type t) {
  if (kind != TRAIN_NORM_NONE)
    statistics(kind, l, g, t);
  const struct group s = group_of(kind, l, g);
  for (size_t o = 0; o < l->outer; o++) {
    for (size_t i = 0; i < l->inner; i++) {
      size_t at = first(l, o, g) + i, p = affine_of(kind, l, g, i);
      float gamma = train_get(l->gamma, p, t), h = normal(l, s, at, t);
      float beta = kind == TRAIN_NORM_RMS ? 0 : train_get(l->beta, p, t);
      train_put(l->out, at, kind == TRAIN_NORM_RMS ? gamma * h : __builtin_fmaf(gamma, h, beta), t);
    }
  }
}

enum kernel_status train_norm_fw(enum train_norm_kind kind, const struct train_norm *l) {
  enum kernel_status status = refuse(kind, l);
  if (status == KERNEL_OK && !l->out)
    status = KERNEL_BAD_POINTER;
  if (status != KERNEL_OK)
    return status;
  struct rt_range mine = rt_share(l->groups);
  for (size_t g = mine.begin; g < mine.end; g++)
    TRAIN_BY_TYPE(l->type, group_fw, kind, l, g);
  return KERNEL_OK;
}

// Gradient of the input of one group.
TRAIN_TYPED void group_ig(enum train_norm_kind kind, const struct train_norm *l, size_t g,
                          enum train_type t) {
  float n = (float)(l->outer * l->inner), sum = 0, product = 0;
  const struct group s = group_of(kind, l, g);
  for (int pass = kind == TRAIN_NORM_NONE; pass < 2; pass++) {
    for (size_t o = 0; o < l->outer; o++) {
      for (size_t i = 0; i < l->inner; i++) {
        size_t at = first(l, o, g) + i;
        float h = normal(l, s, at, t);
        float gradient =
            train_get(l->gamma, affine_of(kind, l, g, i), t) * train_get(l->out_grad, at, t);
        if (pass == 0) {
          sum += gradient;
          product = __builtin_fmaf(gradient, h, product);
        } else if (kind == TRAIN_NORM_NONE) {
          train_put(l->in_grad, at, gradient, t);
        } else {
          float mean = kind == TRAIN_NORM_RMS ? 0 : sum / n;
          train_put(l->in_grad, at, s.rstd * (gradient - mean - h * (product / n)), t);
        }
      }
    }
  }
}

// Gradients of gamma and beta.
struct affine {
  float gamma, beta;
};

// Adds what group g, elements begin..end of inner, contributes.
TRAIN_TYPED void add_affine(enum train_norm_kind kind, const struct train_norm *l, size_t g,
                            size_t begin, size_t end, struct affine *sum, enum train_type t) {
  const struct group s = group_of(kind, l, g);
  for (size_t o = 0; o < l->outer; o++) {
    for (size_t i = begin; i < end; i++) {
      size_t at = first(l, o, g) + i;
      float gradient = train_get(l->out_grad, at, t);
      sum->gamma = __builtin_fmaf(gradient, normal(l, s, at, t), sum->gamma);
      sum->beta += gradient;
    }
  }
}

TRAIN_TYPED void affine_gradients(enum train_norm_kind kind, const struct train_norm *l,
                                  enum train_type t) {
  uint32_t count = per_element(kind)             ? l->inner
                   : kind == TRAIN_NORM_INSTANCE ? l->affine
                                                 : l->groups;
  struct rt_range mine = rt_share(count);
  for (size_t p = mine.begin; p < mine.end; p++) {
    struct affine sum = {0, 0};
    bool each = per_element(kind);
    for (size_t g = each ? 0 : p; g < l->groups; g += each ? 1 : count)
      add_affine(kind, l, g, each ? p : 0, each ? p + 1 : l->inner, &sum, t);
    train_put(l->gamma_grad, p, sum.gamma, t);
    if (kind != TRAIN_NORM_RMS)
      train_put(l->beta_grad, p, sum.beta, t);
  }
}

enum kernel_status train_norm_ig(enum train_norm_kind kind, const struct train_norm *l) {
  enum kernel_status status = refuse(kind, l);
  if (status == KERNEL_OK &&
      (!l->out_grad || !l->in_grad || !l->gamma_grad || (kind != TRAIN_NORM_RMS && !l->beta_grad)))
    status = KERNEL_BAD_POINTER;
  if (status != KERNEL_OK)
    return status;
  struct rt_range mine = rt_share(l->groups);
  for (size_t g = mine.begin; g < mine.end; g++)
    TRAIN_BY_TYPE(l->type, group_ig, kind, l, g);
  TRAIN_BY_TYPE(l->type, affine_gradients, kind, l);
  return KERNEL_OK;
}
