// kernels/rt/copy.S: block copy and clear, two words per pass of a hardware loop. The second load
// stands between the first and its store, so no load-use cycle is lost.
#include "xpulp.S.h"

  .section .text.rt_copy_words, "ax"
  .globl rt_copy_words
  .type rt_copy_words, @function
  .option push
  .option norvc
  .balign 4
rt_copy_words:                  // a0 = destination, a1 = source, a2 = words
  srli  a3, a2, 1
  beqz  a3, copy_odd
  lp_setup 0, a3, copy_odd
  p_lw_post a4, a1, 4
  p_lw_post a5, a1, 4
  p_sw_post a4, a0, 4
  p_sw_post a5, a0, 4
copy_odd:
  andi  a2, a2, 1
  beqz  a2, copy_done
  lw    a4, 0(a1)
  sw    a4, 0(a0)
copy_done:
  ret
  .size rt_copy_words, . - rt_copy_words

  .section .text.rt_copy_rows, "ax"
  .globl rt_copy_rows
  .type rt_copy_rows, @function
  .balign 4
rt_copy_rows:                   // a0 = destination, a1 = source, a2 = words, a3 = rows, a4, a5 = their strides
  srli  t0, a2, 1
  andi  t1, a2, 1
  slli  t2, a2, 2
  sub   a4, a4, t2              // from the end of a row to the next
  sub   a5, a5, t2
row:
  beqz  t0, row_odd
  lp_setup 0, t0, row_odd
  p_lw_post t2, a1, 4
  p_lw_post t3, a1, 4
  p_sw_post t2, a0, 4
  p_sw_post t3, a0, 4
row_odd:
  addi  a3, a3, -1
  beqz  t1, row_next
  p_lw_post t2, a1, 4
  p_sw_post t2, a0, 4
row_next:
  add   a0, a0, a4
  add   a1, a1, a5
  bnez  a3, row
  ret
  .size rt_copy_rows, . - rt_copy_rows

  .section .text.rt_zero_words, "ax"
  .globl rt_zero_words
  .type rt_zero_words, @function
  .balign 4
rt_zero_words:                  // a0 = destination, a1 = words
  srli  a3, a1, 1
  beqz  a3, zero_odd
  lp_setup 0, a3, zero_odd
  p_sw_post x0, a0, 4
  p_sw_post x0, a0, 4
zero_odd:
  andi  a1, a1, 1
  beqz  a1, zero_done
  sw    x0, 0(a0)
zero_done:
  ret
  .option pop
  .size rt_zero_words, . - rt_zero_words
