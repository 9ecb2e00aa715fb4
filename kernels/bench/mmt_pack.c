// kernels/bench/mmt_pack.c: float matrix product A * B' of SIZE n, m, k with PACK operands packed
// in each call: 0 (as they are), 1 (A; B was packed before, as weights are), 2 (both).
#include "train.h"

#include "kernels/mm/mmt_f32_pack.h"

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
  static const uint32_t size[3] = {SIZE};
  unsigned core = rt_core_id();
  struct mmt_f32 mm = take_product(size, MMT_NT, core);
  struct operands o = {.a = take(mm.n * mm.k, core, 0), .b = take(mm.m * mm.k, core, 0)};
  rt_barrier();
  if (mmt_f32_pack(&mm, o.b, &o.before) != KERNEL_OK)
    return 1;
  return RUN_PRODUCT(mm, multiply(&mm, &o));
}
