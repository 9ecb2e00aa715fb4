// kernels/nn/nn_dw_quad.S: see nn_dw_quad.h. Two channels at a time, whose filters, kappa and lambda
// then stay in registers. Two pixels above or beside one another become one word with the pair of
// a channel in each half; two such pairs make the operands of two dot products by packing halves. 27
// slots for two outputs of nine MAC: 6 loads, 3 shuffles, 4 packs, 6 dot products, 8 for
// requantization and the store. The window's first column is the last one's third. Of 4 bits (29
// slots, 31 signed) a pair of bytes is one insertion, two such pairs one pack; a shift and a mask
// (signed: three shifts) come to the same two words.
#include "xpulp.S.h"

// struct nn_dw_quads
#define IN      0
#define OUT     4
#define WEIGHTS 8
#define KAPPA   12
#define LAMBDA  16
#define PAIRS   20
#define SHIFT   24
#define PIXEL   28
#define NEXT    32
#define OUT_W   36
#define INSIDE  40
#define LAST    44
#define OUT_NEXT 48
#define BANDS   52
#define BAND    56
#define BAND_SIZE 28

// Stack frame
#define FRAME    112
#define X_IN     0  // of this pair
#define X_WEIGHTS 4
#define X_KAPPA  8
#define X_LAMBDA 12
#define X_END    16 // of IN
#define X_OUT_NEXT 20
#define X_BAND   24 // the first
#define X_BANDS_END 28
#define X_FILTER 32
#define X_SAVED  56

// a1 a2 a3 the window's rows, a4 out, a5 from pixel to pixel, a6 how to shuffle, t0 shift, t3 from behind
// a row of windows to the next, t4 whether the last window is apart, gp whether the first column is
// inside, tp band, s10 the other windows; s0 to s5 filter, s6 s7 kappa, s8 s9 lambda; t1 t2 sums, t5 first
// column's rows 0 and 1 (then the third's), t6 ra words with its row 2 in their last byte, a0 a7 s11
// free.
  .option norvc
.macro compressed               // the loop over pairs then fits 512 bytes of instruction cache
#ifndef XPULP_COREV
  .option rvc
#endif
.endm
.macro load_8 to, at
  p_lhu_rrpost \to, \at, a5
.endm
.macro load_4 to, at
  p_lbu_rrpost \to, \at, a5
.endm
// The pair of pixels \to and \other.
.macro pair_8 to, other
  pv_shuffle2_b \to, \other, a6
.endm
.macro pair_4 to, other
  p_insert \to, \other, 7, 8
.endm
.macro pair_with_zero_8 to
  pv_shuffle2_b \to, zero, a6
.endm
.macro pair_with_zero_4 to
.endm
// Words \first and \second, one of each channel, of the pairs \old and \new.
.macro words_8 sign, first, second, new, old
  pv_pack   \first, \new, \old
  pv_pack_h \second, \new, \old
.endm
.macro words_4 sign, first, second, new, old
  pv_pack   \first, \new, \old
  halves \sign, \first, \second
.endm
.macro halves sign, first, second
  .ifc \sign, s
  pv_sra_sci_b \second, \first, 4
  pv_sll_sci_b \first, \first, 4
  pv_sra_sci_b \first, \first, 4
  .else
  pv_srl_sci_b \second, \first, 4
  pv_and_sci_b \first, \first, 15
  .endif
.endm
// The channels of pixel \of, in the last bytes.
.macro last_bytes_8 sign, first, second, of
  slli  \first, \of, 24
  slli  \second, \of, 16
.endm
.macro last_bytes_4 sign, first, second, of
  slli  \first, \of, 24
  halves \sign, \first, \second
.endm
.macro store_8
  p_insert t1, t2, 7, 8
  p_sh_rrpost t1, a4, a5
.endm
.macro store_4
  p_insert t1, t2, 3, 4
  p_sb_rrpost t1, a4, a5
.endm
.macro filter first, second, third, at
  lw    \first, \at(a0)
  lw    a1, \at + 3(a0)
  lbu   a2, \at + 2(a0)
  lw    \second, \at + 5(a0)
  pv_shuffle2_b \first, a1, a6  // taps (0,0) (1,0) (0,1) (1,1)
  p_bclr \third, a1, 23, 0      // (2,0)
  p_insert \second, \second, 7, 8
  p_insert \second, a2, 7, 0    // (0,2) (1,2) (2,1) (2,2)
