// kernels/mm/mm_f32_strip.S: a column strip of C = A * B, float: V columns, block after block of U
// rows. C twin: mm_f32_strip.c.
//
//   void mm_f32_strip_<layout>_<U>x<V>(const float *a, uint32_t lda, const float *b, uint32_t ldb,
//                                      uint32_t k, float *c, uint32_t ldc, uint32_t blocks)
//
// Strides in bytes; k, blocks >= 1. Layout n: B as it is, step k at b + k * ldb. Layout p: a
// panel (ldb is not read). Layout f: as n, one block, and B's values are also stored as a panel, at
// the last argument. Every element is summed in the order of k by fused multiply-adds from
// +0, so all variants give the same bits.
//
// A panel holds the V values of a step side by side; but with V = 4, steps that fill groups of 8 are
// stored, four at a time, column by column. A step's four words then lie 4 banks apart, and step by
// step they move on by one bank, as the words of A do: cores out of step by a few cycles
// never meet at a bank again. (Side by side, they would move 4 banks where A moves one.)
//
// A step of k takes U + V loads, U * V multiply-adds and, in layout n, one step of B's pointer;
// every KU steps the pointers into A move on (layout p: and B's). Slots per KU steps:
//   n: KU * (U + V + U * V + 1) + U          p: KU * (U + V + U * V) + U + 1
// Limits on 8 cores in MAC/clk: n1x1 1.98 (KU 32), n2x4 4.20 (8), n4x4 4.92 (4), n6x4 5.05 (2),
// p2x4 4.45 (8).
//
// Registers: the values of A, then those of B in f8-f15, the accumulators in the others: with
// pointers in x8-x15 all loads are compressed instructions, and a loop of 8 steps of 2x4 with its
// surroundings fits the 512 bytes of a core's instruction cache.
#include "xpulp.S.h"

  .altmacro

#define ACC(i)   (i) + 8 * (((i) / 8 + 1) / 2)
#define ROW(u)   8 + u
#define COL(v)   8 + \U + (v) % \NB

#ifdef XPULP_COREV
  .option norvc                // CORE-V loops take no compressed instructions
#endif

// One instruction each; in .altmacro a %(expression) argument arrives as its value.
.macro load freg, base, offset
  flw   f\freg, \offset(x\base)
.endm
.macro fma acc, va, vb
  fmadd.s f\acc, f\va, f\vb, f\acc
.endm
.macro fma_first acc, va, vb
  fmadd.s f\acc, f\va, f\vb, f31
.endm
.macro clear freg
  fmv.w.x f\freg, x0
.endm
.macro store freg, base, offset
  fsw   f\freg, \offset(x\base)
.endm
.macro advance reg, by
  addi  x\reg, x\reg, \by
.endm
.macro add_to reg, from, other
  add   x\reg, x\from, \other
.endm

// Offset of column v of step kk in a panel: `transposed` is 1 in groups of 8 steps of 4 columns.
#define SIDE_BY_SIDE(kk, v) (\V * (kk) + (v))
#define BY_COLUMNS(kk, v)   (16 * ((kk) / 4) + 4 * (v) + (kk) % 4)
#define PANEL(kk, v) \
  (4 * (BY_COLUMNS(kk, v) * transposed + SIDE_BY_SIDE(kk, v) * (1 - transposed)))

// The columns of a step. B's first NB values are loaded; each further one takes the register of the
// column just used up. In a panel NB is V. `fma`: adds to the sums, or (fma_first) starts them.
.macro columns U, V, NB, fma
  .set v, 0
  .rept \V
    .set u, 0
    .rept \U
    \fma %(ACC(\V * u + v)), %(ROW(u)), %(COL(v))
    .set u, u + 1
    .endr
    .if v + \NB < \V
    load %(COL(v)), %(8 + \U), %(4 * (v + \NB))
    .endif
  .set v, v + 1
  .endr
.endm

.macro step layout, U, V, NB, kk, fma
  .set u, 0
  .rept \U
  load %(ROW(u)), %(8 + u), %(4 * \kk)
  .set u, u + 1
  .endr
  .set v, 0
  .rept \NB
    .ifc \layout, p
    load %(COL(v)), %(8 + \U), %(PANEL(\kk, v))
    .else
    load %(COL(v)), %(8 + \U), %(4 * v)
    .endif
  .set v, v + 1
  .endr
  .ifnc \layout, p
  .if \NB == \V                // between the last load and its use
  add_to %(8 + \U), %(8 + \U), t3
  .endif
  .endif
  columns \U, \V, \NB, \fma
  .ifnc \layout, p
  .if \NB < \V
  add_to %(8 + \U), %(8 + \U), t3
  .endif
  .endif
  .ifc \layout, f
  .set v, 0
  .rept \V
  store %(COL(v)), %(9 + \U), %(PANEL(\kk, v))
  .set v, v + 1
  .endr
  .endif
.endm

