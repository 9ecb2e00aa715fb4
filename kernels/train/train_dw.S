// kernels/train/train_dw.S: planes of a 3x3 depthwise convolution, stride 1 and 2. Argument blocks
// and meaning: train_dw.h; C twin: train_dw.c.
//
// Nine inputs stay in registers, three columns of three; a step to the right loads three new ones
// over the oldest column. Three steps make a pass:
//   forward          9 loads + 27 operations + 3 stores + 4 pointers = 43 slots for 27 MAC
//   weight gradient  9 + 3 loads + 27 operations + 4 pointers        = 43 slots
// which is 5.02 MAC/clk on 8 cores (physical: 8); a row costs about 16 slots more.
#include "train_half.inc"

  .altmacro
#ifdef XPULP_COREV
  .option norvc                // CORE-V loops take no compressed instructions
#endif

// Inputs: f0-f7 and f28, columns in turn; weights or their sums f11-f17, f29, f30, so that none is
// to be saved; output, gradient f10.
#define INPUT(i, j)  (((i) * 3 + (j) % 3) + 20 * (((i) * 3 + (j) % 3) / 8))
#define NUMBER(i, j) ((i) * 3 + (j))
#define WEIGHT(i, j) (11 + 5 * both + NUMBER(i, j) + 11 * (1 - both) * (NUMBER(i, j) / 7))
// `both`: weights f16-f24; sums of their gradients f11-f15, f29-f31, f25; input f26; zero f27.
  .set both, 0
#define SUM(n) (11 + (n) + 13 * ((n) / 5) - 7 * ((n) / 8))

.macro multiply fd, va, vb
  fmul.s f\fd, f\va, f\vb
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
  load  10, 13, %(4 * k_)
  .endif
  load_column %(k_ + 2)
  .ifc \kind, fw
  multiply 10, %(WEIGHT(0, 0)), %(INPUT(0, k_))
  .endif
  .set i, 0
  .rept 3
    .set j, 0
    .rept 3
      .ifc \kind, wg
      fma %(WEIGHT(i, j)), %(INPUT(i, k_ + j)), 10
      .else
      .if i + j > 0
      fma 10, %(WEIGHT(i, j)), %(INPUT(i, k_ + j))
      .endif
      .endif
    .set j, j + 1
    .endr
  .set i, i + 1
  .endr
  .ifc \kind, fw
  store 10, 13, %(4 * k_)
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
  mv    t3, a0
  lw    t0, 8(t3)
  .set i, 0
  .rept 9
    .if \back
    load %(WEIGHT(0, 8 - i)), 5, %(4 * i)
    .else
    load %(WEIGHT(0, i)), 5, %(4 * i)
    .endif
  .set i, i + 1
  .endr
  lw    a6, 4(t3)
  lw    a7, 20(t3)
  lw    a3, 12(t3)
  lw    t1, 16(t3)
  lw    a0, 0(t3)
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
  .balign 4
  .option push
  .option norvc
  beqz  a4, rest_\name        // so that the loop begins at a word
  .option pop
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
  ret
  .size \name, . - \name
.endm

  plane train_dw_fw, fw, 0
  plane train_dw_back, fw, 1
  plane train_dw_wg, wg, 0

// ------------------------------------------------------------------ planes with zeros around them

// The same on planes that have no border in memory: rows outside are a row of zeros, columns outside
// zeros in registers. Elements are floats, binary16 or bfloat16 (products and sums are binary32),
// windows one or two pixels apart:
//   stride 2, per pass of three outputs: 18 loads + 27 operations + 3 stores + 4 pointers = 52 slots
// and some 35 for a row.

// Offsets in struct train_dw_edges.
#define E_X      0
#define E_END    4
#define E_PLANE  8
#define E_H      12
#define E_TOP    16
#define E_ZEROS  20
#define E_PITCH  24
#define E_W      28
#define E_Y      32
#define E_Y_ROW  36
#define E_BEFORE 40
#define E_PASSES 44
#define E_REST   48
#define E_TAIL   52
#define E_H_OUT  56
#define E_IN     60
#define E_W_GRAD 64
#define E_CLEAR  68

