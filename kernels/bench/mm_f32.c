// kernels/bench/mm_f32.c: float matrix multiplication, SIZE x SIZE x SIZE, kernel mm_f32_KERNEL.
#include "bench.h"

#include "kernels/mm/mm_f32.h"
#include "kernels/ref/ref_mm.h"

#ifndef KERNEL
#define KERNEL 2x4_cols
#endif
#ifndef SIZE
#define SIZE 64
#endif
#ifndef PAD_A // words that rows are longer, so that they do not all begin at one bank
#define PAD_A 1
#define PAD_B 1
#define PAD_C 1
#endif
#ifndef PANELS // bytes of scratch
#define PANELS 4
#endif
#define ID_(name) MM_F32_##name
#define ID(name)  ID_(name)

RT_REGION(1, "mm_f32_" BENCH_TEXT(KERNEL));

enum {
  N = SIZE,
  M = SIZE,
  K = SIZE,
  LDA = K + PAD_A,
  LDB = M + PAD_B,
  LDC = M + PAD_C,
  SCRATCH = PANELS
};

static RT_L1_BSS float a[N * LDA], b[K * LDB], c[N * LDC];
static RT_L1_BSS float scratch[SCRATCH / 4];

static int check(const struct mm_f32 *mm) {
  struct rt_range rows = rt_split(N, 1);
  for (uint32_t i = rows.begin; i < rows.end; i++) {
    for (uint32_t j = 0; j < M; j++) {
      if (!bench_equal("C", i, j, rt_float_bits(c[i * LDC + j]),
                       rt_float_bits(ref_mm_f32(mm, i, j))))
        return 1;
    }
  }
  return 0;
}

int main(void) {
  const struct mm_f32 mm = {a, b, c, N, M, K, LDA, LDB, LDC, scratch};
  if (mm_f32_buffer_size(ID(KERNEL), &mm) > sizeof scratch) {
    rt_printf("scratch too small\n");
    return 1;
  }
  if (rt_core_id() == 0) {
    bench_fill_floats(a, N * LDA, 1);
    bench_fill_floats(b, K * LDB, 2);
    rt_region_macs(1, (uint64_t)N * M * K);
  }
  rt_barrier();
  enum kernel_status status;
  bench_measure(status, mm_f32(ID(KERNEL), &mm));
  return status == KERNEL_OK ? check(&mm) : 1;
}
