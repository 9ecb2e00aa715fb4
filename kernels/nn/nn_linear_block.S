// kernels/nn/nn_linear_block.S: see nn_linear_block.h. 17 slots a word: one load of the input, eight
// of weights, eight dot products: 32 MAC, 15.06 MAC/clk on 8 cores. A word is loaded two
// instructions before its use. Requantization of the eight: 46. Of one to four outputs: 3, 5, 7, 9 a word.
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

// ---- outputs one by one: up to four of a block at a time; compressed but for the loops, as calls are short

.macro compressed
#ifndef XPULP_COREV
  .option rvc
#endif
.endm
.macro loop_here
  .balign 4
  .option norvc
.endm

// Sums of n outputs in t6, gp, tp, s0; t0 the input, t1 the first one's words, 32 bytes apart.
.macro few_sums n
few_\n:
  li    t6, 0
  li    gp, 0
  .if \n > 2
  li    tp, 0
  .endif
  .if \n > 3
  li    s0, 0
  .endif
  loop_here
  lp_setup 0, a3, few_end_\n
  p_lw_post t2, t0, 4
  lw    t3, 4(t1)
  .if \n > 2
  lw    t4, 8(t1)
  .endif
  .if \n > 3
  lw    s1, 12(t1)
  .endif
  p_lw_post t5, t1, 32
  pv_sdotusp_b gp, t2, t3
  .if \n > 2
  pv_sdotusp_b tp, t2, t4
  .endif
  .if \n > 3
  pv_sdotusp_b s0, t2, s1
  .endif
  pv_sdotusp_b t6, t2, t5
few_end_\n:
  compressed
.endm
.macro few_byte sum
  p_lw_post t2, t1, 4
  p_lw_post t3, t1, 4
  mul   \sum, \sum, t2
  p_addnr \sum, t3, a7
  p_clipu \sum, \sum, 9
  p_sb_post \sum, a0, 1
.endm
.macro few_outs store
  \store t6
  p_beqimm s1, 1, few_next
  \store gp
  p_beqimm s1, 2, few_next
  \store tp
  p_beqimm s1, 3, few_next
  \store s0
.endm
.macro few_sum sum
  p_sw_post \sum, a0, 4
.endm

  begin nn_linear_few            // a0 = out, a1 = in, a2 = blocks, a3 = words, a4 = first, a5 = end,
                                 // a6 = bytes of a block, a7 = shift or -1
  compressed
  addi  sp, sp, -16
  sw    s0, 0(sp)
  sw    s1, 4(sp)
few_run:
  srli  t1, a4, 3
  andi  t2, a4, 7
  li    t3, 8
  mul   t1, t1, a6
  sub   t3, t3, t2
  sub   s1, a5, a4
  slli  t2, t2, 2
  p_minu s1, s1, t3
  add   t2, t2, a2
  li    t3, 4
  mv    t0, a1
  add   t1, t1, t2
  p_minu s1, s1, t3             // outputs at once
  p_beqimm s1, 1, few_1
  p_beqimm s1, 2, few_2
  p_beqimm s1, 3, few_3
  few_sums 4
  li    s1, 4
  j     few_summed
  few_sums 3
  j     few_summed
  few_sums 2
  j     few_summed
few_1:                          // two words a pass, an odd one first
  andi  t5, a3, 1
  srli  s0, a3, 1
  li    t6, 0
  beqz  t5, few_even
  p_lw_post t2, t0, 4
  p_lw_post t3, t1, 32
  nop
  pv_sdotusp_b t6, t2, t3
  beqz  s0, few_summed
few_even:
  loop_here
  lp_setup 0, s0, few_end_1
  p_lw_post t2, t0, 4
  p_lw_post t3, t1, 32
  p_lw_post t4, t0, 4
  p_lw_post t5, t1, 32
  pv_sdotusp_b t6, t2, t3
  pv_sdotusp_b t6, t4, t5
few_end_1:
  compressed
few_summed:
  bltz  a7, few_sums
  andi  t2, a4, 7
  slli  t2, t2, 2
  add   t1, t1, t2              // {kappa, lambda} behind the words
  few_outs few_byte
  j     few_next
few_sums:
  few_outs few_sum
few_next:
  add   a4, a4, s1
  bne   a4, a5, few_run
  lw    s0, 0(sp)
  lw    s1, 4(sp)
  addi  sp, sp, 16
  li    a0, 0
  ret
  .option norvc
  .size nn_linear_few, . - nn_linear_few
