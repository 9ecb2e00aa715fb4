// kernels/examples/stalls_loops.S: see stalls.h.
#include "xpulp.S.h"

  .option norvc
.macro FUNCTION name
  .section .text.\name, "ax"
  .balign 16
  .globl \name
  .type \name, @function
\name:
.endm

FUNCTION stall_load_use_before
  li    a2, 0
  lp_setup 0, a1, load_use_before_end
  p_lw_post a3, a0, 4
  add   a2, a2, a3
  nop
load_use_before_end:
  mv    a0, a2
  ret

FUNCTION stall_load_use_after
  li    a2, 0
  srli  a1, a1, 2
  lp_setup 0, a1, load_use_after_end
  p_lw_post a3, a0, 4
  p_lw_post a4, a0, 4
  p_lw_post a5, a0, 4
  p_lw_post a6, a0, 4
  add   a2, a2, a3
  add   a2, a2, a4
  add   a2, a2, a5
  add   a2, a2, a6
load_use_after_end:
  mv    a0, a2
  ret

FUNCTION stall_same_bank
  li    a2, 0
  lp_setup 0, a1, same_bank_end
  p_lw_post a3, a0, 64
  nop
  add   a2, a2, a3
same_bank_end:
  mv    a0, a2
  ret

FUNCTION stall_branch_before
  li    a2, 0
1:
  p_lw_post a3, a0, 4
  addi  a1, a1, -1
  add   a2, a2, a3
  bnez  a1, 1b
  mv    a0, a2
  ret

FUNCTION stall_branch_after
  li    a2, 0
  lp_setup 0, a1, branch_after_end
  p_lw_post a3, a0, 4
  nop
  add   a2, a2, a3
branch_after_end:
  mv    a0, a2
  ret

FUNCTION stall_jump_before
  li    a2, 0
  mv    t1, ra
1:
  p_lw_post a3, a0, 4
  addi  a1, a1, -1
  jal   ra, jump_body
  bnez  a1, 1b
  mv    ra, t1
  mv    a0, a2
  ret
jump_body:
  add   a2, a2, a3
  ret

FUNCTION stall_jump_after
  li    a2, 0
1:
  p_lw_post a3, a0, 4
  addi  a1, a1, -1
  add   a2, a2, a3
  bnez  a1, 1b
  mv    a0, a2
  ret

FUNCTION stall_fetch_before
1:
  .rept 512
  addi  a1, a1, 1
  .endr
  addi  a0, a0, -1
  beqz  a0, 2f
  j     1b
2:
  ret

FUNCTION stall_fetch_after
1:
  .rept 32
  addi  a1, a1, 1
  .endr
  addi  a0, a0, -1
  bnez  a0, 1b
  ret

FUNCTION stall_divide_before
  li    a1, 1000000
  li    a2, 8
1:
  divu  a3, a1, a2
  addi  a0, a0, -1
  bnez  a0, 1b
  mv    a0, a3
  ret

FUNCTION stall_divide_after
  li    a1, 1000000
1:
  srli  a3, a1, 3
  addi  a0, a0, -1
  bnez  a0, 1b
  mv    a0, a3
  ret

FUNCTION stall_float_before
  li    a1, 0x40400000
  fmv.w.x fa1, a1
  fmv.w.x fa0, a1
1:
  fdiv.s fa2, fa0, fa1
  fadd.s fa3, fa2, fa1
  addi  a0, a0, -1
  bnez  a0, 1b
  fmv.s fa0, fa3
  ret

FUNCTION stall_float_after
  li    a1, 0x3eaaaaab
  fmv.w.x fa1, a1
  fmv.w.x fa0, a1
1:
  fmul.s fa2, fa0, fa1
  fadd.s fa3, fa2, fa1
  addi  a0, a0, -1
  bnez  a0, 1b
  fmv.s fa0, fa3
  ret

// Four additions of floats and four of integers in each of a0 rounds.
FUNCTION stall_share_before // first the ones, then the others
  fmv.w.x fa0, zero
  li    a1, 0
  lp_setup 0, a0, share_floats_end
  fadd.s fa1, fa0, fa0
  fadd.s fa2, fa0, fa0
  fadd.s fa3, fa0, fa0
  fadd.s fa4, fa0, fa0
share_floats_end:
  lp_setup 0, a0, share_integers_end
  addi  a1, a1, 1
  addi  a1, a1, 1
  addi  a1, a1, 1
  addi  a1, a1, 1
share_integers_end:
  ret

FUNCTION stall_share_after // in turns
  fmv.w.x fa0, zero
  li    a1, 0
  lp_setup 0, a0, share_turns_end
  fadd.s fa1, fa0, fa0
  addi  a1, a1, 1
  fadd.s fa2, fa0, fa0
  addi  a1, a1, 1
  fadd.s fa3, fa0, fa0
  addi  a1, a1, 1
  fadd.s fa4, fa0, fa0
  addi  a1, a1, 1
share_turns_end:
  ret
