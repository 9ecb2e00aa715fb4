// kernels/train/train_dw_low.S: low planes of a 3x3 depthwise convolution. Argument blocks and
// meaning: train_dw_low.h; C twin: train_dw_low.c.
//
// A pass of the loop is a column of all rows, so what is outside above and below costs nothing: of
// five rows 39 multiply-adds forward instead of 45.
//   forward  5 loads, 39 operations, 5 * 3 to store, 6 pointers           = 65 slots
//   both     15 + 2 * 5 loads, 78 operations, 5 * 4 to store, 3 pointers  = 126 slots, 5 * 5 before
// Where rows of W columns are a constant apart, forward has 2 pointers: 61 slots; of both gradients the
// inputs are 5 loads: 121 slots. W is 0 for any other number of columns.
// Forward, each input is loaded once: its column ends the sums of the output's column before it,
// takes those of its own from registers B to A, and begins those of the next one in B.
#include "train_f32.inc"

  .altmacro
#ifdef XPULP_COREV
  .option norvc                // CORE-V loops take no compressed instructions
#endif

// Offsets in struct train_dw_low, at x10, and of the arrays, at x11.
#define COLUMNS      0
#define FLOOR        4
#define TURNED       8
#define FACTOR       12
#define IN           0
#define WEIGHTS      4
#define BIAS         8
#define OUT          12
#define OUT_GRAD     16
#define WEIGHTS_GRAD 20
#define IN_GRAD      28

.macro saved op, count
  .set s, 0
  .rept \count
  saved_one \op, %(s), %(4 * s)
  .set s, s + 1
  .endr
.endm
.macro saved_one op, number, at
  \op   fs\number, \at\()(sp)
.endm
.macro fmadd acc, va, vb, from
  fmadd.s f\acc, f\va, f\vb, f\from
.endm
.macro copy to, from
  fmv.s f\to, f\from
.endm
.macro put reg, offset
  sw    \reg, \offset(a3)
.endm
.macro bits reg, freg
  fmv.x.w \reg, f\freg
.endm

// ------------------------------------------------------------------ forward

// Inputs f8-f12, sums A f0-f4, B f5-f7, f16, f17, weights f13-f15, f28-f31, f18, f19, bias f20.
#define FW_IN(r)  (8 + (r))
#define FW_A(r)   (r)
#define FW_B(r)   (5 + (r) + 8 * ((r) / 3))
#define FW_W(n)  (13 + (n) + 12 * (((n) + 4) / 7) - 14 * ((n) / 7))

.macro fw_column H, W
  .set r, 0
  .rept \H
  load  %(FW_IN(r)), 11, %(4 * r * \W)
  .if \W
  .elseif r < \H - 1
  add   a1, a1, a6
  .else
  add   a1, a1, t0
  .endif
  .set r, r + 1
  .endr
  .if \W
  addi  a1, a1, 4
  .endif
.endm

// Column j of the window: 2 ends the sums A, 1 makes them of B, 0 begins B.
.macro fw_sums H, j
  .set y, 0
  .rept \H
    .if \j == 0
    .set to, FW_B(y)
    .set from, 20
    .else
    .set to, FW_A(y)
    .set from, FW_A(y) * (\j - 1) + FW_B(y) * (2 - \j)
    .endif
    .set i, 0
    .rept 3
      .if y + i > 0 && y + i <= \H
      fmadd %(to), %(FW_W(3 * i + \j)), %(FW_IN(y + i - 1)), %(from)
      .set from, to
      .endif
    .set i, i + 1
    .endr
  .set y, y + 1
  .endr
.endm
.macro fw_store H, W
  .set y, 0
  .rept \H
  bits  t2, %(FW_A(y))
  p_max t2, t2, a5
  .if \W
  put   t2, %(4 * y * \W)
  .else
  p_sw_rrpost t2, a3, a6
  .endif
  .set y, y + 1
  .endr
.endm

