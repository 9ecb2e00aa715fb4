// kernels/train/train_net_planes.h: a pass over planes in L2 by which each core brings its own
// channels through L1, one behind the other, the next one on its way: no barrier between.
//
// What is done along channels with few instructions a plane spends less on coming from tile to tile
// than in train_net_pass.h, where all cores meet for each.
#ifndef TRAIN_NET_PLANES_H
#define TRAIN_NET_PLANES_H

#include <stddef.h>

#include "kernels/status.h"
#include "kernels/train/train_net.h"

enum {
  TRAIN_NET_LANES = 8, // arrays of a pass
  TRAIN_NET_EACH = 4   // at most, that come, that leave, that are kept
};

// An array of so many bytes a channel, NULL: the pass is without; a multiple of 4, but in those
// that are `kept`: small ones, weights and their gradients, of which a core moves all its channels'
// at once.
struct train_net_lane {
  const void *array;
  uint32_t bytes;
  bool out, kept;
};

struct train_net_planes {
  const struct train_net_layer *layer;
  uint32_t channels;
  struct train_net_lane lane[TRAIN_NET_LANES];
  uint32_t scratch_floats; // wanted by each core; zeros when its first channel comes
  // Called by each core for each of its channels; at[i]: the channel's part of lane i in L1, NULL
  // without an array. `state` is the caller's, and of this core.
  void (*compute)(void *state, float *const *at);
};

// A pass without arrays. Field by field, as the compiler would call memset().
static inline void train_net_planes_begin(struct train_net_planes *p,
                                          const struct train_net_layer *layer, uint32_t channels,
                                          void (*compute)(void *state, float *const *at)) {
  p->layer = layer;
  p->channels = channels;
  p->scratch_floats = 0;
  p->compute = compute;
  for (uint32_t i = 0; i < TRAIN_NET_LANES; i++)
    p->lane[i].array = NULL;
}

// Whether L1 holds two channels for each core; for each of so many cores, and so of fewer.
bool train_net_planes_fit(const struct train_net *net, const struct train_net_planes *planes);
bool train_net_planes_fit_on(const struct train_net *net, const struct train_net_planes *planes,
                             uint32_t cores);
// This core's scratch.
float *train_net_planes_scratch(const struct train_net *net);
// A pass (train_net_pass.h); each core has a state of its own.
void train_net_planes(const struct train_net *net, const struct train_net_planes *planes,
                      void *state);

#endif
