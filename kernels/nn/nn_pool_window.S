// kernels/nn/nn_pool_window.S: see nn_pool_window.h. Slots per pair of words and pixel of the window:
// 4; per row 3, per pair 12.
#include "xpulp.S.h"

  .option norvc
  .section .text.nn_max_window, "ax"
  .globl nn_max_window
  .type nn_max_window, @function
  .balign 16
nn_max_window:                  // a0 = out, a1 = struct nn_pool_window, a2 = pairs
  lw    a3, 0(a1)
  lw    a4, 4(a1)
  lw    a5, 8(a1)
  lw    a6, 12(a1)
  lw    a7, 16(a1)
  addi  a6, a6, -4              // from a pixel's second word to the next pixel's first
pair:
  mv    t0, a3
  li    t1, 0
  li    t2, 0
  lp_setup 1, a4, rows_end
  lp_setup 0, a5, columns_end
  p_lw_post t3, t0, 4
  p_lw_rrpost t4, t0, a6
  pv_maxu_b t1, t1, t3
  pv_maxu_b t2, t2, t4
columns_end:
  add   t0, t0, a7
  nop
rows_end:
  p_sw_post t1, a0, 4
  p_sw_post t2, a0, 4
  addi  a2, a2, -1
  addi  a3, a3, 8
  bnez  a2, pair
  ret
  .size nn_max_window, . - nn_max_window
