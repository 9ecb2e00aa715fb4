// kernels/train/train_net_half.h: one layer of a network in 16 bits (train_net.h), forward and
// backward; its loss and its weights.
//
// Each core brings its own part through L1, the next one on its way meanwhile: pixels of products
// forward and for the input's gradient, rows of weights for theirs, planes of all other layers.
#ifndef TRAIN_NET_HALF_H
#define TRAIN_NET_HALF_H

#include "kernels/mm/mmt_f32_tile.h"
#include "kernels/status.h"
#include "kernels/train/train_net.h"
#include "kernels/train/train_type.h"

// A type's blocks of products. By pointer, so that a program has those of its own type only.
struct train_half_type {
  enum train_type id;
  mmt_tile_fn *const (*nt)[MMT_TILE_COLS], *const (*tn)[MMT_TILE_COLS];
  mmt_tile_fn *const (*ntp)[MMT_TILE_COLS], *const (*tnp)[MMT_TILE_COLS]; // few sizes
};

// What a layer's passes are given, all in L2.
struct train_half_place {
  enum train_type type;
  const struct train_half_type *blocks;
  const uint16_t *in, *out_grad, *weights, *bias;
  uint16_t *in_grad;                  // NULL: not wanted
  uint16_t *weights_grad, *bias_grad; // NULL: frozen, or there is none
  bool gated;                         // as in train_net_layers.h
};

// All cores call each with the same arguments, as they do a pass (train_net_pass.h).

// Of a layer of any kind.
enum kernel_status train_half_fw(const struct train_net *net, const struct train_net_layer *layer,
                                 const struct train_half_place *place);
enum kernel_status train_half_bw(const struct train_net *net, const struct train_net_layer *layer,
                                 const struct train_half_place *place);

// Whether L1 holds what the passes of a layer want at least; on the calling core.
bool train_half_fits(const struct train_net *net, const struct train_net_layer *layer,
                     bool backward);

// Of products of planes.
bool train_half_pixels_fit(const struct train_net *net, const struct train_net_layer *layer,
                           bool backward);
enum kernel_status train_half_pixels_fw(const struct train_net *net,
                                        const struct train_net_layer *layer,
                                        const struct train_half_place *place);
enum kernel_status train_half_pixels_bw(const struct train_net *net,
                                        const struct train_net_layer *layer,
                                        const struct train_half_place *place);
// Of products of vectors: fully connected.
bool train_half_linear_fit(const struct train_net *net, const struct train_net_layer *layer,
                           bool backward);
enum kernel_status train_half_linear_fw(const struct train_net *net,
                                        const struct train_net_layer *layer,
                                        const struct train_half_place *place);
enum kernel_status train_half_linear_bw(const struct train_net *net,
                                        const struct train_net_layer *layer,
                                        const struct train_half_place *place);
// Of all other layers.
bool train_half_planes_fit(const struct train_net *net, const struct train_net_layer *layer,
                           bool backward);
enum kernel_status train_half_planes_fw(const struct train_net *net,
                                        const struct train_net_layer *layer,
                                        const struct train_half_place *place);
enum kernel_status train_half_planes_bw(const struct train_net *net,
                                        const struct train_net_layer *layer,
                                        const struct train_half_place *place);

// The loss, and the last layer's gradient times the scale.
enum kernel_status train_half_loss(const struct train_net *net, uint32_t label, float *loss);

// All gradients, divided by the scale: added to `to` or, if `first`, put there.
enum kernel_status train_half_add(const struct train_net *net, float *to, bool first);
// The step of `count` weights from number `begin` on by `gradients`, or, if that is NULL, by the
// sums.
enum kernel_status train_half_step(const struct train_net *net, uint32_t begin, uint32_t count,
                                   const uint16_t *gradients);

// Whether gradients are finite. Each core tells of those that it has left in L1, `count` from any
// element on, and forgets what it told; `finite`, behind a barrier: whether all that all cores told
// of were. The sums, behind a barrier: of these alone.
void train_half_watch(const uint16_t *gradients, uint32_t count, enum train_type type);
void train_half_watch_none(void);
enum kernel_status train_half_watch_sums(const struct train_net *net);
bool train_half_finite(void);

// The first `count` gradients become 0.
enum kernel_status train_half_clear(const struct train_net *net, uint32_t count);

#endif
