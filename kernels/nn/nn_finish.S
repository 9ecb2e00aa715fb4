// kernels/nn/nn_finish.S: see nn_finish.h. Called behind the dot products of a block with the
// registers of nn_strip_mixed.S: sums in x16 + 4u + v, x5 at the block's four pairs of words, the
// return address in x1; x3, x4, x6, x7 and x9 to x15 are free. Cycles of an output, four pixels at a
// time, packing and stores apart (the built-in requantization: 3):
//   NN_SCALE 5, NN_ICN 8 (5 of them a high product; to the left 9), NN_FOLDED 2,
//   NN_THRESHOLDS 3 * bits + 1, NN_TFLITE 13 (5 a high product), as a ReLU 10
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
// the shift k, halves away from 0: up, but of what is negative less 1. k is the low five bits of x9,
// low x10 and high x11 are less zero.
.macro rescale acc, m
  mulhsu x7, x\acc, x\m
  mul   x\acc, x\acc, x\m
  srli  x\acc, x\acc, 31
  add   x\acc, x\acc, x7
  srai  x7, x\acc, 31
  p_addrnr x\acc, x7, x9
  p_max x\acc, x\acc, x10
  p_min x\acc, x\acc, x11
.endm
// The same with low = 0: whatever is not positive is 0.
.macro rescale_relu acc, m
  mulhsu x7, x\acc, x\m
  mul   x\acc, x\acc, x\m
  srli  x\acc, x\acc, 31
  p_addrnr x7, x\acc, x9
  p_clipur x\acc, x7, x11
.endm
.macro rescale_pixels kind, U, v, m
  .set u, 0
  .rept \U
  \kind %(16 + 4 * u + \v), \m
  .set u, u + 1
  .endr
.endm
// The first two outputs of a pixel go to x19, the sums of the others to x16 and x17.
.macro pack_first bits, b0, b1
  .if \bits == 8
  pv_packlo_b x\b0, x\b1, x\b0
  .else
  p_insert x\b0, x\b1, %(\bits - 1), \bits
  .endif
.endm
.macro next_two b0, b1, b2, b3
  mv    x\b1, x\b3
  mv    x\b3, x\b0
  mv    x\b0, x\b2
.endm
.macro pack_second bits, b0, b1, b3
  .if \bits == 8
  pv_packhi_b x\b3, x\b1, x\b0
  pv_add_b x\b3, x\b3, x3
  sw    x\b3, 0(x6)
  .else
  p_insert x\b3, x\b0, %(\bits - 1), %(2 * \bits)
  p_insert x\b3, x\b1, %(\bits - 1), %(3 * \bits)
  .if \bits == 4
  sh    x\b3, 0(x6)
  .else
  sb    x\b3, 0(x6)
  .endif
  .endif
.endm
// Two filters at a time, and compressed: with the strip's loop this fits a core's cache of 512
// bytes. x15 says whether they are the last two.
.macro finish_tflite name, kind, bits, U
  begin nn_finish_\name\()_\bits\()_u\U
  compressed
  lw    x4, X_STRIP(sp)
  lw    x9, X_ROW(sp)
  lw    x12, ROW_STEP(x4)
  lh    x10, FACTOR(x4)
  lh    x11, FACTOR + 2(x4)
  lw    x3, LIMIT(x4)
  slli  x12, x12, 2
  add   x12, x12, x9
  sw    x12, X_ROW(sp)
  lw    x9, 0(x9)
  li    x15, 0
  pv_sub_b x9, x0, x9
two_\@:
  load_word 12, 5
  load_word 13, 5
  load_word 14, 5
  load_word 4, 5
  each_pixel add_bias, \U, 0, 13
  each_pixel add_bias, \U, 1, 4
  rescale_pixels \kind, \U, 0, 12
  srli  x9, x9, 8
  rescale_pixels \kind, \U, 1, 14
  srli  x9, x9, 8
  .if \bits < 8
  each_pixel add_bias, \U, 0, 3
  each_pixel add_bias, \U, 1, 3
  .endif
  bnez  x15, stores_\@
  li    x15, 1
  .set u, 0
  .rept \U
  pack_first \bits, %(16 + 4 * u), %(17 + 4 * u)
  .set u, u + 1
  .endr
  .set u, 0
  .rept \U
  next_two %(16 + 4 * u), %(17 + 4 * u), %(18 + 4 * u), %(19 + 4 * u)
  .set u, u + 1
  .endr
  j     two_\@
stores_\@:
  lw    x6, X_OUT(sp)
  lw    x4, X_STRIDE(sp)
  addi  x7, x6, \bits / 2
  sw    x7, X_OUT(sp)
  .set u, 0
  .rept \U
  pack_second \bits, %(16 + 4 * u), %(17 + 4 * u), %(19 + 4 * u)
  .set u, u + 1
  .if u < \U
  add   x6, x6, x4
  .endif
  .endr
  end nn_finish_\name\()_\bits\()_u\U
  .option norvc
.endm

.macro all bits
  .irp U, 1, 2, 3, 4
  finish_scale \bits, \U
  finish_icn icn, \bits, \U, 0
  finish_icn icn_left, \bits, \U, 4
  finish_folded \bits, \U
  finish_thresholds \bits, \U
  finish_tflite tflite, rescale, \bits, \U
  .if \bits == 8
  finish_tflite tflite_relu, rescale_relu, \bits, \U
  .endif
  .endr
.endm
  all 8
  all 4
  all 2
