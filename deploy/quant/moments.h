// deploy/quant/moments.h: moments of a layer's inputs, as the integer network gives them, and of
// the results that the real network has for them.
#ifndef MOMENTS_H
#define MOMENTS_H

#include "real.h"

struct moments {
  size_t taps;
  uint32_t groups, filters; // filters in all; each group of filters has inputs of its own
  uint64_t rows;
  double *h;      // [groups][taps][taps]
  double *g;      // [filters][taps]
  double *mean_x; // [groups][taps]
  double *mean_y; // [filters]
};

// Of a layer with weights; `squares`: h and g too, not the means alone.
struct moments *moments_new(const struct net *net, const struct net_layer *layer, bool squares);
void moments_free(struct moments *moments);

// One output in `stride`, beginning with `phase`: x as real numbers (0 in the padding), y without
// the clip.
void moments_add(struct moments *moments, const struct net *net, const struct net_layer *layer,
                 const float *x, const float *y, uint32_t stride, uint32_t phase);

uint32_t moments_group(const struct moments *moments, uint32_t filter);

// Divides by the rows, and takes the means out of h and g.
void moments_finish(struct moments *moments);

#endif
