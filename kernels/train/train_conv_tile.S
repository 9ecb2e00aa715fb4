// kernels/train/train_conv_tile.S: the direct convolution, kernels three columns wide. Argument
// blocks and meaning: train_conv_tile.h; C twin: train_conv_tile.c.
//
// No im2col: pixels stay in registers for the three columns of a kernel row.
//
// Forward, per kernel row and input channel, V + 2 pixels and 3 * U weights are loaded for
// 3 * U * V multiply-adds; one pointer per output channel and one for the input move on:
//   4x5: 7 + 12 + 60 + 5 = 84 slots for 60 MAC: 5.71 MAC/clk on 8 cores (physical: 8)
// and two to four more per channel.
// Weight gradient, per three pixels of a row, 3 inputs per line and 3 gradients per output channel are
// loaded for 9 * U * L multiply-adds; the inputs of two columns stay from pass to pass:
//   4x2: 6 + 12 + 72 + 6 = 96 slots for 72 MAC: 6 MAC/clk
// and some 15 per row. The first pass of a row enters where as many pixels are left as there are too
// many for whole passes, so that none needs code of its own: a row stays within the 512 bytes of a
// core's instruction cache.
//
// Sums run over channel, row, column (forward), over row, column (weight gradient), by fused
// multiply-adds.
#include "xpulp.S.h"

  .altmacro
#ifdef XPULP_COREV
  .option norvc                // CORE-V loops take no compressed instructions
#endif

#define ACC(i) ((i) + 8 * (((i) / 8 + 1) / 2))

.macro load freg, base, offset
  flw   f\freg, \offset(x\base)
.endm
.macro store freg, base, offset
  fsw   f\freg, \offset(x\base)
.endm
.macro fma acc, va, vb
  fmadd.s f\acc, f\va, f\vb, f\acc
.endm
.macro clear freg
  fmv.w.x f\freg, x0
.endm
.macro advance reg, by
  addi  x\reg, x\reg, \by
.endm
.macro add_to reg, from, other
  add   x\reg, x\from, \other
.endm
.macro callee_saved op, fop
  \op   ra, 0(sp)
  \op   s0, 4(sp)
  \op   s1, 8(sp)
  \op   s2, 12(sp)
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
  \fop  fs\n, 16 + 4 * \n(sp)
  .endr
.endm
.macro function name
  .section .text.\name, "ax"
  .balign 16
  .globl \name
  .type \name, @function
\name:
.endm

// ------------------------------------------------------------------ forward

// Offsets in struct train_conv_fw.
#define F_W        0
#define F_W_STEP   4
#define F_X        8
#define F_ROW      12
#define F_GAP      16
#define F_OUT      20
#define F_OUT_STEP 24
#define F_CHANNELS 28
#define F_KERNEL_H 32
#define F_BLOCKS   36
#define F_NEXT     40
#define F_ADD      44

// Weights of output channel u: f8-f11 through x8-x11; pixels: f12-f15, f28-f30 through x12.
#define WEIGHT(u) (8 + (u))
#define PIXEL(v)  (12 + (v) + 12 * ((v) / 4))

.macro fw_row U, V
  .set i, 0
  .rept \U
  load  %(WEIGHT(i)), %(8 + i), 0
  .set i, i + 1
  .endr
  .set i, 0
  .rept \V + 2
  load  %(PIXEL(i)), 12, %(4 * i)
  .set i, i + 1
  .endr
  add   x12, x12, t3
  .set j, 0
  .rept 3
    .set u, 0
    .rept \U
      .set v, 0
      .rept \V
      fma %(ACC(\V * u + v)), %(WEIGHT(u)), %(PIXEL(v + j))
      .set v, v + 1
      .endr
      .if j < 2
      load %(WEIGHT(u)), %(8 + u), %(4 * j + 4)
      .endif
    .set u, u + 1
    .endr
  .set j, j + 1
  .endr
  .set u, 0
  .rept \U
    .if u == \U - 1            // a loop's last instruction has 4 bytes
    .option norvc
    .endif
  advance %(8 + u), 12
  .set u, u + 1
  .endr
.endm

.macro fw_outputs op, U, V
  add_to 13, 0, t2
  .set u, 0
  .rept \U
    .set v, 0
    .rept \V
    \op %(ACC(\V * u + v)), 13, %(4 * v)
    .set v, v + 1
    .endr
  add_to 13, 13, tp
  .set u, u + 1
  .endr
.endm

