// kernels/mm/mm_f32.h: float matrix multiplication C = A * B.
//
//   C[i][j] = sum over k < K of A[i][k] * B[k][j]
//
// A, B, C row-major (N x K, K x M, N x M), aligned to 4 bytes; strides in elements; N, M, K >= 1.
// C must not overlap A or B. Each element is summed in the order of k by fused multiply-adds
// starting from +0, in every kernel of the family: results are the same bit for bit, for any
// kernel and any number of cores.
//
// All cores call with the same arguments; the caller puts a barrier behind the call.
//
// The UxV blocks are those of Nadalini et al., "PULP-TrainLib: enabling on-device training for
// RISC-V multi-core MCUs through performance-driven autotuning", SAMOS 2022, section 3, and larger
// ones.
#ifndef MM_F32_H
#define MM_F32_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

struct mm_f32 {
  const float *a;
  const float *b;
  float *c;
  uint32_t n, m, k;
  uint32_t lda, ldb, ldc;
  float *scratch; // mm_f32_buffer_size() bytes, aligned to 4; NULL if that is 0
};

enum mm_f32_id {
#define MM_F32(name, u, v, panels, split) MM_F32_##name,
#include "mm_f32.def"
#undef MM_F32
  MM_F32_COUNT
};

extern const char *const mm_f32_names[MM_F32_COUNT];

// Bytes of scratch that the kernel needs for these sizes on this number of cores.
uint32_t mm_f32_buffer_size(enum mm_f32_id id, const struct mm_f32 *mm);

enum kernel_status mm_f32(enum mm_f32_id id, const struct mm_f32 *mm);

#endif
