// kernels/train/train_gemv.S: matrix and vector by strips of columns. Argument block and meaning:
// train_gemv.h; C twin: train_gemv.c.
//
// Each weight is used once: one access and one operation per MAC at least, 4 MAC/clk on 8 cores. A
// strip of 24 columns takes per row
//   outer      48 + 2.5 slots for 24 MAC: 3.80 MAC/clk on 8 cores
//   outer_add  72 + 2.5 slots:            2.58
//   down       48 + 2.5 slots:            3.80
// Two rows are a pass of the loop; an odd one comes first.
#include "xpulp.S.h"

  .altmacro
#ifdef XPULP_COREV
  .option norvc                // CORE-V loops take no compressed instructions
#endif

#define COLUMN(c) ((c) + 8 * (((c) / 8 + 1) / 2))
#define TEMP(c)   (9 + (c) % 6)

.macro load freg, base, offset
  flw   f\freg, \offset(\base)
.endm
.macro store freg, base, offset
  fsw   f\freg, \offset(\base)
.endm
.macro multiply fd, va
  fmul.s f\fd, f\va, f8
.endm
.macro add_product fd, va, vc
  fmadd.s f\fd, f\va, f8, f\vc
.endm
.macro clear freg
  fmv.w.x f\freg, x0
.endm

// fs0-fs11 (f8, f9, f18-f27), what the strip needs of them.
.macro callee_saved fop, W
  \fop  fs0, 0(sp)
  \fop  fs1, 4(sp)
  .if \W > 8
  .irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
  \fop  fs\n, 4 * \n(sp)
  .endr
  .endif
.endm

.macro all_columns op, W, base
  .set c, 0
  .rept \W
  \op %(COLUMN(c)), \base, %(4 * c)
  .set c, c + 1
  .endr
.endm

.macro row_outer W
  multiply %(TEMP(0)), %(COLUMN(0))
  .set c, 1
  .rept \W - 1
  multiply %(TEMP(c)), %(COLUMN(c))
  store %(TEMP(c - 1)), a2, %(4 * (c - 1))
  .set c, c + 1
  .endr
  store %(TEMP(\W - 1)), a2, %(4 * (\W - 1))
.endm

.macro row_outer_add W
  load  %(TEMP(0)), a2, 0
  .set c, 0
  .rept \W
    .if c + 1 < \W
    load %(TEMP(c + 1)), a2, %(4 * (c + 1))
    .endif
  add_product %(TEMP(c)), %(COLUMN(c)), %(TEMP(c))
  store %(TEMP(c)), a2, %(4 * c)
  .set c, c + 1
  .endr
.endm

.macro row_down W
  load  %(TEMP(0)), a2, 0
  .set c, 0
  .rept \W
    .if c + 1 < \W
    load %(TEMP(c + 1)), a2, %(4 * (c + 1))
    .endif
  add_product %(COLUMN(c)), %(TEMP(c)), %(COLUMN(c))
  .set c, c + 1
  .endr
.endm

.macro gemv kind, W
  .section .text.train_gemv_\kind\()_\W, "ax"
  .balign 16
  .globl train_gemv_\kind\()_\W
  .type train_gemv_\kind\()_\W, @function
train_gemv_\kind\()_\W:
  addi  sp, sp, -48
  callee_saved fsw, \W
  lw    a1, 0(a0)
  lw    a2, 4(a0)
  lw    a3, 8(a0)
  lw    a4, 12(a0)
  lw    a5, 16(a0)
  .ifc \kind, down
  .set c, 0
  .rept \W
  clear %(COLUMN(c))
  .set c, c + 1
  .endr
  .else
  all_columns load, \W, a5
  .endif
  .option push
  andi  a6, a4, 1
  beqz  a6, pairs_\kind\()_\W
  flw   f8, 0(a1)
  addi  a1, a1, 4
  row_\kind \W
  add   a2, a2, a3
pairs_\kind\()_\W:
  srli  a4, a4, 1
  beqz  a4, end_\kind\()_\W
  lp_setup 0, a4, end_\kind\()_\W
  flw   f8, 0(a1)
  addi  a1, a1, 8
  row_\kind \W
  flw   f8, -4(a1)
  add   a2, a2, a3
  row_\kind \W
  .option norvc
  add   a2, a2, a3
end_\kind\()_\W:
  .option pop
  .ifc \kind, down
  all_columns store, \W, a5
  .endif
  callee_saved flw, \W
  addi  sp, sp, 48
  ret
  .size train_gemv_\kind\()_\W, . - train_gemv_\kind\()_\W
.endm

.irp W, 24, 16, 8, 4, 2, 1
  gemv  outer, \W
  gemv  outer_add, \W
  gemv  down, \W
.endr
