// kernels/nn/nn_expand.S: see nn_expand.h. Slots per packed word: 3 + 3 * parts, less one.
#include "xpulp.S.h"

  .option norvc
.macro expand from, to, mask
  .section .text.nn_expand_\from\()to\to, "ax"
  .globl nn_expand_\from\()to\to
  .type nn_expand_\from\()to\to, @function
  .balign 4
nn_expand_\from\()to\to:       // a0 = destination, a1 = source, a2 = words
  li    a3, \mask
  lp_setup 0, a2, end\from\to
  p_lw_post t0, a1, 4
  and   t1, t0, a3
  p_sw_post t1, a0, 16
  .rept \to / \from - 1
  srli  t0, t0, \from
  and   t1, t0, a3
  p_sw_post t1, a0, 16
  .endr
end\from\to:
  ret
  .size nn_expand_\from\()to\to, . - nn_expand_\from\()to\to
.endm
  expand 4, 8, 0x0f0f0f0f
  expand 2, 8, 0x03030303
  expand 2, 4, 0x33333333
