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

// ---- averages of bytes: 8 slots (signed: 10) for two words of a pixel, 3 a row, 36 (46) a window

// Four sums, those of even bytes in \even and of odd ones in \odd, times s2 and shifted by s3, as the
// bytes of \to; \free is.
.macro scaled to, free, even, odd
  p_mulun \to, \even, s2, 0
  p_mulun \free, \odd, s2, 0
  p_mulhhun \even, \even, s2, 0
  p_mulhhun \odd, \odd, s2, 0
  srl   \to, \to, s3
  srl   \free, \free, s3
  srl   \even, \even, s3
  srl   \odd, \odd, s3
  pv_packlo_b \to, \free, \to
  pv_packhi_b \to, \odd, \even
.endm

// A halfword of t1 is two bytes' first plus 256 times the second, in 16 bits; of t2 the second: so
// nothing is masked. t5 t6 the same of the second word. a3 first, a4 rows, a5 columns, a6 a7 steps,
// t0 pointer, t3 t4 words, gp free; s0 to s3 what is added, limit, factor, shift, s4 what flips.
.macro average signs
  begin nn_average_window_8\signs
  addi  sp, sp, -32
  sw    s0, 0(sp)
  sw    s1, 4(sp)
  sw    s2, 8(sp)
  sw    s3, 12(sp)
  sw    s4, 16(sp)
  lw    s0, 0(a3)
  lw    s1, 4(a3)
  lw    s2, 8(a3)
  lw    s3, 12(a3)
  lw    a3, 0(a1)
  lw    a4, 4(a1)
  lw    a5, 8(a1)
  lw    a6, 12(a1)
  lw    a7, 16(a1)
  addi  a6, a6, -4              // from a pixel's second word to the next pixel's first
  .ifc \signs, s
  li    s4, 0x80808080
  .endif
average_pair_\signs:
  mv    t0, a3
  li    t1, 0
  li    t2, 0
  li    t5, 0
  li    t6, 0
  lp_setup 1, a4, average_rows_\signs
  lp_setup 0, a5, average_columns_\signs
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
average_columns_\signs:
  add   t0, t0, a7
  nop
average_rows_\signs:
  pv_sll_sci_h t3, t2, 8
  pv_sll_sci_h t4, t6, 8
  pv_sub_h t1, t1, t3
  pv_sub_h t5, t5, t4
  .irp sums, t1, t2, t5, t6
  .ifc \signs, s
  pv_cmpltu_h gp, \sums, s1     // -1 or 0
  pv_add_h \sums, \sums, gp
  .endif
  pv_add_h \sums, \sums, s0
  .endr
  scaled t3, t4, t1, t2
  scaled t4, t1, t5, t6
  .ifc \signs, s
  xor   t3, t3, s4
  xor   t4, t4, s4
  .endif
  p_sw_post t3, a0, 4
  p_sw_post t4, a0, 4
  addi  a2, a2, -1
  addi  a3, a3, 8
  bnez  a2, average_pair_\signs
  lw    s0, 0(sp)
  lw    s1, 4(sp)
  lw    s2, 8(sp)
  lw    s3, 12(sp)
  lw    s4, 16(sp)
  addi  sp, sp, 32
  ret
  .size nn_average_window_8\signs, . - nn_average_window_8\signs
.endm
  average u
  average s