// x11 input, x13 output, a6 bytes from row to row; to the top of the next column: t0 from the last
// row, t1 from behind it. The first column enters the loop where no output is before it.
.macro fw H, W, id
  function train_dw_low_fw_\id
  addi  sp, sp, -32
  saved fsw, 5
  lw    a2, WEIGHTS(a1)
  lw    a4, BIAS(a1)
  lw    a3, OUT(a1)
  lw    a1, IN(a1)
  .set n, 0
  .rept 9
  load  %(FW_W(n)), 12, %(4 * n)
  .set n, n + 1
  .endr
  clear 20
  beqz  a4, no_bias_\id
  load  20, 14, 0
no_bias_\id:
  lw    a4, COLUMNS(a0)
  lw    a5, FLOOR(a0)
  slli  a6, a4, 2
  .if \W
  li    t1, 4
  .else
  li    t0, 1 - \H
  mul   t0, t0, a6
  addi  t0, t0, 4
  sub   t1, t0, a6
  .endif
  lp_starti 0, fw_column_\id
  lp_endi 0, fw_columns_\id
  lp_count 0, a4
  .set y, 0
  .rept \H
  copy  %(FW_B(y)), 20
  .set y, y + 1
  .endr
  fw_column \H, \W
  j     fw_first_\id
  .balign 4
fw_column_\id:
  fw_column \H, \W
  fw_sums \H, 2
  fw_store \H, \W
  add   a3, a3, t1
fw_first_\id:
  fw_sums \H, 1
  fw_sums \H, 0
fw_columns_\id:
  fw_store \H, \W
  saved flw, 5
  addi  sp, sp, 32
  ret
  .size train_dw_low_fw_\id, . - train_dw_low_fw_\id
.endm
  fw 3, 0, 3
  fw 4, 0, 4
  fw 5, 0, 5
  fw 5, 25, 5x25

// ------------------------------------------------------------------ both gradients

// Gradients of a row f8-f10, in three rows in turn: sums f11-f13, inputs f14-f16 and, as integers,
// x28-x30; weights f0-f7, f17, sums of their gradients f28-f31, f18-f22.
#define BOTH_D(j)   (8 + (j))
#define BOTH_ACC(y) (11 + (y) % 3)
#define BOTH_IN(y)  (14 + (y) % 3)
#define BOTH_X(y)   (28 + (y) % 3)
#define BOTH_W(n)   ((n) + 9 * ((n) / 8))
#define BOTH_SUM(n) (28 + (n) - 14 * (((n) + 4) / 8))

// An element; for its own gradient's sake as an integer, too, where rows are not W apart.
.macro both_load W, y
  .if \W
  load  %(BOTH_IN(\y)), 11, %(4 * \y * \W)
  .else
  load_int %(BOTH_X(\y))
  .endif
.endm
.macro both_loaded W, y
  .if \W == 0
  to_float %(BOTH_IN(\y)), %(BOTH_X(\y))
  .endif
.endm
.macro load_int reg
  p_lw_rrpost x\reg, a1, a6
.endm
.macro to_float freg, reg
  fmv.w.x f\freg, x\reg
.endm
.macro times acc, va, vb
  fmul.s f\acc, f\va, f\vb
.endm

// The gradients of row r go to the rows around it.
.macro both_row H, r
  .set y, \r - 1
  .rept 3
    .if y >= 0 && y < \H
    .set j, 0
    .rept 3
      .set n, 3 * (y + 1 - \r) + 2 - j
      .if j == 0 && (y == \r + 1 || \r == 0)
      times %(BOTH_ACC(y)), %(BOTH_W(n)), %(BOTH_D(j))
      .else
      fma   %(BOTH_ACC(y)), %(BOTH_W(n)), %(BOTH_D(j))
      .endif
      fma   %(BOTH_SUM(n)), %(BOTH_IN(y)), %(BOTH_D(j))
    .set j, j + 1
    .endr
    .endif
  .set y, y + 1
  .endr
.endm

.macro both_gated freg, reg
  slt   t0, x0, x\reg
  bits  t1, \freg
  mul   t1, t1, t0
  p_sw_rrpost t1, a3, a6
