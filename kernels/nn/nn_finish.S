// kernels/nn/nn_finish.S: see nn_finish.h. Called behind the dot products of a block with the
// registers of nn_strip_mixed.S: sums in x16 + 4u + v, x5 at the block's four pairs of words, the
// return address in x1; x3, x4, x6, x7 and x9 to x15 are free. Cycles of an output, four pixels at a
// time, packing and stores apart (the built-in requantization: 3):
//   NN_SCALE 5, NN_ICN 8 (5 of them a high product; to the left 9), NN_FOLDED 2,
//   NN_THRESHOLDS 3 * bits + 1, NN_TFLITE 15 (5 a high product)
#include "nn_strip_mixed.inc"

  .option norvc
.macro begin name
  .section .text.\name, "ax"
  .globl \name
  .type \name, @function
  .balign 16
\name:
.endm
.macro end name
  ret
  .size \name, . - \name
.endm

// (kappa * phi + lambda) * m >> shift: first brought to 0..x9, the largest value that does not pass
// the clip, so that the product has 32 bits. With m up to 2^shift the result goes up in steps of 0
// and 1, so that value's is the top of the range.
.macro product acc, by
  mul   x\acc, x\acc, x\by
.endm
.macro to_limit acc, limit
  p_clipur x\acc, x\acc, x\limit
.endm
.macro down acc, by
  srl   x\acc, x\acc, x\by
.endm
.macro scale_filter U, v, kappa, lambda
  load_word \kappa, 5
  load_word \lambda, 5
  each_pixel product, \U, \v, \kappa
  each_pixel add_bias, \U, \v, \lambda
  each_pixel to_limit, \U, \v, 9
  each_pixel product, \U, \v, 10
  each_pixel down, \U, \v, 11
.endm
.macro finish_scale bits, U
  begin nn_finish_scale_\bits\()_u\U
  lw    x11, X_STRIP(sp)
  lw    x9, LIMIT(x11)
  lw    x10, FACTOR(x11)
  lw    x11, SHIFT(x11)
  scale_filter \U, 0, 12, 13
  scale_filter \U, 1, 14, 15
  scale_filter \U, 2, 12, 13
  scale_filter \U, 3, 14, 15
  store_pixels \U, \bits
  end nn_finish_scale_\bits\()_u\U
.endm

// To the next filter's row: that of the channel, or all's, or the last one.
.macro next_row row, step, last
  add   x\row, x\row, x\step
  p_minu x\row, x\row, x\last
.endm

// zero + ((phi + bias) * 2 M0 >> 32 + k): x6 = k = -N0, x7 = zero << k, x9 the row of N0. To the
// left: phi << x4, with a bias that is shifted already, and k = x4 - N0.
.macro to_left acc, by
  sll   x\acc, x\acc, x\by
.endm
.macro high_product acc, by
  mulhsu x\acc, x\acc, x\by
.endm
.macro icn_filter U, v, bits, left, m, bias
  lb    x6, 0(x9)
  load_word \m, 5
  load_word \bias, 5
  next_row 9, 10, 11
  sub   x6, x\left, x6
  sll   x7, x3, x6
  .if \left
  each_pixel to_left, \U, \v, \left
  .endif
  each_pixel add_bias, \U, \v, \bias
  each_pixel high_product, \U, \v, \m
  each_pixel offset_shift, \U, \v, 7, 6
  each_pixel clip, \U, \v, %(\bits + 1)
.endm
.macro finish_icn name, bits, U, left
  begin nn_finish_\name\()_\bits\()_u\U
  lw    x3, X_STRIP(sp)
  lw    x9, X_ROW(sp)
  lw    x10, ROW_STEP(x3)
  lw    x11, ROW_LAST(x3)
  .if \left
  lw    x\left, SHIFT(x3)
  .endif
  lw    x3, LIMIT(x3)
  icn_filter \U, 0, \bits, \left, 12, 13
  icn_filter \U, 1, \bits, \left, 14, 15
  icn_filter \U, 2, \bits, \left, 12, 13
  icn_filter \U, 3, \bits, \left, 14, 15
  sw    x9, X_ROW(sp)
  store_pixels \U, \bits
  end nn_finish_\name\()_\bits\()_u\U
.endm

.macro folded_filter U, v, bits, shift, bias
  load_word \shift, 5
  load_word \bias, 5
  each_pixel offset_shift, \U, \v, \bias, \shift
  each_pixel clip, \U, \v, %(\bits + 1)
.endm
.macro finish_folded bits, U
  begin nn_finish_folded_\bits\()_u\U
  folded_filter \U, 0, \bits, 12, 13
  folded_filter \U, 1, \bits, 14, 15
  folded_filter \U, 2, \bits, 12, 13
  folded_filter \U, 3, \bits, 14, 15
  store_pixels \U, \bits
  end nn_finish_folded_\bits\()_u\U