.macro get_s freg, base, index
  flw   f\freg, 4 * \index(x\base)
.endm
.macro get_h freg, base, index
  flh   f\freg, x\base, %(2 * \index)
.endm
.macro get_ah freg, base, index
  flh   f\freg, x\base, %(2 * \index)
.endm
.macro put_s freg, base, index
  fsw   f\freg, 4 * \index(x\base)
.endm
.macro put_h freg, base, index
  fcvt_h_s f\freg, f\freg
  fsh   f\freg, x\base, %(2 * \index)
.endm
.macro put_ah freg, base, index
  fcvt_ah_s f\freg, f\freg
  fsh   f\freg, x\base, %(2 * \index)
.endm
.macro mul_s fd, va, vb
  fmul.s f\fd, f\va, f\vb
.endm
.macro mac_s acc, va, vb
  fmadd.s f\acc, f\va, f\vb, f\acc
.endm

// Column of the window `slot`, `index` elements behind the pointers.
.macro edge_column T, slot, index
  .set i, 0
  .rept 3
  get_\T %(INPUT(i, \slot)), %(10 + i), \index
  .set i, i + 1
  .endr
.endm

// Its gradient, for the sum behind it.
.macro edge_gradient T, kind, index
  .ifc \kind, wg
  get_\T 10, 13, \index
  .endif
  .ifc \kind, both
  get_\T 26, 25, \index
  .endif
.endm

// The output, `index` elements behind its pointer, of the window from `slot` on. Columns before
// `first` and the last `outside` ones are not in the plane, and nothing is added for them.
.macro edge_sum T, kind, slot, first, outside, index
  .ifnc \kind, wg
  mul_\T 10, %(WEIGHT(0, \first)), %(INPUT(0, \slot + \first))
  .endif
  .set i, 0
  .rept 3
    .set j, \first
    .rept 3 - \first - \outside
      .ifc \kind, wg
      mac_\T %(WEIGHT(i, j)), %(INPUT(i, \slot + j)), 10
      .else
      .if i > 0 || j > \first
      mac_\T 10, %(WEIGHT(i, j)), %(INPUT(i, \slot + j))
      .endif
      .endif
      .ifc \kind, both
      mac_\T %(SUM(8 - 3 * i - j)), 26, %(INPUT(i, \slot + j))
      .endif
    .set j, j + 1
    .endr
  .set i, i + 1
  .endr
  .ifc \kind, fw
  put_\T 10, 13, \index
  .endif
  .ifc \kind, both
  put_gated_\T \index
  .endif
.endm

// f10 where the input is positive, else 0.
.macro put_gated_s index
  flt.s t1, f27, f26
  fmv.x.w s10, f10
  mul   s10, s10, t1
  sw    s10, 4 * \index(x13)
.endm
.macro put_gated_narrow index
  fmv.x.w t1, f26
  fmv.x.w s10, f10
  p_exths t1, t1
  slt   t1, x0, t1
  mul   s10, s10, t1
  sh    s10, 2 * \index(x13)
.endm
.macro put_gated_h index
  fcvt_h_s f10, f10
  put_gated_narrow \index
.endm
.macro put_gated_ah index
  fcvt_ah_s f10, f10
  put_gated_narrow \index
.endm

// Output k of a pass.
.macro edge_step T, kind, S, k, outside
  edge_gradient \T, \kind, \k
  .if \S == 2
  edge_column \T, %(2 * \k + 1), %(2 * \k + 1)
  .endif
  .if \outside == 0
  edge_column \T, %(\S * \k + 2), %(\S * \k + 2)
  .endif
  edge_sum \T, \kind, %(\S * \k), 0, \outside, \k
.endm

// The outputs that see columns outside on the right, when those of a row are `k` modulo three.
.macro edge_tail T, kind, S, k, end
  edge_step \T, \kind, \S, \k, 1
  .if \S == 1
  p_beqimm t5, 1, \end
  edge_step \T, \kind, \S, %(\k + 1), 2
  .endif
  j     \end
.endm

// The next row of the plane, or zeros.
.macro edge_row to
  mv    \to, s6
  beqz  s2, 1f
  mv    \to, s1
  add   s1, s1, s7
  addi  s2, s2, -1
