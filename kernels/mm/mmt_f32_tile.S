// kernels/mm/mmt_f32_tile.S: blocks of C = A * B (+ C), A and B plain or transposed, float and
// 16-bit floats. C twin: mmt_f32_tile.c; argument block: struct mmt_tile of mmt_f32_tile.h.
//
// A block of U rows and V columns is kept in registers while k runs. Of each operand, either
//   lines   each row of A (column of B) is contiguous in k: one pointer per line, stepped once
//           per pass of KU steps (A plain, B transposed), or
//   steps   the values of one k are contiguous: one pointer, stepped once per k (A transposed,
//           B plain);
//   pitch   lines of MMT_TILE_PITCH floats (16 bits: MMT_TILE_PITCH_PAIRS pairs) behind each other:
//           one pointer, to the third, as offsets reach 2 kB either way;
//   packed  the values of one k are contiguous, those of the next one behind them, or of A
//           MMT_TILE_STEP floats from them: one pointer, stepped once per pass.
// The shorter side of the block is held in registers for a step, the longer one streams through
// what is left of f8-f15. With the pointers in x8-x15 all loads are compressed.
//
// What a block executes is kept together and within the 512 bytes of a core's instruction cache,
// or it would be fetched anew for every block; leftovers of k and C += are behind the end. So
// large float blocks start with a step that adds to a register of zero instead of clearing all (a
// slot for each accumulator saved), and KU is what fits beside that.
//
// The published kernels are there once more as they are: one step of k a pass, u2 two (nn1, nn2 ...).
//
// Slots per step of k: U + V loads, U * V multiply-adds, 1 per `steps` operand, and
// 1 / KU per pointer of a `lines` operand. Issue limits on 8 cores in MAC/clk (8 FMA/clk is the
// physical one), A x B:
//             1x1   2x2   2x4   4x2   4x4   4x6   6x4   5x5   1x8   8x1
//   plain     1.94  3.46  4.20  4.13  4.92  5.19  5.05  5.19  3.51  3.20
//   B transp. 2.46  3.76  4.34  4.34  4.92  4.92  4.92  5.00  3.53  3.53
//   A transp. 1.60  3.20  4.00  4.00  4.92  5.33  5.33  5.41  3.37  3.37
//
// Every element is summed in the order of k by fused multiply-adds from +0 or from C.
#include "mmt_f32_tiles.h"
#include "xpulp.S.h"

  .altmacro
  .set runs, 0
  .set pitch, 0
  .set packed, 0
  .set apart, 0
#ifdef XPULP_COREV
  .option norvc                // CORE-V loops take no compressed instructions
#endif

// Offsets in struct mmt_tile.
#define A      0
#define A_STEP 4
#define A_NEXT 8
#define B      12
#define B_STEP 16
#define B_NEXT 20
#define C      24
#define C_STEP 28
#define C_NEXT 32
#define K      36
#define BLOCKS 40
#define ADD    44
#define RUNS   48
#define A_JUMP 52
#define B_JUMP 56
#define FACTOR 60
#define RELU   60

// Accumulator of element i = V * u + v: f0-f7, f16-f31, and f15 when nothing streams through it.
#define ACC(i) ((i) + 8 * (((i) / 8 + 1) / 2) - 25 * ((i) / 24))
#define A_REG(u) (8 + (u) * a_held + (h + (u) % s) * (1 - a_held))
#define B_REG(v) (8 + (v) * (1 - a_held) + (h + (v) % s) * a_held)

// Values of a single line, held: f14-f17, f28-f31. The other lines go through f8-f13.
#define STRIP(i) (14 + (i) + 10 * ((i) / 4))

// One instruction each; in .altmacro a %(expression) argument arrives as its value.
.macro load freg, base, offset
  flw   f\freg, \offset(x\base)
.endm
.macro store freg, base, offset
  fsw   f\freg, \offset(x\base)
.endm
.macro fma_s acc, va, vb, from
  fmadd.s f\acc, f\va, f\vb, f\from
