// kernels/mm/mmt_f16.h: matrix multiplication of 16-bit floats for training: C = op(A) * op(B) (+
// C).
//
// Layouts as in mmt_f32.h. Elements are binary16 or bfloat16; sums are kept in binary32 and rounded
// to the nearest at the end. Two products are added to a sum at once, with one rounding (vfdotpex),
// in the order of k: results are the same bit for bit for any kernel and number of cores.
//
// K even; A and B aligned to 4 bytes, lda and ldb even; C aligned to 2 bytes. C must not overlap
// anything else. Both operands are turned in scratch (mmt_turn.h) so that the pairs of one k are
// contiguous, then multiplied; that contains a barrier. Small NT products, and NT without scratch,
// are multiplied where they are.
//
// All cores call with the same arguments; the caller puts a barrier behind the call. The machine
// must have 16-bit floats (core.smallfloat).
#ifndef MMT_F16_H
#define MMT_F16_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/mm/mmt_f32.h"

enum mmt_f16_format { MMT_FP16, MMT_BF16, MMT_F16_FORMATS };

struct mmt_f16 {
  const uint16_t *a;
  const uint16_t *b;
  uint16_t *c;
  uint32_t n, m, k;
  uint32_t lda, ldb, ldc;
  enum mmt_layout layout;
  enum mmt_f16_format format;
  bool add;
  uint16_t *scratch; // mmt_f16_buffer_size() bytes, aligned to 4; NT: may be NULL
};

uint32_t mmt_f16_buffer_size(const struct mmt_f16 *mm);

// The kernel is one of the list of mmt_f32.def, or MMT_F32_AUTO.
enum kernel_status mmt_f16(enum mmt_f32_id id, const struct mmt_f16 *mm);

#endif
