// kernels/train/train_net_outer.h: the weights' gradient of a product of planes in L2: the layer's
// input lies in L1, a few rows of the output's gradient at a time come and meet it.
//
// Planes have MMT_TILE_PITCH pixels, as blocks read them. Each core has its own columns of the
// result. The results have the bits of mmt_f32.h.
#ifndef TRAIN_NET_OUTER_H
#define TRAIN_NET_OUTER_H

#include "kernels/status.h"
#include "kernels/train/train_net.h"

enum { TRAIN_NET_OUTERS = 4 }; // layers of one shape, one behind the other

// weights_grad[n][m] = out_grad[n][plane] * in[m][plane]', all in L2.
struct train_net_outer_layer {
  const float *out_grad, *in;
  float *weights_grad;
  // Not NULL: weights += factor * gradient, which goes nowhere; of all layers or of none.
  float *weights;
};
struct train_net_outer {
  struct train_net_outer_layer layer[TRAIN_NET_OUTERS];
  uint32_t count; // of them
  float factor;
  uint32_t n, m, plane;
};

// Whether it fits into L1 and keeps the cores busy, seven in eight of them at least.
bool train_net_outer_fits(uint32_t l1_bytes, uint32_t cores, const struct train_net_outer *outer);
// A pass (train_net_pass.h).
void train_net_outer(const struct train_net *net, const struct train_net_outer *outer);

#endif
