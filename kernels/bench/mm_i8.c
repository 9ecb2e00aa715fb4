// kernels/bench/mm_i8.c: int8 matrix multiplication, SIZE x SIZE x SIZE, int32 out, kernel
// mm_i8_KERNEL. Packing (PACKED) is not part of the region: it is done once per weight matrix.
#include "bench.h"

#include "kernels/mm/mm_i8.h"
#include "kernels/ref/ref_mm.h"

#ifndef KERNEL
#define KERNEL 4x4_rows
#define PACKED 1
#endif
#ifndef SIZE
#define SIZE 64
#endif
#define CALL_(name) mm_i8_##name
#define CALL(name)  CALL_(name)

RT_REGION(1, "mm_i8_" BENCH_TEXT(KERNEL));

// Rows one word longer than a multiple of the banks, so that the cores, which begin at rows
// far apart, do not all begin at one bank.
enum { N = SIZE, M = SIZE, K = SIZE, PITCH = SIZE + 4 };

static RT_L1_BSS int8_t a[N * PITCH], bt[M * PITCH];
static RT_L1_BSS int32_t packed[M * K / 4];
static RT_L1_BSS int32_t c[N * M];

static int check(const struct mm_i8 *mm) {
  struct rt_range rows = rt_split(N, 1);
  for (uint32_t i = rows.begin; i < rows.end; i++) {
    for (uint32_t j = 0; j < M; j++) {
      int32_t want = ref_mm_i8(mm, bt, PITCH, i, j);
      if (!bench_equal("C", i, j, (uint32_t)c[i * M + j], (uint32_t)want))
        return 1;
    }
  }
  return 0;
}

int main(void) {
  const struct mm_i8 mm = {a, PACKED ? (int8_t *)packed : bt, c, N, M, K, PITCH, PITCH, M};
  if (rt_core_id() == 0) {
    bench_fill_bytes(a, sizeof a, 1);
    bench_fill_bytes(bt, sizeof bt, 2);
    rt_region_macs(1, (uint64_t)N * M * K);
  }
  rt_barrier();
  if (PACKED)
    mm_i8_pack((int8_t *)packed, bt, PITCH, M, K);
  rt_barrier();
  enum kernel_status status;
  bench_measure(status, CALL(KERNEL)(&mm));
  return status == KERNEL_OK ? check(&mm) : 1;
}