.endm
.macro fma_h acc, va, vb, from // from: acc
  vfdotpex_s_h f\acc, f\va, f\vb
.endm
.macro fma_ah acc, va, vb, from
  vfdotpex_s_ah f\acc, f\va, f\vb
.endm
// As a number in two's complement: a NaN of the float unit stays.
.macro put_max freg, offset
  fmv.x.w a3, f\freg
  p_max a3, a3, x0
  sw    a3, \offset(a2)
.endm
.macro clear freg
  fmv.w.x f\freg, x0
.endm
.macro put_s freg, offset
  fsw   f\freg, \offset(t2)
.endm
// Pairs of 16-bit elements may cross a word.
.macro put_pair_h even, odd, offset
  vfcpka_h_s f\even, f\even, f\odd
  fsw   f\even, \offset(t2)
.endm
.macro put_pair_ah even, odd, offset
  vfcpka_ah_s f\even, f\even, f\odd
  fsw   f\even, \offset(t2)
.endm
.macro put_h freg, offset
  fcvt_h_s f\freg, f\freg
  fsh   f\freg, t2, \offset
.endm
.macro put_ah freg, offset
  fcvt_ah_s f\freg, f\freg
  fsh   f\freg, t2, \offset
.endm
.macro get_s freg, offset
  flw   f\freg, \offset(t2)
.endm
.macro get_h freg, offset
  flh   f\freg, t2, \offset
  fcvt_s_h f\freg, f\freg
.endm
.macro get_ah freg, offset
  flh   f\freg, t2, \offset
  fcvt_s_ah f\freg, f\freg
.endm
.macro advance reg, by
  addi  x\reg, x\reg, \by
.endm
.macro add_to reg, from, other
  add   x\reg, x\from, \other
.endm

// Loads of one value; behind the last one of a `steps` operand its pointer moves on.
.macro load_a u, kk
  .if packed
  load %(A_REG(\u)), 8, %(4 * a_step * \kk + 4 * \u)
  .elseif pitch
  load %(A_REG(\u)), 8, %(4 * pitch * (\u - 2) + 4 * \kk)
  .elseif a_lines
  load %(A_REG(\u)), %(8 + \u), %(4 * \kk)
  .else
  load %(A_REG(\u)), 8, %(4 * \u)
    .if \u == rows - 1
    add_to 8, 8, t3
    .endif
  .endif
.endm
.macro load_b v, kk
  .if packed
  load %(B_REG(\v)), 9, %(4 * cols * \kk + 4 * \v)
  .elseif pitch
  load %(B_REG(\v)), 9, %(4 * pitch * (\v - 2) + 4 * \kk)
  .elseif b_lines
  load %(B_REG(\v)), %(8 + pa + \v), %(4 * \kk)
  .else
  load %(B_REG(\v)), %(8 + pa), %(4 * \v)
    .if \v == cols - 1
    add_to %(8 + pa), %(8 + pa), t4
    .endif
  .endif
.endm
.macro load_held i, kk
  .if a_held
  load_a \i, \kk
  .else
  load_b \i, \kk
  .endif
.endm
.macro load_streamed i, kk
  .if a_held
  load_b \i, \kk
  .else
  load_a \i, \kk
  .endif
.endm

// acc += a * b; in a block's first step acc = a * b + the last accumulator, which is zero then.
.macro product ty, acc, va, vb, start
  .if \start
  fma_\ty \acc, \va, \vb, %(ACC(rows * cols - 1))
  .else
  fma_\ty \acc, \va, \vb, \acc
  .endif
.endm

// One step of k.
.macro step ty, kk, start
  .set i, 0
  .rept h
  load_held %i, \kk
  .set i, i + 1
  .endr
  .set i, 0
  .rept s
  load_streamed %i, \kk
  .set i, i + 1
  .endr
  .set j, 0
  .rept streamed
    .set i, 0
    .rept h
    .if a_held
    product \ty, %(ACC(cols * i + j)), %(A_REG(i)), %(B_REG(j)), \start
    .else
    product \ty, %(ACC(cols * j + i)), %(A_REG(j)), %(B_REG(i)), \start
    .endif
    .set i, i + 1
    .endr
    .if j + s < streamed
    load_streamed %(j + s), \kk
    .endif
  .set j, j + 1
  .endr
