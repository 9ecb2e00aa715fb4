// kernels/mm/mmt_turn.S: mmt_turn_line() of mmt_turn.h, eight words a pass: two slots a word; and
// mmt_turn_fours(): three slots a pair.
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

  .section .text.mmt_turn_fours, "ax"
  .globl mmt_turn_fours
  .type mmt_turn_fours, @function
  .balign 16
mmt_turn_fours:                 // a0 = destination, a1 = source, a2 = pairs of rows
  beqz  a2, fours_done
  lp_setup 0, a2, fours_done
  .irp reg, t0, t1, t2, t3
  p_lw_post \reg, a1, 4
  .endr
  pv_pack t4, t2, t0
  pv_pack_h t0, t2, t0
  pv_pack t5, t3, t1
  pv_pack_h t1, t3, t1
  .irp reg, t4, t0, t5, t1
  p_sw_post \reg, a0, 4
  .endr
fours_done:
  ret
  .size mmt_turn_fours, . - mmt_turn_fours
