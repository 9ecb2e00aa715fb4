// kernels/mm/mm_i8_base.S: the functions of mm_i8_base.h, one macro for all. Nothing is unrolled
// along K: what is measured is the step itself. Slots of a step (4 bytes of K with SIMD, else 1) of
// a U x V block:
//
//   U + V loads, U V dot products (without SIMD 2 U V: mul, add)
//   + U + V without post-increment, + 1 without hardware loop, whose taken branch costs 2 more cycles
//
// x16 + 2u + v: sums; x8 + u, x24 + v: pointers; x12 + u, x6 + v: operands; x26: C; x27: blocks;
// x28, x29, x30, x31: strides of A, B and C, and the steps of K.
#include "block_i8.inc"

// A hardware loop ends at a whole word, so no compressed instructions; in all variants, so that they
// differ in nothing else.
  .option norvc

// struct mm_i8_strip
#define A        0
#define A_STRIDE 4
#define B        8
#define B_STRIDE 12
#define C        16
#define C_STRIDE 20
#define WORDS    24
#define BLOCKS   32
#define FRAME    64

.macro base_load simd, post, r, p
  .if \simd && \post
  p_lw_post x\r, x\p, 4
  .elseif \simd
  lw    x\r, 0(x\p)
  .elseif \post
  p_lb_post x\r, x\p, 1
  .else
  lb    x\r, 0(x\p)
  .endif
.endm

.macro base_loads simd, post, count, r, p
  .set n, 0
  .rept \count
  base_load \simd, \post, %(\r + n), %(\p + n)
  .set n, n + 1
  .endr
.endm

.macro base_next p, step
  addi  x\p, x\p, \step
.endm
.macro base_nexts count, p, step
  .set n, 0
  .rept \count
  base_next %(\p + n), \step
  .set n, n + 1
  .endr
.endm

.macro base_mac simd, acc, a, b
  .if \simd
  pv_sdotsp_b x\acc, x\a, x\b
  .else
  mul   x1, x\a, x\b
  add   x\acc, x\acc, x1
  .endif
.endm

.macro base_step U, V, simd, post
  base_loads \simd, \post, \U, 12, 8
  base_loads \simd, \post, \V, 6, 24
  .if !\post
  base_nexts \U, 8, 1 + 3 * \simd
  base_nexts \V, 24, 1 + 3 * \simd
  .endif
  .set v, 0
  .rept \V
  .set u, 0
  .rept \U
  base_mac \simd, %(16 + 2 * u + v), %(12 + u), %(6 + v)
  .set u, u + 1
  .endr
  .set v, v + 1
  .endr
.endm

// The first of `count` pointers is set; the others follow at `stride`.
.macro base_pointer p, q, stride
  add   x\q, x\p, x\stride
.endm
.macro base_pointers count, p, stride
  .set n, 1
  .rept \count - 1
  base_pointer %(\p + n - 1), %(\p + n), \stride
  .set n, n + 1
  .endr
.endm

.macro base_clear r
  addi  x\r, x0, 0
.endm
.macro base_store r, offset
  sw    x\r, \offset(x1)
.endm

.macro base_function name, U, V, simd, post, loop
  .section .text.\name, "ax"
  .balign 16
  .globl \name
  .type \name, @function
\name:
  save_all FRAME
  lw    x28, A_STRIDE(a0)
  lw    x29, B_STRIDE(a0)
  lw    x30, C_STRIDE(a0)
  lw    x31, WORDS(a0)
  lw    x27, BLOCKS(a0)
  lw    x26, C(a0)
  lw    x4, B(a0)
  lw    x5, A(a0)              // read no more: x10 is a0
  .if !\simd
  slli  x31, x31, 2
  .endif
\name\()_block:
  addi  x8, x5, 0
  base_pointers \U, 8, 28
  addi  x24, x4, 0
  base_pointers \V, 24, 29
  .set n, 0
  .rept 2 * \U
  base_clear %(16 + n)
  .set n, n + 1
  .endr
  .if \loop
  lp_setup 0, x31, \name\()_end
  base_step \U, \V, \simd, \post
\name\()_end:
  .else
  addi  x3, x31, 0
\name\()_step:
  addi  x3, x3, -1
  base_step \U, \V, \simd, \post
  bne   x3, x0, \name\()_step
  .endif
  addi  x1, x26, 0
  .set u, 0
  .rept \U
  .set v, 0
  .rept \V
  base_store %(16 + 2 * u + v), %(4 * v)
  .set v, v + 1
  .endr
  add   x1, x1, x30
  .set u, u + 1
  .endr
  addi  x26, x26, 4 * \V
  .rept \V
  add   x4, x4, x29
  .endr
  addi  x27, x27, -1
  bne   x27, x0, \name\()_block
  restore_all_and_return FRAME
  .size \name, . - \name
.endm

#define MM_I8_BASE(u, v, simd, post, loop, name)                                                         \
  base_function mm_i8_base_##u##x##v##_##simd##post##loop, u, v, simd, post, loop;
#include "mm_i8_base.def"
