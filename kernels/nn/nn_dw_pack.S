// kernels/nn/nn_dw_pack.S: see nn_dw_pack.h. 7 slots a word, which is loaded one ahead.
#include "xpulp.S.h"

  .option norvc
  .section .text.nn_dw_pack_4, "ax"
  .globl nn_dw_pack_4
  .type nn_dw_pack_4, @function
  .balign 16
nn_dw_pack_4:                   // a0 = out, a1 = words, a2 = count, a3 = step
  li    a4, 0x0f0f0f0f
  p_lw_post t0, a1, 4
  lp_setup 0, a2, pack_end
  and   t1, t0, a4
  p_lw_post t0, a1, 4
  srli  t2, t1, 4
  or    t1, t1, t2              // bytes 0 and 2 have two nibbles each
  p_extractu t2, t1, 7, 16
  p_insert t1, t2, 7, 8
  p_sh_rrpost t1, a0, a3
pack_end:
  ret
  .size nn_dw_pack_4, . - nn_dw_pack_4
