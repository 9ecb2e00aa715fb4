// kernels/mm/mmt_f32_by_k.h: float matrix multiplication split over K, for results too small to be
// divided: C = op(A) * op(B) (+ C), layouts, strides and refusals as in mmt_f32.h.
//
// Every core multiplies its share of K, all of C at once, into a part of its own; behind a barrier
// the parts are added, the cores sharing the elements. A core then has blocks of many sums where a
// grid of parts would leave it one or two: 4x4 with K = 1024 on eight cores takes half the time.
//
// The order of a sum depends on the number of cores: the error is at most (K + cores) * 2^-24 times
// the sum of the magnitudes, and results are bit for bit the same only on the same number of cores.
//
// All cores call with the same arguments; the caller puts a barrier behind the call.
#ifndef MMT_F32_BY_K_H
#define MMT_F32_BY_K_H

#include "kernels/mm/mmt_f32.h"

// Bytes of `parts` on this number of cores.
uint32_t mmt_f32_by_k_buffer_size(const struct mmt_f32 *mm);

// `parts` is aligned to 4 bytes.
enum kernel_status mmt_f32_by_k(const struct mmt_f32 *mm, float *parts);

#endif