.endm
.macro outputs clip, bits, width
  mul   t1, t1, s6
  mul   t2, t2, s7
  p_addnr t1, s8, t0
  p_addnr t2, s9, t0
  \clip t1, t1, \bits
  \clip t2, t2, \bits
  store_\width
.endm
.macro dw_quad signs, width, in_sign, dot, sdot, clip, bits
  .section .text.nn_dw_quads_\signs, "ax"
  .globl nn_dw_quads_\signs
  .type nn_dw_quads_\signs, @function
  .balign 16
nn_dw_quads_\signs:              // a0 = quads
  compressed
  addi  sp, sp, -FRAME
  sw    ra, X_SAVED(sp)
  sw    s0, X_SAVED + 4(sp)
  sw    s1, X_SAVED + 8(sp)
  sw    s2, X_SAVED + 12(sp)
  sw    s3, X_SAVED + 16(sp)
  sw    s4, X_SAVED + 20(sp)
  sw    s5, X_SAVED + 24(sp)
  sw    s6, X_SAVED + 28(sp)
  sw    s7, X_SAVED + 32(sp)
  sw    s8, X_SAVED + 36(sp)
  sw    s9, X_SAVED + 40(sp)
  sw    s10, X_SAVED + 44(sp)
  sw    s11, X_SAVED + 48(sp)
  lw    a1, IN(a0)
  lw    a4, PAIRS(a0)
  lw    a2, WEIGHTS(a0)
  lw    a3, KAPPA(a0)
  lw    a5, LAMBDA(a0)
  sw    a1, X_IN(sp)
  .if \width == 8
  slli  a4, a4, 1
  .endif
  add   a1, a1, a4
  sw    a1, X_END(sp)
  sw    a2, X_WEIGHTS(sp)
  sw    a3, X_KAPPA(sp)
  sw    a5, X_LAMBDA(sp)
  lw    a1, BANDS(a0)
  lw    a2, OUT_NEXT(a0)
  li    a3, BAND_SIZE
  mul   a1, a1, a3
  addi  a3, a0, BAND
  add   a1, a1, a3
  sw    a3, X_BAND(sp)
  sw    a1, X_BANDS_END(sp)
  sw    a2, X_OUT_NEXT(sp)
  lw    a4, OUT(a0)
  lw    a5, PIXEL(a0)
  lw    t0, SHIFT(a0)
  lw    t3, NEXT(a0)
  lw    t4, LAST(a0)
  lw    s10, OUT_W(a0)
  lw    gp, INSIDE(a0)
  li    a6, 0x05010400
  .balign 16
pair_\signs:
  lw    a0, X_WEIGHTS(sp)
  filter s0, s2, s4, 0
  filter s1, s3, s5, 9
  addi  a0, a0, 18
  sw    a0, X_WEIGHTS(sp)
  lw    a0, X_KAPPA(sp)
  lw    a1, X_LAMBDA(sp)
  sw    s0, X_FILTER(sp)
  sw    s1, X_FILTER + 4(sp)
  sw    s2, X_FILTER + 8(sp)
  sw    s3, X_FILTER + 12(sp)
  sw    s4, X_FILTER + 16(sp)
  sw    s5, X_FILTER + 20(sp)
  p_lw_post s6, a0, 4
  p_lw_post s7, a0, 4
  p_lw_post s8, a1, 4
  p_lw_post s9, a1, 4
  sw    a0, X_KAPPA(sp)
  sw    a1, X_LAMBDA(sp)
  lw    tp, X_BAND(sp)
  j     band_\signs
next_band_\signs:
  lw    s0, X_FILTER(sp)
  lw    s1, X_FILTER + 4(sp)
  lw    s2, X_FILTER + 8(sp)
  lw    s3, X_FILTER + 12(sp)
  lw    s4, X_FILTER + 16(sp)
  lw    s5, X_FILTER + 20(sp)
