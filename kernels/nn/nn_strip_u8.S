// kernels/nn/nn_strip_u8.S: U pixels times all filters, four at a time: 8-bit dot products, then
// requantization (nn_requant.h), four outputs to a store. Pixels as columns (interleaved), or as
// they stand in memory (rows). Called with a struct nn_strip_u8 (nn_strip_u8.h) in a0; C twin:
// nn_strip_u8.c.
//
// Slots of a full block of W words: 24 W + 71 (rows: + 76). Of a 3x3 convolution over 32 channels,
// W = 72, that is 1799 for 4608 MAC: 20.5 MAC/clk on 8 cores, requantization included. What can be
// is compressed: the loops over blocks and strips, 512 bytes, then fit a core's instruction cache.
#include "kernels/mm/block_i8.inc"

// struct nn_strip_u8
#define A          0
#define A_STRIDE   4
#define FILTERS    8
#define OUT        12
#define OUT_STRIDE 16
#define WORDS      20
#define BLOCKS     24
#define SHIFT      28
#define STRIPS     32
#define BEFORE     36
#define BEHIND     40

// Stack frame
#define FRAME 96
#define COUNT 0 // words - 1
#define BYTES 4 // from a pixel's, or the columns', first word to behind the last
// Of strips of four pixels, which go on to the next four:
#define OUT_END   8  // first pixel's first filter behind the last strip
#define WEIGHTS   12 // the first block
#define X_BLOCKS  16
#define A_NEXT    20 // from four pixels to the next
#define OUT_NEXT  24 // from behind a strip's outputs to the next ones
#define OUT_STEP  28 // rows: from a block's last output to the next block

.macro scale acc, kappa
  mul   x\acc, x\acc, x\kappa
.endm
.macro offset_shift acc, lambda
  p_addnr x\acc, x\lambda, x1
.endm
.macro clip acc
  p_clipu x\acc, x\acc, 9
.endm

// Filter v of U pixels: sums to 0..255, in place.
.macro requant_column U, v, kappa, lambda
  .set u, 0
  .rept \U
  scale %(16 + 4 * u + \v), \kappa
  .set u, u + 1
  .endr
  .set u, 0
  .rept \U
  offset_shift %(16 + 4 * u + \v), \lambda
  .set u, u + 1
  .endr
  .set u, 0
  .rept \U
  clip %(16 + 4 * u + \v)
  .set u, u + 1
  .endr
.endm

.macro pack_pixel to, b0, b1, b2, b3
  pv_packlo_b x\to, x\b1, x\b0
  pv_packhi_b x\to, x\b3, x\b2
.endm

.macro requant U
  load_word 12, 5
  load_word 13, 5
  load_word 14, 5
  load_word 15, 5
  requant_column \U, 0, 12, 13
  load_word 12, 5
  load_word 13, 5
  requant_column \U, 1, 14, 15
  load_word 14, 5
  load_word 15, 5
  requant_column \U, 2, 12, 13
  requant_column \U, 3, 14, 15
.endm

// Four pixels: what it takes to go on, and going on (columns follow one another).
.macro keep_strips
  lw    x6, BLOCKS(a0)
  lw    x12, STRIPS(a0)
  slli  x13, x7, 2
  slli  x14, x4, 2
  slli  x15, x6, 2
  mul   x12, x12, x14
  sub   x14, x14, x15
  add   x12, x12, x3
  sw    x12, OUT_END(sp)
  sw    x5, WEIGHTS(sp)
  sw    x6, X_BLOCKS(sp)
  sw    x13, A_NEXT(sp)
  sw    x14, OUT_NEXT(sp)
.endm
.macro next_strip kind
#ifndef XPULP_COREV
  .option rvc
