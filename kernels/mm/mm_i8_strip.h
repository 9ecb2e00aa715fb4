// kernels/mm/mm_i8_strip.h: the inner loops of mm_i8.c: a strip is 1..4 rows of C over several
// column blocks. In assembly on the target (mm_i8_strip.S), in C on the host (mm_i8_strip.c).
#ifndef MM_I8_STRIP_H
#define MM_I8_STRIP_H

#include <stddef.h>
#include <stdint.h>

struct mm_i8_strip { // the assembly knows these offsets
  const int8_t *a;
  uint32_t a_stride; // bytes from row to row
  const int8_t *b;   // panels (4x4), or one row of K bytes per column (4x2)
  uint32_t b_stride; // 4x2: bytes from column to column
  int32_t *c;
  uint32_t c_stride; // bytes from row to row
  uint32_t words;    // K / 4, at least 2
  uint32_t tail;     // K % 4, for the _tail functions: 1..3
  uint32_t blocks;   // of 4 or 2 columns, at least 1
};

typedef void mm_i8_strip_fn(const struct mm_i8_strip *strip);

// Index: rows - 1.
extern mm_i8_strip_fn *const mm_i8_strip_4x4[4];
extern mm_i8_strip_fn *const mm_i8_strip_4x4_tail[4];
extern mm_i8_strip_fn *const mm_i8_strip_4x2[4]; // K a multiple of 4

#endif
