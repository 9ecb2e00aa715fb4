// kernels/train/train_shape.c
#include "train_shape.h"

#include "kernels/rt/rt.h"
#include "train_planes.h"
#include "train_typed.h"

// Rows of dst: its last axis.
TRAIN_TYPED void permute(const struct train_permute *p, struct rt_range rows, enum train_type t) {
  const size_t step[3] = {(size_t)p->size[1] * p->size[2], p->size[2], 1};
  size_t n1 = p->size[p->order[1]], n2 = p->size[p->order[2]];
  for (size_t row = rows.begin; row < rows.end; row++) {
    size_t from = row / n1 * step[p->order[0]] + row % n1 * step[p->order[1]];
    for (size_t k = 0; k < n2; k++, from += step[p->order[2]])
      train_put(p->dst, row * n2 + k, train_get(p->src, from, t), t);
  }
}

enum kernel_status train_permute(const struct train_permute *p) {
  if (!p->size[0] || !p->size[1] || !p->size[2] || p->order[0] > 2 || p->order[1] > 2 ||
      p->order[2] > 2 || (1u << p->order[0] | 1u << p->order[1] | 1u << p->order[2]) != 7 ||
      p->type >= TRAIN_TYPES)
    return KERNEL_BAD_SHAPE;
  if (!p->src || !p->dst)
    return KERNEL_BAD_POINTER;
  struct rt_range mine = rt_share(p->size[p->order[0]] * p->size[p->order[1]]);
  TRAIN_BY_TYPE(p->type, permute, p, mine);
  return KERNEL_OK;
}

static enum kernel_status refuse_pad(const struct train_pad *p) {
  if (!p->planes || !p->h || !p->w || p->type >= TRAIN_TYPES)
    return KERNEL_BAD_SHAPE;
  return p->src && p->dst ? KERNEL_OK : KERNEL_BAD_POINTER;
}

// `inner` counts in planes without their border, `outer` in those with it.
TRAIN_TYPED void pad(const struct train_pad *p, bool gradient, enum train_type t) {
  size_t pitch = (size_t)p->left + p->w + p->right, rows = (size_t)p->top + p->h + p->bottom;
  struct rt_range mine = rt_share(p->planes);
  for (size_t c = mine.begin; c < mine.end; c++) {
    for (size_t i = 0; !gradient && i < rows * pitch; i++)
      train_put(p->dst, c * rows * pitch + i, 0, t);
    for (size_t y = 0; y < p->h; y++) {
      size_t inner = (c * p->h + y) * p->w, outer = (c * rows + y + p->top) * pitch + p->left;
      for (size_t x = 0; x < p->w; x++)
        train_put(p->dst, (gradient ? inner : outer) + x,
                  train_get(p->src, (gradient ? outer : inner) + x, t), t);
    }
  }
}

enum kernel_status train_pad_fw(const struct train_pad *p) {
  enum kernel_status status = refuse_pad(p);
  if (status == KERNEL_OK && p->type == TRAIN_F32)
    train_pad_planes(p->dst, p->src, p->planes, p->h, p->w,
                     (struct train_border){p->top, p->bottom, p->left, p->right});
  else if (status == KERNEL_OK)
    TRAIN_BY_TYPE(p->type, pad, p, false);
  return status;
}

enum kernel_status train_pad_ig(const struct train_pad *p) {
  enum kernel_status status = refuse_pad(p);
  if (status == KERNEL_OK)
    TRAIN_BY_TYPE(p->type, pad, p, true);
  return status;
}

static enum kernel_status refuse_reduce(const struct train_reduce *r) {
  if (!r->rows || !r->columns || r->type >= TRAIN_TYPES)
    return KERNEL_BAD_SHAPE;
  return r->src && r->dst ? KERNEL_OK : KERNEL_BAD_POINTER;
}

TRAIN_TYPED void reduce(const struct train_reduce *r, bool gradient, enum train_type t) {
  struct rt_range mine = rt_share(r->rows);
  for (size_t row = mine.begin; row < mine.end; row++) {
    size_t first = row * r->columns;
    float value = gradient ? train_get(r->src, row, t) * r->scale : 0;
    for (size_t i = first; i < first + r->columns; i++) {
      if (gradient)
        train_put(r->dst, i, value, t);
      else
        value += train_get(r->src, i, t);
    }
    if (!gradient)
      train_put(r->dst, row, value * r->scale, t);
  }
}

enum kernel_status train_reduce_fw(const struct train_reduce *r) {
  enum kernel_status status = refuse_reduce(r);
  if (status == KERNEL_OK)
    TRAIN_BY_TYPE(r->type, reduce, r, false);
  return status;
}

enum kernel_status train_reduce_ig(const struct train_reduce *r) {
  enum kernel_status status = refuse_reduce(r);
  if (status == KERNEL_OK)
    TRAIN_BY_TYPE(r->type, reduce, r, true);
  return status;
}

// ---- resizing: where a pixel of the result comes from along one axis

struct neighbours {
  uint32_t low, high;
  float weight; // of high
};

static struct neighbours nearest(uint32_t i, uint32_t src, uint32_t dst) {
  uint32_t at = i * src / dst;
  return (struct neighbours){at, at, 0};
}

