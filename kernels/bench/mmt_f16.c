// kernels/bench/mmt_f16.c: 16-bit float matrix multiplication N x M x K, FORMAT, LAYOUT.
#include "bench.h"

#include "kernels/mm/mmt_f16.h"
#include "kernels/ref/ref_train_half.h"

#ifndef KERNEL
#define KERNEL 4x6_grid
#endif
#ifndef FORMAT
#define FORMAT FP16
#endif
#ifndef LAYOUT
#define LAYOUT NT
#endif
#ifndef SIZE
#define SIZE 64, 64, 64
#endif
#define ID_(name)     MMT_F32_##name
#define ID(name)      ID_(name)
#define LAYOUT_(name) MMT_##name
#define OF(name)      LAYOUT_(name)
#define TEXT_(name)   #name
#define TEXT(name)    TEXT_(name)

RT_REGION(1, "mmt_f16 " TEXT(FORMAT) " " TEXT(LAYOUT));
RT_REGION(2, "first call");

enum { HALVES = 4096 + 64 };
static RT_L1_BSS uint16_t a[HALVES] __attribute__((aligned(4))),
    b[HALVES] __attribute__((aligned(4))), c[HALVES],
    scratch[2 * HALVES] __attribute__((aligned(4)));

// In [-1, 1): every value that a float of few bits takes exactly.
static void fill(uint16_t *data, enum mmt_f16_format format, uint32_t seed) {
  for (uint32_t i = 0; i < HALVES; i++)
    data[i] = ref_half_round((float)(int8_t)(rt_random(&seed) >> 9) * 0x1p-7f, format);
}

static int check(const struct mmt_f16 *mm) {
  struct rt_range rows = rt_split(mm->n, 1);
  for (uint32_t i = rows.begin; i < rows.end; i++) {
    for (uint32_t j = i % 29; j < mm->m; j += 29) {
      struct ref_sum want = ref_mmt_f16(mm, i, j);
      if (!ref_half_near(c[i * mm->ldc + j], mm->format, &want)) {
        bench_equal("C", i, j, c[i * mm->ldc + j],
                    ref_half_round((float)ref_value(&want), mm->format));
        return 1;
      }
    }
  }
  return 0;
}

int main(void) {
  static const uint32_t size[3] = {SIZE};
  uint32_t n = size[0], m = size[1], k = size[2];
  const struct mmt_f16 mm = {a,
                             b,
                             c,
                             n,
                             m,
                             k,
                             OF(LAYOUT) == MMT_TN ? n : k,
                             OF(LAYOUT) == MMT_NT ? k : m,
                             m,
                             OF(LAYOUT),
                             OF(FORMAT),
                             false,
                             scratch};
  if (rt_core_id() == 0) {
    fill(a, mm.format, 1);
    fill(b, mm.format, 2);
    rt_region_macs(1, (uint64_t)n * m * k);
  }
  enum kernel_status status;
  bench_measure_step(status, mmt_f16(ID(KERNEL), &mm));
  return status == KERNEL_OK ? check(&mm) : 1;
}