1:
.endm

.macro saved op
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8
  \op   s\n, 4 * \n(sp)
  .endr
.endm

.macro saved_more op, fop
  .irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
  \fop  fs\n, 36 + 4 * \n(sp)
  .endr
  \op   s9, 36(sp)
  \op   s10, 40(sp)
  \op   s11, 84(sp)
.endm

// What the row's loop computes: outputs that see columns before the plane, too, as a4 times three
// and a5 more; division exact below 2^15.
.macro passes_from_before
  slli  t1, a4, 1
  add   a4, a4, t1
  add   a4, a4, a5
  add   a4, a4, t6
  li    t1, 0x5556
  mul   t1, a4, t1
  srli  t1, t1, 16
  sub   a4, a4, t1
  sub   a4, a4, t1
  sub   a5, a4, t1
  mv    a4, t1
.endm
.macro clear_column slot
  .set i, 0
  .rept 3
  clear %(INPUT(i, \slot))
  .set i, i + 1
  .endr
.endm

// The places in the other planes, `by` elements on; x13 last, as loops end with four bytes.
.macro outputs_on kind, by
  .ifc \kind, both
  addi  x25, x25, \by
  .endif
  addi  x13, x13, \by
.endm

// x10-x12 rows, x13 output, x25 input of `both`; s1 next row, s2 rows left, s3-s5 rows that are seen, s6 zeros, s7 bytes
// from row to row; a4 passes, a5 outputs left over, t5 columns outside on the right, t6 on the left;
// from behind the passes to the next row: s8 of inputs, a6 of outputs; a7 rows of outputs left, s0 of
// them whose inputs follow those of the row before: rows inside the plane, which are most, move four
// pointers; the others look for zeros. t0 weights, t2 the arguments, t3 plane; t4 stride 1: where a
// row's first outputs are computed, stride 2: bytes from a row's first element to the first window
// inside. `both` has zeros for columns before the plane, x10-x12 begin s11 bytes before a row, and its loop
// computes all but the last outputs: with code of their own for the first ones a row would not fit into a core's
// instruction cache.
.macro edges name, T, E, kind, S, back
  .set both, 0
  .ifc \kind, both
  .set both, 1
  .endif
  .section .text.\name, "ax"
  .balign 16
  .globl \name
  .type \name, @function
\name:
  addi  sp, sp, -48 - 48 * both
  saved sw
  .ifc \kind, both
  saved_more sw, fsw
  lw    x25, E_IN(a0)
  clear 27
  .endif
  mv    t2, a0
  lw    t1, E_CLEAR(a0)
  lw    s6, E_ZEROS(a0)
  .balign 4
  .option push
  .option norvc
  beqz  t1, cleared_\name
  lp_setup 0, t1, cleared_\name
  p_sw_post x0, s6, 4
  p_sw_post x0, s6, 4
  .option pop
cleared_\name:
  lw    a4, E_PASSES(a0)
  lw    t6, E_BEFORE(a0)
  lw    a6, E_Y_ROW(a0)
  lw    a5, E_REST(a0)
  .if both
  passes_from_before
  .endif
  li    t4, -3 * \E
  mul   t1, t4, a4
  li    t4, \E
  mul   t4, t4, t6
  lw    s7, E_PITCH(a0)
  lw    t5, E_TAIL(a0)
  lw    a3, E_Y(a0)
  lw    t0, E_W(a0)
  lw    t3, E_X(a0)
  add   a6, a6, t1
  .if both
  mv    s11, t4
  .else
  sub   a6, a6, t4
  .endif
  .if \S == 2
  add   t1, t1, s7
  add   s8, t1, t1
  .else
  add   s8, t1, s7
  la    t4, two_before_\name
  p_beqimm t6, 2, ends_\name
  la    t4, one_before_\name
  bnez  t6, ends_\name
  la    t4, inside_\name
  .endif
ends_\name:
  la    s3, next_\name
  beqz  t5, rest_is_\name
  la    s3, one_\name
