// kernels/nn/nn_expand.S: see nn_expand.h. Slots per packed word: 3 * parts, and one to flip the
// signs; 3 if nothing is to be unpacked.
#include "xpulp.S.h"

  .option norvc
.macro expand name, from, to, mask, flip
  .section .text.\name\()_\from\()to\to, "ax"
  .globl \name\()_\from\()to\to
  .type \name\()_\from\()to\to, @function
  .balign 4
\name\()_\from\()to\to:        // a0 = destination, a1 = source, a2 = words
  li    a3, \mask
  .ifnb \flip
  li    a4, \flip
  .endif
  lp_setup 0, a2, \name\()_end\from\to
  p_lw_post t0, a1, 4
  .ifnb \flip
  xor   t0, t0, a4
  .endif
  .if \from == \to
  p_sw_post t0, a0, 16
  .else
  and   t1, t0, a3
  p_sw_post t1, a0, 16
  .endif
  .rept \to / \from - 1
  srli  t0, t0, \from
  and   t1, t0, a3
  p_sw_post t1, a0, 16
  .endr
\name\()_end\from\to:
  ret
  .size \name\()_\from\()to\to, . - \name\()_\from\()to\to
.endm
  expand nn_expand, 4, 8, 0x0f0f0f0f
  expand nn_expand, 2, 8, 0x03030303
  expand nn_expand, 2, 4, 0x33333333
  expand nn_flip, 4, 8, 0x0f0f0f0f, 0x88888888
  expand nn_flip, 2, 8, 0x03030303, 0xaaaaaaaa
  expand nn_flip, 4, 4, 0, 0x88888888
  expand nn_flip, 2, 4, 0x33333333, 0xaaaaaaaa
  expand nn_flip, 2, 2, 0, 0xaaaaaaaa