band_\signs:
  mv    a0, tp
  lw    a7, X_IN(sp)
  lw    t5, 20(a0)
  lw    a1, 0(a0)
  lw    a2, 4(a0)
  lw    a3, 8(a0)
  lw    s11, 12(a0)
  add   a1, a1, a7
  add   a2, a2, a7
  add   a3, a3, a7
  p_beqimm t5, -1, unmasked_\signs
  lw    t1, 16(a0)
  lw    t2, 24(a0)
  and   s2, s2, t5
  and   s3, s3, t5
  and   s0, s0, t1
  and   s1, s1, t1
  and   s4, s4, t2
  and   s5, s5, t2
unmasked_\signs:
  .balign 4
  .option norvc
  lp_setup 1, s11, rows_end_\signs
  p_beqimm gp, 0, outside_\signs // not beqz: LLVM would not know the distance to the loop's end
  load_\width t5, a1
  load_\width a0, a2
  load_\width s11, a3
  pair_\width t5, a0
  last_bytes_\width \in_sign, t6, ra, s11
  j     row_\signs
outside_\signs:
  li    t5, 0
  li    t6, 0
  li    ra, 0
row_\signs:
  p_beqimm s10, 0, outs_end_\signs
  lp_setup 0, s10, outs_end_\signs
  load_\width a0, a1
  load_\width a7, a2
  load_\width s11, a3
  \dot  t1, t6, s4              // row 2 of the first column
  \dot  t2, ra, s5
  pair_\width a0, a7
  words_\width \in_sign, t6, ra, a0, t5 // rows 0 and 1 of two columns
  load_\width t5, a1
  load_\width a7, a2
  load_\width a0, a3
  \sdot t1, t6, s0
  \sdot t2, ra, s1
  pair_\width t5, a7
  pair_\width s11, a0
  words_\width \in_sign, t6, ra, s11, t5 // those of the third, row 2 of the second and third
  \sdot t1, t6, s2
  \sdot t2, ra, s3
  outputs \clip, \bits, \width
outs_end_\signs:
  p_beqimm t4, 0, row_end_\signs
  load_\width a0, a1
  load_\width a7, a2
  load_\width s11, a3
  \dot  t1, t6, s4
  \dot  t2, ra, s5
  pair_\width a0, a7
  words_\width \in_sign, t6, ra, a0, t5
  pair_with_zero_\width s11
  \sdot t1, t6, s0
  \sdot t2, ra, s1
  words_\width \in_sign, t6, ra, s11, zero
  \sdot t1, t6, s2
  \sdot t2, ra, s3
  outputs \clip, \bits, \width
row_end_\signs:
  add   a1, a1, t3
  add   a2, a2, t3
  add   a3, a3, t3
rows_end_\signs:
  compressed
  lw    a1, X_BANDS_END(sp)
  addi  tp, tp, BAND_SIZE
  lw    a2, X_OUT_NEXT(sp)
  bne   a1, tp, next_band_\signs
  lw    a0, X_IN(sp)
  lw    a1, X_END(sp)
  add   a4, a4, a2
  addi  a0, a0, \width / 4
  sw    a0, X_IN(sp)
  bne   a0, a1, pair_\signs
  lw    ra, X_SAVED(sp)
  lw    s0, X_SAVED + 4(sp)
  lw    s1, X_SAVED + 8(sp)
  lw    s2, X_SAVED + 12(sp)
  lw    s3, X_SAVED + 16(sp)
  lw    s4, X_SAVED + 20(sp)
  lw    s5, X_SAVED + 24(sp)
  lw    s6, X_SAVED + 28(sp)
  lw    s7, X_SAVED + 32(sp)
  lw    s8, X_SAVED + 36(sp)
  lw    s9, X_SAVED + 40(sp)
  lw    s10, X_SAVED + 44(sp)
  lw    s11, X_SAVED + 48(sp)
  addi  sp, sp, FRAME
  ret
  .option norvc
  .size nn_dw_quads_\signs, . - nn_dw_quads_\signs
.endm

  .irp width, 8, 4
  dw_quad \width\()uu, \width, u, pv_dotusp_b, pv_sdotusp_b, p_clipu, \width + 1
  dw_quad \width\()us, \width, u, pv_dotusp_b, pv_sdotusp_b, p_clip, \width
  dw_quad \width\()su, \width, s, pv_dotsp_b, pv_sdotsp_b, p_clipu, \width + 1
  dw_quad \width\()ss, \width, s, pv_dotsp_b, pv_sdotsp_b, p_clip, \width
  .endr
