// kernels/mm/mm_i8_strip.S: U rows of C = A * B, int8 in, int32 out, block after block along the
// columns. Called with a struct mm_i8_strip (mm_i8_strip.h) in a0; C twin: mm_i8_strip.c.
//
// Slots of a full block, W = K / 4 words: 4x4 24 W + 26, 4x2 14 W + 19. For K = 64 that is 410
// for 1024 MAC (19.98 MAC/clk on 8 cores) and 243 for 512 (16.9).
#include "block_i8.inc"

// struct mm_i8_strip
#define A        0
#define A_STRIDE 4
#define B        8
#define B_STRIDE 12
#define C        16
#define C_STRIDE 20
#define WORDS    24
#define TAIL     28
#define BLOCKS   32

// Stack frame
#define FRAME 80
#define COUNT 0 // words - 1
#define BYTES 4 // 4 * words
#define BACK  8 // TAIL: 4 - bytes
#define SHIFT 12 // 8 * BACK
#define NEXT  16 // plain: from a row of B to the next pair's
  .set V, 4

.macro store_word r, offset, base
  sw    x\r, \offset(x\base)
.endm
.macro store_row u, columns, base
  .set v, 0
  .rept \columns
  store_word %(16 + 4 * \u + v), %(4 * v), \base
  .set v, v + 1
  .endr
.endm

// x3 = C's block, x4 = its row stride; moves on to the next block.
.macro store_block U, columns
  store_row 0, \columns, 3
  .if \U > 1
  add   x12, x3, x4
  store_row 1, \columns, 12
  .endif
  .if \U > 2
  add   x13, x12, x4
  store_row 2, \columns, 13
  .endif
  .if \U > 3
  add   x14, x13, x4
  store_row 3, \columns, 14
  .endif
  addi  x3, x3, 4 * \columns
.endm

.macro enter U
  save_all FRAME
  lw    x6, WORDS(a0)
  lw    x5, B(a0)
  lw    x3, C(a0)
  addi  x7, x6, -1
  slli  x1, x6, 2
  sw    x7, COUNT(sp)
  sw    x1, BYTES(sp)
  lw    x4, C_STRIDE(a0)
  lw    x8, A(a0)
  lw    x7, A_STRIDE(a0)
  lw    x6, BLOCKS(a0)
  .if \U > 1
  add   x9, x8, x7
  .endif
  .if \U > 2
  add   x10, x9, x7            // x10 is a0: read no more
  .endif
  .if \U > 3
  add   x11, x10, x7
  .endif
.endm

.macro function name
  .section .text.\name, "ax"
  .balign 16
  .globl \name
  .type \name, @function
\name:
.endm

// B in panels, K a multiple of 4 bytes.
.macro strip_packed U
  function mm_i8_strip_4x4_u\U
  enter \U
  lp_setup 1, x6, strip_packed_end\U
  block_dots packed, pv_dotsp_b, pv_sdotsp_b, \U, COUNT
  lw    x1, BYTES(sp)
  store_block \U, 4
  rows_back \U, 1
strip_packed_end\U:
  restore_all_and_return FRAME
  .size mm_i8_strip_4x4_u\U, . - mm_i8_strip_4x4_u\U
.endm

// B in panels, 1..3 bytes of K beyond the whole words.
.macro strip_tail U
  function mm_i8_strip_4x4_tail_u\U
  lw    x5, TAIL(a0)
  addi  x6, x0, 4
  sub   x6, x6, x5
  sw    x6, BACK - FRAME(sp)   // the frame to come
  slli  x6, x6, 3
  sw    x6, SHIFT - FRAME(sp)
  enter \U
  lp_setup 1, x6, strip_tail_end\U
  block_dots packed, pv_dotsp_b, pv_sdotsp_b, \U, COUNT
  sw    x3, 20(sp)
  lw    x1, BACK(sp)
  lw    x3, SHIFT(sp)
  load_word 6, 5
  load_word 7, 5
  tail_rows \U
  tail_shifts \U
  dot_panel pv_sdotsp_b, \U
  lw    x3, 20(sp)
  lw    x1, BYTES(sp)
  store_block \U, 4
  rows_back \U, 1
strip_tail_end\U:
  restore_all_and_return FRAME
  .size mm_i8_strip_4x4_tail_u\U, . - mm_i8_strip_4x4_tail_u\U
.endm

// B plain: a row of K bytes for each column, two columns at a time.
.macro strip_plain U
  function mm_i8_strip_4x2_u\U
  lw    x5, B_STRIDE(a0)
  lw    x6, WORDS(a0)
  slli  x5, x5, 1
  slli  x6, x6, 2
  sub   x5, x5, x6
  sw    x5, NEXT - FRAME(sp)   // the frame to come
  lw    x15, B_STRIDE(a0)
  enter \U
  add   x18, x5, x15
  lp_setup 1, x6, strip_plain_end\U
  block_dots plain, pv_dotsp_b, pv_sdotsp_b, \U, COUNT
  lw    x1, BYTES(sp)
  lw    x6, NEXT(sp)
  store_block \U, 2
  rows_back \U, 1
  add   x5, x5, x6
  add   x18, x18, x6
strip_plain_end\U:
  restore_all_and_return FRAME
  .size mm_i8_strip_4x2_u\U, . - mm_i8_strip_4x2_u\U
.endm

  .option norvc
  .irp U, 1, 2, 3, 4
  strip_packed \U
  strip_tail \U
  strip_plain \U
  .endr
