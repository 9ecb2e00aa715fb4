// kernels/train/train_conv_tile.S: the direct convolution, kernels one to three columns wide, every
// pixel or every other one. Argument blocks and meaning: train_conv_tile.h; C twin:
// train_conv_tile.c.
//
// No im2col: pixels stay in registers for the three columns of a kernel row.
//
// Forward, per kernel row and input channel, V + 2 pixels and 3 * U weights are loaded for
// 3 * U * V multiply-adds; one pointer per output channel and one for the input move on:
//   4x5: 7 + 12 + 60 + 5 = 84 slots for 60 MAC: 5.71 MAC/clk on 8 cores (physical: 8)
// and two to four more per channel. With stride 2 the odd columns are seen once and stream through
// three registers: 4x5 takes 11 + 12 + 60 + 5 = 88 slots, 5.45 MAC/clk. The gradient of such a layer's
// input is made by kernels two and one wide (59 slots for 40 MAC, 34 for 20), which write every
// other pixel.
// Weight gradient, per three pixels of a row, 3 inputs per line and 3 gradients per output channel are
// loaded for 9 * U * L multiply-adds; the inputs of two columns stay from pass to pass:
//   4x2: 6 + 12 + 72 + 6 = 96 slots for 72 MAC: 6 MAC/clk (stride 2: 102 slots, 5.65)
// and some 15 per row. The first pass of a row enters where as many pixels are left as there are too
// many for whole passes, so that none needs code of its own: a row stays within the 512 bytes of a
// core's instruction cache.
//
// Sums run over channel, row, column (forward), over row, column (weight gradient), by fused
// multiply-adds.
#include "train_f32.inc"

  .altmacro
#ifdef XPULP_COREV
  .option norvc                // CORE-V loops take no compressed instructions
#endif

#define ACC(i) ((i) + 8 * (((i) / 8 + 1) / 2))

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
#define F_OUT_NEXT 48

// Weights of output channel u: f8-f11 through x8-x11; pixels: f12-f15, f28-f31 through x12.
#define WEIGHT(u) (8 + (u))
#define PIXEL(v)  (12 + (v) + 12 * ((v) / 4))

// A kernel row of W columns over every pixel: all columns are held.
.macro fw_row_1 U, V, W
  .set i, 0
  .rept \V + \W - 1
  load  %(PIXEL(i)), 12, %(4 * i)
  .set i, i + 1
  .endr
  add   x12, x12, t3
  .set j, 0
  .rept \W
    .set u, 0
    .rept \U
      .set v, 0
      .rept \V
      fma %(ACC(\V * u + v)), %(WEIGHT(u)), %(PIXEL(v + j))
      .set v, v + 1
      .endr
      .if j < \W - 1
      load %(WEIGHT(u)), %(8 + u), %(4 * j + 4)
      .endif
    .set u, u + 1
    .endr
  .set j, j + 1
  .endr
.endm

// Over every other pixel: even columns are held, column 2 V where column 0 was; odd columns stream.
#define EVEN(v, V) PIXEL((v) % (V))
#define ODD(v)     PIXEL(5 + (v) % 3)
.macro fw_row_2 U, V, W
  .set v, 0
  .rept \V
  load  %(PIXEL(v)), 12, %(8 * v)
  .set v, v + 1
  .endr
  .set j, 0
  .rept \W
    .if j == 2
    load  %(EVEN(0, \V)), 12, %(8 * \V)
    .endif
    .set v, 0
    .rept \V
      .if j == 0 && \W > 1 && v == \V - 1
      load  %(ODD(0)), 12, 4
      .elseif j == 1 && v + 1 < \V
      load  %(ODD(v + 1)), 12, %(8 * v + 12)
      .endif
      .set u, 0
      .rept \U
        .if j == 1
        fma %(ACC(\V * u + v)), %(WEIGHT(u)), %(ODD(v))
        .else
        fma %(ACC(\V * u + v)), %(WEIGHT(u)), %(EVEN(v + j / 2, \V))
        .endif
        .if v == \V - 1 && j < \W - 1
        load %(WEIGHT(u)), %(8 + u), %(4 * j + 4)
        .endif
      .set u, u + 1
      .endr
    .set v, v + 1
    .endr
  .set j, j + 1
  .endr
  add   x12, x12, t3
