// kernels/nn/nn_linear_block.S: see nn_linear_block.h. 17 slots a word: one load of the input, eight
// of weights, eight dot products: 32 MAC, 15.06 MAC/clk on 8 cores. A word is loaded two
// instructions before its use. Requantization of the eight: 46.
#include "xpulp.S.h"

  .option norvc
.macro begin name
  .section .text.\name, "ax"
  .globl \name
  .type \name, @function
  .balign 16
\name:                          // a0 = sums or outputs, a1 = in, a2 = block, a3 = words
.endm

// Sums into a4 to a7 and t3 to t6.
.macro sums
  li    a4, 0
  li    a5, 0
  li    a6, 0
  li    a7, 0
  li    t3, 0
  li    t4, 0
  li    t5, 0
  li    t6, 0
  lp_setup 0, a3, linear_end\@
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
linear_end\@:
.endm

  begin nn_linear_block
  sums
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

// Two outputs of sums \x and \y; t2 = shift, a2 at their {kappa, lambda}.
.macro requant x, y
  p_lw_post t0, a2, 4
  p_lw_post t1, a2, 4
  p_lw_post a1, a2, 4
  p_lw_post a3, a2, 4
  mul   \x, \x, t0
  mul   \y, \y, a1
  p_addnr \x, t1, t2
  p_addnr \y, a3, t2
  p_clipu \x, \x, 9
  p_clipu \y, \y, 9
.endm
  begin nn_linear_block_u8
  addi  sp, sp, -16
  sw    a4, 0(sp)               // shift
  sums
  lw    t2, 0(sp)
  addi  sp, sp, 16
  requant a4, a5
  requant a6, a7
  requant t3, t4
  requant t5, t6
  pv_packlo_b a4, a5, a4
  pv_packhi_b a4, a7, a6
  pv_packlo_b t3, t4, t3
  pv_packhi_b t3, t6, t5
  sw    a4, 0(a0)
  sw    t3, 4(a0)
  ret
  .size nn_linear_block_u8, . - nn_linear_block_u8
