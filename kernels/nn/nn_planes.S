// kernels/nn/nn_planes.S: see nn_planes.h. 18 slots for 16 values; unaligned stores four more.
#include "xpulp.S.h"

  .option norvc
  .section .text.nn_planes, "ax"
  .globl nn_planes
  .type nn_planes, @function
  .balign 16
nn_planes:                      // a0 = struct nn_planes
  addi  sp, sp, -16
  sw    s0, 0(sp)
  sw    s1, 4(sp)
  sw    s2, 8(sp)
  lw    a1, 4(a0)
  lw    s2, 8(a0)
  lw    a2, 12(a0)
  lw    a3, 16(a0)
  lw    t0, 20(a0)
  lw    a4, 24(a0)
  lw    s1, 28(a0)
  lw    a0, 0(a0)
  add   a5, a0, t0
  add   a6, a5, t0
  add   a7, a6, t0
  li    t0, 0x05010400          // bytes 0 of two words, then bytes 1
  li    t1, 0x07030602
  lp_setup 1, s2, rows_end
  lp_setup 0, a2, planes_end
  p_lw_rrpost t2, a1, a3
  p_lw_rrpost t3, a1, a3
  p_lw_rrpost t4, a1, a3
  p_lw_rrpost t5, a1, a3
  mv    t6, t2
  mv    s0, t4
  pv_shuffle2_b t2, t3, t0
  pv_shuffle2_b t6, t3, t1
  pv_shuffle2_b t4, t5, t0
  pv_shuffle2_b s0, t5, t1
  pv_pack t3, t4, t2
  pv_pack_h t5, t4, t2
  pv_pack t2, s0, t6
  pv_pack_h t4, s0, t6
  p_sw_post t3, a0, 4
  p_sw_post t5, a5, 4
  p_sw_post t2, a6, 4
  p_sw_post t4, a7, 4
planes_end:
  add   a0, a0, a4
  add   a5, a5, a4
  add   a6, a6, a4
  add   a7, a7, a4
  add   a1, a1, s1
rows_end:
  lw    s0, 0(sp)
  lw    s1, 4(sp)
  lw    s2, 8(sp)
  addi  sp, sp, 16
  ret
  .size nn_planes, . - nn_planes
