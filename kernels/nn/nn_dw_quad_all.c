// kernels/nn/nn_dw_quad_all.c: all loops of nn_dw_quad.h.
#include "nn_dw_quad.h"

nn_dw_quads_fn *nn_dw_quads_of(uint32_t bits, bool in_signed, bool out_signed) {
  static nn_dw_quads_fn *const all[2][2][2] = {
      {{nn_dw_quads_4uu, nn_dw_quads_4us}, {nn_dw_quads_4su, nn_dw_quads_4ss}},
      {{nn_dw_quads_8uu, nn_dw_quads_8us}, {nn_dw_quads_8su, nn_dw_quads_8ss}}};
  return all[bits / 8][in_signed][out_signed];
}
