// kernels/nn/nn_linear_block.S: see nn_linear_block.h. 17 slots a word: one load of the input, eight
// of weights, eight dot products: 32 MAC, 15.06 MAC/clk on 8 cores. A word is loaded two
// instructions before its use.
#include "xpulp.S.h"

  .option norvc
  .section .text.nn_linear_block, "ax"
  .globl nn_linear_block
  .type nn_linear_block, @function
  .balign 16
nn_linear_block:                // a0 = sums, a1 = in, a2 = block, a3 = words
  li    a4, 0
  li    a5, 0
  li    a6, 0
  li    a7, 0
  li    t3, 0
  li    t4, 0
  li    t5, 0
  li    t6, 0
  lp_setup 0, a3, linear_end
  p_lw_post t0, a1, 4
  p_lw_post t1, a2, 4
  p_lw_post t2, a2, 4
  pv_sdotusp_b a4, t0, t1
  p_lw_post t1, a2, 4
  pv_sdotusp_b a5, t0, t2
  p_lw_post t2, a2, 4
  pv_sdotusp_b a6, t0, t1
  p_lw_post t1, a2, 4
  pv_sdotusp_b a7, t0, t2
  p_lw_post t2, a2, 4
  pv_sdotusp_b t3, t0, t1
  p_lw_post t1, a2, 4
  pv_sdotusp_b t4, t0, t2
  p_lw_post t2, a2, 4
  pv_sdotusp_b t5, t0, t1
  pv_sdotusp_b t6, t0, t2
linear_end:
  sw    a4, 0(a0)
  sw    a5, 4(a0)
  sw    a6, 8(a0)
  sw    a7, 12(a0)
  sw    t3, 16(a0)
  sw    t4, 20(a0)
  sw    t5, 24(a0)
  sw    t6, 28(a0)
  ret
  .size nn_linear_block, . - nn_linear_block
