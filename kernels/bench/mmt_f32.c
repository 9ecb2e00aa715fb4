// kernels/bench/mmt_f32.c: float matrix multiplication N x M x K, kernel mmt_f32_KERNEL, LAYOUT;
// lines of A and B end in PAD floats that are not used.
#include "bench.h"

#include "kernels/mm/mmt_f32.h"
#include "kernels/ref/ref_train_mm.h"

#ifndef KERNEL
#define KERNEL 4x6_grid
#endif
#ifndef LAYOUT
#define LAYOUT NN
#endif
#ifndef SIZE
#define SIZE 64, 64, 64
#endif
#ifndef PAD
#define PAD 0
#endif
#define ID_(name)     MMT_F32_##name
#define ID(name)      ID_(name)
#define LAYOUT_(name) MMT_##name
#define OF(name)      LAYOUT_(name)
#define TEXT_(name)   #name
#define TEXT(name)    TEXT_(name)

RT_REGION(1, "mmt_f32_" TEXT(KERNEL) " " TEXT(LAYOUT));
RT_REGION(2, "first call");

enum { FLOATS = 64 * (64 + PAD) + 64 };
static RT_L1_BSS float a[FLOATS], b[FLOATS], c[FLOATS];

static int check(const struct mmt_f32 *mm) {
  struct rt_range rows = rt_split(mm->n, 1);
  for (uint32_t i = rows.begin; i < rows.end; i++) {
    for (uint32_t j = 0; j < mm->m; j++) {
      if (!bench_equal("C", i, j, rt_float_bits(c[i * mm->ldc + j]),
                       rt_float_bits(ref_mmt_f32(mm, i, j, 0))))
        return 1;
    }
  }
  return 0;
}

int main(void) {
  static const uint32_t size[3] = {SIZE};
  uint32_t n = size[0], m = size[1], k = size[2];
  uint32_t lda = (OF(LAYOUT) == MMT_TN ? n : k) + PAD, ldb = (OF(LAYOUT) == MMT_NT ? k : m) + PAD;
  const struct mmt_f32 mm = {a, b, c, n, m, k, lda, ldb, m, OF(LAYOUT), false};
  if (rt_core_id() == 0) {
    bench_fill_floats(a, FLOATS, 1);
    bench_fill_floats(b, FLOATS, 2);
    rt_region_macs(1, (uint64_t)n * m * k);
  }
  enum kernel_status status;
  bench_measure_step(status, mmt_f32(ID(KERNEL), &mm));
  return status == KERNEL_OK ? check(&mm) : 1;
}
