// kernels/nn/nn_dw_3.S: see nn_dw_3.h. Slots of an output of nine MAC, beside 21 a channel (two
// apart: 40):
//   columns one apart  8.5, and 0.75 cycles for unaligned loads; 4 a row
//   two apart          10; 14 a row; if they are not four, 10 to 13 of each that is left
// One apart, two outputs side by side come from the same words: the second one's filter is shifted
// by a byte. Two apart, four outputs come from three words, each of which is loaded once: the second
// one's filter is shifted by two bytes, and its last tap is in a word of its own.
#include "xpulp.S.h"

// struct nn_dw_3
#define PLANE      0
#define PLANE_NEXT 4
#define ROW        8
#define ROW_NEXT   12
#define OUT        16
#define OUT_NEXT   20
#define STEP       24
#define OUT_W      28
#define OUT_H      32
#define FILTERS    36
#define COUNT      40
#define SHIFT      44
#define MOST       48
#define SHIFTS     52
#define SHIFTS_STEP 56

// Rows a1 s0 s1, their words s2 s3 s4 and s5 s6 s7, filter a7 t0 t1, shifted s8 s9 s10 and s11 ra
// gp, sums t6 a6, kappa t2, lambda t3, shift t4, largest output tp (of NN_TFLITE free), from row to row t5, out a3, step
// a4, groups of a row a5, what is left a2, struct a0.
  .option norvc
.macro begin name
  .section .text.\name, "ax"
  .globl \name
  .type \name, @function
  .balign 16
\name:                          // a0 = struct nn_dw_3
  addi  sp, sp, -64
  sw    ra, 0(sp)
  sw    s0, 4(sp)
  sw    s1, 8(sp)
  sw    s2, 12(sp)
  sw    s3, 16(sp)
  sw    s4, 20(sp)
  sw    s5, 24(sp)
  sw    s6, 28(sp)
  sw    s7, 32(sp)
  sw    s8, 36(sp)
  sw    s9, 40(sp)
  sw    s10, 44(sp)
  sw    s11, 48(sp)
  lw    t4, SHIFT(a0)
  lw    a4, STEP(a0)
  lw    tp, MOST(a0)
.endm
.macro end name
  lw    ra, 0(sp)
  lw    s0, 4(sp)
  lw    s1, 8(sp)
  lw    s2, 12(sp)
  lw    s3, 16(sp)
  lw    s4, 20(sp)
  lw    s5, 24(sp)
  lw    s6, 28(sp)
  lw    s7, 32(sp)
  lw    s8, 36(sp)
  lw    s9, 40(sp)
  lw    s10, 44(sp)
  lw    s11, 48(sp)
  addi  sp, sp, 64
  ret
.endm
.macro size_of name
  .size \name, . - \name
.endm

.macro load_three w0, w1, w2, step
  p_lw_post \w0, a1, \step
  p_lw_post \w1, s0, \step
  p_lw_post \w2, s1, \step
.endm
.macro next_row
  add   a1, a1, t5
  add   s0, s0, t5
  add   s1, s1, t5
.endm

// From a sum to an output.
.macro finish_u acc
  mul   \acc, \acc, t2
  p_addnr \acc, t3, t4
  p_clipur \acc, \acc, tp
  p_sb_rrpost \acc, a3, a4
.endm
.macro finish_s acc
  mul   \acc, \acc, t2
  p_addnr \acc, t3, t4
  p_clipr \acc, \acc, tp
  p_sb_rrpost \acc, a3, a4
.endm
.macro finish_sums acc
  add   \acc, \acc, t3
  p_sw_rrpost \acc, a3, a4
.endm

// NN_TFLITE over the whole range from the zero point on, rounding twice: the product's high word, to
// the nearest by the low one's top bit; then the shift, halves up, as what is negative ends as 0.
.macro rescaled acc
  add   \acc, \acc, t3
  mulhsu tp, \acc, t2
  mul   \acc, \acc, t2
  srli  \acc, \acc, 31
  p_addrnr tp, \acc, t4
  p_clipu tp, tp, 9
