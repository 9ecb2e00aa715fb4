// kernels/examples/lab_loop_sum.S: the sum of a1 words from a0 on, twice; see lab_loop.c.
#include "xpulp.S.h"

  .option norvc // a hardware loop's last instruction must have four bytes
  .text
  .balign 4
  .globl lab_loop_branch, lab_loop_hardware
  .type lab_loop_branch, @function
  .type lab_loop_hardware, @function

lab_loop_branch:
  mv        a2, a0
  li        a0, 0
1:
  p_lw_post a3, a2, 4
  addi      a1, a1, -1
  add       a0, a0, a3
  bnez      a1, 1b
  ret

lab_loop_hardware:
  mv        a2, a0
  li        a0, 0
  lp_setup  0, a1, 2f // loop 0, a1 times, up to label 2
  p_lw_post a3, a2, 4
  add       a0, a0, a3 // waits a cycle for the load
2:
  ret
