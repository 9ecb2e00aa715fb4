// kernels/nn/nn_strip_macload.S: the strips of four pixels whose activations and weights are 4 or 2 bits
// wide, with mac&load (nn_strip_mixed.h; C twin: nn_strip_mixed.c). Slots of a step: 16 dots, 1 load:
// 17 for 128 or 256 MAC, 7.53 or 15.06 MAC/slot (times 8: MAC/clk of 8 cores).
// Mac&load reloads only a register that it multiplies, so the last dot product of a step, last to use
// both its pixel and its filter, leaves one to reload by an instruction of its own. It always adds:
// a block's first step is done without it, 24 slots, so that no sums need be cleared. At least two
// steps.
//
// Registers: x16 + 4u + v sums, x1 shift, x8 columns, x5 blocks; x3 out, x4 x9 from pixel to pixel and
// from the last to the next block's first, x10 steps less one, x11 bytes of the columns; x6 x7 and
// x12 to x15 free.
#include "nn_strip_mixed.inc"

// Pixel register p & 1, filter register v; LA, LW reload the one or the other. What is computed while
// something is only reloaded goes to x7.
#define LA 8
#define LW 16
.macro ml op, p, v, load, pointer
  ml_word \op, %(16 + 4 * \p + \v), \pointer, %(\p - \p / 2 * 2 + 2 * \v + \load)
.endm
.macro ml_word op, acc, pointer, imm
  \op x\acc, x\pointer, \imm
.endm
.macro step_macload op
  ml \op, 0, 0, 0, 8
  ml \op, 0, 1, 0, 8
  ml \op, 0, 2, 0, 8
  ml \op, 0, 3, LA, 8
  ml \op, 1, 0, 0, 8
  ml \op, 1, 1, 0, 8
  ml \op, 1, 2, 0, 8
  ml \op, 1, 3, LA, 8
  ml \op, 2, 0, 0, 8
  ml \op, 3, 0, LW, 5
  ml \op, 2, 1, 0, 8
  ml \op, 3, 1, LW, 5
  ml \op, 2, 2, 0, 8
  ml \op, 3, 2, LW, 5
  ml \op, 2, 3, LA, 8
  ml \op, 3, 3, LA, 8
  \op x7, x5, LW + 6
.endm
// Before the first step: two pixels, four filters.
.macro first_macload op
  \op x7, x8, LA
  \op x7, x8, LA + 1
  \op x7, x5, LW
  \op x7, x5, LW + 2
  \op x7, x5, LW + 4
  \op x7, x5, LW + 6
.endm

// Four outputs into b0, to x3, which moves on.
.macro pack_store_post bits, b0, b1, b2, b3, step
  .if \bits == 8
    pv_packlo_b x12, x\b1, x\b0
    pv_packhi_b x12, x\b3, x\b2
    p_sw_rrpost x12, x3, x\step
  .else
    p_insert x\b0, x\b1, %(\bits - 1), \bits
    p_insert x\b0, x\b2, %(\bits - 1), %(2 * \bits)
    p_insert x\b0, x\b3, %(\bits - 1), %(3 * \bits)
    .if \bits == 4
    p_sh_rrpost x\b0, x3, x\step
    .else
    p_sb_rrpost x\b0, x3, x\step
    .endif
  .endif
.endm

// On to the next four pixels. Compressed, as the loops over blocks and strips are to fit 512 bytes
// of instruction cache.
.macro next_strip
  .option rvc
  lw    x12, X_STRIPS(sp)
  lw    x5, X_FILTERS(sp)
  lw    x13, X_OUT_NEXT(sp)
  lw    x6, X_BLOCKS(sp)
  addi  x12, x12, -1
  sw    x12, X_STRIPS(sp)
  add   x8, x8, x11             // columns, and eight bytes
  addi  x8, x8, -8
  add   x3, x3, x13
  .option norvc
.endm

.macro strip dot, macload, bits, width
  begin_strip nn_strip_c\width\()w\width\()o\bits\()_u4
  slli  x11, x6, 4
  addi  x11, x11, 8
  sw    x11, X_BYTES(sp)
  sub   x9, x0, x4
  slli  x7, x4, 1
  sub   x9, x9, x7
  addi  x9, x9, \bits / 2
  lw    x1, SHIFT(a0)
  lw    x8, COLUMNS(a0)
  lw    x6, BLOCKS(a0)
  .if \bits == 0
  begin_finished
  .endif
  .if (\bits > 0) && (\bits < 32)
  lw    x12, STRIPS(a0)
  slli  x13, x4, 2
  li    x14, \bits / 2
  mul   x14, x14, x6
  sub   x13, x13, x14
  sw    x12, X_STRIPS(sp)
  sw    x5, X_FILTERS(sp)
  sw    x6, X_BLOCKS(sp)
  sw    x13, X_OUT_NEXT(sp)
  .endif
  lw    x10, X_STEPS(sp)        // x10 is a0: read no more
  addi  x10, x10, -1
  .if \bits == 0
  sw    x10, X_STEPS(sp)
strip_block\@:
  lw    x10, X_STEPS(sp)        // nn_finish.S needs the registers
  .else
  .balign 16
strip_next\@:
  lp_setup 1, x6, strip_end\@
  .endif
  step_interleaved \dot, 4
  first_macload \macload
  lp_setup 0, x10, dots_end\@
  step_macload \macload
dots_end\@:
  addi  x5, x5, -16
  .if \bits == 0
  end_finished strip_block\@
  .elseif \bits == 32
  lw    x6, X_BYTES(sp)
  bias_all 4
  store_pixels 4, 32
  sub   x8, x8, x6
  .else
  requant_all 4, \bits
  pack_store_post \bits, 16, 17, 18, 19, 4
  pack_store_post \bits, 20, 21, 22, 23, 4
  pack_store_post \bits, 24, 25, 26, 27, 4
  sub   x8, x8, x11
  pack_store_post \bits, 28, 29, 30, 31, 9
  .endif
strip_end\@:
  .if (\bits > 0) && (\bits < 32)
  next_strip
  bnez  x12, strip_next\@
  .endif
  restore_all_and_return FRAME
  .size nn_strip_c\width\()w\width\()o\bits\()_u4, . - nn_strip_c\width\()w\width\()o\bits\()_u4
.endm

#ifndef XPULP_COREV
  .option norvc
  .irp bits, 8, 4, 2, 32, 0
  strip pv_dotusp_n, pv_mlsdotsup_n, \bits, 4
  strip pv_dotusp_c, pv_mlsdotsup_c, \bits, 2
  .endr
#endif