.endm

// Two steps of a 1x1 block: all loads first, so that none is waited for.
.macro two_steps ty, kk
  load  8, 8, %(a_lines * 4 * \kk)
  .if !a_lines
  add_to 8, 8, t3
  .endif
  load  9, 9, %(b_lines * 4 * \kk)
  .if !b_lines
  add_to 9, 9, t4
  .endif
  load  10, 8, %(a_lines * (4 * \kk + 4))
  .if !a_lines
  add_to 8, 8, t3
  .endif
  load  11, 9, %(b_lines * (4 * \kk + 4))
  .if !b_lines
  add_to 9, 9, t4
  .endif
  fma_\ty 0, 8, 9, 0
  fma_\ty 0, 10, 11, 0
.endm

// The loop of the naive product: the pointers move while the loads are waited for.
.macro lone_step ty
  load_a 0, 0
  load_b 0, 0
  .if a_lines
  advance 8, 4
  .endif
  .if b_lines
  advance 9, 4
  .endif
  fma_\ty 0, %(A_REG(0)), %(B_REG(0)), 0
.endm

// n steps of a block of one column (row) and lines only: n values of the single line are held while
// the other lines pass one after the other. Cores in step then walk through the banks behind each
// other; load by load along k they would meet at one bank for ever if lines are a multiple of 16
// words apart.
.macro line_steps ty, n
  .set single, 8
  .set others, 9
  .if cols == 1
  .set single, 8 + pa
  .set others, 8
  .endif
  .set i, 0
  .rept \n
  load  %(STRIP(i)), %single, %(4 * i)
  .set i, i + 1
  .endr
  load  8, %others, 0
  .set i, 0
  .rept rows * cols * \n
    .if i + 1 < rows * cols * \n
    load  %(8 + (i + 1) % 6), %(others + (i + 1) / \n), %(4 * ((i + 1) % \n))
    .endif
  product \ty, %(ACC(i / \n)), %(8 + i % 6), %(STRIP(i % \n)), 0
  .set i, i + 1
  .endr
.endm

.macro steps ty, n
  .set kk, 0
  .if vector * \n > 1           // leftovers: step by step
  line_steps \ty, \n
  .elseif rows * cols == 1 && \n > 1
    .rept \n / 2
    two_steps \ty, %kk
    .set kk, kk + 2
    .endr
  .else
    .rept \n
    step \ty, %kk, 0
    .set kk, kk + 1
    .endr
  .endif
.endm

// Pointers of lines move on by `n` steps; the last instruction has four bytes, as a loop's has to.
.macro move_lines n
  .option push
  .set i, 0
  .rept moves
  .if i == moves - 1
  .option norvc
  .endif
  .if packed
  advance %(8 + i), %(4 * \n * (a_step + i * (cols - a_step)))
  .elseif a_lines
  advance %(8 + i), %(4 * \n)
  .else
  advance %(9 + i), %(4 * \n)
  .endif
  .set i, i + 1
  .endr
  .option pop
.endm

.macro pointers
  mv    x8, t0
  .set i, 1
  .rept pa - 1
  add_to %(8 + i), %(7 + i), t3
  .set i, i + 1
  .endr
  add_to %(8 + pa), 0, t1
  .set i, 1
  .rept pb - 1
  add_to %(8 + pa + i), %(7 + pa + i), t4
  .set i, i + 1
  .endr
.endm

.macro clear_all
  .set i, 0
  .rept rows * cols
  clear %(ACC(i))
  .set i, i + 1
  .endr
.endm

