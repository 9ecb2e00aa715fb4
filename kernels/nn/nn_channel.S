// kernels/nn/nn_channel.S: see nn_channel.h. Cycles of an output: 5 (sums: 3); icn 12, of which 5 a
// high product; tflite 16, rounding once 13. A sum is loaded an output ahead.
#include "xpulp.S.h"

// a1 sums, a2 out, a3 count, a4 step, a5 kappa, a6 lambda, a7 shift, t0 the sum, t1 low, t2 high, t3
// zero, t4 to t6 free.
  .option norvc
.macro begin name
  .section .text.\name, "ax"
  .globl \name
  .type \name, @function
  .balign 16
\name:                          // a0 = struct nn_channel
  lw    a1, 0(a0)
  lw    a2, 4(a0)
  lw    a3, 8(a0)
  lw    a4, 12(a0)
  lw    a5, 16(a0)
  lw    a6, 20(a0)
  lw    a7, 24(a0)
  lw    t1, 28(a0)
  lw    t2, 32(a0)
  lw    t3, 36(a0)
  p_lw_post t0, a1, 4
  lp_setup 0, a3, \name\()_end
.endm
.macro end name
\name\()_end:
  ret
  .size \name, . - \name
.endm

.macro scaled name, clip
  begin \name
  mul   t4, t0, a5
  p_lw_post t0, a1, 4
  p_addnr t4, a6, a7
  \clip t4, t4, t2
  p_sb_rrpost t4, a2, a4
  end   \name
.endm
  scaled nn_channel_u, p_clipur
  scaled nn_channel_s, p_clipr

  begin nn_channel_sums
  add   t4, t0, a6
  p_lw_post t0, a1, 4
  p_sw_rrpost t4, a2, a4
  end   nn_channel_sums

// The product's high word.
.macro high_product
  add   t4, t0, a6
  p_lw_post t0, a1, 4
  mulhsu t5, t4, a5
.endm
.macro within
  p_max t5, t5, t1
  p_min t5, t5, t2
  add   t5, t5, t3
  p_sb_rrpost t5, a2, a4
.endm
  begin nn_channel_icn
  high_product
  sra   t5, t5, a7
  within
  end   nn_channel_icn

// Factors of 1 and more: first to the left, of what 24 bits hold; beyond, results are clipped.
  begin nn_channel_icn_left
  add   t4, t0, a6
  p_lw_post t0, a1, 4
  p_clip t4, t4, 24
  sll   t4, t4, a7
  mulhsu t5, t4, a5
  within
  end   nn_channel_icn_left

// To the nearest by the low word's top bit; then, to the nearest, halves away from 0.
  begin nn_channel_tflite
  high_product
  mul   t4, t4, a5
  srli  t4, t4, 31
  add   t5, t5, t4
  srai  t4, t5, 31
  p_addrnr t5, t4, a7
  within
  end   nn_channel_tflite

// What is clipped is outside low..high anyway, as shift is at most 20.
  begin nn_channel_tflite_once
  high_product
  p_clip t5, t5, 31
  p_addrnr t5, x0, a7
  within
  end   nn_channel_tflite_once
