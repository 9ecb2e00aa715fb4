// kernels/nn/nn_add_words.S: see nn_add_words.h. Slots for eight elements of 8 bits: 38; a pair of
// a beside the pair of b makes two dot products. 5 more for each tensor of 4 bits or of 2, and 2 for
// packed results. nn_add_halves: 32.
#include "xpulp.S.h"

// a0 a, a1 b, a2 out, a3 groups, a4 a5 scales, a6 lambda, a7 shift; t0 t1 four elements of a and b,
// t2 t3 four more, t4 t5 free; unpacking: x3 x4 s0 nibbles, t6 s1 crumbs.
  .option norvc
// Two words of four elements each, in their order: the byte of each element comes into its lane, is
// shifted until the element is on top, and down.
.macro load bits, p, packed, low, high
  .if \bits == 8
  p_lw_post \low, \p, 4
  p_lw_post \high, \p, 4
  .elseif \bits == 4
  p_lw_post \packed, \p, 4
  .else
  p_lhu_post \packed, \p, 2
  .endif
.endm
.macro unpack bits, signs, packed, low, high
  .if \bits == 4
  pv_shuffle_b \low, \packed, x3
  pv_shuffle_b \high, \packed, x4
  pv_sll_b \low, \low, s0
  pv_sll_b \high, \high, s0
  .elseif \bits == 2
  pv_shuffle_b \low, \packed, x0
  pv_shuffle_b \high, \packed, t6
  pv_sll_b \low, \low, s1
  pv_sll_b \high, \high, s1
  .endif
  .if \bits < 8
  .ifc \signs, s
  pv_sra_sci_b \low, \low, 8 - \bits
  pv_sra_sci_b \high, \high, 8 - \bits
  .else
  pv_srl_sci_b \low, \low, 8 - \bits
  pv_srl_sci_b \high, \high, 8 - \bits
  .endif
  .endif
.endm
.macro constants bits
  .if \bits == 4
  li    x3, 0x01010000          // which byte
  li    x4, 0x03030202
  li    s0, 0x00040004          // how far up
  .elseif \bits == 2
  li    t6, 0x01010101
  li    s1, 0x00020406
  .endif
.endm

// Four outputs of the words \a and \b; packed, to a2.
.macro four dot, clip, clip_bits, bits, a, b, low, high
  pv_pack   \low, \b, \a        // a0 a1 b0 b1
  pv_pack_h \high, \b, \a       // a2 a3 b2 b3
  \dot \a, \low, a4
  \dot \b, \low, a5
  \dot \low, \high, a4
  \dot \high, \high, a5
  p_addnr \a, a6, a7
  p_addnr \b, a6, a7
  p_addnr \low, a6, a7
  p_addnr \high, a6, a7
  \clip \a, \a, \clip_bits
  \clip \b, \b, \clip_bits
  \clip \low, \low, \clip_bits
  \clip \high, \high, \clip_bits
  .if \bits == 8
  pv_packlo_b \a, \b, \a
  pv_packhi_b \a, \high, \low
  p_sw_post \a, a2, 4
  .else
  p_insert \a, \b, \bits - 1, \bits
  p_insert \a, \low, \bits - 1, 2 * \bits
  p_insert \a, \high, \bits - 1, 3 * \bits
  .if \bits == 4
  p_sh_post \a, a2, 2
  .else
  p_sb_post \a, a2, 1
  .endif
  .endif
.endm

.macro begin name
  .section .text.\name, "ax"
  .globl \name
  .type \name, @function
  .balign 16
\name:                          // a0 = struct nn_add_words
.endm
.macro words a, b, o, in, out, dot, clip, clip_bits
  begin nn_add_\a\()_\b\()_\o\()\in\out
  .if (\a < 8) || (\b < 8)
  addi  sp, sp, -16
  sw    s0, 0(sp)
  sw    s1, 4(sp)
  constants \a
  .if \a != \b
  constants \b
  .endif
  .endif
  lw    a1, 4(a0)
  lw    a2, 8(a0)
  lw    a3, 12(a0)
  lw    a4, 16(a0)
  lw    a6, 20(a0)
  lw    a7, 24(a0)
  lw    a0, 0(a0)
  slli  a5, a4, 8
  lp_setup 0, a3, end_\a\()_\b\()_\o\()\in\out
  .if \a == 8                  // bytes last: nothing is used right behind its load
  load  \b, a1, t5, t1, t3
  .endif
  load  \a, a0, t4, t0, t2
  .if \a < 8
  load  \b, a1, t5, t1, t3
  .endif
  unpack \a, \in, t4, t0, t2
  unpack \b, \in, t5, t1, t3
  four  \dot, \clip, \clip_bits, \o, t0, t1, t4, t5
  four  \dot, \clip, \clip_bits, \o, t2, t3, t4, t5
end_\a\()_\b\()_\o\()\in\out:
  .if (\a < 8) || (\b < 8)
  lw    s0, 0(sp)
  lw    s1, 4(sp)
  addi  sp, sp, 16
  .endif
  ret
  .size nn_add_\a\()_\b\()_\o\()\in\out, . - nn_add_\a\()_\b\()_\o\()\in\out
.endm
.macro signs a, b, o
  words \a, \b, \o, u, u, pv_dotusp_b, p_clipu, \o + 1
  words \a, \b, \o, u, s, pv_dotusp_b, p_clip, \o
  words \a, \b, \o, s, u, pv_dotsp_b, p_clipu, \o + 1
  words \a, \b, \o, s, s, pv_dotsp_b, p_clip, \o
.endm
.macro outs a, b
  signs \a, \b, 8
  signs \a, \b, 4
  signs \a, \b, 2
.endm
.macro seconds a
  outs  \a, 8
  outs  \a, 4
  outs  \a, 2
.endm
  seconds 8
  seconds 4
  seconds 2

// The even elements in halves of a register, and the odd ones: a product is that of both. The clip
// comes before lambda, so that sums and shifts stay within the halves; of a shifted half only the
// low byte is one's own.
.macro halves a, b
  and   t4, \a, a5
  and   t5, \b, a5
  pv_srl_sci_h \a, \a, 8
  pv_srl_sci_h \b, \b, 8
  mul   t4, t4, a4
  mul   \a, \a, a4
  p_mac t4, t5, t6
  p_mac \a, \b, t6
  pv_minu_h t4, t4, x3
  pv_minu_h \a, \a, x3
  p_addunr t4, a6, a7
  p_addunr \a, a6, a7
  pv_shuffle2_b t4, \a, x4
  p_sw_post t4, a2, 4
.endm
  begin nn_add_halves
  lw    a1, 4(a0)
  lw    a2, 8(a0)
  lw    a3, 12(a0)
  lw    a4, 16(a0)
  lw    a6, 20(a0)
  lw    a7, 24(a0)
  lw    t6, 28(a0)
  lw    x3, 32(a0)
  lw    a0, 0(a0)
  li    a5, 0x00ff00ff
  li    x4, 0x06020400
  lp_setup 0, a3, halves_end
  p_lw_post t0, a0, 4
  p_lw_post t1, a1, 4
  p_lw_post t2, a0, 4
  p_lw_post t3, a1, 4
  halves t0, t1
  halves t2, t3
halves_end:
  ret
  .size nn_add_halves, . - nn_add_halves
