// kernels/nn/nn_strip_mixed.S: see nn_strip_mixed.h. C twin: nn_strip_mixed.c.
//
// Slots of a step of four pixels by four filters, and MAC/slot (times 8: MAC/clk of 8 cores):
//   compute 8, weights 8:  8 loads, 16 dots                 24 for  64 MAC   2.67
//   compute 8, weights 4: 12 loads,  8 to unpack, 32 dots   52 for 128       2.46
//   compute 8, weights 2: 20 loads, 24 to unpack, 64 dots  108 for 256       2.37
//   compute 4, weights 2: 12 loads, 12 to unpack, 32 dots   56 for 256       4.57
//   compute = weights = 4, 2, mac&load: 16 dots, 1 load     17 for 128, 256  7.53, 15.06
// Mac&load reloads only a register that it multiplies, so the last dot product of a step, last to use
// both its pixel and its filter, leaves one to reload by an instruction of its own.
//
// Registers: x16 + 4u + v sums, x12 + u pixels, x9 x10 x11 x4 filters, x7 a filter unpacked,
// x3 mask, x1 shift, x8 columns, x5 blocks, x6 free. (What mac&load computes while it only reloads
// goes to x7.)
#include "nn_strip_mixed.inc"

.macro load_filters
  load_word 9, 5
  load_word 10, 5
  load_word 11, 5
  load_word 4, 5
.endm

.macro load_pixels U
  .set u, 0
  .rept \U - 1
  load_interleaved %(12 + u), 4
  .set u, u + 1
  .endr
  load_interleaved %(11 + \U), %(20 - 4 * \U)
.endm

// The operand made of sub-word j of the filter's word in x<w>: into x7, or (the last one, bytes)
// in place; then its U dot products.
.macro filter_dots sdot, c, wb, U, v, w, j
  .set operand, 7
  .if \c == \wb
    .set operand, \w
  .elseif \j == 0
    and x7, x\w, x3
  .elseif \c == 8
    pv_sll_sci_b x\w, x\w, \wb
    .if \j == \c / \wb - 1
    .set operand, \w
    .else
    and x7, x\w, x3
    .endif
  .else
    slli x\w, x\w, \wb
    and x7, x\w, x3
  .endif
  .set u, 0
  .rept \U
  dot_word \sdot, %(16 + 4 * u + \v), %(12 + u), %operand
  .set u, u + 1
  .endr
.endm

.macro step_mixed sdot, c, wb, U
  .set j, 0
  .rept \c / \wb
    load_pixels \U
    .if j == 0
    load_filters
    .endif
    filter_dots \sdot, \c, \wb, \U, 0, 9, %j
    filter_dots \sdot, \c, \wb, \U, 1, 10, %j
    filter_dots \sdot, \c, \wb, \U, 2, 11, %j
    filter_dots \sdot, \c, \wb, \U, 3, 4, %j
    .set j, j + 1
  .endr
.endm

// Mac&load: pixel register p & 1, filter register v; LA, LW reload the one or the other.
#define LA 8
#define LW 16
.macro ml op, p, v, load, pointer
  ml_word \op, %(16 + 4 * \p + \v), \pointer, %(\p - \p / 2 * 2 + 2 * \v + \load)
.endm
.macro ml_word op, acc, pointer, imm
  \op x\acc, x\pointer, \imm
.endm
.macro step_macload op
  ml \op, 0, 0, 0, 8
  ml \op, 0, 1, 0, 8
  ml \op, 0, 2, 0, 8
  ml \op, 0, 3, LA, 8
  ml \op, 1, 0, 0, 8
  ml \op, 1, 1, 0, 8
  ml \op, 1, 2, 0, 8
  ml \op, 1, 3, LA, 8
  ml \op, 2, 0, 0, 8
  ml \op, 3, 0, LW, 5
  ml \op, 2, 1, 0, 8
  ml \op, 3, 1, LW, 5
  ml \op, 2, 2, 0, 8
  ml \op, 3, 2, LW, 5
  ml \op, 2, 3, LA, 8
  ml \op, 3, 3, LA, 8
  \op x7, x5, LW + 6
.endm
// Before the first step: two pixels, four filters.
.macro first_macload op
  \op x7, x8, LA
  \op x7, x8, LA + 1
  \op x7, x5, LW
  \op x7, x5, LW + 2
  \op x7, x5, LW + 4
  \op x7, x5, LW + 6
.endm

.macro clear_one reg
  mv x\reg, x0
.endm
.macro unscale_one reg, by
  srai x\reg, x\reg, \by
.endm
.macro scale acc, kappa
  mul   x\acc, x\acc, x\kappa
.endm
.macro requant_filter U, v, kappa, lambda, bits
  each_pixel scale, \U, \v, \kappa
  each_pixel offset_shift, \U, \v, \lambda, 1
  each_pixel clip, \U, \v, \bits + 1
