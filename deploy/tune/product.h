// deploy/tune/product.h: a layer's step of training as a product of matrices
// (kernels/mm/mmt_f32.h).
//
//   step   pointwise C x H x W -> F, CHW          fully connected I -> O, batch 1
//   fw     out[F][HW] = weights * in              out[O][1] = weights * in
//   wg     weights_grad[F][C] = out_grad * in'    weights_grad[O][I] = out_grad * in'
//   ig     in_grad[C][HW] = weights' * out_grad   in_grad[1][I] = out_grad' * weights
//
// Source: Nadalini et al., PULP-TrainLib, SAMOS 2022, section 3 (all steps as C = A * B).
#ifndef TUNE_PRODUCT_H
#define TUNE_PRODUCT_H

#include "deploy/net/net.h"
#include "kernels/mm/mmt_f32.h"

enum tune_step { TUNE_FW, TUNE_WG, TUNE_IG, TUNE_STEPS };
extern const char *const tune_step_names[TUNE_STEPS]; // "fw", "wg", "ig"

struct tune_product {
  uint32_t n, m, k;
  enum mmt_layout layout;
};

// A layer: pointwise C, H, W, F; fully connected I, 1, 1, O.
struct tune_layer {
  bool pointwise;
  uint32_t in, height, width, out;
};

// `kind` is "pointwise", with a shape "CxHxW,F", or "linear", "I,O". False with the sentence.
bool tune_layer_parse(struct tune_layer *layer, const char *kind, const char *shape,
                      struct net_error *error);
struct tune_product tune_layer_product(const struct tune_layer *layer, enum tune_step step);

uint64_t tune_product_macs(const struct tune_product *product);

#endif
