// As an object of the PULP compiler: soft floats, attributes with XpulpV2, a hardware loop over
// words of four bytes. int dot(const signed char *a, const signed char *b, int words)
#include "xpulp.S.h"

  .attribute arch, "rv32i2p0_m2p0_c2p0_xpulpv2p0"
  .text
  .globl dot
  .type dot, @function
dot:
  li a4, 0
  lp_setup 0, a2, dot_end
  p_lw_post a5, a0, 4
  p_lw_post a6, a1, 4
  pv_sdotsp_b a4, a5, a6
dot_end:
  mv a0, a4
  ret
  .size dot, . - dot
