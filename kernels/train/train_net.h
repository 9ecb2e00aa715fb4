// kernels/train/train_net.h: training of a chain of layers whose weights, activations and gradients
// lie in L2: each layer's pass goes through L1 by tiles, the DMA beside (train_tiles.h). Floats, or
// 16 bits (struct train_net_half).
//
// A layer's output is stored behind its ReLU. With `below`, the layer in front of it, and planes of
// so many pixels p:
//
//   PATCHES    out[(c * kernel_h + i) * kernel_w + j][p] = in[c][pixel of p's window at (i, j)],
//              zeros outside: im2col, so that a PRODUCT behind it is a convolution
//   PRODUCT    out[f][p] = bias[f] + sum over c of weights[f][c] * in[c][p]: pointwise, and fully
//              connected where there is one pixel
//   DEPTHWISE  train_depthwise.h, planes
//   MAX, MEAN_OF  pooling, train_pool.h
//   MEAN       of each plane
//
// The loss is the cross entropy of the last layer's outputs, or their mean squared error against a
// target. Weights are stepped by stochastic gradient descent: w -= rate * gradient, the sum over a
// batch. Frozen layers keep theirs; passes below the lowest layer that is not frozen are left out.
// The same bits on any number of cores.
//
// ReLU's gradient is taken where the gradient of its output arises: by the layer above, as it has
// that output for its input; but depthwise layers take it themselves, when they read it.
#ifndef TRAIN_NET_H
#define TRAIN_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

enum __attribute__((packed)) train_net_kind { // a byte: layers lie in L1
  TRAIN_NET_PATCHES,
  TRAIN_NET_PRODUCT,
  TRAIN_NET_DEPTHWISE,
  TRAIN_NET_MAX,
  TRAIN_NET_MEAN_OF,
  TRAIN_NET_MEAN
};

// Tile and kernel of a product, as train_tiled_product.h takes them; pulpsim-tune finds them. The
// products are those of deploy/tune/product.h: fully connected layers have an ig of one row. With a
// matmul of 0 a product of planes goes by panels, not tiles, where that fits (train_net_panels.h,
// train_net_outer.h), and so does a small fully connected layer as a whole (train_net_vector.h).
struct train_net_tile {
  uint16_t n, m, k;
  bool rows_inner;
  uint8_t matmul;
};

struct train_net_layer {
  enum train_net_kind kind;
  bool relu, frozen;
  // Other layers overwrite its `out`: computed again before the layer above goes backward. The
  // input of such a layer is kept.
  bool again;
  uint8_t kernel_h, kernel_w, stride_h, stride_w;
  uint8_t pad_top, pad_bottom, pad_left, pad_right;
  uint16_t in_c, in_h, in_w, out_c, out_h, out_w;
  // Input channels a tile, forward and backward: divide in_c. Not of products.
  uint16_t part_fw, part_bw;
  struct train_net_tile fw, wg, ig; // of products
  float *weights;                   // in L2: [out_c][in_c], [c][kernel_h][kernel_w]
  float *bias;                      // in L2: [out_c], or NULL
  void *out;                        // in L2: [out_c][out_h][out_w]; floats, or 16 bits
  // In L2, floats: as large as `out`, for the gradient of that, which otherwise lies in one of
  // train_net.grads. Of products without a bias those of the weights are computed behind all other
  // passes then, of layers of one shape in one go, where they take the way of train_net_outer.h.
  float *out_grad; // or NULL
};

struct train_half_type;
extern const struct train_half_type train_half_fp16, train_half_bf16;

// Mixed precision: activations, their gradients and those of the weights have 16 bits, and so have
// the weights that the passes read. These are rounded from floats, train_net.weights, which each
// step changes. Sums are binary32, losses and targets floats.
//
// The loss is multiplied by `scale`, so that small gradients do not vanish, and each step divides
// by it. A step whose gradients are not all finite is left out, and the scale halved (where layers
// step at once: the layer's step, from then on); after `growth` steps that were taken it is
// doubled.
//
// Planes of two pixels or more begin at words: those of an odd number have an element more, which
// is 0. The input, too. A fully connected layer behind has inputs for these, with weights of 0.
// Layers' weights begin at even numbers. Tiles are not looked at: each core takes what fits.
struct train_net_half {
  const struct train_half_type *type; // &train_half_fp16, &train_half_bf16: what is linked
  uint16_t *weights;                  // in L2: as train_net.weights; by train_net_round() at first
  uint16_t *gradients;                // in L2: as train_net.gradients, times the scale
  float scale;                        // a power of 2
  uint32_t growth;                    // 0: the scale stays
  uint32_t taken, skipped;            // steps since the scale last changed; all that were left out
  bool infinite;                      // a layer's step at once was left out
};

// Elements from plane to plane.
static inline uint32_t train_net_half_pitch(uint32_t pixels) {
  return pixels == 1 ? 1 : (pixels + 1) / 2 * 2;
}

struct train_net_far;

struct train_net {
  const struct train_net_layer *layers;
  uint32_t count;
  const void *input;
  void *grads[2];   // in L2: each as large as the largest output
  float *weights;   // in L2: of all layers one behind the other, weights and bias, from the first
  float *gradients; // layer on: this many floats, a multiple of 2; the gradients lie as they do
  uint32_t weight_count;
  float *sums; // [weight_count] in L2, for batches; NULL: each example is a batch
  // Each layer's weights are stepped as soon as its gradients are there, which share one place:
  // `gradients` has room for the largest layer's only. Without sums; train_net_descend() has
  // nothing left to do.
  bool at_once;
  const float *target; // in L2: of the mean squared error; NULL: cross entropy of a label
  float rate;
  float *l1; // aligned to 8
  uint32_t l1_bytes;
  struct train_net_half *half; // in L1; NULL: floats. `gradients` is NULL then
  struct train_net_far *far;   // weights in L3 (train_net_far.h), with at_once; NULL: none
};

// All cores call each with the same arguments, and return behind a barrier. BAD_SHAPE: a tile
// does not fit into l1_bytes.

// layers[count - 1].out.
enum kernel_status train_net_forward(const struct train_net *net);
// Behind it: *loss (in L1) and the gradients; `label` is of no interest beside a target.
enum kernel_status train_net_backward(const struct train_net *net, uint32_t label, float *loss);
// The gradients of an example added to the sums, which it begins if it is a batch's `first`.
enum kernel_status train_net_add(const struct train_net *net, bool first);
// New weights from the sums, or the gradients.
enum kernel_status train_net_descend(const struct train_net *net);
// In 16 bits, once before the first step and whenever the floats were changed: the weights that the
// passes read.
enum kernel_status train_net_round(const struct train_net *net);

#endif
