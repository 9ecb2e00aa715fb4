// kernels/nn/nn_pool_2x2.S: see nn_pool_2x2.h. Slots per word of outputs: maximum 8, average 23.
#include "xpulp.S.h"

  .option norvc
.macro begin name
  .section .text.\name, "ax"
  .globl \name
  .type \name, @function
  .balign 16
\name:                          // a0 = out, a1 = top, a2 = bottom, a3 = pixel, a4 = words
  add   a5, a1, a3
  add   a6, a2, a3
.endm
.macro load_four
  p_lw_post t0, a1, 4
  p_lw_post t1, a5, 4
  p_lw_post t2, a2, 4
  p_lw_post t3, a6, 4
.endm

  begin nn_max_2x2
  lp_setup 0, a4, max_end
  load_four
  pv_maxu_b t0, t0, t1
  pv_maxu_b t2, t2, t3
  pv_maxu_b t0, t0, t2
  p_sw_post t0, a0, 4
max_end:
  ret
  .size nn_max_2x2, . - nn_max_2x2

// Sums in half-words: the even bytes by a mask, the odd ones by a shift; a quarter of each.
  begin nn_average_2x2
  li    a7, 0x00ff00ff
  lp_setup 0, a4, average_end
  load_four
  and   t4, t0, a7
  and   t5, t1, a7
  add   t4, t4, t5
  and   t5, t2, a7
  add   t4, t4, t5
  and   t5, t3, a7
  add   t4, t4, t5
  pv_srl_sci_h t0, t0, 8
  pv_srl_sci_h t1, t1, 8
  pv_srl_sci_h t2, t2, 8
  pv_srl_sci_h t3, t3, 8
  add   t0, t0, t1
  add   t2, t2, t3
  add   t0, t0, t2
  pv_srl_sci_h t4, t4, 2
  pv_srl_sci_h t0, t0, 2
  slli  t0, t0, 8
  or    t0, t0, t4
  p_sw_post t0, a0, 4
average_end:
  ret
  .size nn_average_2x2, . - nn_average_2x2