#endif
  lw    x12, OUT_END(sp)
  .ifc \kind, packed
  lw    x13, A_NEXT(sp)
  .endif
  lw    x14, OUT_NEXT(sp)
  lw    x5, WEIGHTS(sp)
  lw    x6, X_BLOCKS(sp)
  .ifc \kind, packed
  add   x8, x8, x13
  add   x9, x9, x13
  add   x10, x10, x13
  add   x11, x11, x13
  .else
  add   x8, x8, x11
  .endif
  add   x3, x3, x14
  .option norvc
.endm

// Four outputs of pixel u into x<12 + u>, and the row pointers back to the block's start. x<back>
// holds the way, if that is x12 until pixel 0 is packed.
.macro pack U, rows, back
  .set u, \U - 1
  .rept \U - 1
  pack_pixel %(12 + u), %(16 + 4 * u), %(17 + 4 * u), %(18 + 4 * u), %(19 + 4 * u)
  .set u, u - 1
  .endr
  rows_back \rows, \back
  pack_pixel 12, 16, 17, 18, 19
.endm

// x3 = first pixel's next four outputs, x4 = from pixel to pixel, x<next> = from the last one to the
// next block's first.
.macro store_post u, step
  p_sw_rrpost x\u, x3, x\step
.endm
.macro store_outputs U, next
  .set u, 0
  .rept \U - 1
  store_post %(12 + u), 4
  .set u, u + 1
  .endr
  store_post %(11 + \U), \next
.endm

.macro strip name, kind, dot, sdot, U
  .section .text.\name\()_u\U, "ax"
  .balign 16
  .globl \name\()_u\U
  .type \name\()_u\U, @function
\name\()_u\U:
  save_all FRAME
  lw    x6, WORDS(a0)
  lw    x5, FILTERS(a0)
  lw    x3, OUT(a0)
  addi  x7, x6, -1
  .ifc \kind, interleaved
  slli  x6, x6, 4
  .else
  slli  x6, x6, 2
  .endif
  sw    x7, COUNT(sp)
  sw    x6, BYTES(sp)
  mv    x11, x6
  lw    x4, OUT_STRIDE(a0)
  li    x9, \U - 1
  mul   x9, x9, x4
  sub   x9, x0, x9
  addi  x9, x9, 4
  lw    x1, SHIFT(a0)
  lw    x8, A(a0)
  lw    x7, A_STRIDE(a0)
  lw    x6, BLOCKS(a0)
  .if \U == 4
  keep_strips
  .endif
  .ifc \kind\U, packed1
  lw    x30, BEFORE(a0)
  lw    x31, BEHIND(a0)
  .endif
  .ifc \kind, packed
  sw    x9, OUT_STEP(sp)
  .if \U > 1
  add   x9, x8, x7
  .endif
  .if \U > 2
  add   x10, x9, x7            // x10 is a0: read no more
  .endif
  .if \U > 3
  add   x11, x10, x7
  .endif
  .endif
  .balign 16
\name\()_strip\U:
  lp_setup 1, x6, \name\()_end\U
  block_dots \kind, \dot, \sdot, \U, COUNT
  .ifc \kind\U, packed1
  add   x5, x5, x31
  .endif
  requant \U
  .ifc \kind\U, packed1
  add   x5, x5, x30
  .endif
#ifndef XPULP_COREV
  .option rvc
#endif
  .ifc \kind, packed
  lw    x12, BYTES(sp)
  lw    x7, OUT_STEP(sp)
  pack  \U, \U, 12
  .option norvc
  store_outputs \U, 7
  .else
  pack  \U, 1, 11
  .option norvc
  store_outputs \U, 9
  .endif
\name\()_end\U:
  .if \U == 4
  next_strip \kind
  bne   x3, x12, \name\()_strip\U
  .endif
  restore_all_and_return FRAME
  .size \name\()_u\U, . - \name\()_u\U
.endm

  .option norvc
  .irp U, 1, 2, 3, 4
  strip nn_strip_u8_i8_u8_columns, interleaved, pv_dotusp_b, pv_sdotusp_b, \U
  strip nn_strip_u8_i8_u8_rows, packed, pv_dotusp_b, pv_sdotusp_b, \U
  .endr