rest_is_\name:
  mv    t6, s3
  p_beqimm a5, 1, some_\name
  la    s3, second_\name
  bnez  a5, some_\name
  beqz  t5, plane_\name
  la    t6, none_\name
  j     plane_\name
some_\name:
  la    t6, first_\name
plane_\name:
  .set i, 0
  .rept 9
    .ifc \kind, wg
    load  %(WEIGHT(0, i)), 5, %(4 * i)
    .else
    .if \back
    get_\T %(WEIGHT(0, 8 - i)), 5, %(i)
    .else
    get_\T %(WEIGHT(0, i)), 5, %(i)
    .endif
    .endif
    .if both
    clear %(SUM(i))
    .endif
  .set i, i + 1
  .endr
  lw    s6, E_ZEROS(t2)
  lw    t1, E_TOP(t2)
  lw    s2, E_H(t2)
  lw    a7, E_H_OUT(t2)
  mv    s1, t3
  mv    s5, s6
  .if \S == 1
  mv    s4, s6
  addi  t1, t1, -1
  bgtz  t1, row_\name
  .endif
  bnez  t1, below_\name
  .if \S == 1
  edge_row s5
  j     row_\name
below_\name:
  edge_row s4
  .endif
  edge_row s5
  .if \S == 2
below_\name:
  .endif
row_\name:
  .if \S == 1
  mv    x10, s4
  mv    s4, s5
  mv    x11, s5
  edge_row s5
  mv    x12, s5
  .if both
  sub   x10, x10, s11
  sub   x11, x11, s11
  sub   x12, x12, s11
  .endif
  .else
  add   x10, s5, t4
  edge_row s4
  edge_row s5
  add   x11, s4, t4
  add   x12, s5, t4
  .endif
  addi  a7, a7, -1
  li    s0, 0
  add   t1, x10, s7
  bne   t1, x11, same_\name
  add   t1, s4, s7
  bne   t1, s5, same_\name
  add   t1, s5, s7
  bne   t1, s1, same_\name
  .if \S == 2
  srli  s0, s2, 1
  andi  s2, s2, 1
  slli  t1, s0, 1
  mul   t1, t1, s7
  .else
  mv    s0, s2
  li    s2, 0
  mul   t1, s0, s7
  add   s4, s4, t1
  .endif
  sub   a7, a7, s0
  add   s5, s5, t1
  add   s1, s1, t1
  .balign 16
same_\name:
  .if both
  jr    t4
  .balign 4
two_before_\name:
  clear_column 0
  clear_column 1
  j     loop_\name
  .balign 4
inside_\name:
  edge_column \T, 0, 0
  j     next_column_\name
  .balign 4
one_before_\name:
  clear_column 0
next_column_\name:
  edge_column \T, 1, 1
loop_\name:
  .elseif \S == 1
  edge_column \T, 0, 0
  edge_column \T, 1, 1
  jr    t4
  .balign 4
two_before_\name:
  edge_gradient \T, \kind, 0
  edge_sum \T, \kind, 1, 2, 0, 0
  outputs_on \kind, \E
one_before_\name:
  edge_gradient \T, \kind, 0
  edge_sum \T, \kind, 2, 1, 0, 0
  .else
  edge_column \T, 0, 0
  beqz  t4, inside_\name
  edge_gradient \T, \kind, 0
  edge_column \T, 2, -1
  edge_sum \T, \kind, 1, 1, 0, 0
  .endif
  .if both == 0
  outputs_on \kind, \E
  .balign 4
inside_\name:
  .endif
  .balign 4
  .option push
  .option norvc
  beqz  a4, rest_\name
  .option pop
  .option push
  lp_setup 0, a4, pass_\name
  edge_step \T, \kind, \S, 0, 0
  edge_step \T, \kind, \S, 1, 0
  edge_step \T, \kind, \S, 2, 0
  addi  x10, x10, 3 * \S * \E
  addi  x11, x11, 3 * \S * \E
  addi  x12, x12, 3 * \S * \E
  .option norvc
  outputs_on \kind, 3 * \E
pass_\name:
  .option pop
rest_\name:
  jr    t6
  .balign 4
first_\name:
  edge_step \T, \kind, \S, 0, 0
  jr    s3
  .balign 4
