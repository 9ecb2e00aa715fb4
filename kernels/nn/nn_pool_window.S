// kernels/nn/nn_pool_window.S: see nn_pool_window.h. Slots per pixel of the window, for elements of
// 8, 4, 2 bits: maximum 4, 8, 16 for two words; sums 7, 7, 13 for one, a cycle for its load among
// them. Per row 3.
#include "xpulp.S.h"

  .option norvc
.macro begin name
  .section .text.\name, "ax"
  .globl \name
  .type \name, @function
  .balign 16
\name:                          // a0 = out or parts, a1 = struct nn_pool_window, a2 = pairs or flip
.endm

// Sums or largest of the top elements in \to, of the word \word; the elements below are brought to
// the top one after the other (nn_pool_2x2.S).
.macro most bits, max, word, k0, k1, k2, k3
  \max  \k0, \k0, \word
  .if \bits < 8
  pv_sll_sci_b \word, \word, \bits
  \max  \k1, \k1, \word
  .endif
  .if \bits < 4
  pv_sll_sci_b \word, \word, \bits
  \max  \k2, \k2, \word
  pv_sll_sci_b \word, \word, \bits
  \max  \k3, \k3, \word
  .endif
.endm
.macro lower_one bits, mask, from, to, by
  .if \by < 8 - \bits
  and   \from, \from, \mask
  .endif
  pv_srl_sci_b \from, \from, \by
  or    \to, \to, \from
.endm
.macro join bits, mask, k0, k1, k2, k3
  .if \bits < 8
  and   \k0, \k0, \mask
  lower_one \bits, \mask, \k1, \k0, \bits
  .endif
  .if \bits < 4
  lower_one \bits, \mask, \k2, \k0, 2 * \bits
  lower_one \bits, \mask, \k3, \k0, 3 * \bits
  .endif
.endm

// a3 first, a4 rows, a5 columns, a6 a7 steps, t0 pointer, t3 t4 words, t1 t5 x3 x4 and t2 t6 a1 s0
// what is largest.
.macro maximum signs, max, bits, least
  begin nn_max_window_\bits\signs
  .if \bits < 4
  addi  sp, sp, -16
  sw    s0, 0(sp)
  .endif
  lw    a3, 0(a1)
  lw    a4, 4(a1)
  lw    a5, 8(a1)
  lw    a6, 12(a1)
  lw    a7, 16(a1)
  addi  a6, a6, -4              // from a pixel's second word to the next pixel's first
pair_\bits\signs:
  mv    t0, a3
  li    t1, \least
  mv    t2, t1
  .if \bits < 8
  mv    t5, t1
  mv    t6, t1
  .endif
  .if \bits < 4
  mv    x3, t1
  mv    x4, t1
  mv    a1, t1
  mv    s0, t1
  .endif
  lp_setup 1, a4, rows_end_\bits\signs
  lp_setup 0, a5, columns_end_\bits\signs
  p_lw_post t3, t0, 4
  p_lw_rrpost t4, t0, a6
  most \bits, \max, t3, t1, t5, x3, x4
  most \bits, \max, t4, t2, t6, a1, s0
columns_end_\bits\signs:
  add   t0, t0, a7
  nop
rows_end_\bits\signs:
  .if \bits == 4
  li    t3, 0xf0f0f0f0
  .elseif \bits == 2
  li    t3, 0xc0c0c0c0
  .endif
  join \bits, t3, t1, t5, x3, x4
  join \bits, t3, t2, t6, a1, s0
  p_sw_post t1, a0, 4
  p_sw_post t2, a0, 4
  addi  a2, a2, -1
  addi  a3, a3, 8
  bnez  a2, pair_\bits\signs
  .if \bits < 4
  lw    s0, 0(sp)
  addi  sp, sp, 16
  .endif
  ret
  .size nn_max_window_\bits\signs, . - nn_max_window_\bits\signs
.endm
  .irp bits, 8, 4, 2
  maximum u, pv_maxu_b, \bits, 0
  maximum s, pv_max_b, \bits, 0x80808080
  .endr

