// kernels/bench/mmt_pack.c: float matrix product A * B' of SIZE n, m, k with PACK operands packed
// in each call: 0 (as they are), 1 (A; B was packed before, as weights are), 2 (both).
#include "train.h"

#include "kernels/mm/mmt_f32_pack.h"
#include "kernels/ref/ref_train_mm.h"

#ifndef SIZE
#define SIZE 48, 48, 48
#endif
#ifndef PACK
#define PACK 2
#endif

RT_REGION(1, "matmul, packing");
RT_REGION(2, "first call");

struct operands {
  float *a, *b;          // room for packed ones
  struct mmt_f32 before; // B packed
};

static enum kernel_status multiply(const struct mmt_f32 *mm, const struct operands *o) {
  struct mmt_f32 packed = o->before;
  enum kernel_status status = KERNEL_OK;
  if (PACK == 2)
    status = mmt_f32_pack(mm, o->b, &packed);
  if (PACK > 0 && status == KERNEL_OK) {
    status = mmt_f32_pack(&packed, o->a, &packed);
    rt_barrier();
  }
  return status == KERNEL_OK ? mmt_f32(MMT_F32_AUTO, PACK ? &packed : mm) : status;
}

int main(void) {
  static const uint32_t s[3] = {SIZE};
  unsigned core = rt_core_id();
  uint32_t n = s[0], m = s[1], k = s[2];
  struct mmt_f32 mm = {.n = n, .m = m, .k = k, .lda = k, .ldb = k, .ldc = m, .layout = MMT_NT};
  mm.a = take(n * k, core, 1);
  mm.b = take(m * k, core, 2);
  mm.c = take(n * m, core, 0);
  struct operands o = {.a = take(n * k, core, 0), .b = take(m * k, core, 0)};
  rt_barrier();
  if (mmt_f32_pack(&mm, o.b, &o.before) != KERNEL_OK)
    return 1;
  rt_region_macs(1, (uint64_t)n * m * k);
  enum kernel_status status;
  bench_measure_step(status, multiply(&mm, &o));
  if (status != KERNEL_OK)
    return 1;
  return CHECK("C", mm.c, n * m, 1, ref_mmt_f32_sum(&mm, i_ / m, i_ % m));
}
