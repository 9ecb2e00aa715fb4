// deploy/lower/product.h: convolutions and products of quantized graphs, as they are read, with
// what follows them and is an affine function of each channel.
#ifndef DEPLOY_PRODUCT_H
#define DEPLOY_PRODUCT_H

#include "deploy/lower/quantizing.h"

// Codes of a constant with their scales and zero points, one or one for each channel of `axis`.
struct weights {
  const struct array *codes, *scales, *zeros; // scales NULL: 1; zeros NULL: 0
};

double weights_scale(const struct weights *w, size_t channel);
int64_t weights_zero(const struct weights *w, size_t channel);

// A product in the making. A sum of channel c, with its integer bias, stands for mul[c] * sum +
// add[c] if `affine`; else for x_scale * w_scale * sum.
struct product {
  const struct graph_node *node;
  const struct coded *x;
  int64_t x_zero;
  float x_scale;
  struct weights w;
  bool conv, by_output; // matrices: [outputs][inputs]
  bool unit;            // no operator: each channel of x, times 1
  uint32_t filters;
  int64_t *bias;
  double *mul, *add;
  bool affine;
};

void product_drop(struct product *p);
// The product behind a value, with what follows it. *known: there is one. False with the sentence.
bool product_read(struct quantizing *q, int value, struct product *p, bool *known);
// QLinearConv, QLinearMatMul, QGemm (com.microsoft). *known: the node is one of them, with the
// codes of its results.
bool product_read_qlinear(struct quantizing *q, const struct graph_node *node, struct product *p,
                          struct quantum *to, bool *known);

#endif
