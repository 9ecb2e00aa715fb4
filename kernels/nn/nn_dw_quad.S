// kernels/nn/nn_dw_quad.S: see nn_dw_quad.h. Two pixels side by side or above one another, words of
// four channels, become two words with the pair of a channel in each half; two such pairs make the
// operands of four dot products by packing halves. 58 slots for four outputs of nine MAC: 6 loads, 6
// shuffles and 3 moves, 8 packs, 12 dot products, 23 for requantization and the store. The window's
// first column is the last one's third. Of 4 bits (61 slots, 64 signed) a pair of halfwords is one
// shuffle, a shift and a mask (signed: three shifts), and comes to the same two words.
#include "xpulp.S.h"

// struct nn_dw_quads
#define IN      0
#define OUT     4
#define KAPPA   8
#define LAMBDA  12
#define FILTERS 16
#define QUADS   20
#define SHIFT   24
#define PIXEL   28
#define NEXT    32
#define OUT_W   36
#define INSIDE  40
#define OUT_NEXT 44
#define BANDS   48
#define BAND    52
#define BAND_SIZE 28

// Stack frame: the quad's kappa and lambda, then
#define FRAME    128
#define X_NEXT   32
#define X_OUT_W  36
#define X_INSIDE 40
#define X_BANDS  44 // left of the quad
#define X_BAND   48
#define X_QUAD   52 // its channels' bytes
#define X_FILTER 56 // the quad's
#define X_STRUCT 60
#define X_OUT_NEXT 64
#define X_SAVED  68

// a1 a2 a3 the window's rows, a4 out, a5 from pixel to pixel, a6 a7 how to shuffle, t0 shift, t1 to
// t4 sums, s0 to s11 filter, t5 t6 first column's rows 0 and 1 (then the third's), ra its row 2 (of 4
// bits ra and a7, as the words of a pair), a0 gp tp free.
  .option norvc
.macro compressed               // the loop over quads then fits 512 bytes of instruction cache
#ifndef XPULP_COREV
  .option rvc
#endif
.endm
.macro load_8 to, at
  p_lw_rrpost \to, \at, a5
.endm
.macro load_4 to, at
  p_lhu_rrpost \to, \at, a5
.endm
// Words \low and \high of the pair of pixels \low and \other: channels 0 and 2 of both, 1 and 3.
.macro pair_8 sign, low, high, other
  mv    \high, \low
  pv_shuffle2_b \low, \other, a6
  pv_shuffle2_b \high, \other, a7
.endm
.macro pair_4 sign, low, high, other
  pv_shuffle2_b \low, \other, a6
  .ifc \sign, s
  pv_sra_sci_b \high, \low, 4
  pv_sll_sci_b \low, \low, 4
  pv_sra_sci_b \low, \low, 4
  .else
  pv_srl_sci_b \high, \low, 4
  pv_and_sci_b \low, \low, 15
  .endif
.endm
.macro store_8
  pv_packlo_b t1, t2, t1
  pv_packhi_b t1, t4, t3
  p_sw_rrpost t1, a4, a5
.endm
.macro store_4
  p_insert t1, t2, 3, 4
  p_insert t1, t3, 3, 8
  p_insert t1, t4, 3, 12
  p_sh_rrpost t1, a4, a5
.endm
.macro dw_quad signs, width, in_sign, dot, sdot, clip, bits
  .section .text.nn_dw_quads_\signs, "ax"
  .globl nn_dw_quads_\signs
  .type nn_dw_quads_\signs, @function
  .balign 16
nn_dw_quads_\signs:              // a0 = quads
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
  lw    t1, NEXT(a0)
  lw    t2, OUT_W(a0)
  lw    t3, INSIDE(a0)
  lw    t4, FILTERS(a0)
  lw    t5, OUT_NEXT(a0)
  sw    t1, X_NEXT(sp)
  sw    t2, X_OUT_W(sp)
  sw    t3, X_INSIDE(sp)
  sw    t4, X_FILTER(sp)
  sw    t5, X_OUT_NEXT(sp)
  sw    x0, X_QUAD(sp)
  sw    a0, X_STRUCT(sp)
  lw    t0, SHIFT(a0)
  lw    a5, PIXEL(a0)
  .if \width == 8
  li    a6, 0x06020400          // channels 0 and 2 of both words
  li    a7, 0x07030501          // 1 and 3
  .else
  li    a6, 0x05010400          // bytes 0 of both halfwords, then 1
  .endif
  .balign 16
  compressed
