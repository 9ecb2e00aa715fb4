// kernels/train/train_shape.c
#include "train_shape.h"

#include <stdbool.h>
#include <stddef.h>

#include "kernels/rt/rt.h"
#include "train_planes.h"

enum kernel_status train_permute(const struct train_permute *p) {
  if (!p->size[0] || !p->size[1] || !p->size[2] || p->order[0] > 2 || p->order[1] > 2 ||
      p->order[2] > 2 || (1u << p->order[0] | 1u << p->order[1] | 1u << p->order[2]) != 7)
    return KERNEL_BAD_SHAPE;
  if (!p->src || !p->dst)
    return KERNEL_BAD_POINTER;
  const size_t step[3] = {(size_t)p->size[1] * p->size[2], p->size[2], 1};
  size_t n1 = p->size[p->order[1]], n2 = p->size[p->order[2]];
  struct rt_range mine = rt_split((uint32_t)(p->size[p->order[0]] * n1), 1);
  for (size_t row = mine.begin; row < mine.end; row++) {
    const float *src = p->src + row / n1 * step[p->order[0]] + row % n1 * step[p->order[1]];
    for (size_t k = 0; k < n2; k++)
      p->dst[row * n2 + k] = src[k * step[p->order[2]]];
  }
  return KERNEL_OK;
}

static enum kernel_status refuse_pad(const struct train_pad *p) {
  if (!p->planes || !p->h || !p->w)
    return KERNEL_BAD_SHAPE;
  return p->src && p->dst ? KERNEL_OK : KERNEL_BAD_POINTER;
}

enum kernel_status train_pad_fw(const struct train_pad *p) {
  enum kernel_status status = refuse_pad(p);
  if (status == KERNEL_OK)
    train_pad_planes(p->dst, p->src, p->planes, p->h, p->w,
                     (struct train_border){p->top, p->bottom, p->left, p->right});
  return status;
}

enum kernel_status train_pad_ig(const struct train_pad *p) {
  enum kernel_status status = refuse_pad(p);
  if (status != KERNEL_OK)
    return status;
  size_t pitch = (size_t)p->left + p->w + p->right, plane = pitch * (p->top + p->h + p->bottom);
  struct rt_range mine = rt_split(p->planes, 1);
  for (size_t c = mine.begin; c < mine.end; c++) {
    for (size_t y = 0; y < p->h; y++) {
      for (size_t x = 0; x < p->w; x++)
        p->dst[(c * p->h + y) * p->w + x] = p->src[c * plane + (y + p->top) * pitch + x + p->left];
    }
  }
  return KERNEL_OK;
}

static enum kernel_status refuse_reduce(const struct train_reduce *r) {
  if (!r->rows || !r->columns)
    return KERNEL_BAD_SHAPE;
  return r->src && r->dst ? KERNEL_OK : KERNEL_BAD_POINTER;
}

enum kernel_status train_reduce_fw(const struct train_reduce *r) {
  enum kernel_status status = refuse_reduce(r);
  struct rt_range mine = rt_split(r->rows, 1);
  for (size_t row = mine.begin; status == KERNEL_OK && row < mine.end; row++) {
    float sum = 0;
    for (size_t i = 0; i < r->columns; i++)
      sum += r->src[row * r->columns + i];
    r->dst[row] = sum * r->scale;
  }
  return status;
}

enum kernel_status train_reduce_ig(const struct train_reduce *r) {
  enum kernel_status status = refuse_reduce(r);
  struct rt_range mine = rt_split(r->rows, 1);
  for (size_t row = mine.begin; status == KERNEL_OK && row < mine.end; row++) {
    for (size_t i = 0; i < r->columns; i++)
      r->dst[row * r->columns + i] = r->src[row] * r->scale;
  }
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

static enum kernel_status resize(const struct train_resize *r, neighbours_fn *of, bool gradient) {
  if (!r->planes || !r->src_h || !r->src_w || !r->dst_h || !r->dst_w)
    return KERNEL_BAD_SHAPE;
  if (!r->src || !r->dst)
    return KERNEL_BAD_POINTER;
  size_t small = (size_t)r->src_h * r->src_w, large = (size_t)r->dst_h * r->dst_w;
  struct rt_range mine = rt_split(r->planes, 1);
  for (size_t c = mine.begin; c < mine.end; c++) {
    for (size_t i = 0; gradient && i < small; i++)
      r->dst[c * small + i] = 0;
    for (uint32_t y = 0; y < r->dst_h; y++) {
      struct neighbours v = of(y, r->src_h, r->dst_h);
      for (uint32_t x = 0; x < r->dst_w; x++) {
        struct neighbours h = of(x, r->src_w, r->dst_w);
        const size_t at[4] = {v.low * r->src_w + h.low, v.low * r->src_w + h.high,
                              v.high * r->src_w + h.low, v.high * r->src_w + h.high};
        const float weight[4] = {(1 - v.weight) * (1 - h.weight), (1 - v.weight) * h.weight,
                                 v.weight * (1 - h.weight), v.weight * h.weight};
        size_t pixel = c * large + y * r->dst_w + x;
        float sum = 0;
        for (int n = 0; n < 4; n++) {
          if (gradient)
            r->dst[c * small + at[n]] += weight[n] * r->src[pixel];
          else
            sum += weight[n] * r->src[c * small + at[n]];
        }
        if (!gradient)
          r->dst[pixel] = sum;
      }
    }
  }
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
  if (!e->entries || !e->columns || !e->count)
    return KERNEL_BAD_SHAPE;
  if (!one || !two || !e->index)
    return KERNEL_BAD_POINTER;
  for (uint32_t i = 0; i < e->count; i++) {
    if (e->index[i] >= e->entries)
      return KERNEL_BAD_SHAPE;
  }
  return KERNEL_OK;
}

enum kernel_status train_embedding_fw(const struct train_embedding *e) {
  enum kernel_status status = refuse_embedding(e, e->table, e->dst);
  struct rt_range mine = rt_split(e->count, 1);
  for (size_t i = mine.begin; status == KERNEL_OK && i < mine.end; i++)
    rt_copy_words(e->dst + i * e->columns, e->table + (size_t)e->index[i] * e->columns, e->columns);
  return status;
}

// By columns: an entry that occurs twice belongs to one core.
enum kernel_status train_embedding_wg(const struct train_embedding *e) {
  enum kernel_status status = refuse_embedding(e, e->table_grad, e->src);
  struct rt_range mine = rt_split(e->columns, 1);
  for (size_t i = 0; status == KERNEL_OK && i < e->count; i++) {
    for (size_t j = mine.begin; j < mine.end; j++)
      e->table_grad[(size_t)e->index[i] * e->columns + j] += e->src[i * e->columns + j];
  }
  return status;
}
