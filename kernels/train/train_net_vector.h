// kernels/train/train_net_vector.h: a small fully connected layer: its weights come to L1 once each
// way, for all three steps. What a layer of a thousand weights costs is the code that it runs.
//
// Results have the bits of mmt_f32.h.
#ifndef TRAIN_NET_VECTOR_H
#define TRAIN_NET_VECTOR_H

#include "kernels/train/train_net_layers.h"

// Whether a layer is one of these. It has no tiles.
bool train_net_vector_fits(uint32_t l1_bytes, const struct train_net_layer *layer);
// Passes (train_net_pass.h).
void train_net_vector_fw(const struct train_net *net, const struct train_net_layer *layer,
                         const struct train_net_place *place);
void train_net_vector_bw(const struct train_net *net, const struct train_net_layer *layer,
                         const struct train_net_place *place);

#endif
