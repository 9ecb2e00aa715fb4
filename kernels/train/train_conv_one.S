// kernels/train/train_conv_one.S: 1x1 convolutions that see every other pixel of a row. Argument
// blocks and meaning: train_conv_one.h; C twin: train_conv_one.c.
//
// A block of 4 x 4 sums stays in registers; of a step, four values are held, the other four stream
// through two registers. Four steps a pass: 8 loads and 16 multiply-adds a step, a pointer for each
// line a pass; forward one more a step, from plane to plane: 26 slots for 16 MAC, 4.92 MAC/clk on 8
// cores (physical: 8). A block stays within the 512 bytes of a core's instruction cache.
#include "train_f32.inc"

  .altmacro
#ifdef XPULP_COREV
  .option norvc                // CORE-V loops take no compressed instructions
#endif

// Offsets in both structures.
#define A        0  // w, dy
#define A_STEP   4
#define X        8
#define PLANE    12
#define OUT      16 // out, dw
#define OUT_STEP 20
#define FOURS    24
#define BLOCKS   28
#define NEXT     32 // fw
#define OUT_NEXT 36
#define FW_ADD   40
#define STEP     32 // wg
#define GAP      36
#define ROWS     40
#define NEXT_X   44
#define WG_ADD   48

// Sums: f0-f7, f28-f31, f10, f11, f16, f17. Streaming: f8, f9; held: f12-f15.
#define ACC(i)    ((i) + 20 * ((i) / 8) - 22 * ((i) / 12) + 4 * ((i) / 14))
#define STREAM(u) (8 + (u) % 2)

// A step: lines of A at x8-x11.
.macro products k
  .set u, 0
  .rept 4
    .if u < 3
    load %(STREAM(u + 1)), %(9 + u), %(4 * \k)
    .endif
    .set v, 0
    .rept 4
    fma %(ACC(4 * u + v)), %(STREAM(u)), %(12 + v)
    .set v, v + 1
    .endr
  .set u, u + 1
  .endr
.endm
.macro fw_step k
  .set v, 0
  .rept 4
  load %(12 + v), 12, %(8 * v)
  .set v, v + 1
  .endr
  load 8, 8, %(4 * \k)
  add   x12, x12, t3
  products \k
.endm
.macro wg_step k
  .set v, 0
  .rept 4
  load %(12 + v), %(12 + v), %(8 * \k)
  .set v, v + 1
  .endr
  load 8, 8, %(4 * \k)
  products \k
.endm

// All sums, to or from t2, by way of x8, of which the next block needs nothing.
.macro sums op
  mv    x8, t2
  .set u, 0
  .rept 4
    .set v, 0
    .rept 4
    \op %(ACC(4 * u + v)), 8, %(4 * v)
    .set v, v + 1
    .endr
    .if u < 3
    add x8, x8, tp
    .endif
  .set u, u + 1
  .endr
.endm
.macro clear_sums
  .set i, 0
  .rept 16
  clear %(ACC(i))
  .set i, i + 1
  .endr
.endm
.macro lines_of_a
  mv    x8, t0
  add   x9, x8, a7
  add   x10, x9, a7
  add   x11, x10, a7
.endm
.macro begin
  addi  sp, sp, -32
  sw    ra, 0(sp)
  sw    s0, 4(sp)
  sw    s1, 8(sp)
  fsw   fs0, 12(sp)
  fsw   fs1, 16(sp)
  mv    a6, a0
  lw    t0, A(a6)
  lw    a7, A_STEP(a6)
  lw    t1, X(a6)
  lw    t3, PLANE(a6)
  lw    t2, OUT(a6)
  lw    tp, OUT_STEP(a6)
  lw    t5, FOURS(a6)
  lw    gp, BLOCKS(a6)
.endm
.macro end
  lw    ra, 0(sp)
  lw    s0, 4(sp)
  lw    s1, 8(sp)
  flw   fs0, 12(sp)
  flw   fs1, 16(sp)
  addi  sp, sp, 32
  ret
.endm

  function train_conv_one_fw
  begin
  lw    t6, NEXT(a6)
  lw    t4, OUT_NEXT(a6)
  lw    a6, FW_ADD(a6)
  .balign 16
fw_block:
  bnez  a6, fw_add
  clear_sums
fw_start:
  lines_of_a
  mv    x12, t1
  .balign 4
  lp_setup 0, t5, fw_pass
  fw_step 0
  fw_step 1
  fw_step 2
  fw_step 3
  advance 8, 16
  advance 9, 16
  advance 10, 16
  .option push
  .option norvc                // a loop's last instruction has 4 bytes
  advance 11, 16
fw_pass:
  .option pop
  sums store
  addi  gp, gp, -1
  add   t1, t1, t6
  add   t2, t2, t4
  bnez  gp, fw_block
  end
fw_add:
  sums load
  j     fw_start
  .size train_conv_one_fw, . - train_conv_one_fw

// `whole`: rows of a pass, or several, each.
.macro wg_blocks name, whole
  function \name
  begin
  .if \whole
  lw    t6, ROWS(a6)
  lw    t4, GAP(a6)
  .endif
  lw    ra, STEP(a6)
  mv    x12, t1
  add   x13, x12, t3
  add   x14, x13, t3
  add   x15, x14, t3
  lw    t1, NEXT_X(a6)
  lw    a6, WG_ADD(a6)
  .balign 16
block_\name:
  bnez  a6, add_\name
  clear_sums
start_\name:
  lines_of_a
  .balign 4
  .if \whole
  lp_setup 1, t6, row_\name
  .endif
  lp_setup 0, t5, pass_\name
  wg_step 0
  wg_step 1
  wg_step 2
  wg_step 3
  advance 8, 16
  advance 9, 16
  advance 10, 16
  advance 11, 16
  add   x12, x12, ra
  add   x13, x13, ra
  add   x14, x14, ra
  .option push
  .option norvc                // a loop's last instruction has 4 bytes
  add   x15, x15, ra
  .option pop
pass_\name:
  .if \whole
  add   x12, x12, t4
  add   x13, x13, t4
  add   x14, x14, t4
  .option push
  .option norvc
  add   x15, x15, t4
  .option pop
row_\name:
  .endif
  add   x12, x12, t1
  add   x13, x13, t1
  add   x14, x14, t1
  add   x15, x15, t1
  sums store
  addi  gp, gp, -1
  addi  t2, t2, 16
  bnez  gp, block_\name
  end
add_\name:
  sums load
  j     start_\name
  .size \name, . - \name
.endm
  wg_blocks train_conv_one_wg_4, 0
  wg_blocks train_conv_one_wg, 1
