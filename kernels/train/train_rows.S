// kernels/train/train_rows.S: a block of rows of weights and vectors. Argument block and meaning:
// train_rows.h; C twin: train_rows.c.
//
// Two columns are a pass of the loop. Slots of eight rows per pass, for 16 weights, and limits on 8
// cores in weights per cycle:
//   sum        34 + 2: 3.56
//   step       50 + 2: 2.46
//   step_up    68 + 3: 1.80
//   learn      70 + 3: 1.75
#include "xpulp.S.h"

  .altmacro
#ifdef XPULP_COREV
  .option norvc                // CORE-V loops take no compressed instructions
#endif

// Offsets in struct train_rows.
#define W       0
#define PAIRS   4
#define X       8
#define OTHER   12
#define Y       16
#define SUMS    20
#define RATE    24

// Registers: pointers to the weights in x11, to x in x12, to step_x or down in x13; up to four weights
// of a column in f10-f13, x and the other vector's element in f14 and f15: their loads and stores
// are compressed, for a core's 512 bytes of instruction cache; y in f0-f7; sums or rate * y in
// second_ROW, of which the last two are the caller's.
#define X_REG     14
#define OTHER_REG 15
  .set second_0, 16
  .set second_1, 17
  .set second_2, 28
  .set second_3, 29
  .set second_4, 30
  .set second_5, 31
  .set second_6, 8
  .set second_7, 9

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

// What is done with the weight in f\w, that of row r.
.macro use_sum w, r
  fused %(second_\r), \w, X_REG, %(second_\r)
.endm
.macro use_step w, r
  fused \w, X_REG, \r, \w
.endm
.macro use_step_up w, r
  fused \w, OTHER_REG, \r, \w
.endm
.macro use_learn w, r
  fused OTHER_REG, \w, \r, OTHER_REG
  fused \w, X_REG, %(second_\r), \w
.endm
.macro then_sum w, r, offset
.endm
.macro then_step w, r, offset
  store \w, 11, \offset
.endm
.macro then_step_up w, r, offset
  store \w, 11, \offset
  fused %(second_\r), \w, X_REG, %(second_\r)
.endm
.macro then_learn w, r, offset
  store \w, 11, \offset
.endm

// Rows first to end - 1 of a column whose weights are at the offset.
.macro some_rows kind, first, end, offset
  .set r, \first
  .rept \end - \first
  load  %(10 + r - \first), 11, %(\offset + 4 * r)
  .set r, r + 1
  .endr
  .set r, \first
  .rept \end - \first
  use_\kind %(10 + r - \first), %r
  .set r, r + 1
  .endr
  .set r, \first
  .rept \end - \first
  then_\kind %(10 + r - \first), %r, %(\offset + 4 * r)
  .set r, r + 1
  .endr
.endm

.macro column kind, U, c, has_other
  .if \has_other
  load  OTHER_REG, 13, %(4 * \c)
  .endif
  load  X_REG, 12, %(4 * \c)
  .if \U > 4
  some_rows \kind, 0, 4, %(4 * \U * \c)
  some_rows \kind, 4, \U, %(4 * \U * \c)
  .else
  some_rows \kind, 0, \U, %(4 * \U * \c)
  .endif
  .ifc \kind, learn
  store OTHER_REG, 13, %(4 * \c)
  .endif
.endm

.macro load_y r
  load  \r, 14, %(4 * \r)
.endm
.macro load_second r
  load  %(second_\r), 15, %(4 * \r)
.endm
.macro store_second r
  store %(second_\r), 15, %(4 * \r)
.endm
.macro scale_second r
  multiply %(second_\r), \r, X_REG
.endm
.macro each_row what, U
  .set r, 0
  .rept \U
  \what %r
  .set r, r + 1
  .endr
.endm

// kind: its name; has_y, has_sums, has_other: whether it uses them.
.macro rows kind, U, has_y, has_sums, has_other
  .section .text.train_rows_\kind\()_\U, "ax"
  .balign 16
  .globl train_rows_\kind\()_\U
  .type train_rows_\kind\()_\U, @function
train_rows_\kind\()_\U:
  .if \U > 6
  addi  sp, sp, -16
  fsw   f8, 0(sp)
  fsw   f9, 4(sp)
  .endif
  lw    x11, W(x10)
  lw    t1, PAIRS(x10)
  lw    x12, X(x10)
  .if \has_other
  lw    x13, OTHER(x10)
  .endif
  .if \has_y
  lw    x14, Y(x10)
  each_row load_y, \U
  .endif
  .if \has_sums
  lw    x15, SUMS(x10)
  each_row load_second, \U
  .endif
  .ifc \kind, learn
  load  X_REG, 10, RATE
  each_row scale_second, \U
  .endif
  lp_setup 0, t1, end_\kind\()_\U
  .balign 4
  column \kind, \U, 0, \has_other
  column \kind, \U, 1, \has_other
  addi  x11, x11, 8 * \U
  .if \has_other
  addi  x13, x13, 8
  .endif
  .option push
  .option norvc                // a loop ends with 32 bits
  addi  x12, x12, 8
  .option pop
end_\kind\()_\U:
  sw    x12, X(x10)
  .if \has_other
  sw    x13, OTHER(x10)
  .endif
  .if \has_sums
  each_row store_second, \U
  .endif
  .if \U > 6
  flw   f8, 0(sp)
  flw   f9, 4(sp)
  addi  sp, sp, 16
  .endif
  ret
  .size train_rows_\kind\()_\U, . - train_rows_\kind\()_\U
.endm

.irp U, 1, 2, 3, 4, 5, 6, 7, 8
  rows  sum, \U, 0, 1, 0
  rows  step, \U, 1, 0, 0
  rows  step_up, \U, 1, 1, 1
  rows  learn, \U, 1, 0, 1
.endr
