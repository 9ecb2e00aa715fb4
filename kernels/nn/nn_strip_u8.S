// kernels/nn/nn_strip_u8.S: U pixels times all filters, four at a time: 8-bit dot products, then
// requantization (nn_requant.h), four outputs to a store. Pixels as columns (interleaved), or as
// they stand in memory (rows). Called with a struct nn_strip_u8 (nn_strip_u8.h) in a0; C twin:
// nn_strip_u8.c.
//
// Slots of a full block of W words: 24 W + 75 (rows: + 78). Of a 3x3 convolution over 32 channels,
// W = 72, that is 1803 for 4608 MAC: 20.4 MAC/clk on 8 cores, requantization included.
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

// Stack frame
#define FRAME 64
#define COUNT 0 // words - 1
#define BYTES 4 // from a pixel's, or the columns', first word to behind the last

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

// Four outputs of pixel u into x<12 + u>, and the row pointers back to the block's start (x12 holds
// the way until pixel 0 is packed). What can be is compressed: the loop over blocks, 502 bytes,
// then fits a core's instruction cache.
.macro pack kind, U
  lw    x12, BYTES(sp)
  .set u, \U - 1
  .rept \U - 1
  pack_pixel %(12 + u), %(16 + 4 * u), %(17 + 4 * u), %(18 + 4 * u), %(19 + 4 * u)
  .set u, u - 1
  .endr
  .ifc \kind, interleaved
  rows_back 1, 12
  .else
  rows_back \U, 12
  .endif
  pack_pixel 12, 16, 17, 18, 19
.endm

// x3 = first pixel's next four outputs, x4 = from pixel to pixel.
.macro store_outputs U
  .if \U > 1
  add   x6, x3, x4
  sw    x13, 0(x6)
  .endif
  .if \U > 2
  add   x7, x6, x4
  sw    x14, 0(x7)
  .endif
  .if \U > 3
  add   x6, x7, x4
  sw    x15, 0(x6)
  .endif
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
  lw    x4, OUT_STRIDE(a0)
  lw    x1, SHIFT(a0)
  lw    x8, A(a0)
  lw    x7, A_STRIDE(a0)
  lw    x6, BLOCKS(a0)
  .ifc \kind, packed
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
  lp_setup 1, x6, \name\()_end\U
  block_dots \kind, \dot, \sdot, \U, COUNT
  requant \U
#ifndef XPULP_COREV
  .option rvc
#endif
  pack \kind, \U
  .option norvc
  store_outputs \U
  p_sw_post x12, x3, 4
\name\()_end\U:
  restore_all_and_return FRAME
  .size \name\()_u\U, . - \name\()_u\U
.endm

  .option norvc
  .irp U, 1, 2, 3, 4
  strip nn_strip_u8_i8_u8_columns, interleaved, pv_dotusp_b, pv_sdotusp_b, \U
  strip nn_strip_u8_i8_u8_rows, packed, pv_dotusp_b, pv_sdotusp_b, \U
  .endr
