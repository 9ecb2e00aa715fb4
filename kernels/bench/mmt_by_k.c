// kernels/bench/mmt_by_k.c: float matrix product A' * B with a small result and a long sum,
// SIZE n, m, k: split over K, or (GRID=1) over the result, as mmt_f32.h does by default.
#include "train.h"

#include "kernels/mm/mmt_f32_by_k.h"

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
  static const uint32_t size[3] = {SIZE};
  unsigned core = rt_core_id();
  struct mmt_f32 mm = take_product(size, MMT_TN, core);
  float *parts = take(mmt_f32_by_k_buffer_size(&mm) / 4, core, 0);
  return RUN_PRODUCT(mm, multiply(&mm, parts));
}