.endm
.macro finish_tflite_u acc
  rescaled \acc
  p_sb_rrpost tp, a3, a4
.endm
.macro finish_tflite_s acc
  rescaled \acc
  addi  tp, tp, -128
  p_sb_rrpost tp, a3, a4
.endm

// A channel's shift, where each has its own.
.macro shift_u
.endm
.macro shift_s
.endm
.macro shift_sums
.endm
.macro shift_tflite_u
  lw    a6, SHIFTS(a0)
  lw    a3, SHIFTS_STEP(a0)
  lb    t4, 0(a6)
  add   a6, a6, a3
  sw    a6, SHIFTS(a0)
  sub   t4, x0, t4
.endm
.macro shift_tflite_s
  shift_tflite_u
.endm

.macro one_output kind, step
  load_three s2, s3, s4, \step
  pv_dotusp_b  t6, s2, a7
  pv_sdotusp_b t6, s3, t0
  pv_sdotusp_b t6, s4, t1
  finish_\kind t6
.endm

// One apart, more stays in registers: planes gp, rows s10 bytes apart; outputs s11, channels s9
// apart; filters ra; sums t6 s8. Even widths and odd ones have a loop each: no branch in a row.
.macro pairs kind
  lp_setup 0, a5, pairs_end_\@
  load_three s2, s3, s4, 2
  pv_dotusp_b  t6, s2, a7
  pv_dotusp_b  s8, s2, s5
  pv_sdotusp_b t6, s3, t0
  pv_sdotusp_b s8, s3, s6
  pv_sdotusp_b t6, s4, t1
  pv_sdotusp_b s8, s4, s7
  finish_\kind t6
  finish_\kind s8
pairs_end_\@:
.endm
.macro one_apart kind
  begin nn_dw_3_s1_\kind
  lw    gp, PLANE(a0)
  lw    s10, ROW(a0)
  lw    s11, OUT(a0)
  lw    s9, OUT_NEXT(a0)
  lw    ra, FILTERS(a0)
  lw    a5, OUT_W(a0)
  lw    t5, ROW_NEXT(a0)
  andi  a2, a5, 1
  sub   t5, t5, a5
  srli  a5, a5, 1
channel_s1\kind:
  shift_\kind
  p_lw_post t2, ra, 4
  p_lw_post t3, ra, 4
  p_lw_post a7, ra, 4
  p_lw_post t0, ra, 4
  p_lw_post t1, ra, 4
  lw    a6, PLANE_NEXT(a0)
  add   s0, gp, s10
  mv    a1, gp
  add   s1, s0, s10
  add   gp, gp, a6
  lw    a6, OUT_H(a0)
  slli  s5, a7, 8
  mv    a3, s11
  slli  s6, t0, 8
  slli  s7, t1, 8
  add   s11, s11, s9
  bnez  a2, odd_s1\kind
  lp_setup 1, a6, even_end_s1\kind
  pairs \kind
  next_row
even_end_s1\kind:
next_s1\kind:
  lw    a6, COUNT(a0)
  addi  a6, a6, -1
  sw    a6, COUNT(a0)
  bnez  a6, channel_s1\kind
  sw    gp, PLANE(a0)
  sw    s11, OUT(a0)
  sw    ra, FILTERS(a0)
  end nn_dw_3_s1_\kind
odd_s1\kind:
  lp_setup 1, a6, odd_end_s1\kind
  p_beqimm a5, 0, single_s1\kind // not beqz: LLVM would not know the distance to the loop's end
  pairs \kind
single_s1\kind:
  one_output \kind, 1
  next_row
odd_end_s1\kind:
  j     next_s1\kind
  size_of nn_dw_3_s1_\kind
.endm

