// kernels/train/train_dw_half.S: planes of a 3x3 depthwise convolution of 16-bit elements, stride 1,
// by products of pairs (vfdotpex) with sums in binary32. Argument block and meaning:
// train_dw_half.h; C twin: train_dw_half.c.
//
// Pairs of outputs go down a column, pairs of columns from right to left: three rows of the window
// stay in registers, a step loads the next one over the oldest; three steps make a pass. Three inputs
// of a row are a pair and one more for either output, 12 operations for 18 MAC. Slots of a step:
//   forward          4 for the row + 12 + 4 for the result                         = 20
//   both gradients   6 for the row + 12 + 9 for the weights' + 8 for the result
//                    and its gate                                                  = 35
// All that runs for a plane fits into the 512 bytes of a core's instruction cache.
#include "train_half.inc"

  .altmacro
#ifdef XPULP_COREV
  .option norvc                // CORE-V loops take no compressed instructions
#endif

// Offsets in struct train_dw_half.
#define D_X     0
#define D_PITCH 4
#define D_W     8
#define D_Y     12
#define D_H     16
#define D_WIDTH 20
#define D_FLOOR 24
#define D_IN    28
#define D_GRAD  32

// Registers of the window's row in `slot`. Forward: the first input, the two in the middle, the
// last; both gradients: the pairs that begin at the first, the second, the third.
#define FIRST(slot)  ((slot) * (1 - both) + (8 + (slot)) * both)
#define MIDDLE(slot) ((10 + (slot)) * (1 - both) + (slot) * both)
#define LAST(slot)   ((3 + (slot)) * (1 - both) + (11 + (slot)) * both)
// Of the window's row i of weights: pairs 0 and 1, 1 and 2; weight 2.
#define W01(i) ((13 + (i)) * (1 - both) + (3 + (i)) * both)
#define W12(i) ((28 + (i)) * (1 - both) + (14 + (i)) * both)
#define W2(i)  (6 + (i) + ((i) / 2) * (8 + both))
// Sums of the weights' gradients; an input pair.
#define SUM(n) (18 + (n) + 5 * ((n) / 7))
#define PAIR   25
// The two outputs.
#define EVEN   (17 + 11 * both)
#define ODD    (31 - 2 * both)
  .set both, 0

.macro load_half freg, base, offset
  flh   f\freg, x\base, \offset
.endm
.macro put_h freg, offset
  fcvt_h_s f\freg, f\freg
  fsh   f\freg, t1, \offset
.endm
.macro put_ah freg, offset
  fcvt_ah_s f\freg, f\freg
  fsh   f\freg, t1, \offset
.endm
.macro result_to_t2 freg
  fmv.x.w t2, f\freg
.endm
.macro t2_to freg
  fmv.w.x f\freg, t2
.endm

// Two weights from `offset` on, the second one first.
.macro turned_weights freg, offset
  lw    t2, \offset(t1)
  p_ror t2, t2, t0
  t2_to \freg
.endm

.macro weights
  .if both
  li    t0, 16
  .endif
  .set i, 0
  .rept 3
    .if both
    turned_weights %(W01(i)), %(2 * (7 - 3 * i))
    turned_weights %(W12(i)), %(2 * (6 - 3 * i))
    load_half %(W2(i)), 6, %(2 * (6 - 3 * i))
    .else
    load %(W01(i)), 6, %(2 * 3 * i)
    load %(W12(i)), 6, %(2 * (3 * i + 1))
    load_half %(W2(i)), 6, %(2 * (3 * i + 2))
    .endif
  .set i, i + 1
  .endr
.endm

// The next row of the window.
.macro row slot
  .if both
  load  %(FIRST(\slot)), 10, 0
  load  %(MIDDLE(\slot)), 10, 2
  load  %(LAST(\slot)), 10, 4
  .else
  load_half %(FIRST(\slot)), 10, 0
  load  %(MIDDLE(\slot)), 10, 2
  load_half %(LAST(\slot)), 10, 6
  .endif
  add   x10, x10, a3
.endm

