// kernels/nn/nn_dw_quad_all.c: all loops of nn_dw_quad.h.
#include "nn_dw_quad.h"

// By branches: a table would lie in L2.
nn_dw_quads_fn *nn_dw_quads_of(uint32_t bits, bool in_signed, bool out_signed) {
  if (bits == 4 && in_signed)
    return out_signed ? nn_dw_quads_4ss : nn_dw_quads_4su;
  if (bits == 4)
    return out_signed ? nn_dw_quads_4us : nn_dw_quads_4uu;
  if (in_signed)
    return out_signed ? nn_dw_quads_8ss : nn_dw_quads_8su;
  return out_signed ? nn_dw_quads_8us : nn_dw_quads_8uu;
}
