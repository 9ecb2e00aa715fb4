// kernels/nn/nn_dw_3.S: see nn_dw_3.h. An output of nine MAC is 11 slots and, as three of four loads
// (stride 1; one of two with stride 2) are unaligned, 2.25 (1.5) more cycles: 5.4 (5.8) MAC/clk on 8
// cores.
#include "xpulp.S.h"

  .option norvc
.macro dw_3 stride
  .section .text.nn_dw_3_s\stride, "ax"
  .globl nn_dw_3_s\stride
  .type nn_dw_3_s\stride, @function
  .balign 16
nn_dw_3_s\stride:               // a0 = channel
  addi  sp, sp, -32
  sw    s0, 0(sp)
  sw    s1, 4(sp)
  sw    s2, 8(sp)
  sw    s3, 12(sp)
  sw    s4, 16(sp)
  lw    a1, 0(a0)               // three rows
  lw    a2, 4(a0)
  lw    t5, 8(a0)
  lw    a3, 12(a0)
  lw    a4, 16(a0)
  lw    a5, 20(a0)
  lw    a6, 24(a0)
  lw    a7, 28(a0)              // three words of the filter
  lw    t0, 32(a0)
  lw    t1, 36(a0)
  lw    t2, 40(a0)
  lw    t3, 44(a0)
  lw    t4, 48(a0)
  add   s0, a1, a2
  add   s1, s0, a2
  lp_setup 1, a6, dw_rows_end\stride
  lp_setup 0, a5, dw_outs_end\stride
  p_lw_post s2, a1, \stride
  p_lw_post s3, s0, \stride
  p_lw_post s4, s1, \stride
  pv_dotusp_b t6, s2, a7
  pv_sdotusp_b t6, s3, t0
  pv_sdotusp_b t6, s4, t1
  mul   t6, t6, t2
  p_addnr t6, t3, t4
  p_clipu t6, t6, 9
  p_sb_rrpost t6, a3, a4
dw_outs_end\stride:
  add   a1, a1, t5
  add   s0, s0, t5
  add   s1, s1, t5
dw_rows_end\stride:
  lw    s0, 0(sp)
  lw    s1, 4(sp)
  lw    s2, 8(sp)
  lw    s3, 12(sp)
  lw    s4, 16(sp)
  addi  sp, sp, 32
  ret
  .size nn_dw_3_s\stride, . - nn_dw_3_s\stride
.endm
  dw_3 1
  dw_3 2