// Row i of the window, in `slot`, into the outputs.
.macro outputs T, op, i, slot
  .if both
  \op\()_\T %(EVEN), %(LAST(\slot)), %(W2(\i))
  \op\()_\T %(ODD), %(MIDDLE(\slot)), %(W01(\i))
  dot_\T %(EVEN), %(FIRST(\slot)), %(W01(\i))
  dot_\T %(ODD), %(LAST(\slot)), %(W12(\i))
  .else
  \op\()_\T %(EVEN), %(FIRST(\slot)), %(W01(\i))
  \op\()_\T %(ODD), %(LAST(\slot)), %(W2(\i))
  dot_\T %(EVEN), %(MIDDLE(\slot)), %(W12(\i))
  dot_\T %(ODD), %(MIDDLE(\slot)), %(W01(\i))
  .endif
.endm

// And into the sums.
.macro sums T, i, slot
  dot_\T %(SUM(3 * \i)), %(PAIR), %(FIRST(\slot))
  dot_\T %(SUM(3 * \i + 1)), %(PAIR), %(MIDDLE(\slot))
  dot_\T %(SUM(3 * \i + 2)), %(PAIR), %(LAST(\slot))
.endm

// Step k of a pass.
.macro step T, k
  .set i, \k
  row   %((i + 2) % 3)
  .if both
  p_lw_rrpost t1, a1, a4
  .endif
  outputs \T, mul, 0, %(i % 3)
  .if both
  and   t2, t1, t3
  t2_to %(PAIR)
  .endif
  outputs \T, mac, 1, %((i + 1) % 3)
  outputs \T, mac, 2, %((i + 2) % 3)
  .if both
  sums \T, 0, %(i % 3)
  sums \T, 1, %((i + 1) % 3)
  sums \T, 2, %((i + 2) % 3)
  .endif
  pack_\T %(EVEN), %(EVEN), %(ODD)
  result_to_t2 %(EVEN)
  .if both
  pv_cmpgt_sci_h t1, t1, 0
  and   t2, t2, t1
  .else
  pv_max_h t2, t2, t3
  .endif
  p_sw_rrpost t2, a2, a4
.endm

.macro saved op, fop
  .set i, 0
  .rept 2
  saved_one \fop, %(8 + i), %(4 * i)
  .set i, i + 1
  .endr
  .set i, 0
  .rept 8
  saved_one \fop, %(18 + i), %(8 + 4 * i)
  .set i, i + 1
  .endr
.endm
.macro saved_one fop, freg, offset
  \fop  f\freg, \offset(sp)
.endm

// a0 window, a1 input, a2 result: of the row; a3 bytes from row to row of the window, a4 of the
// others; a5, a6 back to the first row and to the left; a7 pairs of columns left; t0 passes, of which
// the first begins at t6; t3 forward: the least result, both: lanes of the input that count; t5 the
// arguments.
.macro plane name, T, is_both
  .set both, \is_both
  .section .text.\name, "ax"
  .balign 16
  .globl \name
  .type \name, @function
\name:
  .if both
  addi  sp, sp, -48
  saved sw, fsw
  .endif
  mv    t5, a0
  lw    t1, D_W(a0)
  weights
  lw    t4, D_WIDTH(t5)
  lw    t2, D_H(t5)
  lw    a3, D_PITCH(t5)
  lw    a2, D_Y(t5)
  lw    a0, D_X(t5)
  slli  a4, t4, 1
  addi  a7, t4, 1
  srli  a7, a7, 1
  slli  t1, a7, 2
  addi  t1, t1, -4
  add   a0, a0, t1
  add   a2, a2, t1
  mul   a6, t2, a4
  addi  a6, a6, 4
  .if both
  lw    a1, D_IN(t5)
  add   a1, a1, t1
  andi  t4, t4, 1
  slli  t4, t4, 4
  li    t3, -1
  srl   t3, t3, t4
  .else
  lw    t3, D_FLOOR(t5)
  .endif
  addi  t1, t2, 2
  mul   a5, t1, a3
  addi  a5, a5, 4
  li    t0, 0x5556             // division by 3, exact below 2^15
  mul   t0, t0, t1
  srli  t0, t0, 16
  slli  t1, t0, 1
  add   t1, t1, t0
  sub   t1, t1, t2
  la    t6, all_\name
  beqz  t1, entry_\name
  la    t6, two_\name
  p_beqimm t1, 1, entry_\name
  la    t6, one_\name
