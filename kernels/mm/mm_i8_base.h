// kernels/mm/mm_i8_base.h: the product of mm_i8.h in the steps from plain RV32IM to a register
// block with hardware loops, SIMD and post-increment, to measure what each of them is worth. The
// set is mm_i8_base.def; for work use mm_i8.h.
//
// The steps are those of Garofalo et al., "PULP-NN: accelerating quantized neural networks on
// parallel ultra-low-power RISC-V processors", Phil. Trans. R. Soc. A 378 (2020), section 3.
#ifndef MM_I8_BASE_H
#define MM_I8_BASE_H

#include "mm_i8_strip.h"

// U rows of C, `blocks` blocks of V columns; B one row per column; `words` at least 1, `tail` not
// used. No leftovers: the caller's shape is a multiple of the block. Rows begin at word addresses.
#define MM_I8_BASE(u, v, simd, post, loop, name)                                                   \
  void mm_i8_base_##u##x##v##_##simd##post##loop(const struct mm_i8_strip *strip);
#include "mm_i8_base.def"
#undef MM_I8_BASE

#endif