.endm

.macro fw_row U, V, W, S
  .set i, 0
  .rept \U
  load  %(WEIGHT(i)), %(8 + i), 0
  .set i, i + 1
  .endr
  fw_row_\S \U, \V, \W
  .set u, 0
  .rept \U
    .if u == \U - 1            // a loop's last instruction has 4 bytes
    .option norvc
    .endif
  advance %(8 + u), %(4 * \W)
  .set u, u + 1
  .endr
.endm

.macro fw_outputs op, U, V, T
  add_to 13, 0, t2
  .set u, 0
  .rept \U
    .set v, 0
    .rept \V
    \op %(ACC(\V * u + v)), 13, %(4 * \T * v)
    .set v, v + 1
    .endr
  add_to 13, 13, tp
  .set u, u + 1
  .endr
.endm

// Kernels W wide over every S-th pixel, to every T-th one.
.macro fw_tile U, V, W, S, T
  function train_conv_fw_\W\S\T\()_\U\()x\V
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
  lw    a5, F_OUT_NEXT(s2)
fw_block_\U\V\W\S\T:
  lw    ra, F_ADD(s2)
  mv    x8, t0
  .set u, 1
  .rept \U - 1
  add_to %(8 + u), %(7 + u), a7
  .set u, u + 1
  .endr
  mv    x12, t1
  bnez  ra, fw_add_\U\V\W\S\T
  .set i, 0
  .rept \U * \V
  clear %(ACC(i))
  .set i, i + 1
  .endr
fw_start_\U\V\W\S\T:
  .option push
  lp_setup 1, t5, fw_outer_\U\V\W\S\T
  lp_setup 0, t6, fw_inner_\U\V\W\S\T
  fw_row \U, \V, \W, \S
fw_inner_\U\V\W\S\T:
  add   x12, x12, t4
  nop                          // two instructions between the ends of nested loops
fw_outer_\U\V\W\S\T:
  .option pop
  fw_outputs store, \U, \V, \T
  addi  gp, gp, -1
  add   t1, t1, a6
  add   t2, t2, a5
  bnez  gp, fw_block_\U\V\W\S\T
  callee_saved lw, flw
  addi  sp, sp, 64
  ret
fw_add_\U\V\W\S\T:
  fw_outputs load, \U, \V, \T
  j     fw_start_\U\V\W\S\T
  .size train_conv_fw_\W\S\T\()_\U\()x\V, . - train_conv_fw_\W\S\T\()_\U\()x\V
.endm

.macro fw_tiles W, S, T
  .irp U, 1, 2, 3, 4
  fw_tile \U, 1, \W, \S, \T
  fw_tile \U, 2, \W, \S, \T
  fw_tile \U, 3, \W, \S, \T
  fw_tile \U, 4, \W, \S, \T
  fw_tile \U, 5, \W, \S, \T
  .endr
.endm
  fw_tiles 3, 1, 1
  fw_tiles 3, 2, 1
  fw_tiles 2, 1, 2
  fw_tiles 1, 1, 2

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
.macro wg_line pointer, S
  lw    x14, G_KERNEL_H(s2)
  add_to \pointer, 5, a6
  .if \S == 2
  add_to \pointer, \pointer, a6
  .endif
  addi  t1, t1, 1
  lw    x15, G_ROW(s2)
  bne   t1, x14, 1f
  li    t1, 0
  lw    x15, G_WRAP(s2)
1:
  add   t0, t0, x15
.endm

