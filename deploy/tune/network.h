// deploy/tune/network.h: what there is to tune in a network: its layers that are products.
#ifndef TUNE_NETWORK_H
#define TUNE_NETWORK_H

#include "deploy/tune/product.h"

// Pointwise (1x1, stride 1) and fully connected layers whose operands the measuring program has
// room for in L2 (`most_floats`); others run by kernels of their own, without a tile to choose.
struct tune_network_layer {
  char name[40];
  char shape[80]; // as tune_layer_parse() takes it
  struct tune_layer layer;
  bool tuned;
  bool first; // reads the network's input: no gradient of that
  uint64_t macs;
};

struct tune_network {
  struct tune_network_layer *layers;
  uint32_t count;
};

// Of a file or a name that pulpsim-deploy takes; pools and additions are left out. False with the
// sentence.
bool tune_network_read(struct tune_network *network, const char *model, uint32_t most_floats,
                       struct net_error *error);
void tune_network_free(struct tune_network *network);

#endif