// Rows of C; t2 is left at the last one.
.macro put_c ty, bytes
  .set j, 0
  .rept rows
    .set i, 0
    .if \bytes == 2
    .rept cols / 2
    put_pair_\ty %(ACC(cols * j + i)), %(ACC(cols * j + i + 1)), %(2 * i)
    .set i, i + 2
    .endr
    .endif
    .rept cols - i
    put_\ty %(ACC(cols * j + i)), %(\bytes * i)
    .set i, i + 1
    .endr
  .set j, j + 1
    .if j < rows
    add   t2, t2, tp
    .endif
  .endr
.endm
.macro get_c ty, bytes
  .set j, 0
  .rept rows
    .set i, 0
    .rept cols
    get_\ty %(ACC(cols * j + i)), %(\bytes * i)
    .set i, i + 1
    .endr
  .set j, j + 1
    .if j < rows
    add   t2, t2, tp
    .endif
  .endr
  .rept rows - 1
  sub   t2, t2, tp
  .endr
.endm

// ra, s0-s4 (x8, x9, x18-x20), fs0-fs11 (f8, f9, f18-f27).
.macro callee_saved op, fop
  \op   ra, 0(sp)
  \op   s0, 4(sp)
  \op   s1, 8(sp)
  \op   s2, 12(sp)
  \op   s3, 16(sp)
  \op   s4, 20(sp)
  \fop  fs0, 24(sp)
  \fop  fs1, 28(sp)
  .if rows * cols > 10
  .irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
  \fop  fs\n, 24 + 4 * \n(sp)
  .endr
  .endif
.endm

// t0 A, t1 B, t2 C; t3, t4, tp their strides; s2, s3 to the next block, s4 from the last row of C to it; t5
// passes, t6 steps left over; a6 runs, s5 left, a7, s6 jumps; gp blocks; ra: not zero to add to C.
.macro enter
  addi  sp, sp, -80
  callee_saved sw, fsw
  lw    t0, A(a0)
  lw    t3, A_STEP(a0)
  lw    s2, A_NEXT(a0)
  lw    t1, B(a0)
  lw    t4, B_STEP(a0)
  lw    s3, B_NEXT(a0)
  lw    t2, C(a0)
  lw    tp, C_STEP(a0)
  lw    s4, C_NEXT(a0)
  lw    t6, K(a0)
  lw    gp, BLOCKS(a0)
  lw    ra, ADD(a0)
  .rept rows - 1
  sub   s4, s4, tp
  .endr
  .if relus
  lw    a1, RELU(a0)
  .endif
  .if pitch
  addi  t0, t0, 8 * pitch - 4 * (1 - quick)
  addi  t1, t1, 8 * pitch - 4 * (1 - quick)
  .endif
  .if ku == 1
  addi  t5, t6, -quick
  .else
  srli  t5, t6, ku / 4 + 1
  andi  t6, t6, ku - 1
  .endif
  .if pitch * (1 - quick)
  addi  t5, t5, 1
  .endif
  .if runs
  sw    s5, 72(sp)
  sw    s6, 76(sp)
  lw    a6, RUNS(a0)
  lw    a7, A_JUMP(a0)
  lw    s6, B_JUMP(a0)
  .endif
.endm

