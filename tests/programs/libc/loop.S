// A hardware loop of three 32-bit instructions, at a multiple of 4, or 2 behind it (SHIFTED).
#include "xpulp.S.h"

  .text
  .balign 4
  .globl main
  .type main, @function
main:
  .option norvc
  lui a0, 16
#ifdef SHIFTED
  .option rvc
  c.nop
  .option norvc
#endif
  lp_setup 0, a0, 1f
  addi a1, a1, 100
  add a2, a2, a1
  add a3, a3, a1
1:
  addi a4, a1, 0
  li a0, 0
  ret
  .size main, . - main