quad_\signs:                    // a0 = the struct
  lw    a1, X_QUAD(sp)
  lw    s0, KAPPA(a0)
  lw    s1, LAMBDA(a0)
  slli  a2, a1, 4 - \width / 4 // those of kappa
  add   s0, s0, a2
  add   s1, s1, a2
  mv    a3, sp
  lw    a2, BANDS(a0)
  lw    a4, OUT(a0)
  sw    a2, X_BANDS(sp)
  add   a4, a4, a1
  addi  a0, a0, BAND
  .balign 4
  lp_setupi 0, 4, scales_\signs
  p_lw_post t1, s0, 4
  p_lw_post t2, s1, 4
  p_sw_post t1, a3, 4
  .option norvc
  sw    t2, 12(a3)
scales_\signs:
  compressed
band_\signs:                    // a0 = the band
  lw    a1, X_STRUCT(sp)
  lw    a2, X_QUAD(sp)
  lw    s1, X_FILTER(sp)
  lw    a1, IN(a1)
  lw    s0, 0(a0)
  lw    a3, 8(a0)
  add   a1, a1, a2
  lw    a2, 4(a0)
  lw    ra, 12(a0)
  lw    t2, 16(a0)
  lw    t3, 20(a0)
  lw    t4, 24(a0)
  add   a3, a3, a1
  add   a2, a2, a1
  add   a1, a1, s0
  lw    s0, 0(s1)
  lw    s2, 8(s1)
  lw    s3, 12(s1)
  lw    s4, 16(s1)
  lw    s5, 20(s1)
  lw    s6, 24(s1)
  lw    s7, 28(s1)
  lw    s8, 32(s1)
  lw    s9, 36(s1)
  lw    s10, 40(s1)
  lw    s11, 44(s1)
  lw    s1, 4(s1)
  and   s0, s0, t2
  and   s2, s2, t2
  and   s1, s1, t2
  and   s3, s3, t2
  and   s4, s4, t3
  and   s5, s5, t3
  and   s6, s6, t3
  and   s7, s7, t3
  and   s8, s8, t4
  and   s9, s9, t4
  and   s10, s10, t4
  and   s11, s11, t4
  .if \width == 4              // where ra and a7 have the channels
  slli  s8, s8, 8
  slli  s10, s10, 8
  .endif
  addi  a0, a0, BAND_SIZE
  sw    a0, X_BAND(sp)
  .balign 4
  lp_setup 1, ra, rows_end_\signs
  lw    tp, X_INSIDE(sp)
  lw    gp, X_OUT_W(sp)
  li    t5, 0
  li    t6, 0
  li    ra, 0
  .if \width == 4
  li    a7, 0
  .endif
  p_beqimm tp, 0, outside_\signs // not beqz: LLVM would not know the distance to the loop's end
  load_\width t5, a1
  load_\width a0, a2
  load_\width ra, a3
  pair_\width \in_sign, t5, t6, a0
  .if \width == 4
  pair_4 \in_sign, ra, a7, ra
  .endif
  .balign 4