static struct neighbours linear(uint32_t i, uint32_t src, uint32_t dst) {
  float at = ((float)i + 0.5f) * (float)src / (float)dst - 0.5f;
  if (at <= 0)
    return (struct neighbours){0, 0, 0};
  uint32_t low = (uint32_t)at;
  if (low >= src - 1)
    return (struct neighbours){src - 1, src - 1, 0};
  return (struct neighbours){low, low + 1, at - (float)low};
}

typedef struct neighbours neighbours_fn(uint32_t i, uint32_t src, uint32_t dst);

// A result's pixel from its neighbours, or its gradient to them. Neighbours without weight take no
// part: their infinities are not its own.
TRAIN_TYPED void resize_pixel(const struct train_resize *r, const size_t at[4],
                              const float weight[4], size_t pixel, bool gradient,
                              enum train_type t) {
  float sum = 0;
  for (int n = 0; n < 4; n++) {
    if (weight[n] == 0)
      continue;
    if (gradient)
      train_put(r->dst, at[n],
                train_get(r->dst, at[n], t) + weight[n] * train_get(r->src, pixel, t), t);
    else
      sum += weight[n] * train_get(r->src, at[n], t);
  }
  if (!gradient)
    train_put(r->dst, pixel, sum, t);
}

TRAIN_TYPED void resize_planes(const struct train_resize *r, neighbours_fn *of, bool gradient,
                               enum train_type t) {
  size_t small = (size_t)r->src_h * r->src_w, large = (size_t)r->dst_h * r->dst_w;
  struct rt_range mine = rt_share(r->planes);
  for (size_t c = mine.begin; c < mine.end; c++) {
    for (size_t i = 0; gradient && i < small; i++)
      train_put(r->dst, c * small + i, 0, t);
    for (uint32_t y = 0; y < r->dst_h; y++) {
      struct neighbours v = of(y, r->src_h, r->dst_h);
      for (uint32_t x = 0; x < r->dst_w; x++) {
        struct neighbours h = of(x, r->src_w, r->dst_w);
        size_t low = c * small + v.low * r->src_w, high = c * small + v.high * r->src_w;
        const size_t at[4] = {low + h.low, low + h.high, high + h.low, high + h.high};
        const float weight[4] = {(1 - v.weight) * (1 - h.weight), (1 - v.weight) * h.weight,
                                 v.weight * (1 - h.weight), v.weight * h.weight};
        resize_pixel(r, at, weight, c * large + y * r->dst_w + x, gradient, t);
      }
    }
  }
}

static enum kernel_status resize(const struct train_resize *r, neighbours_fn *of, bool gradient) {
  if (!r->planes || !r->src_h || !r->src_w || !r->dst_h || !r->dst_w || r->type >= TRAIN_TYPES)
    return KERNEL_BAD_SHAPE;
  if (!r->src || !r->dst)
    return KERNEL_BAD_POINTER;
  TRAIN_BY_TYPE(r->type, resize_planes, r, of, gradient);
  return KERNEL_OK;
}

enum kernel_status train_resize_nearest_fw(const struct train_resize *r) {
  return resize(r, nearest, false);
}
enum kernel_status train_resize_nearest_ig(const struct train_resize *r) {
  return resize(r, nearest, true);
}
enum kernel_status train_resize_bilinear_fw(const struct train_resize *r) {
  return resize(r, linear, false);
}
enum kernel_status train_resize_bilinear_ig(const struct train_resize *r) {
  return resize(r, linear, true);
}

static enum kernel_status refuse_embedding(const struct train_embedding *e, const void *one,
                                           const void *two) {
  if (!e->entries || !e->columns || !e->count || e->type >= TRAIN_TYPES)
    return KERNEL_BAD_SHAPE;
  if (!one || !two || !e->index)
    return KERNEL_BAD_POINTER;
  for (uint32_t i = 0; i < e->count; i++) {
    if (e->index[i] >= e->entries)
      return KERNEL_BAD_SHAPE;
  }
  return KERNEL_OK;
}

TRAIN_TYPED void look_up(const struct train_embedding *e, enum train_type t) {
  struct rt_range mine = rt_share(e->count);
  for (size_t i = mine.begin; i < mine.end; i++) {
    size_t entry = (size_t)e->index[i] * e->columns;
    for (size_t j = 0; j < e->columns; j++)
      train_put(e->dst, i * e->columns + j, train_get(e->table, entry + j, t), t);
  }
}

enum kernel_status train_embedding_fw(const struct train_embedding *e) {
  enum kernel_status status = refuse_embedding(e, e->table, e->dst);
  if (status == KERNEL_OK)
    TRAIN_BY_TYPE(e->type, look_up, e);
  return status;
}

// By columns: an entry that occurs twice belongs to one core.
TRAIN_TYPED void spread_back(const struct train_embedding *e, struct rt_range columns,
                             enum train_type t) {
  for (size_t i = 0; i < e->count; i++) {
    size_t entry = (size_t)e->index[i] * e->columns;
    for (size_t j = columns.begin; j < columns.end; j++)
      train_put(e->table_grad, entry + j,
                train_get(e->table_grad, entry + j, t) + train_get(e->src, i * e->columns + j, t),
                t);
  }
}

enum kernel_status train_embedding_wg(const struct train_embedding *e) {
  enum kernel_status status = refuse_embedding(e, e->table_grad, e->src);
  struct rt_range mine = rt_share(e->columns);
  if (status == KERNEL_OK)
    TRAIN_BY_TYPE(e->type, spread_back, e, mine);
  return status;
}
