// kernels/mm/mm_f32_strip.h: the inner loops of mm_f32.c: a strip is V columns of C over several
// blocks of U rows. In assembly on the target (mm_f32_strip.S), in C on the host
// (mm_f32_strip.c).
#ifndef MM_F32_STRIP_H
#define MM_F32_STRIP_H

#include <stdint.h>

// Strides in bytes; k and blocks at least 1. Layout n: step k of B at b + k * ldb. Layout p: a
// panel.
typedef void mm_f32_strip_fn(const float *a, uint32_t lda, const float *b, uint32_t ldb, uint32_t k,
                             float *c, uint32_t ldc, uint32_t blocks);

enum { MM_F32_STRIP_ROWS = 6, MM_F32_PANEL_ROWS = 2, MM_F32_STRIP_COLS = 4 };

// Index: [rows - 1][columns - 1].
extern mm_f32_strip_fn *const mm_f32_strip_n[MM_F32_STRIP_ROWS][MM_F32_STRIP_COLS];
extern mm_f32_strip_fn *const mm_f32_strip_p[MM_F32_PANEL_ROWS][MM_F32_STRIP_COLS];

// The first block, 2 x 4, of a panel yet to be made: B as in layout n; the panel is stored.
void mm_f32_strip_f_2x4(const float *a, uint32_t lda, const float *b, uint32_t ldb, uint32_t k,
                        float *c, uint32_t ldc, float *panel);

// The panel of four columns of B; ldb in bytes, k >= 1. Its order: mm_f32_strip.S.
void mm_f32_pack4(float *panel, const float *b, uint32_t ldb, uint32_t k);

#endif
