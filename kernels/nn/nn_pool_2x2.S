// kernels/nn/nn_pool_2x2.S: see nn_pool_2x2.h. Slots per word of outputs, of 8, 4, 2 bits: maximum 8,
// 18, 38; average 20, 23, 29, and 5 more of packed ones if signed. Per pixel 5.
#include "xpulp.S.h"

  .option norvc
// a0 out, a1 a5 top, a2 a6 bottom, a3 pixels, a4 words, t5 t6 to the next; free: t0-t4, x3, x4, a7.
.macro begin name
  .section .text.\name, "ax"
  .globl \name
  .type \name, @function
  .balign 16
\name:                          // a0 = struct nn_pool_2x2
  lw    a1, 4(a0)
  lw    a2, 8(a0)
  lw    a7, 12(a0)
  lw    a4, 16(a0)
  lw    a3, 20(a0)
  lw    t5, 24(a0)
  lw    t6, 28(a0)
  lw    a0, 0(a0)
  add   a5, a1, a7
  add   a6, a2, a7
.endm
.macro load_four
  p_lw_post t0, a1, 4
  p_lw_post t1, a5, 4
  p_lw_post t2, a2, 4
  p_lw_post t3, a6, 4
.endm
.macro next_pixel
  add   a1, a1, t5
  add   a5, a5, t5
  add   a2, a2, t5
  add   a6, a6, t5
  add   a0, a0, t6
.endm
.macro on_four op, operand:vararg
  \op   t0, t0, \operand
  \op   t1, t1, \operand
  \op   t2, t2, \operand
  \op   t3, t3, \operand
.endm

// The largest of each byte: of packed ones that is the largest of its top element, whatever stands
// below. Shifting brings the others to the top, one after the other.
.macro most_of_four to, max
  \max  \to, t0, t1
  \max  x4, t2, t3
  \max  \to, \to, x4
.endm
.macro maximum signs, max, bits
  begin nn_max_2x2_\bits\signs
  .if \bits == 4
  li    a7, 0xf0f0f0f0
  .elseif \bits == 2
  li    a7, 0xc0c0c0c0
  .endif
  lp_setup 1, a3, max_pixels_\bits\signs
  lp_setup 0, a4, max_words_\bits\signs
  load_four
  most_of_four x3, \max
  .if \bits < 8
  and   x3, x3, a7
  .set down, \bits
  .rept 8 / \bits - 1
  on_four pv_sll_sci_b, \bits
  most_of_four t4, \max
  .if down < 8 - \bits
  and   t4, t4, a7
  .endif
  pv_srl_sci_b t4, t4, down
  or    x3, x3, t4
  .set down, down + \bits
  .endr
  .endif
  p_sw_post x3, a0, 4
max_words_\bits\signs:
  next_pixel
max_pixels_\bits\signs:
  ret
  .size nn_max_2x2_\bits\signs, . - nn_max_2x2_\bits\signs
.endm

// The even elements, by a mask, and the odd ones, by a shift, have twice their bits to add up in.
// Signed elements are flipped: x + 2^(bits - 1), whose average is as much more.
.macro sum_even
  and   t4, t0, a7
  and   x3, t1, a7
  add   t4, t4, x3
  and   x3, t2, a7
  add   t4, t4, x3
  and   x3, t3, a7
  add   t4, t4, x3
.endm
.macro lanes_down bits, to, by
  .if \bits == 4
  pv_srl_sci_b \to, \to, \by
  .else
  srli  \to, \to, \by
  and   \to, \to, a7
  .endif
.endm
.macro average signs, bits, mask, flip
  begin nn_average_2x2_\bits\signs
  li    a7, \mask
  .ifnb \flip
  li    x4, \flip
  .endif
  lp_setup 1, a3, average_pixels_\bits\signs
  lp_setup 0, a4, average_words_\bits\signs
  load_four
  .ifnb \flip
  on_four xor, x4
  .endif
  sum_even
  lanes_down \bits, t0, \bits
  lanes_down \bits, t1, \bits
  lanes_down \bits, t2, \bits
  lanes_down \bits, t3, \bits
  add   t0, t0, t1
  add   t2, t2, t3
  add   t0, t0, t2
  lanes_down \bits, t4, 2
  lanes_down \bits, t0, 2
  slli  t0, t0, \bits
  or    t0, t0, t4
  .ifnb \flip
  xor   t0, t0, x4
  .endif
  p_sw_post t0, a0, 4
average_words_\bits\signs:
  next_pixel
average_pixels_\bits\signs:
  ret
  .size nn_average_2x2_\bits\signs, . - nn_average_2x2_\bits\signs
.endm

// Bytes: sums by dot products, in 64ths, so that a quarter is a sum's second byte.
.macro average_bytes signs, dot, sdot
  begin nn_average_2x2_8\signs
  addi  sp, sp, -16
  sw    s0, 0(sp)
  li    a7, 0x00400040
  slli  x4, a7, 8
  li    s0, 0x07050301
  lp_setup 1, a3, average_pixels_8\signs
  lp_setup 0, a4, average_words_8\signs
  load_four
  pv_pack t4, t1, t0
  pv_pack_h t0, t1, t0
  pv_pack t1, t3, t2
  pv_pack_h t2, t3, t2
  \dot  t3, t4, a7
  \dot  x3, t4, x4
  \dot  t4, t0, a7
  \dot  t0, t0, x4
  \sdot t3, t1, a7
  \sdot x3, t1, x4
  \sdot t4, t2, a7
  \sdot t0, t2, x4
  pv_pack t3, x3, t3
  pv_pack t4, t0, t4
  pv_shuffle2_b t3, t4, s0
  p_sw_post t3, a0, 4
average_words_8\signs:
  next_pixel
average_pixels_8\signs:
  lw    s0, 0(sp)
  addi  sp, sp, 16
  ret
  .size nn_average_2x2_8\signs, . - nn_average_2x2_8\signs
.endm

  .irp bits, 8, 4, 2
  maximum u, pv_maxu_b, \bits
  maximum s, pv_max_b, \bits
  .endr
  average_bytes u, pv_dotup_b, pv_sdotup_b
  average_bytes s, pv_dotsp_b, pv_sdotsp_b
  average u, 4, 0x0f0f0f0f
  average s, 4, 0x0f0f0f0f, 0x88888888
  average u, 2, 0x33333333
  average s, 2, 0x33333333, 0xaaaaaaaa