.endm
// By floats: t0 is 1 where nothing is to stay.
.macro both_gated_at freg, in, offset
  fle.s t0, f\in, f23
  bits  t1, \freg
  p_msu t1, t1, t0
  put   t1, \offset
.endm
.macro both_store W, y
  .if \W
  both_gated_at %(BOTH_ACC(\y)), %(BOTH_IN(\y)), %(4 * \y * \W)
  .else
  both_gated %(BOTH_ACC(\y)), %(BOTH_X(\y))
  .endif
.endm

.macro both_column H, W
  both_load \W, 0
  both_load \W, 1
  both_loaded \W, 0
  .set row, 0
  .rept \H
    .set j, 0
    .rept 3
    load  %(BOTH_D(j)), 12, %(4 * (\H * j + row))
    .set j, j + 1
    .endr
    .if row < \H - 1
    both_loaded \W, %(row + 1)
    .endif
    both_row \H, %(row)
    .if row > 0
    both_store \W, %(row - 1)
    .endif
    .if row < \H - 2
    both_load \W, %(row + 2)
    .endif
  .set row, row + 1
  .endr
  both_store \W, %(\H - 1)
.endm

// x11 input, x12 gradients by columns, x13 result; a6 bytes from row to row, t2 from behind the last
// row to the top of the next column.
.macro both H, W, id
  function train_dw_low_both_\id
  addi  sp, sp, -32
  saved fsw, 8
  mv    a7, a1
  lw    a2, OUT_GRAD(a1)
  lw    a1, OUT(a1)
  lw    a3, TURNED(a0)
  lw    a4, COLUMNS(a0)
  lw    a5, FLOOR(a0)
  bnez  a1, gated_\id
  mv    a1, a2                 // any plane
gated_\id:
  li    t3, \H
  .balign 4
turn_\id:
  addi  t4, a3, 4 * \H
  .option push
  .option norvc
  lp_setup 0, a4, turned_\id
  p_lw_post t0, a1, 4
  p_lw_post t1, a2, 4
  slt   t0, a5, t0
  mul   t1, t1, t0
  p_sw_post t1, t4, 4 * \H
  .option pop
turned_\id:
  addi  a3, a3, 4
  addi  t3, t3, -1
  bnez  t3, turn_\id
  lw    a5, WEIGHTS(a7)
  .set n, 0
  .rept 9
  load  %(BOTH_W(n)), 15, %(4 * n)
  clear %(BOTH_SUM(n))
  .set n, n + 1
  .endr
  addi  a2, a3, -4 * \H
  lw    a1, IN(a7)
  lw    a3, IN_GRAD(a7)
  .if \W
  clear 23
  li    t2, 4
  .else
  slli  a6, a4, 2
  li    t2, -\H
  mul   t2, t2, a6
  addi  t2, t2, 4
  .endif
  .balign 4
  .option push
  .option norvc
  lp_setup 0, a4, both_columns_\id
  .option pop
  both_column \H, \W
  add   a1, a1, t2
  add   a3, a3, t2
  .option push
  .option norvc
  addi  a2, a2, 4 * \H
  .option pop
both_columns_\id:
  lw    a5, WEIGHTS_GRAD(a7)
  lw    t0, FACTOR(a0)
  beqz  t0, both_sums_\id
  load  8, 10, FACTOR
  .set n, 0
  .rept 9
  fmadd %(BOTH_SUM(n)), %(BOTH_SUM(n)), 8, %(BOTH_W(n))
  .set n, n + 1
  .endr
both_sums_\id:
  .set n, 0
  .rept 9
  store %(BOTH_SUM(n)), 15, %(4 * n)
  .set n, n + 1
  .endr
  saved flw, 8
  addi  sp, sp, 32
  ret
  .size train_dw_low_both_\id, . - train_dw_low_both_\id
.endm
  both 3, 0, 3
  both 4, 0, 4
  both 5, 0, 5
  both 5, 25, 5x25
