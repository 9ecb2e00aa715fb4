// kernels/nn/nn_strip_mixed.S: see nn_strip_mixed.h. C twin: nn_strip_mixed.c.
//
// Slots of a step of four pixels by four filters, and MAC/slot (times 8: MAC/clk of 8 cores):
//   compute 8, weights 8:  8 loads, 16 dots                 24 for  64 MAC   2.67
//   compute 8, weights 4: 12 loads,  8 to unpack, 32 dots   52 for 128       2.46
//   compute 8, weights 2: 20 loads, 24 to unpack, 64 dots  108 for 256       2.37
//   compute 4, weights 2: 12 loads, 12 to unpack, 32 dots   56 for 256       4.57
//
// Registers: x16 + 4u + v sums, x12 + u pixels, x9 x10 x11 x4 filters, x7 a filter unpacked,
// x3 mask, x1 shift, x8 columns, x5 blocks, x6 free.
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

.macro clear_one reg
  li x\reg, 0
.endm
.macro unscale_one reg, by
  srai x\reg, x\reg, \by
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

.macro strip sdot, c, wb, bits, U, sign
  begin_strip nn_strip_c\sign\c\()w\wb\()o\bits\()_u\U
  li    x7, 16 * (\c / \wb)
  mul   x7, x6, x7
  sw    x7, X_BYTES(sp)
  lw    x1, SHIFT(a0)
  lw    x8, COLUMNS(a0)
  lw    x6, BLOCKS(a0)
  .if \bits == 0
  begin_finished
strip_block\@:
  .else
  lp_setup 1, x6, strip_end\@
  .endif
  lw    x6, X_STEPS(sp)
  set_mask \c, \wb
  compressed
  .set acc, 16
  .rept 4 * \U
  clear_one %acc
  .set acc, acc + 1
  .endr
  .option norvc
  lp_setup 0, x6, dots_end\@
  step_mixed \sdot, \c, \wb, \U
dots_end\@:
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
  .if \bits == 0
  end_finished strip_block\@
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
  .size nn_strip_c\sign\c\()w\wb\()o\bits\()_u\U, . - nn_strip_c\sign\c\()w\wb\()o\bits\()_u\U
.endm

// Bytes with the end of a scheme, pixels as they stand in memory; four go on to the next four. x8 to
// x11 pixels, as in block_i8.inc; the end needs them, so that they are kept in the frame.
.macro keep_row u
  sw    x8, X_ROWS + 4 * \u(sp)
  add   x8, x8, x7
.endm
.macro begin_rows U
  lw    x7, A_STRIDE(a0)
  lw    x8, COLUMNS(a0)
  lw    x12, STRIPS(a0)
  lw    x6, BLOCKS(a0)
  slli  x13, x7, 2
  sw    a0, X_STRIP(sp)
  sw    x12, X_STRIPS(sp)
  sw    x5, X_FILTERS(sp)
  sw    x6, X_BLOCKS(sp)
  sw    x13, X_BYTES(sp)
  sw    x3, X_OUT_NEXT(sp)
  .set u, 0
  .rept \U
  keep_row %u
  .set u, u + 1
  .endr
.endm
.macro to_next_row u
  lw    x8, X_ROWS + 4 * \u(sp)
  add   x8, x8, x6
  sw    x8, X_ROWS + 4 * \u(sp)
.endm
.macro next_rows strip
  compressed
  lw    x6, X_BYTES(sp)
  lw    x7, X_STRIPS(sp)
  lw    x3, X_OUT_NEXT(sp)
  lw    x4, X_STRIDE(sp)
  lw    x5, X_FILTERS(sp)
  addi  x7, x7, -1
  sw    x7, X_STRIPS(sp)
  slli  x4, x4, 2
  add   x3, x3, x4
  sw    x3, X_OUT(sp)
  sw    x3, X_OUT_NEXT(sp)
  to_next_row 0
  to_next_row 1
  to_next_row 2
  to_next_row 3
  .balign 4
  .option norvc
  bnez  x7, \strip
.endm
.macro load_row reg, u
  lw    x\reg, X_ROWS + 4 * \u(sp)
.endm
.macro rows_strip sdot, U, sign
  begin_strip nn_strip_c\sign\()8w8o1_u\U
  begin_rows \U
rows_strip\@:
  compressed
  lw    x6, X_STRIP(sp)
  lw    x7, X_BLOCKS(sp)
  lw    x6, ROW(x6)
  sw    x7, X_COUNT(sp)
  sw    x6, X_ROW(sp)
  .balign 4
rows_block\@:
  .set u, 0
  .rept \U
  load_row %(8 + u), %u
  .set u, u + 1
  .endr
  .set acc, 16
  .rept 4 * \U
  clear_one %acc
  .set acc, acc + 1
  .endr
  lw    x1, X_STEPS(sp)
  .balign 4
  .option norvc
  lp_setup 0, x1, rows_dots\@
  step_packed \sdot, \U
rows_dots\@:
  end_rows rows_block\@
  .if \U == 4
  next_rows rows_strip\@
  .endif
  restore_all_and_return FRAME
  .size nn_strip_c\sign\()8w8o1_u\U, . - nn_strip_c\sign\()8w8o1_u\U
.endm

.macro strips sdot, c, wb, most, sign
  .irp bits, 8, 4, 2, 32, 0
  .irp U, 1, 2, 3
  strip \sdot, \c, \wb, \bits, \U, \sign
  .endr
  .if \most == 4
  strip \sdot, \c, \wb, \bits, 4, \sign
  .endif
  .endr
.endm

  .option norvc
  .irp wb, 8, 4, 2
  strips pv_sdotusp_b, 8, \wb, 4
  strips pv_sdotsp_b, 8, \wb, 4, s
  .endr
  .irp U, 1, 2, 3, 4
  rows_strip pv_sdotusp_b, \U
  rows_strip pv_sdotsp_b, \U, s
  .endr
#ifndef XPULP_COREV
  strips pv_sdotusp_n, 4, 4, 3  // four pixels: nn_strip_macload.S
  strips pv_sdotusp_n, 4, 2, 4
  strips pv_sdotusp_c, 2, 2, 3
#endif
