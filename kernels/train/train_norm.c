// kernels/train/train_norm.c
#include "train_norm.h"

#include <stdbool.h>
#include <stddef.h>

#include "kernels/rt/rt.h"

static enum kernel_status refuse(enum train_norm_kind kind, const struct train_norm *l) {
  if (kind >= TRAIN_NORM_KINDS || !l->outer || !l->groups || !l->inner || !(l->epsilon > 0))
    return KERNEL_BAD_SHAPE;
  if ((kind != TRAIN_NORM_BATCH && l->outer != 1) ||
      (kind == TRAIN_NORM_INSTANCE && (!l->affine || l->groups % l->affine)))
    return KERNEL_BAD_SHAPE;
  bool beta = kind == TRAIN_NORM_RMS || l->beta;
  return l->in && l->gamma && beta && l->mean && l->rstd ? KERNEL_OK : KERNEL_BAD_POINTER;
}

static bool per_element(enum train_norm_kind kind) {
  return kind == TRAIN_NORM_LAYER || kind == TRAIN_NORM_RMS;
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

static void statistics(enum train_norm_kind kind, const struct train_norm *l, size_t g) {
  float n = (float)(l->outer * l->inner), sum = 0, squares = 0;
  for (size_t o = 0; o < l->outer && kind != TRAIN_NORM_RMS; o++) {
    for (size_t i = 0; i < l->inner; i++)
      sum += l->in[first(l, o, g) + i];
  }
  float mean = sum / n;
  for (size_t o = 0; o < l->outer; o++) {
    for (size_t i = 0; i < l->inner; i++) {
      float d = l->in[first(l, o, g) + i] - mean;
      squares = __builtin_fmaf(d, d, squares);
    }
  }
  l->mean[g] = mean;
  l->rstd[g] = 1.0f / __builtin_sqrtf(squares / n + l->epsilon);
}

enum kernel_status train_norm_fw(enum train_norm_kind kind, const struct train_norm *l) {
  enum kernel_status status = refuse(kind, l);
  if (status == KERNEL_OK && !l->out)
    status = KERNEL_BAD_POINTER;
  if (status != KERNEL_OK)
    return status;
  struct rt_range mine = rt_split(l->groups, 1);
  for (size_t g = mine.begin; g < mine.end; g++) {
    statistics(kind, l, g);
    for (size_t o = 0; o < l->outer; o++) {
      for (size_t i = 0; i < l->inner; i++) {
        size_t at = first(l, o, g) + i, p = affine_of(kind, l, g, i);
        float h = (l->in[at] - l->mean[g]) * l->rstd[g];
        l->out[at] =
            kind == TRAIN_NORM_RMS ? l->gamma[p] * h : __builtin_fmaf(l->gamma[p], h, l->beta[p]);
      }
    }
  }
  return KERNEL_OK;
}

// Gradient of the input of one group.
static void group_ig(enum train_norm_kind kind, const struct train_norm *l, size_t g) {
  float n = (float)(l->outer * l->inner), sum = 0, product = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t o = 0; o < l->outer; o++) {
      for (size_t i = 0; i < l->inner; i++) {
        size_t at = first(l, o, g) + i;
        float h = (l->in[at] - l->mean[g]) * l->rstd[g];
        float gradient = l->gamma[affine_of(kind, l, g, i)] * l->out_grad[at];
        if (pass == 0) {
          sum += gradient;
          product = __builtin_fmaf(gradient, h, product);
        } else {
          float mean = kind == TRAIN_NORM_RMS ? 0 : sum / n;
          l->in_grad[at] = l->rstd[g] * (gradient - mean - h * (product / n));
        }
      }
    }
  }
}

// Adds what group g, elements begin..end of inner, contributes to gamma's and beta's gradients at
// p.
static void add_affine(const struct train_norm *l, size_t g, size_t begin, size_t end, float *gamma,
                       float *beta) {
  for (size_t o = 0; o < l->outer; o++) {
    for (size_t i = begin; i < end; i++) {
      size_t at = first(l, o, g) + i;
      float h = (l->in[at] - l->mean[g]) * l->rstd[g];
      *gamma = __builtin_fmaf(l->out_grad[at], h, *gamma);
      *beta += l->out_grad[at];
    }
  }
}

static void affine_gradients(enum train_norm_kind kind, const struct train_norm *l) {
  uint32_t count = per_element(kind)             ? l->inner
                   : kind == TRAIN_NORM_INSTANCE ? l->affine
                                                 : l->groups;
  struct rt_range mine = rt_split(count, 1);
  for (size_t p = mine.begin; p < mine.end; p++) {
    float gamma = 0, beta = 0;
    if (per_element(kind)) {
      for (size_t g = 0; g < l->groups; g++)
        add_affine(l, g, p, p + 1, &gamma, &beta);
    } else {
      for (size_t g = p; g < l->groups; g += count)
        add_affine(l, g, 0, l->inner, &gamma, &beta);
    }
    l->gamma_grad[p] = gamma;
    if (kind != TRAIN_NORM_RMS)
      l->beta_grad[p] = beta;
  }
}

enum kernel_status train_norm_ig(enum train_norm_kind kind, const struct train_norm *l) {
  enum kernel_status status = refuse(kind, l);
  if (status == KERNEL_OK &&
      (!l->out_grad || !l->in_grad || !l->gamma_grad || (kind != TRAIN_NORM_RMS && !l->beta_grad)))
    status = KERNEL_BAD_POINTER;
  if (status != KERNEL_OK)
    return status;
  struct rt_range mine = rt_split(l->groups, 1);
  for (size_t g = mine.begin; g < mine.end; g++)
    group_ig(kind, l, g);
  affine_gradients(kind, l);
  return KERNEL_OK;
}
