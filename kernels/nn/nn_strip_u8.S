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

// Stack frame
#define FRAME 96
#define COUNT 0 // words - 1
#define BYTES 4 // from a pixel's, or the columns', first word to behind the last
// Of strips of four pixels as rows, which go on to the next four:
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

// Rows, four pixels: what it takes to go on, and going on.
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
.macro next_strip
#ifndef XPULP_COREV
  .option rvc
#endif
  lw    x12, OUT_END(sp)
  lw    x13, A_NEXT(sp)
  lw    x14, OUT_NEXT(sp)
  lw    x5, WEIGHTS(sp)
  lw    x6, X_BLOCKS(sp)
  add   x8, x8, x13
  add   x9, x9, x13
  add   x10, x10, x13
  add   x11, x11, x13
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
  .ifc \kind\U, packed4
  keep_strips
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
  requant \U
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
  .ifc \kind\U, packed4
  next_strip
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
