// kernels/nn/nn_dw_slide.S: see nn_dw_slide.h. Slots of four outputs side by side: 9 a word and 3 a
// row of the filter, and 15; of two: 5, 3 and 11; of one: 4, 3 and 9.
#include "xpulp.S.h"

// a1 the row's first window, a2 from behind a window's row to the next, a3 sums, a4 filter, a5 a6
// what is read of the plane and of it, a7 words; t0 to t2 read, t3 to t6 sums; s0 groups of a row
// left, s1 rows left, s2 the kernel's rows, s3 from row to row, s4 the next window, s5 groups of a
// row, s6 sums that a row has too many, in bytes, a0 from window to window.
  .option norvc
.macro slide outputs
  .section .text.nn_dw_slide_\outputs, "ax"
  .globl nn_dw_slide_\outputs
  .type nn_dw_slide_\outputs, @function
  .balign 16
nn_dw_slide_\outputs:           // a0 = struct nn_dw_slide
  addi  sp, sp, -32
  sw    s0, 0(sp)
  sw    s1, 4(sp)
  sw    s2, 8(sp)
  sw    s3, 12(sp)
  sw    s4, 16(sp)
  sw    s5, 20(sp)
  sw    s6, 24(sp)
  lw    a1, 0(a0)
  lw    a2, 4(a0)
  lw    s3, 8(a0)
  lw    a3, 12(a0)
  lw    t0, 16(a0)
  lw    s1, 20(a0)
  lw    a4, 24(a0)
  lw    s2, 28(a0)
  lw    a7, 32(a0)
  lw    a0, 36(a0)
  slli  t1, a7, 2
  sub   a2, a2, t1
  addi  s5, t0, \outputs - 1
  .if \outputs > 1
  li    a0, 4
  srli  s5, s5, \outputs / 2
  slli  s6, s5, \outputs / 2
  sub   s6, s6, t0
  slli  s6, s6, 2
  .endif
slide_row_\outputs:
  mv    s4, a1
  mv    s0, s5
slide_group_\outputs:
  mv    a5, s4
  mv    a6, a4
  add   s4, s4, a0
  li    t3, 0
  .if \outputs > 1
  li    t4, 0
  .endif
  .if \outputs > 2
  li    t5, 0
  li    t6, 0
  .endif
  lp_setup 1, s2, slide_rows_\outputs
  lp_setup 0, a7, slide_words_\outputs
  p_lw_post t0, a5, 4
  p_lw_post t1, a6, 4
  .if \outputs > 1
  p_lw_post t2, a6, 4
  .endif
  pv_sdotusp_b t3, t0, t1
  .if \outputs > 2
  p_lw_post t1, a6, 4
  pv_sdotusp_b t4, t0, t2
  p_lw_post t2, a6, 4
  pv_sdotusp_b t5, t0, t1
  pv_sdotusp_b t6, t0, t2
  .elseif \outputs > 1
  pv_sdotusp_b t4, t0, t2
  .endif
slide_words_\outputs:
  add   a5, a5, a2
  nop
slide_rows_\outputs:
  addi  s0, s0, -1
  p_sw_post t3, a3, 4
  .if \outputs > 1
  p_sw_post t4, a3, 4
  .endif
  .if \outputs > 2
  p_sw_post t5, a3, 4
  p_sw_post t6, a3, 4
  .endif
  bnez  s0, slide_group_\outputs
  .if \outputs > 1
  sub   a3, a3, s6
  .endif
  addi  s1, s1, -1
  add   a1, a1, s3
  bnez  s1, slide_row_\outputs
  lw    s0, 0(sp)
  lw    s1, 4(sp)
  lw    s2, 8(sp)
  lw    s3, 12(sp)
  lw    s4, 16(sp)
  lw    s5, 20(sp)
  lw    s6, 24(sp)
  addi  sp, sp, 32
  ret
  .size nn_dw_slide_\outputs, . - nn_dw_slide_\outputs
.endm

  slide 1
  slide 2
  slide 4
