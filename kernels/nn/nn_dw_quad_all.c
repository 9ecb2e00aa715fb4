// kernels/nn/nn_dw_quad_all.c: all loops of nn_dw_quad.h.
#include "nn_dw_quad.h"

nn_dw_quads_fn nn_dw_quads_uu, nn_dw_quads_us, nn_dw_quads_su, nn_dw_quads_ss;

nn_dw_quads_fn *nn_dw_quads_of(bool in_signed, bool out_signed) {
  if (in_signed)
    return out_signed ? nn_dw_quads_ss : nn_dw_quads_su;
  return out_signed ? nn_dw_quads_us : nn_dw_quads_uu;
}