// How a row begins whose first pass enters at pixel k: the inputs of the columns that it does not
// load (with stride 1 two, with stride 2 one), passes.
.macro wg_enter L, S, k
  .set l, 0
  .rept \L
  load  %(INPUT(l, \S * \k)), %(12 + l), %(4 * \S * \k)
  .if \S == 1
  load  %(INPUT(l, \k + 1)), %(12 + l), %(4 * \k + 4)
  .endif
  .set l, l + 1
  .endr
  lp_count 0, t5
.endm

// A pixel.
.macro wg_pixel U, L, S, k
  .set l, 0
  .rept \L
  .if \S == 2
  load  %(INPUT(l, 2 * \k + 1)), %(12 + l), %(8 * \k + 4)
  .endif
  load  %(INPUT(l, \S * \k + 2)), %(12 + l), %(4 * \S * \k + 8)
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
      fma %(SUM(\L, u, l, j)), %(GRADIENT(u)), %(INPUT(l, \S * \k + j))
      .set j, j + 1
      .endr
    .set l, l + 1
    .endr
  .set u, u + 1
  .endr
.endm

// Three pixels on; a loop's last instruction has 4 bytes.
.macro wg_advance U, L, S
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
  advance %(12 + l), %(12 * \S)
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

.macro wg_tile U, L, S
  function train_conv_wg_\S\()_\U\()x\L
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
  lp_starti 0, wg_first_\U\L\S
  lp_endi 0, wg_three_\U\L\S
  lp_endi 1, wg_row_\U\L\S
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
  .if \S == 2
  add   t4, t4, a6
  .endif
  lp_starti 1, wg_whole_\U\L\S
  beqz  t6, wg_block_\U\L\S
  lp_starti 1, wg_less_one_\U\L\S
  p_beqimm t6, -1, wg_block_\U\L\S
  lp_starti 1, wg_less_two_\U\L\S
wg_block_\U\L\S:
  lp_count 1, t3
  bnez  ra, wg_add_\U\L\S
  .set i, 0
  .rept \U * \L * 3
  clear %(ACC(i))
  .set i, i + 1
  .endr
wg_start_\U\L\S:
  .set l, 0
  .rept \L
  wg_line %(12 + l), \S
  .set l, l + 1
  .endr
  lw    x8, G_DY(s2)
  add   x8, x8, a6
  .set u, 1
  .rept \U - 1
  add_to %(8 + u), %(7 + u), a7
  .set u, u + 1
  .endr
  beqz  t6, wg_whole_\U\L\S
  p_beqimm t6, -1, wg_less_one_\U\L\S
wg_less_two_\U\L\S:
  wg_enter \L, \S, 2
  j     wg_third_\U\L\S
wg_less_one_\U\L\S:
  wg_enter \L, \S, 1
  j     wg_second_\U\L\S
wg_whole_\U\L\S:
  wg_enter \L, \S, 0
wg_first_\U\L\S:
  wg_pixel \U, \L, \S, 0
wg_second_\U\L\S:
  wg_pixel \U, \L, \S, 1
wg_third_\U\L\S:
  wg_pixel \U, \L, \S, 2
  .option push
  wg_advance \U, \L, \S
wg_three_\U\L\S:
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
wg_row_\U\L\S:
  .option pop
  wg_outputs store, \U, \L
  addi  gp, gp, -1
  addi  t2, t2, 12 * \L
  bnez  gp, wg_block_\U\L\S
  callee_saved lw, flw
  addi  sp, sp, 64
  ret
wg_add_\U\L\S:
  wg_outputs load, \U, \L
  j     wg_start_\U\L\S
  .size train_conv_wg_\S\()_\U\()x\L, . - train_conv_wg_\S\()_\U\()x\L
.endm

.irp S, 1, 2
  wg_tile 1, 1, \S
  wg_tile 1, 2, \S
  wg_tile 2, 1, \S
  wg_tile 2, 2, \S
  wg_tile 3, 1, \S
  wg_tile 3, 2, \S
  wg_tile 4, 1, \S
  wg_tile 4, 2, \S
.endr
