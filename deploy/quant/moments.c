// deploy/quant/moments.c
#include "moments.h"

#include <math.h>
#include <stdlib.h>

#include "deploy/memory.h"

struct moments *moments_new(const struct net *net, const struct net_layer *layer, bool squares) {
  struct moments *m = memory_new(1, sizeof *m);
  m->filters = net_output(net, layer)->c;
  m->groups = layer->kind == NET_CONV        ? layer->groups
              : layer->kind == NET_DEPTHWISE ? m->filters
                                             : 1;
  m->taps = layer->weight_count / m->filters;
  m->mean_x = memory_new(m->groups * m->taps, sizeof *m->mean_x);
  m->mean_y = memory_new(m->filters, sizeof *m->mean_y);
  m->h = squares ? memory_new(m->groups * m->taps * m->taps, sizeof *m->h) : NULL;
  m->g = squares ? memory_new(m->filters * m->taps, sizeof *m->g) : NULL;
  return m;
}

void moments_free(struct moments *m) {
  free(m->h);
  free(m->g);
  free(m->mean_x);
  free(m->mean_y);
  free(m);
}

// The taps of one group under an output pixel.
static void gather(const struct net *net, const struct net_layer *l, const float *x, uint32_t place,
                   uint32_t group, uint32_t width, double *row) {
  const struct net_tensor *in = net_input(net, l, 0);
  uint32_t y0 = place / net_output(net, l)->w, x0 = place % net_output(net, l)->w;
  size_t inputs = (size_t)in->h * in->w * in->c;
  if (l->kind == NET_LINEAR) {
    for (size_t i = 0; i < inputs; i++)
      row[i] = (double)x[i];
    return;
  }
  for (int i = 0; i < l->kernel_h; i++) {
    for (int j = 0; j < l->kernel_w; j++, row += width) {
      int64_t y = (int64_t)y0 * l->stride_h + i * l->dilation_h - l->pad_top;
      int64_t at = (int64_t)x0 * l->stride_w + j * l->dilation_w - l->pad_left;
      bool inside = y >= 0 && y < in->h && at >= 0 && at < in->w;
      const float *pixel = inside ? x + ((size_t)y * in->w + (size_t)at) * in->c : NULL;
      for (uint32_t c = 0; c < width; c++)
        row[c] = pixel ? (double)pixel[(size_t)group * width + c] : 0;
    }
  }
}

enum { ROWS = 16, AT_ONCE = 4 }; // rows gathered before they are added; added in one pass

// Rows of one group: their taps, and their results.
struct block {
  double *rows; // [ROWS][taps]
  const float *y[ROWS];
  uint32_t count;
};

// to[i] += factor * row[i] for rows in their order, whatever of them is done in one pass: so the
// sums, rounded, are the same.
static void add_four(double *restrict to, const double *const rows[AT_ONCE],
                     const double factors[AT_ONCE], size_t count) {
  const double *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
  double fa = factors[0], fb = factors[1], fc = factors[2], fd = factors[3];
  for (size_t i = 0; i < count; i++)
    to[i] = to[i] + fa * a[i] + fb * b[i] + fc * c[i] + fd * d[i];
}

static void add_one(double *restrict to, const double *restrict row, double factor, size_t count) {
  for (size_t i = 0; i < count; i++)
    to[i] += factor * row[i];
}

// What is multiplied by 0, as half of what is behind a ReLU, is left out.
static void add_rows(const struct block *b, size_t taps, const double factors[ROWS], double *to,
                     size_t count) {
  const double *rows[AT_ONCE];
  double taken[AT_ONCE];
  uint32_t have = 0;
  for (uint32_t k = 0; k < b->count; k++) {
    if (!(fabs(factors[k]) > 0))
      continue;
    rows[have] = b->rows + k * taps, taken[have++] = factors[k];
    if (have == AT_ONCE) {
      add_four(to, rows, taken, count);
      have = 0;
    }
  }
  for (uint32_t k = 0; k < have; k++)
    add_one(to, rows[k], taken[k], count);
}

static void add_block(struct moments *m, uint32_t group, const struct block *b) {
  size_t n = m->taps;
  uint32_t filters = m->filters / m->groups, first = group * filters;
  double factors[ROWS];
  for (uint32_t k = 0; k < b->count; k++) {
    add_one(m->mean_x + group * n, b->rows + k * n, 1, n);
    for (uint32_t f = 0; f < filters; f++)
      m->mean_y[first + f] += (double)b->y[k][first + f];
  }
  for (size_t i = 0; m->h && i < n; i++) {
    for (uint32_t k = 0; k < b->count; k++)
      factors[k] = b->rows[k * n + i];
    add_rows(b, n, factors, m->h + (group * n + i) * n, i + 1);
  }
  for (uint32_t f = 0; m->h && f < filters; f++) {
    for (uint32_t k = 0; k < b->count; k++)
      factors[k] = (double)b->y[k][first + f];
    add_rows(b, n, factors, m->g + (first + f) * n, n);
  }
}

void moments_add(struct moments *m, const struct net *net, const struct net_layer *l,
                 const float *x, const float *y, uint32_t stride, uint32_t phase) {
  const struct net_tensor *out = net_output(net, l);
  uint32_t width = net_input(net, l, 0)->c / m->groups, pixels = out->h * out->w;
  struct block b = {.rows = memory_new(ROWS * m->taps, sizeof *b.rows)};
  for (uint64_t first = phase; first < pixels; first += (uint64_t)ROWS * stride) {
    for (uint32_t group = 0; group < m->groups; group++) {
      b.count = 0;
      for (uint64_t p = first; p < pixels && b.count < ROWS; p += stride, b.count++) {
        gather(net, l, x, (uint32_t)p, group, width, b.rows + b.count * m->taps);
        b.y[b.count] = y + p * out->c;
      }
      add_block(m, group, &b);
    }
    m->rows += b.count;
  }
  free(b.rows);
}

uint32_t moments_group(const struct moments *m, uint32_t filter) {
  return (uint32_t)((uint64_t)filter * m->groups / m->filters);
}

void moments_finish(struct moments *m) {
  size_t n = m->taps;
  double rows = m->rows ? (double)m->rows : 1;
  for (size_t i = 0; i < m->groups * n; i++)
    m->mean_x[i] /= rows;
  for (uint32_t f = 0; f < m->filters; f++)
    m->mean_y[f] /= rows;
  for (uint32_t group = 0; m->h && group < m->groups; group++) {
    double *h = m->h + group * n * n;
    const double *mean = m->mean_x + group * n;
    for (size_t i = 0; i < n; i++) {
      for (size_t k = 0; k <= i; k++)
        h[k * n + i] = h[i * n + k] = h[i * n + k] / rows - mean[i] * mean[k];
    }
  }
  for (uint32_t f = 0; m->g && f < m->filters; f++) {
    const double *mean = m->mean_x + moments_group(m, f) * n;
    for (size_t i = 0; i < n; i++)
      m->g[f * n + i] = m->g[f * n + i] / rows - m->mean_y[f] * mean[i];
  }
}
