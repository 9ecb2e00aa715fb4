// deploy/quant/moments.c
#include "moments.h"

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
static void gather(const struct net *net, const struct net_layer *l, const float *x, uint32_t y0,
                   uint32_t x0, uint32_t group, uint32_t width, double *row) {
  const struct net_tensor *in = net_input(net, l, 0);
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

// to[i] += factor * from[i]
static void add_scaled(double *restrict to, const double *restrict from, double factor,
                       size_t count) {
  for (size_t i = 0; i < count; i++)
    to[i] += factor * from[i];
}

static void add_row(struct moments *m, uint32_t group, const double *row, const float *y) {
  size_t n = m->taps;
  uint32_t filters = m->filters / m->groups, first = group * filters;
  add_scaled(m->mean_x + group * n, row, 1, n);
  for (uint32_t f = 0; f < filters; f++)
    m->mean_y[first + f] += (double)y[first + f];
  if (!m->h)
    return;
  for (size_t i = 0; i < n; i++)
    add_scaled(m->h + (group * n + i) * n, row, row[i], i + 1);
  for (uint32_t f = 0; f < filters; f++)
    add_scaled(m->g + (first + f) * n, row, (double)y[first + f], n);
}

void moments_add(struct moments *m, const struct net *net, const struct net_layer *l,
                 const float *x, const float *y, uint32_t stride, uint32_t phase) {
  const struct net_tensor *out = net_output(net, l);
  uint32_t width = net_input(net, l, 0)->c / m->groups;
  double *row = memory_new(m->taps, sizeof *row);
  for (uint32_t p = phase; p < out->h * out->w; p += stride) {
    for (uint32_t group = 0; group < m->groups; group++) {
      for (size_t i = 0; l->kind == NET_LINEAR && i < m->taps; i++)
        row[i] = (double)x[i];
      if (l->kind != NET_LINEAR)
        gather(net, l, x, p / out->w, p % out->w, group, width, row);
      add_row(m, group, row, y + (size_t)p * out->c);
    }
    m->rows++;
  }
  free(row);
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