.macro fw_tile U, V
  function train_conv_fw_\U\()x\V
  addi  sp, sp, -64
  callee_saved sw, fsw
  mv    s2, a0
  lw    t0, F_W(s2)
  lw    a7, F_W_STEP(s2)
  lw    t1, F_X(s2)
  lw    t3, F_ROW(s2)
  lw    t4, F_GAP(s2)
  lw    t2, F_OUT(s2)
  lw    tp, F_OUT_STEP(s2)
  lw    t5, F_CHANNELS(s2)
  lw    t6, F_KERNEL_H(s2)
  lw    gp, F_BLOCKS(s2)
  lw    a6, F_NEXT(s2)
fw_block_\U\V:
  lw    ra, F_ADD(s2)
  mv    x8, t0
  .set u, 1
  .rept \U - 1
  add_to %(8 + u), %(7 + u), a7
  .set u, u + 1
  .endr
  mv    x12, t1
  bnez  ra, fw_add_\U\V
  .set i, 0
  .rept \U * \V
  clear %(ACC(i))
  .set i, i + 1
  .endr
fw_start_\U\V:
  .option push
  lp_setup 1, t5, fw_outer_\U\V
  lp_setup 0, t6, fw_inner_\U\V
  fw_row \U, \V
fw_inner_\U\V:
  add   x12, x12, t4
  nop                          // two instructions between the ends of nested loops
fw_outer_\U\V:
  .option pop
  fw_outputs store, \U, \V
  addi  gp, gp, -1
  add   t1, t1, a6
  add   t2, t2, a6
  bnez  gp, fw_block_\U\V
  callee_saved lw, flw
  addi  sp, sp, 64
  ret
fw_add_\U\V:
  fw_outputs load, \U, \V
  j     fw_start_\U\V
  .size train_conv_fw_\U\()x\V, . - train_conv_fw_\U\()x\V
.endm

.macro fw_tiles U
  fw_tile \U, 1
  fw_tile \U, 2
  fw_tile \U, 3
  fw_tile \U, 4
  fw_tile \U, 5
.endm
  fw_tiles 1
  fw_tiles 2
  fw_tiles 3
  fw_tiles 4

// ------------------------------------------------------------------ weight gradient

// Offsets in struct train_conv_wg.
#define G_DY       0
#define G_DY_STEP  4
#define G_X        8
#define G_ROW      12
#define G_WRAP     16
#define G_KERNEL_H 20
#define G_I        24
#define G_GAP      28
#define G_DW       32
#define G_DW_STEP  36
#define G_OUT_W    40
#define G_OUT_H    44
#define G_BLOCKS   48
#define G_ADD      52

// Inputs of line l: f8-f10, f11-f13, by column modulo 3, through x12, x13; gradients: f14 and f15 in
// turn, through x8-x11.
#define INPUT(l, k)    (8 + 3 * (l) + (k) % 3)
#define GRADIENT(u)    (14 + (u) % 2)
#define SUM(L, u, l, j) ACC(((u) * L + (l)) * 3 + (j))

// The line at t0, which is row t1 of the kernel, and on to the next one.
.macro wg_line pointer
  lw    x14, G_KERNEL_H(s2)
  add_to \pointer, 5, a6
  addi  t1, t1, 1
  lw    x15, G_ROW(s2)
  bne   t1, x14, 1f
  li    t1, 0
  lw    x15, G_WRAP(s2)
1:
  add   t0, t0, x15
.endm

// How a row begins whose first pass enters at pixel k: the inputs of two columns, passes.
.macro wg_enter L, k
  .set l, 0
  .rept \L
  load  %(INPUT(l, \k)), %(12 + l), %(4 * \k)
  load  %(INPUT(l, \k + 1)), %(12 + l), %(4 * \k + 4)
  .set l, l + 1
  .endr
  lp_count 0, t5
.endm

// A pixel.
.macro wg_pixel U, L, k
  .set l, 0
  .rept \L
  load  %(INPUT(l, \k + 2)), %(12 + l), %(4 * \k + 8)
  .set l, l + 1
  .endr
  load  %(GRADIENT(0)), 8, %(4 * \k)
  .set u, 0
  .rept \U
    .if u + 1 < \U
    load %(GRADIENT(u + 1)), %(9 + u), %(4 * \k)
    .endif
    .set l, 0
    .rept \L
      .set j, 0
      .rept 3
      fma %(SUM(\L, u, l, j)), %(GRADIENT(u)), %(INPUT(l, \k + j))
      .set j, j + 1
      .endr
    .set l, l + 1
    .endr
  .set u, u + 1
  .endr