// `entry` is a label behind the first step, for a block that starts there.
.macro steps layout, U, V, NB, KU, entry
  .set transposed, 0
  .if \V * \KU == 32
  .set transposed, 1
  .endif
  .set kk, 0
  .rept \KU
  step \layout, \U, \V, \NB, %kk, fma
  .set kk, kk + 1
    .ifnb \entry
    .if kk == 1
\entry:
    .endif
    .endif
  .endr
  .option norvc                // a loop's last instruction has 4 bytes
  .ifc \layout, p
  advance %(8 + \U), 4 * \V * \KU
  .endif
  .ifc \layout, f
  advance %(9 + \U), 4 * \V * \KU
  .endif
  .set u, 0
  .rept \U
  advance %(8 + u), 4 * \KU
  .set u, u + 1
  .endr
.endm

.macro loop layout, U, V, NB, KU, count
  .option push
  lp_setup 0, \count, loop_end\@
  steps \layout, \U, \V, \NB, \KU
loop_end\@:
  .option pop
.endm

// Pointers to the block's rows and to B.
.macro pointers U
  mv    x8, t0
  .set u, 1
  .rept \U - 1
  add_to %(8 + u), %(8 + u - 1), t1
  .set u, u + 1
  .endr
  add_to %(8 + \U), 0, t2
.endm

// From the end of a block's rows to the next block: gp is U * lda less the bytes of a row.
.macro pointers_on U
  .set u, 0
  .rept \U
  add_to %(8 + u), %(8 + u), gp
  .set u, u + 1
  .endr
  add_to %(8 + \U), 0, t2
.endm

.macro clear_all U, V
  .set i, 0
  .rept \U * \V
  clear %(ACC(i))
  .set i, i + 1
  .endr
.endm

.macro store_all U, V
  .set u, 0
  .rept \U
    .set v, 0
    .rept \V
    store %(ACC(\V * u + v)), 16, %(4 * v)
    .set v, v + 1
    .endr
  .set u, u + 1
  .if u == \U                  // the last of a loop's body: 4 bytes
  .option push
  .option norvc
  .endif
  add   a6, a6, a7
  .endr
  .option pop
.endm

// s0, s1 (x8, x9), fs0, fs1 (f8, f9) and, for more than 10 accumulators, fs2-fs11 (f18-f27).
.macro callee_saved op, fop, U, V
  \op   s0, 0(sp)
  \op   s1, 4(sp)
  \fop  fs0, 8(sp)
  \fop  fs1, 12(sp)
  .if \U * \V > 10
  .irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
  \fop  fs\n, 8 + 4 * \n(sp)
  .endr
  .endif
.endm

// t0 A's block, t1 lda, gp U * lda, t2 B, t3 ldb, t4 passes of KU steps, t5 steps left over,
// a6 C, a7 ldc, t6 blocks.
.macro enter U, V, KU
  addi  sp, sp, -64
  callee_saved sw, fsw, \U, \V
  .if \KU == 32
  srli  t4, a4, 5
  andi  t5, a4, 31
  .elseif \KU == 8
  srli  t4, a4, 3
  andi  t5, a4, 7
  .elseif \KU == 4
  srli  t4, a4, 2
  andi  t5, a4, 3
  .else
  li    t6, \KU
  divu  t4, a4, t6
  remu  t5, a4, t6
  .endif
  li    t6, \U
  mul   gp, t6, a1
  mv    t0, a0
  mv    t1, a1
  mv    t2, a2
  mv    t3, a3
  mv    t6, a7
  mv    a7, a6
  mv    a6, a5
.endm

.macro function name
  .section .text.\name, "ax"
  .balign 16
  .globl \name
  .type \name, @function
\name:
.endm

.macro leave U, V
  callee_saved lw, flw, \U, \V
  addi  sp, sp, 64
  ret
.endm

// Any k: passes of KU steps, then single ones.
.macro blocks layout, U, V, NB, KU, name
block_\name:
  pointers \U
  add   t0, t0, gp             // the next block
  clear_all \U, \V
  beqz  t4, rest_\name
  loop \layout, \U, \V, \NB, \KU, t4
rest_\name:
  beqz  t5, store_\name
  loop \layout, \U, \V, \NB, 1, t5
store_\name:
  addi  t6, t6, -1
  store_all \U, \V
  bnez  t6, block_\name
.endm

.macro clearing_blocks layout, U, V, NB, KU, name
  lp_setup 1, t6, leave_\name
  pointers_on \U
  clear_all \U, \V
  loop \layout, \U, \V, \NB, \KU, t4
.endm

// k a multiple of KU: the blocks are a hardware loop too. The first step starts the sums (there is a
// register to spare for a zero, f31), then enters the loop behind its own first step: cheaper
// than clearing the accumulators, if there is more than one. CORE-V takes no jump in a loop, so it
// clears.
.macro whole_blocks layout, U, V, NB, KU, name
  slli  a4, a4, 2
  sub   gp, gp, a4
  pointers \U
  sub   x8, x8, gp
  .set u, 1
  .rept \U - 1
  back_one %(8 + u)
  .set u, u + 1
  .endr
