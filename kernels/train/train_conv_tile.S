// kernels/train/train_conv_tile.S: the direct convolution, kernels three columns wide. Argument
// blocks and meaning: train_conv_tile.h; C twin: train_conv_tile.c.
//
// No im2col: pixels stay in registers for the three columns of a kernel row.
//
// Forward, per kernel row and input channel, V + 2 pixels and 3 * U weights are loaded for
// 3 * U * V multiply-adds; one pointer per output channel and one for the input move on:
//   4x5: 7 + 12 + 60 + 5 = 84 slots for 60 MAC: 5.71 MAC/clk on 8 cores (physical: 8)
// and two to four more per channel.
// Weight gradient, per two pixels of a row, 4 inputs per line and 2 gradients per output channel are
// loaded for 6 * U * L multiply-adds:
//   4x2: 8 + 8 + 48 + 6 = 70 slots for 48 MAC: 5.49 MAC/clk
// (Four pixels at a time: 5.91, but the loop would fill the 512 bytes of a core's instruction cache,
// and every block evict it.)
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
#define G_DY      0
#define G_DY_STEP 4
#define G_X       8
#define G_X_STEP  12
#define G_GAP     16
#define G_DW      20
#define G_DW_STEP 24
#define G_OUT_W   28
#define G_OUT_H   32
#define G_ADD     36

// Inputs of line l: f8-f10, f11-f13, by column modulo 3, through x12, x13; gradients: f14 and f15 in
// turn, through x8-x11.
#define INPUT(l, k)    (8 + 3 * (l) + (k) % 3)
#define GRADIENT(u)    (14 + (u) % 2)
#define SUM(L, u, l, j) ACC(((u) * L + (l)) * 3 + (j))

// Steps of n pixels: the inputs of two columns first, then one per pixel.
.macro wg_steps U, L, n
  .set l, 0
  .rept \L
  load  %(INPUT(l, 0)), %(12 + l), 0
  load  %(INPUT(l, 1)), %(12 + l), 4
  .set l, l + 1
  .endr
  .set k, 0
  .rept \n
    .set l, 0
    .rept \L
    load %(INPUT(l, k + 2)), %(12 + l), %(4 * k + 8)
    .set l, l + 1
    .endr
    load %(GRADIENT(0)), 8, %(4 * k)
    .set u, 0
    .rept \U
      .if u + 1 < \U
      load %(GRADIENT(u + 1)), %(9 + u), %(4 * k)
      .endif
      .set l, 0
      .rept \L
        .set j, 0
        .rept 3
        fma %(SUM(\L, u, l, j)), %(GRADIENT(u)), %(INPUT(l, k + j))
        .set j, j + 1
        .endr
      .set l, l + 1
      .endr
    .set u, u + 1
    .endr
  .set k, k + 1
  .endr
  .set u, 0
  .rept \U
  advance %(8 + u), %(4 * \n)
  .set u, u + 1
  .endr
  .set l, 0
  .rept \L
    .if l == \L - 1
    .option norvc
    .endif
  advance %(12 + l), %(4 * \n)
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
  lw    t2, G_DW(s2)
  lw    tp, G_DW_STEP(s2)
  lw    t4, G_GAP(s2)
  lw    t5, G_OUT_W(s2)
  lw    t3, G_OUT_H(s2)
  lw    ra, G_ADD(s2)
  andi  t6, t5, 1
  srli  t5, t5, 1
  bnez  ra, wg_add_\U\L
  .set i, 0
  .rept \U * \L * 3
  clear %(ACC(i))
  .set i, i + 1
  .endr
wg_start_\U\L:
  lw    x12, G_X(s2)
  .if \L == 2
  lw    x13, G_X_STEP(s2)
  add   x13, x13, x12
  .endif
  lw    x8, G_DY(s2)
  .set u, 1
  .rept \U - 1
  add_to %(8 + u), %(7 + u), a7
  .set u, u + 1
  .endr
  .option push
  lp_setup 1, t3, wg_outer_\U\L
  p_beqimm t5, 0, wg_rest_\U\L
  .option push
  lp_setup 0, t5, wg_two_\U\L
  wg_steps \U, \L, 2
wg_two_\U\L:
  .option pop
wg_rest_\U\L:
  p_beqimm t6, 0, wg_row_\U\L
  .option push
  lp_setup 0, t6, wg_one_\U\L
  wg_steps \U, \L, 1
wg_one_\U\L:
  .option pop
wg_row_\U\L:
  .option norvc
  add   x12, x12, t4
  add   x13, x13, t4
wg_outer_\U\L:
  .option pop
  wg_outputs store, \U, \L
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
