// kernels/train/train_dw.S: planes of a 3x3 depthwise convolution, stride 1. Argument block and
// meaning: train_dw.h; C twin: train_dw.c.
//
// Nine inputs stay in registers, three columns of three; a step to the right loads three new ones
// over the oldest column. Three steps make a pass:
//   forward          9 loads + 27 operations + 3 stores + 4 pointers = 43 slots for 27 MAC
//   weight gradient  9 + 3 loads + 27 operations + 4 pointers        = 43 slots
// which is 5.02 MAC/clk on 8 cores (physical: 8); a row costs about 16 slots more.
#include "xpulp.S.h"

  .altmacro
#ifdef XPULP_COREV
  .option norvc                // CORE-V loops take no compressed instructions
#endif

// Inputs: f0-f7 and f28, columns in turn; weights or their sums f16-f24; output, gradient f8-f10.
#define INPUT(i, j)  (((i) * 3 + (j) % 3) + 20 * (((i) * 3 + (j) % 3) / 8))
#define WEIGHT(i, j) (16 + (i) * 3 + (j))

.macro load freg, base, offset
  flw   f\freg, \offset(x\base)
.endm
.macro store freg, base, offset
  fsw   f\freg, \offset(x\base)
.endm
.macro multiply fd, va, vb
  fmul.s f\fd, f\va, f\vb
.endm
.macro fma acc, va, vb
  fmadd.s f\acc, f\va, f\vb, f\acc
.endm

// Column k of the three rows (x10, x11, x12).
.macro load_column k
  .set i, 0
  .rept 3
  load  %(INPUT(i, k)), %(10 + i), %(4 * \k)
  .set i, i + 1
  .endr
.endm

// Step k of a pass: column k + 2 is new.
.macro step kind, k
  .set k_, \k
  .ifc \kind, wg
  load  8, 13, %(4 * k_)
  .endif
  load_column %(k_ + 2)
  .ifc \kind, fw
  multiply 8, %(WEIGHT(0, 0)), %(INPUT(0, k_))
  .endif
  .set i, 0
  .rept 3
    .set j, 0
    .rept 3
      .ifc \kind, wg
      fma %(WEIGHT(i, j)), %(INPUT(i, k_ + j)), 8
      .else
      .if i + j > 0
      fma 8, %(WEIGHT(i, j)), %(INPUT(i, k_ + j))
      .endif
      .endif
    .set j, j + 1
    .endr
  .set i, i + 1
  .endr
  .ifc \kind, fw
  store 8, 13, %(4 * k_)
  .endif
.endm

// x10-x12 input rows, x13 output; x14 passes of three, x15 steps left over, a6 gap from behind an
// input row to the next, a7 rows.
.macro plane name, kind, back
  .section .text.\name, "ax"
  .balign 16
  .globl \name
  .type \name, @function
\name:
  addi  sp, sp, -32
  .irp n, 2, 3, 4, 5, 6, 7, 8
  fsw   fs\n, 4 * \n - 8(sp)
  .endr
  sw    s0, 28(sp)
  mv    s0, a0
  lw    t0, 8(s0)
  .set i, 0
  .rept 9
    .if \back
    load %(WEIGHT(0, 8 - i)), 5, %(4 * i)
    .else
    load %(WEIGHT(0, i)), 5, %(4 * i)
    .endif
  .set i, i + 1
  .endr
  lw    a6, 4(s0)
  lw    a7, 20(s0)
  lw    a3, 12(s0)
  lw    t1, 16(s0)
  lw    a0, 0(s0)
  add   a1, a0, a6
  add   a2, a1, a6
  li    t2, 0x55555556         // division by 3, exact below 2^31
  mulhu a4, t1, t2
  slli  t2, a4, 1
  add   t2, t2, a4
  sub   a5, t1, t2
  slli  t2, t2, 2
  sub   a6, a6, t2
row_\name:
  load_column 0
  load_column 1
  beqz  a4, rest_\name
  .option push
  lp_setup 0, a4, pass_\name
  step \kind, 0
  step \kind, 1
  step \kind, 2
  addi  x10, x10, 12
  addi  x11, x11, 12
  addi  x12, x12, 12
  .option norvc
  addi  x13, x13, 12
pass_\name:
  .option pop
rest_\name:
  beqz  a5, next_\name
  step \kind, 0
  addi  t1, a5, -1
  addi  x13, x13, 4
  beqz  t1, next_\name
  addi  x13, x13, -4
  step \kind, 1
  addi  x13, x13, 8
next_\name:
  addi  a7, a7, -1
  add   x10, x10, a6
  add   x11, x11, a6
  add   x12, x12, a6
  bnez  a7, row_\name
  .ifc \kind, wg
  .set i, 0
  .rept 9
  store %(WEIGHT(0, i)), 5, %(4 * i)
  .set i, i + 1
  .endr
  .endif
  lw    s0, 28(sp)
  .irp n, 2, 3, 4, 5, 6, 7, 8
  flw   fs\n, 4 * \n - 8(sp)
  .endr
  addi  sp, sp, 32
  ret
  .size \name, . - \name
.endm

  plane train_dw_fw, fw, 0
  plane train_dw_back, fw, 1
  plane train_dw_wg, wg, 0