// Outputs 2i from word `a`, 2i + 1 from its upper half and the low byte of `b`.
.macro two_outputs kind, a0, a1, a2, b0, b1, b2
  load_three \b0, \b1, \b2, 4
  pv_dotusp_b  t6, \a0, a7
  pv_dotusp_b  a6, \a0, s8
  pv_sdotusp_b t6, \a1, t0
  pv_sdotusp_b a6, \a1, s9
  pv_sdotusp_b t6, \a2, t1
  pv_sdotusp_b a6, \a2, s10
  pv_sdotusp_b a6, \b0, s11
  pv_sdotusp_b a6, \b1, ra
  pv_sdotusp_b a6, \b2, gp
  finish_\kind t6
  finish_\kind a6
.endm

.macro two_apart kind
  begin nn_dw_3_s2_\kind
channel_s2\kind:
  shift_\kind
  lw    a1, PLANE(a0)
  lw    a2, ROW(a0)
  lw    a5, PLANE_NEXT(a0)
  lw    a3, OUT(a0)
  lw    a6, OUT_NEXT(a0)
  lw    s2, FILTERS(a0)
  add   s0, a1, a2
  add   s1, s0, a2
  add   a5, a5, a1
  add   a6, a6, a3
  sw    a5, PLANE(a0)
  sw    a6, OUT(a0)
  lw    t2, 0(s2)
  lw    t3, 4(s2)
  lw    a7, 8(s2)
  lw    t0, 12(s2)
  lw    t1, 16(s2)
  addi  s2, s2, 20
  sw    s2, FILTERS(a0)
  lw    a5, OUT_W(a0)
  lw    t5, ROW_NEXT(a0)
  lw    a6, OUT_H(a0)
  slli  s5, a5, 1
  sub   t5, t5, s5
  andi  a2, a5, 3
  srli  a5, a5, 2
  slli  s8, a7, 16
  slli  s9, t0, 16
  slli  s10, t1, 16
  srli  s11, a7, 16
  srli  ra, t0, 16
  srli  gp, t1, 16
  lp_setup 1, a6, rows_end_s2\kind
  p_beqimm a5, 0, rest_s2\kind  // not beqz: LLVM would not know the distance to the loop's end
  load_three s2, s3, s4, 4
  lp_setup 0, a5, outs_end_s2\kind
  two_outputs \kind, s2, s3, s4, s5, s6, s7
  two_outputs \kind, s5, s6, s7, s2, s3, s4
outs_end_s2\kind:
  addi  a1, a1, -4
  addi  s0, s0, -4
  addi  s1, s1, -4
rest_s2\kind:
  p_beqimm a2, 0, whole_s2\kind
  lp_setup 0, a2, some_end_s2\kind
  one_output \kind, 2
some_end_s2\kind:
whole_s2\kind:
  next_row
rows_end_s2\kind:
  lw    a1, COUNT(a0)
  addi  a1, a1, -1
  sw    a1, COUNT(a0)
  bnez  a1, channel_s2\kind
  end nn_dw_3_s2_\kind
  size_of nn_dw_3_s2_\kind
.endm

  .irp kind, u, s, sums, tflite_u, tflite_s
  one_apart \kind
  two_apart \kind
  .endr

// Filters of nine bytes: 13 slots each.
  .section .text.nn_dw_3_filters, "ax"
  .globl nn_dw_3_filters
  .type nn_dw_3_filters, @function
  .balign 16
nn_dw_3_filters:                // a0 = filters, a1 = weights, a2 = channels, a3 = kappa, a4 = lambda
  li    a5, 0xffffff
  lp_setup 0, a2, filters_end
  p_lw_post t0, a1, 3
  p_lw_post t1, a1, 2
  p_lw_post t2, a1, 4           // the third row, and the last byte of the second
  p_lw_post t3, a3, 4
  p_lw_post t4, a4, 4
  and   t0, t0, a5
  and   t1, t1, a5
  srli  t2, t2, 8
  p_sw_post t3, a0, 4
  p_sw_post t4, a0, 4
  p_sw_post t0, a0, 4
  p_sw_post t1, a0, 4
  p_sw_post t2, a0, 4
filters_end:
  ret
  .size nn_dw_3_filters, . - nn_dw_3_filters
