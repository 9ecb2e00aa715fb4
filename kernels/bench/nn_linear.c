// kernels/bench/nn_linear.c: fully connected layer, 512 -> 64, OUT u8 or i32.
#include "bench.h"

#include "kernels/nn/nn_linear.h"
#include "kernels/nn/nn_requant.h"
#include "kernels/ref/ref_linear.h"

enum out { u8, i32 };
enum { INPUTS = 512, OUTPUTS = 64, PACKED = INPUTS * OUTPUTS + OUTPUTS / 8 * 116, SHIFT = 20 };

RT_REGION(1, BENCH_TEXT(NAME));
RT_REGION(2, "first call");

static RT_L1_BSS uint32_t in[INPUTS / 4], packed[PACKED / 4], out[OUTPUTS];
static int8_t weights[INPUTS * OUTPUTS];
static int32_t kappa[OUTPUTS], lambda[OUTPUTS];

static uint32_t wanted(uint32_t f) {
  int32_t sum = ref_linear_sum((const uint8_t *)in, weights + f * INPUTS, INPUTS);
  return OUT == i32 ? (uint32_t)sum : nn_requant_u8(sum, kappa[f], lambda[f], SHIFT);
}

int main(void) {
  const struct nn_linear layer = {(const uint8_t *)in, packed, out, INPUTS, OUTPUTS, SHIFT, NULL};
  if (rt_core_id() == 0) {
    uint32_t seed = 3;
    bench_fill_bytes(in, sizeof in, 1);
    bench_fill_bytes(weights, sizeof weights, 2);
    for (uint32_t f = 0; f < OUTPUTS; f++) {
      kappa[f] = 200 + (int32_t)(rt_random(&seed) % 600);
      lambda[f] = (int32_t)(rt_random(&seed) % (1 << 27));
    }
    rt_region_macs(1, INPUTS * OUTPUTS);
  }
  rt_barrier();
  nn_linear_pack(&layer, packed, weights, kappa, lambda);
  rt_barrier();
  enum kernel_status status;
  bench_measure_step(status, OUT == i32 ? nn_linear_u8_i8_i32(&layer) : nn_linear_u8_i8_u8(&layer));
  struct rt_range mine = rt_split(OUTPUTS, 1);
  for (uint32_t f = mine.begin; f < mine.end && status == KERNEL_OK; f++) {
    if (!bench_equal("out", f, 0, OUT == i32 ? out[f] : ((const uint8_t *)out)[f], wanted(f)))
      return 1;
  }
  return status != KERNEL_OK;
}