second_\name:
  edge_step \T, \kind, \S, 1, 0
  .option push
  .option norvc
  bnez  t5, two_\name
  .option pop
next_\name:
  .if both
  add   x25, x25, a6
  .endif
  add   x13, x13, a6
  add   x10, x10, s8
  add   x11, x11, s8
  add   x12, x12, s8
  addi  s0, s0, -1
  bgez  s0, same_\name
  bnez  a7, row_\name
  .ifc \kind, wg
  .set i, 0
  .rept 9
  store %(WEIGHT(0, i)), 5, %(4 * i)
  .set i, i + 1
  .endr
  addi  t0, t0, 36
  .else
  addi  t0, t0, 9 * \E
  .endif
  .if both
  lw    t1, E_W_GRAD(t2)
  .set i, 0
  .rept 9
  store %(SUM(i)), 6, %(4 * i)
  .set i, i + 1
  .endr
  .endif
  lw    t1, E_PLANE(t2)
  lw    a7, E_END(t2)
  add   t3, t3, t1
  bne   t3, a7, plane_\name
  saved lw
  .if both
  saved_more lw, flw
  .endif
  addi  sp, sp, 48 + 48 * both
  ret
  .balign 4
none_\name:
  edge_tail \T, \kind, \S, 0, next_\name
  .balign 4
one_\name:
  edge_tail \T, \kind, \S, 1, next_\name
  .balign 4
two_\name:
  edge_tail \T, \kind, \S, 2, next_\name
  .size \name, . - \name
.endm

.macro all_edges T, E
  edges train_dw_fw_1_\T, \T, \E, fw, 1, 0
  edges train_dw_fw_2_\T, \T, \E, fw, 2, 0
  edges train_dw_wg_1_\T, \T, \E, wg, 1, 0
  edges train_dw_wg_2_\T, \T, \E, wg, 2, 0
  edges train_dw_back_1_\T, \T, \E, fw, 1, 1
  edges train_dw_both_1_\T, \T, \E, both, 1, 1
.endm
  all_edges s, 4
  all_edges h, 2
  all_edges ah, 2

// ------------------------------------------------------------------ gradient of the input, stride 2
//
// Blocks of two by two pixels (rows x10 and x11, where a row outside is one that nobody reads) see
// two by two gradients (rows x12 and, one above, x13):
//   2 loads + 9 operations + 4 stores, 4 pointers for two blocks: 34 slots for 18 MAC

// Offsets in struct train_dw_spread.
#define B_D      0
#define B_ABOVE  4
#define B_LEFT   8
#define B_ZEROS  12
#define B_PITCH  16
#define B_W      20
#define B_Y      24
#define B_Y_ROW  28
#define B_ROWS   32
#define B_TOP    36
#define B_NOBODY 40
#define B_ODD    44
#define B_PASSES 48
#define B_REST   52
#define B_LAST   56
#define B_BLOCKS 60

// Gradients of column k: f0, f1 in turn, of the row above f2, f3.
#define NEAR(k) ((k) % 2)
#define FAR(k)  (2 + (k) % 2)

.macro even_pixels T, k, at
  mul_\T 4, %(WEIGHT(0, 0)), %(NEAR(\k))
  mul_\T 5, %(WEIGHT(1, 0)), %(NEAR(\k))
  mac_\T 4, %(WEIGHT(0, 2)), %(NEAR(\k + 1))
  mac_\T 5, %(WEIGHT(1, 2)), %(NEAR(\k + 1))
  mac_\T 4, %(WEIGHT(2, 0)), %(FAR(\k))
  put_\T 5, 11, %(\at)
  mac_\T 4, %(WEIGHT(2, 2)), %(FAR(\k + 1))
  put_\T 4, 10, %(\at)
.endm
.macro odd_pixels T, k, at
  mul_\T 6, %(WEIGHT(0, 1)), %(NEAR(\k))
  mul_\T 7, %(WEIGHT(1, 1)), %(NEAR(\k))
  mac_\T 6, %(WEIGHT(2, 1)), %(FAR(\k))
  put_\T 7, 11, %(\at)
  put_\T 6, 10, %(\at)