// ---- one filter: 9 slots a word, and 30 for four pixels

// a1 to a4 the pixels (columns: a1), a5 the filter, a6 its words, a7 t1 t2 t3 sums, t4 to t6, gp
// words of the pixels, tp of the filter; kappa s0, lambda s1, shift s2, the filter's start s3, from
// a strip to the next s4; a0 out, t0 its step, ra strips.
.macro one_filter kind
  .section .text.nn_strip_u8_one_\kind, "ax"
  .balign 16
  .globl nn_strip_u8_one_\kind
  .type nn_strip_u8_one_\kind, @function
nn_strip_u8_one_\kind:
  addi  sp, sp, -32
  sw    ra, 0(sp)
  sw    s0, 4(sp)
  sw    s1, 8(sp)
  sw    s2, 12(sp)
  sw    s3, 16(sp)
  sw    s4, 20(sp)
  lw    t1, BLOCKS(a0)
  lw    s3, FILTERS(a0)
  lw    a6, WORDS(a0)
  slli  t1, t1, 2
  add   s3, s3, t1
  slli  t2, a6, 4
  add   t2, t2, t1
  add   t2, t2, s3
  lw    s0, 0(t2)
  lw    s1, 4(t2)
  lw    s2, SHIFT(a0)
  lw    a1, A(a0)
  lw    t0, OUT_STRIDE(a0)
  .ifc \kind, rows
  lw    t1, A_STRIDE(a0)
  slli  s4, a6, 2
  add   a2, a1, t1
  add   a3, a2, t1
  add   a4, a3, t1
  slli  t1, t1, 2
  sub   s4, t1, s4
  .endif
  lw    ra, STRIPS(a0)
  lw    a0, OUT(a0)
one_strip_\kind:
  mv    a5, s3
  li    a7, 0
  li    t1, 0
  li    t2, 0
  li    t3, 0
  lp_setup 0, a6, one_words_\kind
  p_lw_post tp, a5, 16
  .ifc \kind, rows
  p_lw_post t4, a1, 4
  p_lw_post t5, a2, 4
  p_lw_post t6, a3, 4
  p_lw_post gp, a4, 4
  .else
  p_lw_post t4, a1, 4
  p_lw_post t5, a1, 4
  p_lw_post t6, a1, 4
  p_lw_post gp, a1, 4
  .endif
  pv_sdotusp_b a7, t4, tp
  pv_sdotusp_b t1, t5, tp
  pv_sdotusp_b t2, t6, tp
  pv_sdotusp_b t3, gp, tp
one_words_\kind:
  mul   a7, a7, s0
  mul   t1, t1, s0
  mul   t2, t2, s0
  mul   t3, t3, s0
  p_addnr a7, s1, s2
  p_addnr t1, s1, s2
  p_addnr t2, s1, s2
  p_addnr t3, s1, s2
  p_clipu a7, a7, 9
  p_clipu t1, t1, 9
  p_clipu t2, t2, 9
  p_clipu t3, t3, 9
  p_sb_rrpost a7, a0, t0
  p_sb_rrpost t1, a0, t0
  p_sb_rrpost t2, a0, t0
  p_sb_rrpost t3, a0, t0
  .ifc \kind, rows
  add   a1, a1, s4
  add   a2, a2, s4
  add   a3, a3, s4
  add   a4, a4, s4
  .endif
  addi  ra, ra, -1
  bnez  ra, one_strip_\kind
  lw    ra, 0(sp)
  lw    s0, 4(sp)
  lw    s1, 8(sp)
  lw    s2, 12(sp)
  lw    s3, 16(sp)
  lw    s4, 20(sp)
  addi  sp, sp, 32
  ret
  .size nn_strip_u8_one_\kind, . - nn_strip_u8_one_\kind
.endm

  one_filter columns
  one_filter rows