// a_lines, b_lines: how the operands lie; pa, pb: their pointers; h, s: registers held and
// streamed through; ku: steps per pass, from the bytes of a step; quick: a first step from zero.
.macro shape ty, AL, BL, U, V
  .set a_lines, \AL
  .set b_lines, \BL
  .set rows, \U
  .set cols, \V
  .set pa, 1
  .set pb, 1
  .if \AL
  .set pa, \U
  .endif
  .if \BL
  .set pb, \V
  .endif
  .set moves, \AL * \U + \BL * \V
  .set a_step, rows
  .if apart
  .set a_step, apart
  .endif
  .if pitch + packed
  .set pa, 1
  .set pb, 1
  .set moves, 2
  .endif
  .set a_held, 0
  .set h, \V
  .set streamed, \U
  .if \U <= \V
  .set a_held, 1
  .set h, \U
  .set streamed, \V
  .endif
  .set s, streamed
  .if s > 8 - h
  .set s, 8 - h
  .endif
  .if rows * cols > 24
  .set s, 7 - h
  .endif
  .set long, 0                 // pointers beyond x15: their loads take 4 bytes
  .if pa + pb > 8
  .set long, pa + pb - 8
  .endif
  .set vector, 0
  .if moves == rows + cols
    .if rows == 1
    .set vector, 1
    .elseif cols == 1
    .set vector, 1
    .endif
    .if rows * cols == 1
    .set vector, 0
    .endif
  .endif
  .set quick, 0
  .set relus, 0                // may end with a ReLU
  .ifc \ty, s
  .set relus, packed * (apart == 0)
    .if rows * cols >= 18 - 16 * (1 - \AL) * (1 - \BL) + 100 * runs
    .set quick, 1
    .endif
  .endif
  .set ku, (470 - 8 * \U * \V - 2 * moves) / (4 * \U * \V + 2 * (\U + \V + 2 - \AL - \BL + long))
  .if ku >= 8
  .set ku, 8
  .elseif ku >= 4
  .set ku, 4
  .else
  .set ku, 2
  .endif
  .if vector
  .set ku, 8
  .endif
  .if pitch
  .set ku, 2                   // loads take 4 bytes
  .endif
  .if quick
  .set ku, 2
    .if moves == 0
    .set ku, 1
    .endif
  .endif
  .if unroll
  .set ku, unroll
  .set quick, 0
  .set vector, 0
  .endif
.endm

// From the end of a run of k to the start of the next.
.macro jump_on
  .set i, 0
  .rept pa
  add_to %(8 + i), %(8 + i), a7
  .set i, i + 1
  .endr
  .rept pb
  add_to %(8 + i), %(8 + i), s6
  .set i, i + 1
  .endr
.endm

// What a block does between its pointers and its stores, one after the other; `id` makes labels.
// Lines of an odd number of floats begin with a step, those of pairs with half a pass; none is left
// over.
.macro run_pitch ty, id
  .if quick
  quick_step \ty
  lp_count 0, t5
  .balign 4
  .else
  clear_all
  lp_count 0, t5
  j     inside\id
  .balign 4
  .endif
loop\id:
  step  \ty, quick, 0
inside\id:
  step  \ty, %(1 + quick), 0
  move_lines 2
end\id:
.endm
.macro run_clear ty, id
  clear_all
start\id:
  .if runs
  mv    s5, a6
  j     run\id
next\id:
  jump_on
run\id:
  .endif
  .if ku > 1
  bnez  t6, rest\id
  .endif
passes\id:
  lp_count 0, t5
loop\id:
  .if ku * rows * cols == 1
  lone_step \ty
  .else
  steps \ty, %ku
  move_lines %ku
  .endif
end\id:
  .if runs
  addi  s5, s5, -1
  bnez  s5, next\id
  .endif
.endm
.macro run_quick ty, id
  quick_step \ty
  .if ku == 1
  beqz  t5, end\id
  lp_count 0, t5
loop\id:
  step  \ty, 0, 0
  .else
  bnez  t6, odd\id
  lp_count 0, t5
  j     inside\id             // the first pass is half done
loop\id:
  step  \ty, 0, 0
inside\id:
  step  \ty, 1, 0
  move_lines 2
  .endif
end\id:
.endm
.macro quick_step ty
  clear %(ACC(rows * cols - 1))
  step  \ty, 0, 1
.endm

// Behind the end: C += and leftovers of k, which come first.
.macro beside_clear ty, bytes, id
special\id:
  get_c \ty, \bytes
  j     start\id
  .if ku > 1
rest\id:
  lp_setup 1, t6, rest_end\id
  steps \ty, 1
  move_lines 1
rest_end\id:
  bnez  t5, passes\id
  j     end\id
  .endif
.endm
.macro beside_quick ty, bytes, id
special\id:
  .if ku == 1
  get_c \ty, \bytes
  addi  t6, t5, 1
  lp_count 0, t6
  j     loop\id
  .else
  get_c \ty, \bytes
  beqz  t6, even\id
  step  \ty, 0, 0
