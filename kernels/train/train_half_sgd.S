// kernels/train/train_half_sgd.S: see train_half_sgd.h; C twin: train_half_sgd.c. Twelve slots a
// pair of weights, seven of which are accesses, and half a slot for the pointers: eight pairs a pass.
#include "train_half.inc"

  .altmacro
#ifdef XPULP_COREV
  .option norvc                // CORE-V loops take no compressed instructions
#endif

.macro widen_h freg
  fcvt_s_h f\freg, f\freg
.endm
.macro widen_ah freg
  fcvt_s_ah f\freg, f\freg
.endm
.macro load_half freg, offset
  flh   f\freg, a2, \offset
.endm

// Pair `number` of a pass.
.macro pair T, number
  load_half 0, %(4 * \number)
  load_half 1, %(4 * \number + 2)
  flw   f10, 8 * \number(a1)
  flw   f11, 8 * \number + 4(a1)
  widen_\T 0
  widen_\T 1
  fmadd.s f10, f16, f0, f10
  fmadd.s f11, f16, f1, f11
  fsw   f10, 8 * \number(a0)
  fsw   f11, 8 * \number + 4(a0)
  pack_\T 12, 10, 11
  fsw   f12, 4 * \number(a3)
.endm

// The last instruction of a loop has four bytes.
.macro move_on pairs
  addi  a0, a0, 8 * \pairs
  addi  a1, a1, 8 * \pairs
  addi  a2, a2, 4 * \pairs
  .option push
  .option norvc
  addi  a3, a3, 4 * \pairs
  .option pop
.endm

// a0 = out, a1 = w, a2 = grad, a3 = half, a4 = pairs, a5 = factor
.macro sgd T
  function train_half_sgd_\T
  flw   f16, 0(a5)
  srli  t3, a4, 3
  andi  a4, a4, 7
  beqz  t3, rest_\T
  .balign 4
  lp_setup 0, t3, rest_\T
  .set i, 0
  .rept 8
  pair  \T, %i
  .set i, i + 1
  .endr
  move_on 8
rest_\T:
  beqz  a4, done_\T
  .balign 4
  lp_setup 0, a4, done_\T
  pair  \T, 0
  move_on 1
done_\T:
  ret
  .size train_half_sgd_\T, . - train_half_sgd_\T
.endm

  sgd h
  sgd ah

// a0 = sum, a1 = x, a2 = pairs: four a pass, two slots each and one for the pointer
.macro zero T
  function train_half_zero_\T
  flw   f0, 0(a0)
  fmv.w.x f1, x0
  srli  t3, a2, 2
  andi  a2, a2, 3
  beqz  t3, pairs_\T
  .balign 4
  lp_setup 0, t3, pairs_\T
  flw   f10, 0(a1)
  flw   f11, 4(a1)
  flw   f12, 8(a1)
  flw   f13, 12(a1)
  addi  a1, a1, 16
  dot_\T 0, 10, 1
  dot_\T 0, 11, 1
  dot_\T 0, 12, 1
  dot_\T 0, 13, 1
pairs_\T:
  beqz  a2, zero_\T
  .balign 4
  lp_setup 0, a2, zero_\T
  flw   f10, 0(a1)
  addi  a1, a1, 4
  dot_\T 0, 10, 1
zero_\T:
  fsw   f0, 0(a0)
  ret
  .size train_half_zero_\T, . - train_half_zero_\T
.endm

  zero h
  zero ah
