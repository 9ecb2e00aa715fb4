// kernels/train/train_net_panels.h: products of weights and planes in L2 where each core takes its
// own pixels through L1, four at a time, against all weights, which stay there: no barrier between.
//
// A panel is four pixels of all channels, [channel][4], as the DMA collects them; the next one is
// on its way and the last one leaves meanwhile. Results have the bits of mmt_f32.h; a ReLU
// is taken as sums are stored, but behind a bias, where train_gate.h takes it.
#ifndef TRAIN_NET_PANELS_H
#define TRAIN_NET_PANELS_H

#include "kernels/status.h"
#include "kernels/train/train_net.h"

// out[n][plane] = weights * in[k][plane]; weights [n][k], or `turned`: [k][n].
struct train_net_panels {
  const float *weights, *bias; // in L2; bias [n] or NULL
  const float *in;             // in L2
  float *out;                  // in L2
  uint32_t n, k, plane;
  bool turned, relu;
};

// Whether it fits into L1 and keeps the cores busy: of the panels that they could take together in
// the time, seven in eight are wanted.
bool train_net_panels_fit(uint32_t l1_bytes, uint32_t cores, const struct train_net_panels *panels);
// A pass (train_net_pass.h).
void train_net_panels(const struct train_net *net, const struct train_net_panels *panels);

#endif