.endm

// Three pixels on; a loop's last instruction has 4 bytes.
.macro wg_advance U, L
  .set u, 0
  .rept \U
  advance %(8 + u), 12
  .set u, u + 1
  .endr
  .set l, 0
  .rept \L
    .if l == \L - 1
    .option norvc
    .endif
  advance %(12 + l), 12
  .set l, l + 1
  .endr
.endm

.macro wg_outputs op, U, L
  mv    x14, t2
  .set u, 0
  .rept \U
    .set i, 0
    .rept \L * 3
    \op %(ACC(u * \L * 3 + i)), 14, %(4 * i)
    .set i, i + 1
    .endr
  add_to 14, 14, tp
  .set u, u + 1
  .endr
.endm

.macro wg_tile U, L
  function train_conv_wg_\U\()x\L
  addi  sp, sp, -64
  callee_saved sw, fsw
  mv    s2, a0
  lw    a7, G_DY_STEP(s2)
  lw    t0, G_X(s2)
  lw    t1, G_I(s2)
  lw    t2, G_DW(s2)
  lw    tp, G_DW_STEP(s2)
  lw    t4, G_GAP(s2)
  lw    t6, G_OUT_W(s2)
  lw    t3, G_OUT_H(s2)
  lw    gp, G_BLOCKS(s2)
  lw    ra, G_ADD(s2)
  lp_starti 0, wg_first_\U\L
  lp_endi 0, wg_three_\U\L
  lp_endi 1, wg_row_\U\L
  lui   a6, 5                  // passes: (out_w + 2) / 3 = (out_w + 2) * 0x5556 >> 16
  addi  a6, a6, 0x556
  addi  t5, t6, 2
  mul   t5, t5, a6
  srli  t5, t5, 16
  sub   t6, t6, t5
  sub   t6, t6, t5
  sub   t6, t6, t5             // -2..0 pixels too many, by which the pointers step back
  slli  a6, t6, 2
  add   t4, t4, a6
  lp_starti 1, wg_whole_\U\L
  beqz  t6, wg_block_\U\L
  lp_starti 1, wg_less_one_\U\L
  p_beqimm t6, -1, wg_block_\U\L
  lp_starti 1, wg_less_two_\U\L
wg_block_\U\L:
  lp_count 1, t3
  bnez  ra, wg_add_\U\L
  .set i, 0
  .rept \U * \L * 3
  clear %(ACC(i))
  .set i, i + 1
  .endr
wg_start_\U\L:
  .set l, 0
  .rept \L
  wg_line %(12 + l)
  .set l, l + 1
  .endr
  lw    x8, G_DY(s2)
  add   x8, x8, a6
  .set u, 1
  .rept \U - 1
  add_to %(8 + u), %(7 + u), a7
  .set u, u + 1
  .endr
  beqz  t6, wg_whole_\U\L
  p_beqimm t6, -1, wg_less_one_\U\L
wg_less_two_\U\L:
  wg_enter \L, 2
  j     wg_third_\U\L
wg_less_one_\U\L:
  wg_enter \L, 1
  j     wg_second_\U\L
wg_whole_\U\L:
  wg_enter \L, 0
wg_first_\U\L:
  wg_pixel \U, \L, 0
wg_second_\U\L:
  wg_pixel \U, \L, 1
wg_third_\U\L:
  wg_pixel \U, \L, 2
  .option push
  wg_advance \U, \L
wg_three_\U\L:
  .option pop
  .set u, 0
  .rept \U
  add_to %(8 + u), %(8 + u), a6
  .set u, u + 1
  .endr
  .option push
  .option norvc
  add   x12, x12, t4
  add   x13, x13, t4
wg_row_\U\L:
  .option pop
  wg_outputs store, \U, \L
  addi  gp, gp, -1
  addi  t2, t2, 12 * \L
  bnez  gp, wg_block_\U\L
  callee_saved lw, flw
  addi  sp, sp, 64
  ret
wg_add_\U\L:
  wg_outputs load, \U, \L
  j     wg_start_\U\L
  .size train_conv_wg_\U\()x\L, . - train_conv_wg_\U\()x\L
.endm

  wg_tile 1, 1
  wg_tile 1, 2
  wg_tile 2, 1
  wg_tile 2, 2
  wg_tile 3, 1
  wg_tile 3, 2
  wg_tile 4, 1
  wg_tile 4, 2
