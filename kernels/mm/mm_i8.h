// kernels/mm/mm_i8.h: integer matrix multiplication C = A * B, int8 in, int32 out.
//
//   C[i][j] = sum over k < K of A[i][k] * Bt[j][k]        (sums wrap at 32 bits)
//
// A is row-major N x K, Bt the transpose of B: row-major M x K (as the weights of a layer are:
// one row per output), C row-major N x M. Strides are in elements. Any N, M, K >= 1. The operands
// need no alignment, but rows of A that begin at word addresses load in one cycle instead of two; C
// is aligned to 4 bytes. For fewest bank conflicts let the strides of A and Bt in words be odd.
//
// All cores call with the same arguments; the caller puts a barrier behind the call.
//
// The register blocks are those of Garofalo et al., "PULP-NN: accelerating quantized neural
// networks on parallel ultra-low-power RISC-V processors", Phil. Trans. R. Soc. A 378 (2020),
// section 3 (4x2), and a 4x4 block over packed columns.
#ifndef MM_I8_H
#define MM_I8_H

#include <stdint.h>

#include "kernels/status.h"

struct mm_i8 {
  const int8_t *a; // N x K
  const int8_t *b; // Bt: M x K, or panels made by mm_i8_pack() where the kernel says so
  int32_t *c;      // N x M
  uint32_t n, m, k;
  uint32_t lda, ldb, ldc; // elements from row to row; ldb is not used with panels
};

// Bt as it is; 4 rows x 2 columns at a time, rows split over the cores. K must be a multiple
// of 4, and at least 8.
enum kernel_status mm_i8_4x2_rows(const struct mm_i8 *mm);

// Bt in panels; 4 x 4 at a time; the rows, or the columns, split over the cores in groups of 4.
// K >= 8.
enum kernel_status mm_i8_4x4_rows(const struct mm_i8 *mm);
enum kernel_status mm_i8_4x4_cols(const struct mm_i8 *mm);

// Panels: columns in groups of four, K rounded up to a multiple of 4, missing ones filled with
// zeros. Word w of column v of a panel is its (4 w + v)-th word. Bytes of the whole:
uint32_t mm_i8_packed_size(uint32_t m, uint32_t k);

// Packs Bt (stride `ldb`); the cores share the work. `packed` is aligned to 4 bytes.
void mm_i8_pack(int8_t *packed, const int8_t *bt, uint32_t ldb, uint32_t m, uint32_t k);

#endif
