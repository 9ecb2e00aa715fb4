// kernels/train/train_net_pass.h: a pass over arrays in L2, part by part along their channels.
#ifndef TRAIN_NET_PASS_H
#define TRAIN_NET_PASS_H

#include "kernels/status.h"
#include "kernels/train/train_net.h"
#include "kernels/train/train_tiles.h"

enum { TRAIN_NET_STREAMS = TRAIN_TILE_OPERANDS };

// An array of so many floats a channel; a pass without the array has a NULL.
struct train_net_stream {
  const float *array;
  uint32_t floats;
  bool out;
};

struct train_net_pass {
  const struct train_net_layer *layer;
  uint32_t channels, part; // part: of each tile, but the last
  struct train_net_stream stream[TRAIN_NET_STREAMS];
  // By all cores, on a tile of `channels`; at[i]: stream i's, NULL without one.
  void (*compute)(const struct train_net_pass *pass, uint32_t channels, float *const *at);
  uint32_t scratch_floats; // wanted behind the tiles
  float *scratch;          // there
  float factor;            // of `compute`
  bool gated;              // the layer below has a ReLU
};

// All cores call with the same arguments.
//
// Of all passes: it begins with what a core needs no other one for, comes to a barrier, behind
// which the last pass is over and L1 is its own, and ends as soon as this core's part is done. What
// it wrote is there behind the next barrier, that of the next pass. So cores that are early bring
// code and plans of the next one, and those that are late find the code in the shared cache.
enum kernel_status train_net_pass(const struct train_net *net, struct train_net_pass *pass);

#endif