// Element after element of each lane, from below: by a mask, then shifts.
.macro sum_lanes bits
  and   t1, t0, a7
  add   t3, t3, t1
  .if \bits == 8
  pv_srl_sci_h t0, t0, 8
  .else
  pv_srl_sci_b t0, t0, \bits
  .endif
  .if \bits < 4
  and   t1, t0, a7
  add   t4, t4, t1
  pv_srl_sci_b t0, t0, \bits
  and   t1, t0, a7
  add   t5, t5, t1
  pv_srl_sci_b t0, t0, \bits
  add   t6, t6, t0
  .else
  add   t4, t4, t0
  .endif
.endm
.macro sums bits, mask
  begin nn_window_sums_\bits
  lw    a3, 0(a1)
  lw    a4, 4(a1)
  lw    a5, 8(a1)
  lw    a6, 12(a1)
  lw    a1, 16(a1)
  li    a7, \mask
  li    t3, 0
  li    t4, 0
  li    t5, 0
  li    t6, 0
  lp_setup 1, a4, sum_rows_\bits
  lp_setup 0, a5, sum_columns_\bits
  p_lw_rrpost t0, a3, a6
  xor   t0, t0, a2
  sum_lanes \bits
sum_columns_\bits:
  add   a3, a3, a1
  nop
sum_rows_\bits:
  sw    t3, 0(a0)
  sw    t4, 4(a0)
  sw    t5, 8(a0)
  sw    t6, 12(a0)
  ret
  .size nn_window_sums_\bits, . - nn_window_sums_\bits
.endm
  sums 8, 0x00ff00ff
  sums 4, 0x0f0f0f0f
  sums 2, 0x03030303

// ---- averages of bytes: 8 slots (signed: 10) for two words of a pixel, 3 for a column, 41 (53) for
// a window, the branch back to the next among them

// t0 goes down the rows of \count columns, sums of the words at it into t1 t2 and t5 t6.
.macro columns signs, count, name
  p_beqimm \count, 0, \name\()_none_\signs // not beqz: LLVM would not know the distance
  lp_setup 1, \count, \name\()_columns_\signs
  lp_setup 0, a4, \name\()_rows_\signs
  p_lw_post t3, t0, 4
  p_lw_rrpost t4, t0, a6
  .ifc \signs, s
  xor   t3, t3, s4
  xor   t4, t4, s4
  .endif
  pv_add_h t1, t1, t3
  pv_srl_sci_h t3, t3, 8
  pv_add_h t5, t5, t4
  pv_srl_sci_h t4, t4, 8
  pv_add_h t2, t2, t3
  pv_add_h t6, t6, t4
\name\()_rows_\signs:
  add   t0, t0, a7
  nop
\name\()_columns_\signs:
\name\()_none_\signs:
.endm

#define LEAST_SHIFT 15           // NN_AVERAGE_SHIFT

// Four averages of the sums in \mixed and \odd, as the bytes of gp; a2 t3 t4 free.
.macro averages signs, mixed, odd
  pv_sll_sci_h t3, \odd, 8
  pv_sub_h t3, \mixed, t3
  .ifc \signs, s
  pv_cmpltu_h gp, t3, s1        // -1 or 0
  pv_cmpltu_h t4, \odd, s1
  pv_add_h t3, t3, gp
  pv_add_h t4, t4, \odd
  p_mulun gp, t3, s2, 0
  p_mulun a2, t4, s2, 0
  p_mulhhun t3, t3, s2, 0
  p_mulhhun t4, t4, s2, 0
  srl   gp, gp, s3
  srl   a2, a2, s3
  srl   t3, t3, s3
  srl   t4, t4, s3
  pv_packlo_b gp, a2, gp
  pv_packhi_b gp, t4, t3
  xor   gp, gp, s4
  .else
  p_mulun gp, t3, s2, LEAST_SHIFT
  p_mulun a2, \odd, s2, LEAST_SHIFT
  p_mulhhun t3, t3, s2, LEAST_SHIFT
  p_mulhhun t4, \odd, s2, LEAST_SHIFT
  pv_pack gp, t3, gp            // of 16 bits each
  pv_pack a2, t4, a2
  pv_srl_h gp, gp, s3
  pv_srl_h a2, a2, s3
  pv_shuffle2_b gp, a2, s4
  .endif