odd\id:
  move_lines 1
even\id:
  lp_count 0, t5
  bnez  t5, loop\id
  j     end\id
  .endif
.endm

// What C holds + factor * sums. Loads and stores of two bytes: all in all it has to be short, as a
// block is beyond the cache already.
.macro add_pitch
  flw   f8, FACTOR(a0)
  mv    a1, t2
  .set j, 0
  .rept rows
    .set i, 0
    .rept cols
    load  %(9 + i), 11, %(4 * i)
    .set i, i + 1
    .endr
    .set i, 0
    .rept cols
    fma_s %(9 + i), 8, %(ACC(cols * j + i)), %(9 + i)
    .set i, i + 1
    .endr
    .set i, 0
    .rept cols
    store %(9 + i), 11, %(4 * i)
    .set i, i + 1
    .endr
  .set j, j + 1
    .if j < rows
    add   a1, a1, tp
    .endif
  .endr
  mv    t2, a1
.endm

// Of the sums what is more than +0, or a NaN, or else +0; as short.
.macro put_relu
  mv    a2, t2
  .set j, 0
  .rept rows
    .set i, 0
    .rept cols
    put_max %(ACC(cols * j + i)), %(4 * i)
    .set i, i + 1
    .endr
  .set j, j + 1
    .if j < rows
    add   a2, a2, tp
    .endif
  .endr
  mv    t2, a2
.endm
.macro beside_put id
put\id:
  put_c s, 4
  j     next\id
.endm

.macro tile ty, bytes, layout, AL, BL, U, V
  .section .text.mmt_tile_\ty\()_\layout\()_\U\()x\V, "ax"
  .balign 16
  tile_here \ty, \bytes, \layout, \AL, \BL, \U, \V
.endm
.macro tile_here ty, bytes, layout, AL, BL, U, V
  .globl mmt_tile_\ty\()_\layout\()_\U\()x\V
  .type mmt_tile_\ty\()_\layout\()_\U\()x\V, @function
mmt_tile_\ty\()_\layout\()_\U\()x\V:
  shape \ty, \AL, \BL, \U, \V
  tile_body \ty, \bytes, _\ty\()_\layout\()_\U\()_\V
  .size mmt_tile_\ty\()_\layout\()_\U\()x\V, . - mmt_tile_\ty\()_\layout\()_\U\()x\V
.endm

.macro tile_body ty, bytes, id
  enter
  lp_starti 0, loop\id
  lp_endi 0, end\id
  .balign 16
block\id:
  pointers
  .if pitch == 0
  bnez  ra, special\id
  .endif
  .if pitch
  run_pitch \ty, \id
  .elseif quick
  run_quick \ty, \id
  .else
  run_clear \ty, \id
  .endif
  .if pitch * quick
  beqz  ra, put\id
  add_pitch
next\id:
  .elseif relus
  beqz  a1, put\id
  put_relu
next\id:
  .else
  put_c \ty, \bytes
  .endif
  add   t0, t0, s2
  add   t1, t1, s3
  add   t2, t2, s4
  addi  gp, gp, -1
  bnez  gp, block\id
  .if runs
  lw    s5, 72(sp)
  lw    s6, 76(sp)
  .endif
  callee_saved lw, flw
  addi  sp, sp, 80
  ret
  .if pitch * quick + relus
  beside_put \id
  .endif
  .if pitch
  .elseif quick
  beside_quick \ty, \bytes, \id
  .else
  beside_clear \ty, \bytes, \id
  .endif
.endm

// Unrolled as far as the instruction cache allows (0), or as the published kernels are.
.macro tile_unrolled U, V
  .if \U == 4 && \V >= 5
  .exitm                       // below
  .endif
  .set unroll, 0
  tile s, 4, nn, 1, 0, \U, \V
  tile s, 4, nt, 1, 1, \U, \V
  tile s, 4, tn, 0, 0, \U, \V
  tile h, 2, nt, 1, 1, \U, \V
  tile h, 2, tn, 0, 0, \U, \V
  tile ah, 2, nt, 1, 1, \U, \V
  tile ah, 2, tn, 0, 0, \U, \V
