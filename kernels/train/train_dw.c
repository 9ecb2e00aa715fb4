// kernels/train/train_dw.c: what the planes compute, in C.
#include "train_dw.h"

#include "kernels/rt/rt.h"
#include "train_typed.h"

#ifndef __riscv

#include <stdbool.h>
#include <stddef.h>

static const float *row_of(const struct train_dw *p, size_t y) {
  return (const float *)(const void *)((const char *)p->x + y * p->pitch);
}

static void forward(const struct train_dw *p, int back) {
  for (size_t y = 0; y < p->h_out; y++) {
    for (size_t x = 0; x < p->w_out; x++) {
      float sum = p->w[back ? 8 : 0] * row_of(p, y)[x];
      for (size_t i = 1; i < 9; i++)
        sum = __builtin_fmaf(p->w[back ? 8 - i : i], row_of(p, y + i / 3)[x + i % 3], sum);
      p->y[y * p->w_out + x] = sum;
    }
  }
}

void train_dw_fw(const struct train_dw *p) {
  forward(p, 0);
}

void train_dw_back(const struct train_dw *p) {
  forward(p, 1);
}

void train_dw_wg(const struct train_dw *p) {
  for (size_t i = 0; i < 9; i++) {
    float sum = p->w[i];
    for (size_t y = 0; y < p->h_out; y++) {
      for (size_t x = 0; x < p->w_out; x++)
        sum = __builtin_fmaf(row_of(p, y + i / 3)[x + i % 3], p->y[y * p->w_out + x], sum);
    }
    p->w[i] = sum;
  }
}

// ---- zeros that are not in memory

// A plane with edges: its element (y, x) is counted from the first one with the zeros before it.
struct seen {
  const struct train_dw_edges *planes;
  uint32_t stride, number; // number of the plane
  enum train_type type;
  bool zeros; // of columns before the plane are added, too
};

static uint32_t outputs(const struct train_dw_edges *p) {
  return p->before + 3 * p->passes + p->rest + p->tail;
}

static const void *seen_row(const struct seen *s, uint32_t y) {
  const struct train_dw_edges *p = s->planes;
  if (y < p->top || y - p->top >= p->h)
    return p->zeros;
  return (const char *)p->x + (size_t)s->number * p->plane + (size_t)(y - p->top) * p->pitch;
}

// Whether column x is in the planes.
static bool inside(const struct seen *s, uint32_t x) {
  const struct train_dw_edges *p = s->planes;
  uint32_t end = s->stride * (outputs(p) - p->tail) + 3 - s->stride;
  if (s->stride == 2 && p->tail > 0)
    end++; // the last output has one inside
  return x >= p->before && x < end;
}

// What an output sees there. False: nothing is added for the column.
static bool sees(const struct seen *s, uint32_t y, uint32_t x, float *value) {
  bool in = inside(s, x);
  *value = in ? train_get(seen_row(s, y), x - s->planes->before, s->type) : 0;
  return in || (s->zeros && x < s->planes->before);
}

static void *output_row(const struct seen *s, uint32_t y) {
  const struct train_dw_edges *p = s->planes;
  return (char *)p->y + (size_t)(s->number * p->h_out + y) * p->y_row;
}

static float sum_at(const struct seen *s, uint32_t y, uint32_t x, int back) {
  float sum = 0;
  int first = 1;
  for (uint32_t i = 0; i < 9; i++) {
    float w = train_get(s->planes->w, 9 * s->number + (back ? 8 - i : i), s->type), in;
    if (!sees(s, y * s->stride + i / 3, x * s->stride + i % 3, &in))
      continue;
    sum = first ? w * in : __builtin_fmaf(w, in, sum);
    first = 0;
  }
  return sum;
}

static void plane_fw(const struct seen *s, int back) {
  for (uint32_t y = 0; y < s->planes->h_out; y++) {
    for (uint32_t x = 0; x < outputs(s->planes); x++)
      train_put(output_row(s, y), x, sum_at(s, y, x, back), s->type);
  }
}

static void plane_wg(const struct seen *s) {
  const struct train_dw_edges *p = s->planes;
  for (uint32_t i = 0; i < 9; i++) {
    float *sum = (float *)p->w + 9 * s->number + i;
    for (uint32_t y = 0; y < p->h_out; y++) {
      for (uint32_t x = 0; x < outputs(p); x++) {
        float in;
        if (sees(s, y * s->stride + i / 3, x * s->stride + i % 3, &in))
          *sum = __builtin_fmaf(in, train_get(output_row(s, y), x, s->type), *sum);
      }
    }
  }
}

static uint32_t planes_of(const struct train_dw_edges *p) {
  return (uint32_t)((size_t)((const char *)p->end - (const char *)p->x) / p->plane);
}

static void clear_zeros(const struct train_dw_edges *p) {
  for (uint32_t i = 0; i < 2 * p->clear; i++)
    p->zeros[i] = 0;
}

static void edges_fw(const struct train_dw_edges *p, uint32_t stride, int back,
                     enum train_type type) {
  clear_zeros(p);
  for (uint32_t i = 0; i < planes_of(p); i++)
    plane_fw(&(const struct seen){p, stride, i, type, false}, back);
}

static void edges_wg(const struct train_dw_edges *p, uint32_t stride, enum train_type type) {
  clear_zeros(p);
  for (uint32_t i = 0; i < planes_of(p); i++)
    plane_wg(&(const struct seen){p, stride, i, type, false});
}

