// kernels/nn/nn_spread.S: see nn_spread.h. Two words a pass of a hardware loop; the second load
// stands between the first and its store, so no load-use cycle is lost.
#include "xpulp.S.h"

  .option norvc

  .section .text.nn_spread_rows, "ax"
  .globl nn_spread_rows
  .type nn_spread_rows, @function
  .balign 4
nn_spread_rows:                 // a0 = destination, a1 = source, a2 = words, a3 = rows, a4 = stride,
                                // a5 = gap
  slli  a5, a5, 4
  srli  t0, a2, 1
  andi  t1, a2, 1
  slli  t2, a2, 2
  sub   a4, a4, t2              // from the end of a row to the next
  bnez  t1, odd
  lp_setup 1, a3, even_rows
  lp_setup 0, t0, even_words
  p_lw_post t2, a1, 4
  p_lw_post t3, a1, 4
  p_sw_post t2, a0, 16
  p_sw_post t3, a0, 16
even_words:
  add   a1, a1, a4
  add   a0, a0, a5
even_rows:
  ret
odd:
  p_bneimm t0, 1, row           // three words: 3x3 windows of three channels
  lp_setup 1, a3, three_end
  p_lw_post t2, a1, 4
  p_lw_post t3, a1, 4
  p_lw_post t1, a1, 4
  p_sw_post t2, a0, 16
  p_sw_post t3, a0, 16
  p_sw_post t1, a0, 16
  add   a1, a1, a4
  add   a0, a0, a5
three_end:
  ret
row:
  beqz  t0, row_odd
  lp_setup 0, t0, row_odd
  p_lw_post t2, a1, 4
  p_lw_post t3, a1, 4
  p_sw_post t2, a0, 16
  p_sw_post t3, a0, 16
row_odd:
  addi  a3, a3, -1
  beqz  t1, row_next
  p_lw_post t2, a1, 4
  p_sw_post t2, a0, 16
row_next:
  add   a1, a1, a4
  add   a0, a0, a5
  bnez  a3, row
  ret
  .size nn_spread_rows, . - nn_spread_rows

  .section .text.nn_spread_fill, "ax"
  .globl nn_spread_fill
  .type nn_spread_fill, @function
  .balign 4
nn_spread_fill:                 // a0 = destination, a1 = words, a2 = value
  srli  a3, a1, 1
  andi  a1, a1, 1
  beqz  a3, fill_odd
  lp_setup 0, a3, fill_odd
  p_sw_post a2, a0, 16
  p_sw_post a2, a0, 16
fill_odd:
  beqz  a1, fill_done
  sw    a2, 0(a0)
fill_done:
  ret
  .size nn_spread_fill, . - nn_spread_fill

  .section .text.nn_spread_fills, "ax"
  .globl nn_spread_fills
  .type nn_spread_fills, @function
  .balign 4
nn_spread_fills:                // a0 = destination, a1 = words, a2 = rows, a3 = gap, a4 = value
  slli  a3, a3, 4
fills_row:
  lp_setup 0, a1, fills_end
  p_sw_post a4, a0, 16
  nop
fills_end:
  addi  a2, a2, -1
  add   a0, a0, a3
  bnez  a2, fills_row
  ret
  .size nn_spread_fills, . - nn_spread_fills

  .section .text.nn_spread_27, "ax"
  .globl nn_spread_27
  .type nn_spread_27, @function
  .balign 4
nn_spread_27:                   // a0 = destination, a1 a2 a3 = rows
  lw    t0, 0(a1)
  lw    t1, 4(a1)
  lbu   t2, 8(a1)
  lw    t3, 0(a2)
  lw    t4, 3(a2)
  lhu   t5, 7(a2)
  lw    t6, 0(a3)
  slli  t3, t3, 8
  lw    a4, 2(a3)
  lw    a5, 5(a3)
  slli  t6, t6, 16
  p_insert t3, t2, 7, 0
  p_insert t6, t5, 15, 0
  sw    t0, 0(a0)
  sw    t1, 16(a0)
  srli  a5, a5, 8
  sw    t3, 32(a0)
  sw    t4, 48(a0)
  sw    t6, 64(a0)
  sw    a4, 80(a0)
  sw    a5, 96(a0)
  ret
  .size nn_spread_27, . - nn_spread_27