.endm
.macro block T, k
  get_\T %(NEAR(\k)), 12, \k
  get_\T %(FAR(\k)), 13, \k
  even_pixels \T, \k, %(2 * \k)
  odd_pixels \T, \k, %(2 * \k + 1)
.endm

// s1 row of gradients, s2 the one above, s3 rows left, s4 zeros, s5 bytes from row to row; s6 row of
// the result, s7 bytes from row to row, t1 rows of it left, t2 the next one is outside, t3 where
// what nobody reads goes; t4 whether the first block has only odd pixels, a4 passes, a5 one more
// block, a6 the last one: 1 even pixels, 2 all; 4 more if its gradients are outside; a7 rows of blocks.
.macro spread name, T, E
  .section .text.\name, "ax"
  .balign 16
  .globl \name
  .type \name, @function
\name:
  addi  sp, sp, -48
  saved sw
  mv    s0, a0
  lw    t0, B_W(s0)
  .set i, 0
  .rept 9
  get_\T %(WEIGHT(0, i)), 5, %(i)
  .set i, i + 1
  .endr
  lw    s1, B_D(s0)
  lw    s2, B_ABOVE(s0)
  lw    s3, B_LEFT(s0)
  lw    s4, B_ZEROS(s0)
  lw    s5, B_PITCH(s0)
  lw    s6, B_Y(s0)
  lw    s7, B_Y_ROW(s0)
  lw    t1, B_ROWS(s0)
  lw    t2, B_TOP(s0)
  lw    t3, B_NOBODY(s0)
  lw    t4, B_ODD(s0)
  lw    a4, B_PASSES(s0)
  lw    a5, B_REST(s0)
  lw    a6, B_LAST(s0)
  lw    a7, B_BLOCKS(s0)
row_\name:
  mv    x10, t3
  bnez  t2, odd_row_\name
  mv    x10, s6
  add   s6, s6, s7
  addi  t1, t1, -1
odd_row_\name:
  li    t2, 0
  mv    x11, t3
  beqz  t1, there_\name
  mv    x11, s6
  add   s6, s6, s7
  addi  t1, t1, -1
there_\name:
  mv    x12, s4
  beqz  s3, below_\name
  mv    x12, s1
  add   s1, s1, s5
  addi  s3, s3, -1
below_\name:
  mv    x13, s2
  mv    s2, x12
  clear 1
  clear 3
  beqz  t4, whole_\name
  get_\T 1, 12, 0
  get_\T 3, 13, 0
  odd_pixels \T, 1, 0
  addi  x10, x10, \E
  addi  x11, x11, \E
  addi  x12, x12, \E
  addi  x13, x13, \E
  .balign 4
whole_\name:
  .option push
  .option norvc
  beqz  a4, few_\name         // so that the loop begins at a word
  .option pop
  .option push
  lp_setup 0, a4, blocks_\name
  block \T, 0
  block \T, 1
  addi  x10, x10, 4 * \E
  addi  x11, x11, 4 * \E
  addi  x12, x12, 2 * \E
  .option norvc
  addi  x13, x13, 2 * \E
blocks_\name:
  .option pop
few_\name:
  beqz  a5, last_\name
  block \T, 0
  addi  x10, x10, 2 * \E
  addi  x11, x11, 2 * \E
  addi  x12, x12, \E
  addi  x13, x13, \E
  fmv.s f1, f0
  fmv.s f3, f2
last_\name:
  beqz  a6, end_\name
  clear 0
  clear 2
  andi  s8, a6, 4
  bnez  s8, outside_\name
  get_\T 0, 12, 0
  get_\T 2, 13, 0
outside_\name:
  even_pixels \T, 0, 0
  andi  s8, a6, 2
  beqz  s8, end_\name
  odd_pixels \T, 0, 1
end_\name:
  addi  a7, a7, -1
  bnez  a7, row_\name
  saved lw
  addi  sp, sp, 48
  ret
  .size \name, . - \name
.endm

  spread train_dw_spread_s, s, 4
  spread train_dw_spread_h, h, 2
  spread train_dw_spread_ah, ah, 2
