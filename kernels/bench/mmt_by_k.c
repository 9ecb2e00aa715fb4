// kernels/bench/mmt_by_k.c: float matrix product A' * B with a small result and a long sum,
// SIZE n, m, k: split over K, or (GRID=1) over the result, as mmt_f32.h does by default.
#include "train.h"

#include "kernels/mm/mmt_f32_by_k.h"
#include "kernels/ref/ref_train_mm.h"

#ifndef SIZE
#define SIZE 4, 4, 1024
#endif
#ifndef GRID
#define GRID 0
#endif

RT_REGION(1, "small matmul");
RT_REGION(2, "first call");

static enum kernel_status multiply(const struct mmt_f32 *mm, float *parts) {
  return GRID ? mmt_f32(MMT_F32_AUTO, mm) : mmt_f32_by_k(mm, parts);
}

int main(void) {
  static const uint32_t s[3] = {SIZE};
  unsigned core = rt_core_id();
  uint32_t n = s[0], m = s[1], k = s[2];
  struct mmt_f32 mm = {.n = n, .m = m, .k = k, .lda = n, .ldb = m, .ldc = m, .layout = MMT_TN};
  mm.a = take(n * k, core, 1);
  mm.b = take(m * k, core, 2);
  mm.c = take(n * m, core, 0);
  float *parts = take(mmt_f32_by_k_buffer_size(&mm) / 4, core, 0);
  rt_region_macs(1, (uint64_t)n * m * k);
  enum kernel_status status;
  bench_measure_step(status, multiply(&mm, parts));
  if (status != KERNEL_OK)
    return 1;
  return CHECK("C", mm.c, n * m, 1, ref_mmt_f32_sum(&mm, i_ / m, i_ % m));
}
