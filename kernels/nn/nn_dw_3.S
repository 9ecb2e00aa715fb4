// kernels/nn/nn_dw_3.S: see nn_dw_3.h. Slots of an output of nine MAC, and cycles lost to unaligned
// loads (half of those of the pairs and of stride 2, three of four with stride 1):
//   pairs      8.5 + 0.75    7.8 MAC/clk on 8 cores
//   stride 1  10   + 2.25    5.9
//   stride 2  10   + 1.5     6.3
// A pair is two outputs side by side from the same words: the second one's filter is shifted by a
// byte.
#include "xpulp.S.h"

// x0 and the scratch registers apart: rows a1 s0 s1, their words s2 s3 s4, filter a7 t0 t1, shifted
// s5 s6 s7, sums t6 s8, kappa t2, lambda t3, shift t4, from row to row t5, out a3, step a4, outputs
// or pairs of a row a5, rows a6, whether one is left over a2.
  .option norvc
.macro begin name
  .section .text.\name, "ax"
  .globl \name
  .type \name, @function
  .balign 16
\name:                          // a0 = channel
  addi  sp, sp, -48
  sw    s0, 0(sp)
  sw    s1, 4(sp)
  sw    s2, 8(sp)
  sw    s3, 12(sp)
  sw    s4, 16(sp)
  sw    s5, 20(sp)
  sw    s6, 24(sp)
  sw    s7, 28(sp)
  sw    s8, 32(sp)
  lw    a1, 0(a0)
  lw    a2, 4(a0)
  lw    t5, 8(a0)
  lw    a3, 12(a0)
  lw    a4, 16(a0)
  lw    a5, 20(a0)
  lw    a6, 24(a0)
  lw    a7, 28(a0)
  lw    t0, 32(a0)
  lw    t1, 36(a0)
  lw    t2, 40(a0)
  lw    t3, 44(a0)
  lw    t4, 48(a0)
  add   s0, a1, a2
  add   s1, s0, a2
.endm
.macro end name
  lw    s0, 0(sp)
  lw    s1, 4(sp)
  lw    s2, 8(sp)
  lw    s3, 12(sp)
  lw    s4, 16(sp)
  lw    s5, 20(sp)
  lw    s6, 24(sp)
  lw    s7, 28(sp)
  lw    s8, 32(sp)
  addi  sp, sp, 48
  ret
  .size \name, . - \name
.endm
.macro load_three step
  p_lw_post s2, a1, \step
  p_lw_post s3, s0, \step
  p_lw_post s4, s1, \step
.endm
.macro one_output dot, sdot, clip, bits, step
  load_three \step
  \dot  t6, s2, a7
  \sdot t6, s3, t0
  \sdot t6, s4, t1
  mul   t6, t6, t2
  p_addnr t6, t3, t4
  \clip t6, t6, \bits
  p_sb_rrpost t6, a3, a4
.endm
.macro next_row
  add   a1, a1, t5
  add   s0, s0, t5
  add   s1, s1, t5
.endm

.macro outputs signs, dot, sdot, clip, bits, stride
  begin nn_dw_3_s\stride\()_\signs
  lp_setup 1, a6, rows_end_\stride\signs
  lp_setup 0, a5, outs_end_\stride\signs
  one_output \dot, \sdot, \clip, \bits, \stride
outs_end_\stride\signs:
  next_row
rows_end_\stride\signs:
  end nn_dw_3_s\stride\()_\signs
.endm

.macro pairs signs, dot, sdot, clip, bits
  begin nn_dw_3_pairs_\signs
  andi  a2, a5, 1
  srli  a5, a5, 1
  slli  s5, a7, 8
  slli  s6, t0, 8
  slli  s7, t1, 8
  lp_setup 1, a6, rows_end_pairs\signs
  lp_setup 0, a5, outs_end_pairs\signs
  load_three 2
  \dot  t6, s2, a7
  \dot  s8, s2, s5
  \sdot t6, s3, t0
  \sdot s8, s3, s6
  \sdot t6, s4, t1
  \sdot s8, s4, s7
  mul   t6, t6, t2
  mul   s8, s8, t2
  p_addnr t6, t3, t4
  p_addnr s8, t3, t4
  \clip t6, t6, \bits
  \clip s8, s8, \bits
  p_sb_rrpost t6, a3, a4
  p_sb_rrpost s8, a3, a4
outs_end_pairs\signs:
  p_beqimm a2, 0, even_\signs // not beqz: LLVM would not know the distance to the loop's end
  one_output \dot, \sdot, \clip, \bits, 1
even_\signs:
  next_row
rows_end_pairs\signs:
  end nn_dw_3_pairs_\signs
.endm

.macro all signs, dot, sdot, clip, bits
  outputs \signs, \dot, \sdot, \clip, \bits, 1
  outputs \signs, \dot, \sdot, \clip, \bits, 2
  pairs \signs, \dot, \sdot, \clip, \bits
.endm
  all uu, pv_dotusp_b, pv_sdotusp_b, p_clipu, 9
  all us, pv_dotusp_b, pv_sdotusp_b, p_clip, 8
  all su, pv_dotsp_b, pv_sdotsp_b, p_clipu, 9
  all ss, pv_dotsp_b, pv_sdotsp_b, p_clip, 8