outside_\signs:
  lp_setup 0, gp, outs_end_\signs
  load_\width a0, a1
  load_\width gp, a2
  \dot  t1, ra, s8              // row 2 of the first column
  \dot  t3, ra, s10
  .if \width == 8
  \dot  t2, ra, s9
  \dot  t4, ra, s11
  .else
  \dot  t2, a7, s9
  \dot  t4, a7, s11
  .endif
  pair_\width \in_sign, a0, tp, gp
  pv_pack   gp, a0, t5          // rows 0 and 1 of two columns
  pv_pack_h a0, a0, t5
  \sdot t1, gp, s0
  \sdot t3, a0, s2
  pv_pack   gp, tp, t6
  pv_pack_h tp, tp, t6
  load_\width t5, a1
  \sdot t2, gp, s1
  \sdot t4, tp, s3
  load_\width gp, a2
  load_\width a0, a3
  load_\width ra, a3
  pair_\width \in_sign, t5, t6, gp
  .if \width == 8
  or    tp, a0, zero            // not compressed: there is an even number of those
  pv_shuffle2_b a0, ra, a6
  pv_shuffle2_b tp, ra, a7
  .else
  pair_4 \in_sign, a0, tp, ra
  mv    ra, a0
  mv    a7, tp
  .endif
  pv_pack   gp, a0, t5          // rows 0 and 1 of the third, row 2 of the second and third
  pv_pack_h a0, a0, t5
  \sdot t1, gp, s4
  \sdot t3, a0, s6
  pv_pack   gp, tp, t6
  pv_pack_h tp, tp, t6
  \sdot t2, gp, s5
  \sdot t4, tp, s7
  lw    a0, 0(sp)
  lw    gp, 4(sp)
  lw    tp, 8(sp)
  mul   t1, t1, a0
  mul   t2, t2, gp
  lw    a0, 12(sp)
  mul   t3, t3, tp
  lw    gp, 16(sp)
  mul   t4, t4, a0
  lw    tp, 20(sp)
  p_addnr t1, gp, t0
  lw    a0, 24(sp)
  p_addnr t2, tp, t0
  lw    gp, 28(sp)
  p_addnr t3, a0, t0
  p_addnr t4, gp, t0
  \clip t1, t1, \bits
  \clip t2, t2, \bits
  \clip t3, t3, \bits
  \clip t4, t4, \bits
  store_\width
outs_end_\signs:
  lw    gp, X_NEXT(sp)
  lw    tp, X_OUT_NEXT(sp)
  add   a1, a1, gp
  add   a2, a2, gp
  .option norvc                 // an even number of compressed ones
  add   a3, a3, gp
  add   a4, a4, tp
rows_end_\signs:
  compressed
  lw    gp, X_BANDS(sp)
  lw    a0, X_BAND(sp)
  addi  gp, gp, -1
  sw    gp, X_BANDS(sp)
  bnez  gp, band_\signs
  lw    a0, X_STRUCT(sp)
  lw    t1, X_QUAD(sp)
  lw    t2, X_FILTER(sp)
  lw    t3, QUADS(a0)
  addi  t1, t1, \width / 2
  sw    t1, X_QUAD(sp)
  addi  t2, t2, 48
  sw    t2, X_FILTER(sp)
  slli  t3, t3, \width / 4
  bne   t1, t3, quad_\signs
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

// Filters of quads of nine bytes a channel: 14 slots a channel, 6 a quad.
  .section .text.nn_dw_quad_filters, "ax"
  .globl nn_dw_quad_filters
  .type nn_dw_quad_filters, @function
  .balign 16
nn_dw_quad_filters:             // a0 = filters, a1 = weights, a2 = quads, a3 a4 = bytes put in and
                                // alone, a5 a6 = how to shuffle
  lp_setup 1, a2, filter_quads
  li    t5, 0
  lp_setupi 0, 4, filter_channels
  p_lw_post t0, a1, 4
  p_lw_post t1, a1, 5
  p_lbu_post t2, a3, 9
  p_lbu_post t3, a4, 9
  mv    t4, t0
  p_insert t1, t2, 7, 16
  sll   t3, t3, t5
  pv_shuffle2_b t0, t1, a5
  pv_shuffle2_b t4, t1, a6
  addi  t5, t5, 8
  sw    t3, 32(a0)
  sw    t4, 16(a0)
  p_sw_post t0, a0, 4
filter_channels:
  addi  a0, a0, 32
  nop
filter_quads:
  ret
  .size nn_dw_quad_filters, . - nn_dw_quad_filters