#ifdef XPULP_COREV
  clearing_blocks \layout, \U, \V, \NB, \KU, \name
#else
  .if \U * \V == 1
  clearing_blocks \layout, \U, \V, \NB, \KU, \name
  .else
  fmv.w.x f31, x0
  lp_starti 0, first_\name
  lp_endi 0, last_\name
  lp_setup 1, t6, leave_\name
  pointers_on \U
  lp_count 0, t4
  .set transposed, 1           // no matter in the first step but for a panel, where it is so
  step \layout, \U, \V, \NB, 0, fma_first
  .option push
  .option norvc                // clang counts bytes only past jumps of fixed length
  j     entry_\name
  .option pop
first_\name:
  .option push
  steps \layout, \U, \V, \NB, \KU, entry_\name
last_\name:
  .option pop
  .endif
#endif
  store_all \U, \V
leave_\name:
  leave \U, \V
.endm
.macro back_one reg
  sub   x\reg, x\reg, gp
.endm

// NB: how many of B's values are in registers at a time, min(V, 8 - U). With `whole` (at most 16
// accumulators), a second path for k a multiple of KU.
.macro strip layout, U, V, NB, KU, whole
  function mm_f32_strip_\layout\()_\U\()x\V
  enter \U, \V, \KU
  .ifc \layout, p
  li    t3, 4 * \V             // single steps walk the panel as rows of B
  .endif
  .ifnb \whole
  bnez  t5, block_\layout\U\V
  whole_blocks \layout, \U, \V, \NB, \KU, \layout\U\V
  .endif
  blocks \layout, \U, \V, \NB, \KU, \layout\U\V
  leave \U, \V
  .size mm_f32_strip_\layout\()_\U\()x\V, . - mm_f32_strip_\layout\()_\U\()x\V
.endm

  strip n, 1, 1, 1, 32, whole
  strip n, 1, 2, 2, 8
  strip n, 1, 3, 3, 8
  strip n, 1, 4, 4, 8
  strip n, 2, 1, 1, 8
  strip n, 2, 2, 2, 8
  strip n, 2, 3, 3, 8
  strip n, 2, 4, 4, 8
  strip n, 3, 1, 1, 8
  strip n, 3, 2, 2, 6
  strip n, 3, 3, 3, 5
  strip n, 3, 4, 4, 5
  strip n, 4, 1, 1, 8
  strip n, 4, 2, 2, 5
  strip n, 4, 3, 3, 4
  strip n, 4, 4, 4, 4, whole
  strip n, 5, 1, 1, 6
  strip n, 5, 2, 2, 5
  strip n, 5, 3, 3, 4
  strip n, 5, 4, 3, 3
  strip n, 6, 1, 1, 5
  strip n, 6, 2, 2, 4
  strip n, 6, 3, 2, 3
  strip n, 6, 4, 2, 2

  strip p, 1, 1, 1, 8
  strip p, 1, 2, 2, 8
  strip p, 1, 3, 3, 8
  strip p, 1, 4, 4, 8
  strip p, 2, 1, 1, 8
  strip p, 2, 2, 2, 8
  strip p, 2, 3, 3, 8
  strip p, 2, 4, 4, 8, whole

// The first block of a panel: 2 x 4, any k.
  function mm_f32_strip_f_2x4
  enter 2, 4, 8
  mv    x11, t6                // the panel
  li    t6, 1
  blocks f, 2, 4, 4, 8, f24
  leave 2, 4
  .size mm_f32_strip_f_2x4, . - mm_f32_strip_f_2x4

// void mm_f32_pack4(float *panel, const float *b, uint32_t ldb, uint32_t k): a panel of four columns,
// nine slots a step.
.macro pack_word reg, offset
  sw    \reg, \offset(a0)
.endm
.macro pack_step kk, V
  lw    t0, 0(a1)
  lw    t1, 4(a1)
  lw    t2, 8(a1)
  lw    t3, 12(a1)
  add   a1, a1, a2
  pack_word t0, %(PANEL(\kk, 0))
  pack_word t1, %(PANEL(\kk, 1))
  pack_word t2, %(PANEL(\kk, 2))
  pack_word t3, %(PANEL(\kk, 3))
.endm
.macro pack_steps KU, count
  .set transposed, \KU / 8
  beqz  \count, packed_\KU
  lp_setup 0, \count, packed_\KU
  .set kk, 0
  .rept \KU
  pack_step %kk, 4
  .set kk, kk + 1
  .endr
  addi  a0, a0, 16 * \KU
packed_\KU:
.endm

  .option norvc
  function mm_f32_pack4
  srli  t4, a3, 3
  andi  t5, a3, 7
  pack_steps 8, t4
  pack_steps 1, t5
  ret
  .size mm_f32_pack4, . - mm_f32_pack4
