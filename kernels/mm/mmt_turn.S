// kernels/mm/mmt_turn.S: mmt_turn_line() of mmt_turn.h. Eight words a pass: two slots a word.
#include "xpulp.S.h"

  .section .text.mmt_turn_line, "ax"
  .globl mmt_turn_line
  .type mmt_turn_line, @function
  .option norvc
  .balign 16
mmt_turn_line:                  // a0 = destination, a1 = source, a2 = bytes from word to word, a3 = words
  srli  t0, a3, 3
  andi  a3, a3, 7
  beqz  t0, turn_rest
  lp_setup 0, t0, turn_rest
  .irp reg, t1, t2, t3, t4, t5, t6, a4, a5
  p_lw_post \reg, a1, 4
  .endr
  .irp reg, t1, t2, t3, t4, t5, t6, a4, a5
  p_sw_rrpost \reg, a0, a2
  .endr
turn_rest:
  beqz  a3, turn_done
  lp_setup 0, a3, turn_done
  p_lw_post t1, a1, 4
  nop
  p_sw_rrpost t1, a0, a2
turn_done:
  ret
  .size mmt_turn_line, . - mmt_turn_line
