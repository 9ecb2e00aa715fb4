// kernels/mm/mmt_f32_pack.h: operands of mmt_f32.h packed for the fastest layout, TN, in which a
// step of k has the values of each operand side by side: once for many products, as weights are, or
// before each, when N and M are large.
//
//   layout   packs                        gives
//   NT       B: to[k][m] = B(k, j)        NN
//   NN       A: to[k][n] = A(i, k)        TN
//
// so that an NT product is packed twice. `packed` is the same product with the operand replaced:
// the same bits, in C too. It may be `mm` itself, and may be kept, with other pointers for what
// changes. Packing takes 2.3 slots an element, shared by the cores; the products save one slot per
// line of an operand and 24 or so multiply-adds, and most bank conflicts: from about 24 rows and
// columns on it pays at once.
//
// All cores call with the same arguments, `packed` each with its own; the caller puts a barrier
// between these calls and the product. Refusals: KERNEL_BAD_SHAPE as mmt_f32_check(), or if the
// layout is TN; KERNEL_BAD_POINTER if `to` is NULL or not aligned to 4 bytes. `to`, of M * K or N *
// K floats, must not overlap the operand.
#ifndef MMT_F32_PACK_H
#define MMT_F32_PACK_H

#include "kernels/mm/mmt_f32.h"

enum kernel_status mmt_f32_pack(const struct mmt_f32 *mm, float *to, struct mmt_f32 *packed);

#endif
