// kernels/train/train_rows.S: a few rows of weights and vectors. Argument block and meaning:
// train_rows.h; C twin: train_rows.c.
//
// Four columns are a pass of the loop; odd ones come first. Slots of four rows per pass, for 16
// weights, and limits on 8 cores in weights per cycle:
//   step_up    72 + 6: 1.64
//   learn      76 + 6: 1.56
#include "xpulp.S.h"

  .altmacro
#ifdef XPULP_COREV
  .option norvc                // CORE-V loops take no compressed instructions
#endif

// Offsets in struct train_rows.
#define Y       0
#define W       4
#define W_STEP  8
#define COLUMNS 12
#define X       16
#define OTHER   20
#define SUMS    24
#define RATE    28

// Registers: pointers to the rows in x12-x15, to x in x11, to step_x or down in x10: loads
// and stores of weights are compressed, for a core's 512 bytes of instruction cache; y in f0-f3,
// sums or rate * y in f4-f7, a column of weights in f10-f13.
.macro load freg, xreg, offset
  flw   f\freg, \offset(x\xreg)
.endm
.macro store freg, xreg, offset
  fsw   f\freg, \offset(x\xreg)
.endm
.macro fused fd, va, vb, vc
  fmadd.s f\fd, f\va, f\vb, f\vc
.endm
.macro multiply fd, va, vb
  fmul.s f\fd, f\va, f\vb
.endm
.macro advance xreg, by
  addi  x\xreg, x\xreg, \by
.endm
.macro next_row xreg, from
  add   x\xreg, x\from, t0
.endm

.macro weights U, offset
  .set r, 0
  .rept \U
  load  %(10 + r), %(12 + r), \offset
  .set r, r + 1
  .endr
.endm

.macro column_step_up U, offset
  load  14, 10, \offset
  load  15, 11, \offset
  weights \U, \offset
  .set r, 0
  .rept \U
  fused %(10 + r), 14, %r, %(10 + r)
  .set r, r + 1
  .endr
  .set r, 0
  .rept \U
  store %(10 + r), %(12 + r), \offset
  fused %(4 + r), %(10 + r), 15, %(4 + r)
  .set r, r + 1
  .endr
.endm

.macro column_learn U, offset
  load  14, 10, \offset
  load  15, 11, \offset
  weights \U, \offset
  .set r, 0
  .rept \U
  fused 14, %(10 + r), %r, 14
  fused %(10 + r), 15, %(4 + r), %(10 + r)
  .set r, r + 1
  .endr
  .set r, 0
  .rept \U
  store %(10 + r), %(12 + r), \offset
  .set r, r + 1
  .endr
  store 14, 10, \offset
.endm

.macro pass kind, U, columns
  .set k, 0
  .rept \columns
  column_\kind \U, %(4 * k)
  .set k, k + 1
  .endr
  .set r, 0
  .rept \U
  advance %(12 + r), %(4 * \columns)
  .set r, r + 1
  .endr
  addi  x11, x11, 4 * \columns
  .option push
  .option norvc
  addi  x10, x10, 4 * \columns
  .option pop
.endm

.macro rows kind, U
  .section .text.train_rows_\kind\()_\U, "ax"
  .balign 16
  .globl train_rows_\kind\()_\U
  .type train_rows_\kind\()_\U, @function
train_rows_\kind\()_\U:
  lw    t3, Y(a0)
  lw    x12, W(a0)
  lw    t0, W_STEP(a0)
  lw    t1, COLUMNS(a0)
  lw    x11, X(a0)
  .ifc \kind, learn
  flw   f14, RATE(a0)
  lw    x10, OTHER(a0)
  .else
  lw    t4, SUMS(a0)
  lw    x10, OTHER(a0)
  .endif
  .set r, 0
  .rept \U
  load  %r, 28, %(4 * r)
    .ifc \kind, step_up
  load  %(4 + r), 29, %(4 * r)
    .endif
    .if r
  next_row %(12 + r), %(11 + r)
    .endif
  .set r, r + 1
  .endr
  .ifc \kind, learn
  .set r, 0
  .rept \U
  multiply %(4 + r), %r, 14
  .set r, r + 1
  .endr
  .endif
  andi  t2, t1, 3
  srli  t1, t1, 2
  beqz  t2, fours_\kind\()_\U
  lp_setup 0, t2, fours_\kind\()_\U
  pass  \kind, \U, 1
fours_\kind\()_\U:
  beqz  t1, end_\kind\()_\U
  lp_setup 0, t1, end_\kind\()_\U
  pass  \kind, \U, 4
end_\kind\()_\U:
  .ifc \kind, step_up
  .set r, 0
  .rept \U
  store %(4 + r), 29, %(4 * r)
  .set r, r + 1
  .endr
  .endif
  ret
  .size train_rows_\kind\()_\U, . - train_rows_\kind\()_\U
.endm

.irp U, 1, 2, 3, 4
  rows  step_up, \U
  rows  learn, \U
.endr
