// kernels/train/train_net_layers.h: one layer of a network (train_net.h), forward and backward.
#ifndef TRAIN_NET_LAYERS_H
#define TRAIN_NET_LAYERS_H

#include "kernels/rt/rt.h"
#include "kernels/train/train_depthwise.h"
#include "kernels/train/train_net.h"
#include "kernels/train/train_net_outer.h"

// What a layer's passes are given.
struct train_net_place {
  const float *in;
  const float *out_grad;
  float *in_grad;                  // NULL: not wanted
  float *weights_grad, *bias_grad; // NULL: frozen, or there is none
  // Not NULL: the layer may step its weights with net->rate and leave their gradients out; true
  // then.
  bool *stepped;
  bool gated; // in_grad is to be that of a ReLU's input, with `in` its output
};

// A depthwise layer's shape, with so many of its channels and without operands.
struct train_depthwise train_net_depthwise(const struct train_net_layer *layer, uint32_t channels);

// All cores call with the same arguments, as they do a pass (train_net_pass.h).
enum kernel_status train_net_layer_fw(const struct train_net *net,
                                      const struct train_net_layer *layer,
                                      const struct train_net_place *place);
enum kernel_status train_net_layer_bw(const struct train_net *net,
                                      const struct train_net_layer *layer,
                                      const struct train_net_place *place);

// Whether the gradient of a layer's weights waits for those of others (train_net_layer.out_grad);
// its `place` for train_net_layer_bw() has no weights_grad then. `like`: one that does, or NULL.
bool train_net_layer_waits(const struct train_net *net, const struct train_net_layer *layer,
                           const struct train_net_place *place, const struct train_net_layer *like);
// One of those after the other, from a `pass` without layers on, and NULL behind the last.
void train_net_layer_wg(const struct train_net *net, const struct train_net_layer *layer,
                        const struct train_net_place *place, struct train_net_outer *pass);

// Whether a factor of gradients is that of a step, -rate, which is -0 at a rate of 0. +0: they are
// taken as they are.
static inline bool train_net_is_step(float factor) {
  return rt_float_bits(factor) != 0;
}

// Whether L1 holds the planes of a mean for so many cores, both ways: it has no tiles.
bool train_net_mean_fits(uint32_t l1_bytes, uint32_t cores, const struct train_net_layer *layer);

// Floats begin..end - 1 in L2, `begin` a multiple of 2: to += factor * from; with a factor of +0 a
// copy. All cores call, as they do a pass (train_net.c).
enum kernel_status train_net_combine(const struct train_net *net, float *to, const float *from,
                                     float factor, uint32_t begin, uint32_t end);

#endif