.endm

// A halfword of t1 is two bytes' first plus 256 times the second, in 16 bits; of t2 the second: so
// nothing is masked. t5 t6 the same of the second word; s7 to s10 what they are before the columns
// that the next window shares. a0 a3 the pair's out and in, a4 rows, a5 columns of the window alone,
// s5 shared ones, a6 a7 steps along a column and to the next, ra to the next window, t0 pointer, tp
// out, a1 its step, s6 windows; s0 s11 what is added to t2 and t1, s1 to s3 limit, factor, shift, s4
// what flips (unsigned: s3 what is left of the shift, s4 how to shuffle).
#define PAIRS   52
#define WINDOWS 56
#define BEFORE  60
.macro average signs
  begin nn_average_run_8\signs
  addi  sp, sp, -64
  sw    s0, 0(sp)
  sw    s1, 4(sp)
  sw    s2, 8(sp)
  sw    s3, 12(sp)
  sw    s4, 16(sp)
  sw    s5, 20(sp)
  sw    s6, 24(sp)
  sw    s7, 28(sp)
  sw    s8, 32(sp)
  sw    s9, 36(sp)
  sw    s10, 40(sp)
  sw    s11, 44(sp)
  sw    ra, 48(sp)
  sw    a2, PAIRS(sp)
  lw    s0, 0(a3)
  lw    s1, 4(a3)
  lw    s2, 8(a3)
  lw    s3, 12(a3)
  lw    a3, 0(a1)
  lw    a4, 4(a1)
  lw    t1, 8(a1)
  lw    a5, 12(a1)
  lw    s5, 16(a1)
  lw    a6, 20(a1)
  lw    a7, 24(a1)
  lw    ra, 28(a1)
  lw    t0, 32(a1)
  lw    a1, 36(a1)
  sw    t1, BEFORE(sp)
  sw    t0, WINDOWS(sp)
  addi  a6, a6, -4              // from a pixel's second word to the first of the one below
  addi  a1, a1, -4
  pv_sll_sci_h s11, s0, 8
  pv_add_h s11, s11, s0
  .ifc \signs, s
  li    s4, 0x80808080
  .else
  addi  s3, s3, -LEAST_SHIFT
  pv_pack s3, s3, s3
  li    s4, 0x06020400          // bytes 0 and 2 of two words
  .endif
average_pair_\signs:
  lw    a2, BEFORE(sp)
  lw    s6, WINDOWS(sp)
  mv    t0, a3
  mv    tp, a0
  mv    t1, s11
  mv    t2, s0
  mv    t5, s11
  mv    t6, s0
  columns \signs, a2, before
average_window_\signs:
  columns \signs, a5, alone
  pv_sub_h s7, t1, s11
  pv_sub_h s8, t2, s0
  pv_sub_h s9, t5, s11
  pv_sub_h s10, t6, s0
  columns \signs, s5, shared
  averages \signs, t1, t2
  p_sw_post gp, tp, 4
  averages \signs, t5, t6
  p_sw_rrpost gp, tp, a1
  addi  s6, s6, -1
  pv_sub_h t1, t1, s7
  pv_sub_h t2, t2, s8
  pv_sub_h t5, t5, s9
  pv_sub_h t6, t6, s10
  add   t0, t0, ra
  bnez  s6, average_window_\signs
  lw    t3, PAIRS(sp)
  addi  a0, a0, 8
  addi  a3, a3, 8
  addi  t3, t3, -1
  sw    t3, PAIRS(sp)
  bnez  t3, average_pair_\signs
  lw    s0, 0(sp)
  lw    s1, 4(sp)
  lw    s2, 8(sp)
  lw    s3, 12(sp)
  lw    s4, 16(sp)
  lw    s5, 20(sp)
  lw    s6, 24(sp)
  lw    s7, 28(sp)
  lw    s8, 32(sp)
  lw    s9, 36(sp)
  lw    s10, 40(sp)
  lw    s11, 44(sp)
  lw    ra, 48(sp)
  addi  sp, sp, 64
  ret
  .size nn_average_run_8\signs, . - nn_average_run_8\signs
.endm
  average u
  average s
