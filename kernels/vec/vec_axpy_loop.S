// kernels/vec/vec_axpy_loop.S: the loop of vec_axpy_i32, two elements a pass, four slots an element.
// C twin: vec_axpy.c.
#include "xpulp.S.h"

  .section .text.vec_axpy_i32, "ax"
  .option norvc
  .balign 4
  .globl vec_axpy_i32
  .type vec_axpy_i32, @function
vec_axpy_i32:                   // a0 = y, a1 = x, a2 = alpha, a3 = count
  srli  a4, a3, 1
  andi  a3, a3, 1
  beqz  a4, axpy_odd
  lp_setup 0, a4, axpy_odd
  p_lw_post t0, a1, 4
  lw    t2, 0(a0)
  p_lw_post t1, a1, 4
  lw    t3, 4(a0)
  p_mac t2, a2, t0
  p_mac t3, a2, t1
  p_sw_post t2, a0, 4
  p_sw_post t3, a0, 4
axpy_odd:
  beqz  a3, axpy_done
  lw    t0, 0(a1)
  lw    t2, 0(a0)
  p_mac t2, a2, t0
  sw    t2, 0(a0)
axpy_done:
  ret
  .size vec_axpy_i32, . - vec_axpy_i32