static float both_sum(const struct seen *s, uint32_t tap) {
  const struct train_dw_edges *p = s->planes;
  float sum = 0, grad;
  for (uint32_t y = 0; y < p->h_out; y++) {
    for (uint32_t x = 0; x < outputs(p); x++) {
      if (sees(s, y + 2 - tap / 3, x + 2 - tap % 3, &grad))
        sum = __builtin_fmaf(train_get(p->in, y * outputs(p) + x, s->type), grad, sum);
    }
  }
  return sum;
}

static void both(const struct train_dw_edges *p, enum train_type type) {
  const struct seen s = {p, 1, 0, type, true};
  plane_fw(&s, 1);
  for (uint32_t i = 0; i < 9; i++)
    p->w_grad[i] = both_sum(&s, i);
  for (uint32_t i = 0; i < p->h_out * outputs(p); i++) {
    if (!(train_get(p->in, i, type) > 0))
      train_put(p->y, i, 0, type);
  }
}

// Gradient of the output at row y, column x; `columns` of them are in memory.
static float spread_at(const struct train_dw_spread *p, uint32_t y, uint32_t x, uint32_t columns,
                       enum train_type type) {
  if (y >= p->left || x >= columns)
    return 0;
  return train_get((const char *)p->d + (size_t)y * p->pitch, x, type);
}

// Taps first_y, first_x and two further on, as far as there are.
static float spread_sum(const struct train_dw_spread *p, uint32_t y, uint32_t x, uint32_t columns,
                        enum train_type type) {
  float sum = 0;
  for (uint32_t i = y % 2; i < 3; i += 2) {
    for (uint32_t j = x % 2; j < 3; j += 2) {
      float w = train_get(p->w, i * 3 + j, type);
      float d = spread_at(p, (y - i) / 2, (x - j) / 2, columns, type);
      if (y < i || x < j)
        d = 0;
      sum = i == y % 2 && j == x % 2 ? w * d : __builtin_fmaf(w, d, sum);
    }
  }
  return sum;
}

static void spread(const struct train_dw_spread *p, enum train_type type) {
  uint32_t whole = p->odd + 2 * p->passes + p->rest; // columns of the gradient before the last
  uint32_t columns = whole + (p->last > 0 && p->last < 4);
  uint32_t pixels = 2 * whole + p->last % 4 - p->odd;
  for (uint32_t y = 0; y < p->rows; y++) {
    for (uint32_t x = 0; x < pixels; x++)
      train_put((char *)p->y + (size_t)y * p->y_row, x,
                spread_sum(p, y + p->top, x + p->odd, columns, type), type);
  }
}

#define EDGES(T, type)                                                                             \
  static void train_dw_fw_1_##T(const struct train_dw_edges *p) {                                  \
    edges_fw(p, 1, 0, type);                                                                       \
  }                                                                                                \
  static void train_dw_fw_2_##T(const struct train_dw_edges *p) {                                  \
    edges_fw(p, 2, 0, type);                                                                       \
  }                                                                                                \
  static void train_dw_back_1_##T(const struct train_dw_edges *p) {                                \
    edges_fw(p, 1, 1, type);                                                                       \
  }                                                                                                \
  static void train_dw_both_1_##T(const struct train_dw_edges *p) {                                \
    both(p, type);                                                                                 \
  }                                                                                                \
  static void train_dw_wg_1_##T(const struct train_dw_edges *p) {                                  \
    edges_wg(p, 1, type);                                                                          \
  }                                                                                                \
  static void train_dw_wg_2_##T(const struct train_dw_edges *p) {                                  \
    edges_wg(p, 2, type);                                                                          \
  }                                                                                                \
  static void train_dw_spread_##T(const struct train_dw_spread *p) {                               \
    spread(p, type);                                                                               \
  }

#else

#define EDGES(T, type)                                                                             \
  train_dw_edges_fn train_dw_fw_1_##T, train_dw_fw_2_##T, train_dw_back_1_##T,                     \
      train_dw_both_1_##T, train_dw_wg_1_##T, train_dw_wg_2_##T;                                   \
  train_dw_spread_fn train_dw_spread_##T;

#endif

EDGES(s, TRAIN_F32)
EDGES(h, TRAIN_FP16)
EDGES(ah, TRAIN_BF16)

#define BY_TYPE(name)                                                                              \
  { name##_s, name##_h, name##_ah }
// In L1: constants in L2 take 20 cycles.
RT_L1 train_dw_edges_fn *train_dw_edges_fw[2][TRAIN_TYPES] = {BY_TYPE(train_dw_fw_1),
                                                              BY_TYPE(train_dw_fw_2)};
RT_L1 train_dw_edges_fn *train_dw_edges_wg[2][TRAIN_TYPES] = {BY_TYPE(train_dw_wg_1),
                                                              BY_TYPE(train_dw_wg_2)};
RT_L1 train_dw_edges_fn *train_dw_edges_back[TRAIN_TYPES] = BY_TYPE(train_dw_back_1);
RT_L1 train_dw_edges_fn *train_dw_edges_both[TRAIN_TYPES] = BY_TYPE(train_dw_both_1);
RT_L1 train_dw_spread_fn *train_dw_spread[TRAIN_TYPES] = BY_TYPE(train_dw_spread);