.endm

// By halves: x10 + u is four times the number of thresholds known to be passed, x9 the row, x3 the
// middle one of those in question, x4 four times how many it decides; x14, x15, x6, x7 what is
// compared.
.macro first_half u, acc, t, bits
  p_slet x\t, x14, x\acc
  slli  x\u, x\t, \bits + 1
.endm
.macro load_middle t, u
  p_lw_rr x\t, x3, x\u
.endm
.macro compare t, acc
  p_slet x\t, x\t, x\acc
.endm
.macro decide u, t
  p_mac x\u, x\t, x4
.endm
.macro count acc, u
  srli  x\acc, x\u, 2
.endm
.macro compared u
  .set t, 14 + \u
  .if \u > 1
  .set t, 4 + \u
  .endif
.endm
.macro half U, v
  .set u, 0
  .rept \U
  compared %u
  load_middle %t, %(10 + u)
  .set u, u + 1
  .endr
  .set u, 0
  .rept \U
  compared %u
  compare %t, %(16 + 4 * u + \v)
  .set u, u + 1
  .endr
  .set u, 0
  .rept \U
  compared %u
  decide %(10 + u), %t
  .set u, u + 1
  .endr
.endm
.macro thresholds_filter U, v, bits
  lw    x15, 4(x5)
  lw    x14, 4 * ((1 << (\bits - 1)) - 1)(x9)
  addi  x5, x5, 8
  each_pixel add_bias, \U, \v, 15
  .set u, 0
  .rept \U
  first_half %(10 + u), %(16 + 4 * u + \v), 15, \bits
  .set u, u + 1
  .endr
  .set left, \bits - 1
  .rept \bits - 1
  li    x4, 1 << (left + 1)
  addi  x3, x9, 4 * ((1 << (left - 1)) - 1)
  half  \U, \v
  .set left, left - 1
  .endr
  .set u, 0
  .rept \U
  count %(16 + 4 * u + \v), %(10 + u)
  .set u, u + 1
  .endr
  lw    x3, X_STRIP(sp)
  lw    x4, ROW_STEP(x3)
  lw    x3, ROW_LAST(x3)
  next_row 9, 4, 3
.endm
.macro finish_thresholds bits, U
  begin nn_finish_thresholds_\bits\()_u\U
  lw    x9, X_ROW(sp)
  thresholds_filter \U, 0, \bits
  thresholds_filter \U, 1, \bits
  thresholds_filter \U, 2, \bits
  thresholds_filter \U, 3, \bits
  sw    x9, X_ROW(sp)
  store_pixels \U, \bits
  end nn_finish_thresholds_\bits\()_u\U
.endm

// NN_TFLITE, rounding twice: the product's high word, to the nearest by the low one's top bit; then
// the shift x6, halves away from 0; between zero x3 less than low x10 and high x11. What is clipped
// between is outside of them anyway, as the shift is at most 20. x9 the row of shifts.
.macro rescale acc
  mulhsu x7, x\acc, x12
  mul   x\acc, x\acc, x12
  srli  x\acc, x\acc, 31
  add   x\acc, x\acc, x7
  p_clip x\acc, x\acc, 31
  srai  x7, x\acc, 31
  p_addrnr x\acc, x7, x6
  p_max x\acc, x\acc, x10
  p_min x\acc, x\acc, x11
  add   x\acc, x\acc, x3
.endm
.macro tflite_filter U, v
  lb    x6, 0(x9)
  load_word 12, 5
  load_word 13, 5
  next_row 9, 14, 15
  sub   x6, x0, x6
  each_pixel add_bias, \U, \v, 13
  .set u, 0
  .rept \U
  rescale %(16 + 4 * u + \v)
  .set u, u + 1
  .endr
.endm
.macro finish_tflite bits, U
  begin nn_finish_tflite_\bits\()_u\U
  lw    x3, X_STRIP(sp)
  lw    x9, X_ROW(sp)
  lw    x14, ROW_STEP(x3)
  lw    x15, ROW_LAST(x3)
  lh    x10, FACTOR(x3)
  lh    x11, FACTOR + 2(x3)
  lw    x3, LIMIT(x3)
  tflite_filter \U, 0
  tflite_filter \U, 1
  tflite_filter \U, 2
  tflite_filter \U, 3
  sw    x9, X_ROW(sp)
  store_pixels \U, \bits
  end nn_finish_tflite_\bits\()_u\U
.endm

.macro all bits
  .irp U, 1, 2, 3, 4
  finish_scale \bits, \U
  finish_icn icn, \bits, \U, 0
  finish_icn icn_left, \bits, \U, 4
  finish_folded \bits, \U
  finish_thresholds \bits, \U
  finish_tflite \bits, \U
  .endr
.endm
  all 8
  all 4
  all 2
