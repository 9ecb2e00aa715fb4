// kernels/nn/nn_add_words.S: see nn_add_words.h. 38 slots for eight elements: a pair of a beside the
// pair of b makes one dot product.
#include "xpulp.S.h"

  .option norvc
// Four outputs of the words \a and \b into \a; t6 is used up.
.macro four a, b, low, high
  pv_pack   \low, \b, \a        // a0 a1 b0 b1
  pv_pack_h \high, \b, \a       // a2 a3 b2 b3
  pv_dotusp_b \a, \low, a4
  pv_dotusp_b \b, \low, a5
  pv_dotusp_b \low, \high, a4
  pv_dotusp_b \high, \high, a5
  p_addnr \a, a6, a7
  p_addnr \b, a6, a7
  p_addnr \low, a6, a7
  p_addnr \high, a6, a7
  p_clipu \a, \a, 9
  p_clipu \b, \b, 9
  p_clipu \low, \low, 9
  p_clipu \high, \high, 9
  pv_packlo_b \a, \b, \a
  pv_packhi_b \a, \high, \low
.endm

  .section .text.nn_add_words, "ax"
  .globl nn_add_words
  .type nn_add_words, @function
  .balign 16
nn_add_words:                   // a0 = struct nn_add_words
  lw    a1, 4(a0)
  lw    a2, 8(a0)
  lw    a3, 12(a0)
  lw    a4, 16(a0)
  lw    a6, 20(a0)
  lw    a7, 24(a0)
  lw    a0, 0(a0)
  slli  a5, a4, 8
  lp_setup 0, a3, add_end
  p_lw_post t0, a0, 4
  p_lw_post t1, a1, 4
  p_lw_post t2, a0, 4
  p_lw_post t3, a1, 4
  four  t0, t1, t4, t5
  p_sw_post t0, a2, 4
  four  t2, t3, t4, t5
  p_sw_post t2, a2, 4
add_end:
  ret
  .size nn_add_words, . - nn_add_words
