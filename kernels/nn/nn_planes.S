// kernels/nn/nn_planes.S: see nn_planes.h. Slots for 16 values: 18 of 8 bits, 22 flipped, 19 of 4
// bits, 18 of 2; unaligned stores up to four more.
#include "xpulp.S.h"

// a0 a5 a6 a7 the planes, a1 source, a2 groups, a3 from pixel to pixel, a4 to the next row, t0 t1
// how to shuffle (of 2 bits: t0 a mask), t2 to t5 four pixels, t6 s0 free, s1 a pixel outside, s2
// rows, s3 pixels behind the last group, s4 what flips; s5 s6 the next four's planes and source, s7 how
// many are left, s8 from plane to plane.
  .option norvc
.macro planes bits, flip, shuffle0, shuffle1
  .section .text.nn_planes_\bits\flip, "ax"
  .globl nn_planes_\bits\flip
  .type nn_planes_\bits\flip, @function
  .balign 16
nn_planes_\bits\flip:           // a0 = struct nn_planes
  addi  sp, sp, -48
  sw    s0, 0(sp)
  sw    s1, 4(sp)
  sw    s2, 8(sp)
  sw    s3, 12(sp)
  sw    s4, 16(sp)
  sw    s5, 20(sp)
  sw    s6, 24(sp)
  sw    s7, 28(sp)
  sw    s8, 32(sp)
  lw    s5, 0(a0)
  lw    s6, 4(a0)
  lw    s2, 8(a0)
  lw    a2, 12(a0)
  lw    a3, 16(a0)
  lw    s8, 20(a0)
  lw    a4, 24(a0)
  lw    s3, 28(a0)
  lw    s1, 32(a0)
  lw    s4, 36(a0)
  lw    s7, 40(a0)
  li    t0, \shuffle0
  li    t1, \shuffle1
fours_\bits\flip:
  mv    a0, s5
  add   a5, a0, s8
  mv    a1, s6
  add   a6, a5, s8
  addi  s6, s6, \bits / 2
  add   a7, a6, s8
  add   s5, a7, s8
  lp_setup 1, s2, rows_end_\bits\flip
  p_beqimm a2, 0, rest_\bits\flip // not beqz: LLVM would not know the distance to the loop's end
  lp_setup 0, a2, groups_end_\bits\flip
  load_\bits t2
  load_\bits t3
  load_\bits t4
  load_\bits t5
  spread_\bits \flip
groups_end_\bits\flip:
rest_\bits\flip:
  p_beqimm s3, 0, next_\bits\flip
  load_\bits t2
  mv    t3, s1
  mv    t4, s1
  mv    t5, s1
  p_beqimm s3, 1, some_\bits\flip
  load_\bits t3
  p_beqimm s3, 2, some_\bits\flip
  load_\bits t4
some_\bits\flip:
  spread_\bits \flip
next_\bits\flip:
  add   a0, a0, a4
  add   a5, a5, a4
  add   a6, a6, a4
  add   a7, a7, a4
rows_end_\bits\flip:
  addi  s7, s7, -1
  bnez  s7, fours_\bits\flip
  lw    s0, 0(sp)
  lw    s1, 4(sp)
  lw    s2, 8(sp)
  lw    s3, 12(sp)
  lw    s4, 16(sp)
  lw    s5, 20(sp)
  lw    s6, 24(sp)
  lw    s7, 28(sp)
  lw    s8, 32(sp)
  addi  sp, sp, 48
  ret
  .size nn_planes_\bits\flip, . - nn_planes_\bits\flip
.endm

.macro store_planes r0, r1, r2, r3
  p_sw_post \r0, a0, 4
  p_sw_post \r1, a5, 4
  p_sw_post \r2, a6, 4
  p_sw_post \r3, a7, 4
.endm

.macro load_8 to
  p_lw_rrpost \to, a1, a3
.endm
.macro spread_8 flip
  mv    t6, t2
  mv    s0, t4
  pv_shuffle2_b t2, t3, t0      // bytes 0 of two words, then bytes 1
  pv_shuffle2_b t6, t3, t1      // bytes 2, then 3
  pv_shuffle2_b t4, t5, t0
  pv_shuffle2_b s0, t5, t1
  pv_pack t3, t4, t2
  pv_pack_h t5, t4, t2
  pv_pack t2, s0, t6
  pv_pack_h t4, s0, t6
  .ifc \flip, s
  xor   t3, t3, s4
  xor   t5, t5, s4
  xor   t2, t2, s4
  xor   t4, t4, s4
  .endif
  store_planes t3, t5, t2, t4
.endm

.macro load_4 to
  p_lhu_rrpost \to, a1, a3
.endm
.macro spread_4 flip
  pv_pack t2, t3, t2
  pv_pack t4, t5, t4
  mv    t6, t2
  pv_shuffle2_b t2, t4, t0      // bytes 0 of four halves
  pv_shuffle2_b t6, t4, t1      // bytes 1
  xor   t2, t2, s4
  xor   t6, t6, s4
  pv_srl_sci_b t3, t2, 4
  pv_srl_sci_b t5, t6, 4
  pv_and_sci_b t2, t2, 15
  pv_and_sci_b t6, t6, 15
  store_planes t2, t3, t6, t5
.endm

.macro load_2 to
  p_lbu_rrpost \to, a1, a3
.endm
.macro spread_2 flip
  pv_packlo_b t2, t3, t2
  pv_packhi_b t2, t5, t4
  xor   t2, t2, s4
  pv_srl_sci_b t3, t2, 2
  pv_srl_sci_b t4, t2, 4
  pv_srl_sci_b t5, t2, 6
  and   t2, t2, t0
  and   t3, t3, t0
  and   t4, t4, t0
  store_planes t2, t3, t4, t5
.endm

  planes 8, u, 0x05010400, 0x07030602
  planes 8, s, 0x05010400, 0x07030602
  planes 4, , 0x06040200, 0x07050301
  planes 2, , 0x03030303, 0

  .section .text.nn_planes_fill, "ax"
  .globl nn_planes_fill
  .type nn_planes_fill, @function
  .balign 16
nn_planes_fill:                 // a0 = to, a1 = words, an even number, a2 = value
  srli  a1, a1, 1
  lp_setup 0, a1, fill_end
  p_sw_post a2, a0, 4
  p_sw_post a2, a0, 4
fill_end:
  ret
  .size nn_planes_fill, . - nn_planes_fill