entry_\name:
  .if both
  .set i, 0
  .rept 9
  clear %(SUM(i))
  .set i, i + 1
  .endr
  .endif
  lp_starti 0, pass_\name
  lp_endi 0, column_end_\name
column_\name:
  lp_count 0, t0
  jr    t6
one_\name:
  row   2
  row   0
  j     last_\name
two_\name:
  row   1
  row   2
  j     middle_\name
all_\name:
  row   0
  row   1
  .balign 4
pass_\name:
  step \T, 0
middle_\name:
  step \T, 1
last_\name:
  step \T, 2
column_end_\name:
  sub   a0, a0, a5
  sub   a2, a2, a6
  .if both
  sub   a1, a1, a6
  li    t3, -1
  .endif
  addi  a7, a7, -1
  bnez  a7, column_\name
  .if both
  lw    t1, D_GRAD(t5)
  .set i, 0
  .rept 9
  put_\T %(SUM(i)), %(2 * (8 - i))
  .set i, i + 1
  .endr
  saved lw, flw
  addi  sp, sp, 48
  .endif
  ret
  .size \name, . - \name
.endm

  plane train_dw_half_fw_h, h, 0
  plane train_dw_half_fw_ah, ah, 0
  plane train_dw_half_both_h, h, 1
  plane train_dw_half_both_ah, ah, 1

// ------------------------------------------------------------------- zeros around a plane

// a0 arguments; a1 to, a2 from, a3 gate, a4 gap behind a row, a5 rows; t3 pairs of pairs of a row,
// t4 pixels of it.
#define P_TO    0
#define P_FROM  4
#define P_GATE  8
#define P_PITCH 12
#define P_H     16
#define P_WIDTH 20

.macro pad name, gated
  .section .text.\name, "ax"
  .balign 16
  .globl \name
  .type \name, @function
  .option push
  .option norvc
\name:
  lw    a1, P_TO(a0)
  lw    a2, P_FROM(a0)
  lw    a5, P_H(a0)
  lw    t4, P_WIDTH(a0)
  lw    a4, P_PITCH(a0)
  .if \gated
  lw    a3, P_GATE(a0)
  .endif
  slli  t0, t4, 1
  sub   a4, a4, t0
  srli  t3, t4, 2
  andi  t5, t4, 2
  andi  t6, t4, 1
row_\name:
  beqz  t3, pair_\name
  lp_setup 0, t3, pair_\name
  p_lw_post t0, a2, 4
  p_lw_post t1, a2, 4
  .if \gated
  p_lw_post t2, a3, 4
  p_lw_post a6, a3, 4
  pv_cmpgt_sci_h t2, t2, 0
  pv_cmpgt_sci_h a6, a6, 0
  and   t0, t0, t2
  and   t1, t1, a6
  .endif
  p_sw_post t0, a1, 4
  p_sw_post t1, a1, 4
pair_\name:
  beqz  t5, single_\name
  p_lw_post t0, a2, 4
  .if \gated
  p_lw_post t2, a3, 4
  pv_cmpgt_sci_h t2, t2, 0
  and   t0, t0, t2
  .endif
  p_sw_post t0, a1, 4
single_\name:
  beqz  t6, next_\name
  p_lh_post t0, a2, 2
  .if \gated
  p_lh_post t2, a3, 2
  pv_cmpgt_sci_h t2, t2, 0
  and   t0, t0, t2
  .endif
  p_sh_post t0, a1, 2
next_\name:
  addi  a5, a5, -1
  add   a1, a1, a4
  bnez  a5, row_\name
  ret
  .option pop
  .size \name, . - \name
.endm

  pad train_dw_half_pad, 0
  pad train_dw_half_pad_gated, 1