.endm

// The blocks that the default kernel uses most, side by side, the layouts 3 kB apart: each has the
// same place in the shared instruction cache (1 kB a way), and link.ld puts what calls them at others.
.macro main_tiles ty, bytes, layout, AL, BL
  .section .text.mmt_main_tiles, "ax"
  .balign 16
main_\ty\()_\layout:
  tile_here \ty, \bytes, \layout, \AL, \BL, 4, 6
  .balign 16
  tile_here \ty, \bytes, \layout, \AL, \BL, 4, 5
  .org  main_\ty\()_\layout + 3072
.endm
  .set unroll, 0
  main_tiles s, 4, tn, 0, 0
  main_tiles s, 4, nn, 1, 0
  main_tiles s, 4, nt, 1, 1
  main_tiles h, 2, tn, 0, 0
  main_tiles ah, 2, tn, 0, 0
  main_tiles h, 2, nt, 1, 1
  main_tiles ah, 2, nt, 1, 1

.macro tile_published U, V
  .set unroll, 1
  tile s, 4, nn1, 1, 0, \U, \V
  tile s, 4, nt1, 1, 1, \U, \V
  tile s, 4, tn1, 0, 0, \U, \V
.endm
#define TILE(kind, U, V) tile_##kind U, V;
MMT_TILES(TILE, unrolled)
MMT_TILES_PUBLISHED(TILE, published)
  .set unroll, 2
  tile s, 4, nn2, 1, 0, 1, 1
  tile s, 4, nt2, 1, 1, 1, 1
  tile s, 4, tn2, 0, 0, 1, 1

// For convolutions without im2col: k in runs (an outer loop), between which the pointers jump.
.macro tile_in_runs U, V
  .set unroll, 0
  tile s, 4, tnr, 0, 0, \U, \V
  tile h, 2, tnr, 0, 0, \U, \V
  tile ah, 2, tnr, 0, 0, \U, \V
  .if \V > 4
  .exitm
  .endif
  tile s, 4, ntr, 1, 1, \U, \V
  tile h, 2, ntr, 1, 1, \U, \V
  tile ah, 2, ntr, 1, 1, \U, \V
.endm
  .set runs, 1
MMT_TILES_IN_RUNS(TILE, in_runs)
MMT_TILES_IN_WIDE_RUNS(TILE, in_runs)

// Steps of a block one behind the other.
.macro tile_packed U, V
  .set unroll, 0
  tile s, 4, tnp, 1, 1, \U, \V
  tile h, 2, tnp, 1, 1, \U, \V
  tile ah, 2, tnp, 1, 1, \U, \V
.endm
  .set runs, 0
  .set packed, 1
MMT_TILES_PACKED(TILE, packed)

// A is a few columns of a matrix.
.macro tile_stepped U, V
  .set unroll, 0
  tile s, 4, tns, 1, 1, \U, \V
.endm
  .set apart, MMT_TILE_STEP
MMT_TILES_PACKED(TILE, stepped)
  .set apart, 0
  .set packed, 0

// For gradients of weights: lines one behind the other, so that one pointer serves them all.
.macro tile_of_pitch U, V
  .set unroll, 0
  tile s, 4, ntp, 1, 1, \U, \V
.endm
  .set pitch, MMT_TILE_PITCH
MMT_TILES_OF_PITCH(TILE, of_pitch)

.macro tile_of_pitch_pairs U, V
  .set unroll, 0
  tile h, 2, ntp, 1, 1, \U, \V
  tile ah, 2, ntp, 1, 1, \U, \V
.endm
  .set pitch, MMT_TILE_PITCH_PAIRS
MMT_TILES_OF_PITCH_PAIRS(TILE, of_pitch_pairs)
