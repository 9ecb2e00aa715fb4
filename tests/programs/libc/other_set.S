// Words of other sets than the machine's, which it runs as others: NIBBLES: of XpulpNN; SIMD: of the
// sets that XPULP_COREV (xpulp.S.h) chooses. Else a load that fails, and such a word behind it.
#include "xpulp.S.h"

  .text
  .globl main
  .type main, @function
main:
  li a1, 3
  li a2, 5
#if defined NIBBLES
  pv_add_n a0, a1, a2
#elif defined SIMD
  pv_add_b a0, a1, a2
#else
  lw a2, -1(zero)
  p_clip a0, a1, 4
#endif
  li a0, 0
  ret
  .size main, . - main
