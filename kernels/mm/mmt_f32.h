// kernels/mm/mmt_f32.h: float matrix multiplication for training: C = op(A) * op(B) (+ C), on one
// or several cores, in many register blockings.
//
//   C[i][j] = (C[i][j] or +0) + sum over k < K of A(i, k) * B(k, j)
//
//   layout   A(i, k)          B(k, j)          in training, for row-major activations X, weights W
//   NN       a[i * lda + k]   b[k * ldb + j]   input gradient dX = dY * W
//   NT       a[i * lda + k]   b[j * ldb + k]   forward Y = X * W'
//   TN       a[k * lda + i]   b[k * ldb + j]   weight gradient dW = dY' * X
//
// Strides in elements, all pointers aligned to 4 bytes; N, M, K >= 1. C must not overlap A or B.
// Every element is summed in the order of k by fused multiply-adds from +0 (or from C), in every
// kernel of the family: results are the same bit for bit for any kernel, layout and number of
// cores.
//
// All cores call with the same arguments; the caller puts a barrier behind the call.
//
// Source of the published part of the family: Nadalini et al., "PULP-TrainLib: enabling on-device
// training for RISC-V multi-core MCUs through performance-driven autotuning", SAMOS 2022,
// section 3.
#ifndef MMT_F32_H
#define MMT_F32_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

enum mmt_layout { MMT_NN, MMT_NT, MMT_TN, MMT_LAYOUTS };

struct mmt_f32 {
  const float *a;
  const float *b;
  float *c;
  uint32_t n, m, k;
  uint32_t lda, ldb, ldc;
  enum mmt_layout layout;
  bool add; // C += instead of C =
};

enum mmt_f32_id {
#define MMT_F32(name, u, v, split, unroll) MMT_F32_##name,
#include "mmt_f32.def"
#undef MMT_F32
  MMT_F32_COUNT,
  MMT_F32_AUTO = MMT_F32_COUNT // mmt_f32_default()
};

extern const char *const mmt_f32_names[MMT_F32_COUNT];

// The kernel for this shape: vectors by 8x1 and 1x8 blocks; flat and narrow matrices by 6x4, all
// others by 4x6 in a grid of parts (mmt_split.h).
enum mmt_f32_id mmt_f32_default(const struct mmt_f32 *mm);

// What the kernels refuse.
enum kernel_status mmt_f32_check(const struct mmt_f32 *mm);

enum kernel_status mmt_f32(enum mmt_f32_id id, const struct mmt_f32 *mm);

// For layers, which have checked their shapes and pointers.
void mmt_f32_unchecked(enum mmt_f32_id id, const struct mmt_f32 *mm);

// What it would do on this core, noted (mmt_split.h).
struct mmt_plan;
void mmt_f32_plan(enum mmt_f32_id id, const struct mmt_f32 *mm, struct mmt_plan *plan);

// The same work for the calling core alone: no split.
enum kernel_status mmt_f32_alone(const struct mmt_f32 *mm);

#endif