.endm
.macro requant_all U, bits
  load_word 12, 5
  load_word 13, 5
  load_word 14, 5
  load_word 15, 5
  requant_filter \U, 0, 12, 13, \bits
  load_word 12, 5
  load_word 13, 5
  requant_filter \U, 1, 14, 15, \bits
  load_word 14, 5
  load_word 15, 5
  requant_filter \U, 2, 12, 13, \bits
  requant_filter \U, 3, 14, 15, \bits
.endm

// Sums plus lambda; x5 is at the first kappa.
.macro bias_all U
  addi  x5, x5, 4
  p_lw_post x12, x5, 8
  p_lw_post x13, x5, 8
  p_lw_post x14, x5, 8
  p_lw_post x15, x5, 4
  each_pixel add_bias, \U, 0, 12
  each_pixel add_bias, \U, 1, 13
  each_pixel add_bias, \U, 2, 14
  each_pixel add_bias, \U, 3, 15
.endm

.macro set_mask c, wb
  .if (\c == 8) && (\wb == 4)
  li    x3, 0xf0f0f0f0
  .elseif (\c == 8) && (\wb == 2)
  li    x3, 0xc0c0c0c0
  .elseif (\c == 4) && (\wb == 2)
  li    x3, 0xcccccccc
  .endif
.endm

.macro strip sdot, macload, c, wb, bits, U
  .section .text.nn_strip_c\c\()w\wb\()o\bits\()_u\U, "ax"
  .balign 16
  .globl nn_strip_c\c\()w\wb\()o\bits\()_u\U
  .type nn_strip_c\c\()w\wb\()o\bits\()_u\U, @function
nn_strip_c\c\()w\wb\()o\bits\()_u\U:
  save_all FRAME
  lw    x6, STEPS(a0)
  lw    x5, FILTERS(a0)
  lw    x3, OUT(a0)
  lw    x4, OUT_STRIDE(a0)
  sw    x6, X_STEPS(sp)
  sw    x3, X_OUT(sp)
  sw    x4, X_STRIDE(sp)
  li    x7, 16 * (\c / \wb)
  mul   x7, x6, x7
  .ifnb \macload
  addi  x7, x7, 8
  .endif
  sw    x7, X_BYTES(sp)
  lw    x1, SHIFT(a0)
  lw    x8, COLUMNS(a0)
  lw    x6, BLOCKS(a0)
  .if \bits == 0
  lw    x7, ROW(a0)
  sw    x6, X_COUNT(sp)
  sw    a0, X_STRIP(sp)
  sw    x7, X_ROW(sp)
strip_block\@:
  .else
  lp_setup 1, x6, strip_end\@
  .endif
  lw    x6, X_STEPS(sp)
  set_mask \c, \wb
  .set acc, 16
  .rept 4 * \U
  clear_one %acc
  .set acc, acc + 1
  .endr
  .ifnb \macload
  first_macload \macload
  .endif
  lp_setup 0, x6, dots_end\@
  .ifnb \macload
  step_macload \macload
  .else
  step_mixed \sdot, \c, \wb, \U
  .endif
dots_end\@:
  .ifnb \macload
  addi  x5, x5, -16
  .endif
  .if \bits > 0
  lw    x6, X_BYTES(sp)
  .endif
  .if \c > \wb
  .set acc, 16
  .rept 4 * \U
  unscale_one %acc, %(\c - \wb)
  .set acc, acc + 1
  .endr
  .endif
  .if \bits == 0               // nn_finish.S; a loop by branch, as hardware loops forbid jumps
  lw    x6, X_STRIP(sp)
  lw    x6, FINISH(x6)
  jalr  x1, x6
  lw    x6, X_BYTES(sp)
  lw    x7, X_COUNT(sp)
  sub   x8, x8, x6
  addi  x7, x7, -1
  sw    x7, X_COUNT(sp)
  bnez  x7, strip_block\@
  .else
  .if \bits == 32
  bias_all \U
  .else
  requant_all \U, \bits
  .endif
  store_pixels \U, \bits
  sub   x8, x8, x6
strip_end\@:
  .endif
  restore_all_and_return FRAME
  .size nn_strip_c\c\()w\wb\()o\bits\()_u\U, . - nn_strip_c\c\()w\wb\()o\bits\()_u\U
.endm

.macro strips sdot, macload, c, wb
  .irp bits, 8, 4, 2, 32, 0
  strip \sdot, , \c, \wb, \bits, 1
  strip \sdot, , \c, \wb, \bits, 2
  strip \sdot, , \c, \wb, \bits, 3
  strip \sdot, \macload, \c, \wb, \bits, 4
  .endr
.endm

  .option norvc
  strips pv_sdotusp_b, , 8, 8
  strips pv_sdotusp_b, , 8, 4
  strips pv_sdotusp_b, , 8, 2
#ifndef XPULP_COREV
  strips pv_sdotusp_n, pv_mlsdotsup_n, 4, 4
  strips pv_sdotusp_n, , 4, 2
  strips pv_sdotusp_c, pv_mlsdotsup_c, 2, 2
#endif
