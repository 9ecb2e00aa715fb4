// kernels/bench/nn_map.c: the layers without weights: KERNEL max, average or add, of the shapes
// that the literature reports: pooling 16x16x64, 2x2, stride 2; addition of 16x16x32. "Useful MACs"
// are outputs here.
#include "bench.h"

#include "kernels/nn/nn_add.h"
#include "kernels/nn/nn_pool.h"
#include "kernels/ref/ref_pool.h"

enum kind { max, average, add };
enum { SIZE = 16, POOLED = 64, ADDED = SIZE * SIZE * 32 };

RT_REGION(1, BENCH_TEXT(NAME));

static RT_L1_BSS uint8_t a[SIZE * SIZE * POOLED] __attribute__((aligned(4)));
static RT_L1_BSS uint8_t b[ADDED] __attribute__((aligned(4)));
static RT_L1_BSS uint8_t out[SIZE * SIZE * POOLED / 2] __attribute__((aligned(4)));

static RT_L1 const struct nn_pool pool = {a, out, SIZE, SIZE, POOLED, 2, 2, 2, 2, 0, 0, 0, 0};
static RT_L1 const struct nn_add sum = {a, b, out, ADDED, 93, 110, 1 << 6, 7};

static __attribute__((noinline)) enum kernel_status run(void) {
  return KERNEL == max       ? nn_maxpool_u8(&pool)
         : KERNEL == average ? nn_avgpool_u8(&pool)
                             : nn_add_u8(&sum);
}

static uint32_t pooled(uint32_t i) {
  uint32_t p = i / POOLED;
  return (KERNEL == max ? ref_maxpool_u8 : ref_avgpool_u8)(&pool, p / (SIZE / 2), p % (SIZE / 2),
                                                           i % POOLED);
}

static uint32_t added(uint32_t i) {
  int32_t y = (a[i] * sum.scale_a + b[i] * sum.scale_b + sum.lambda) >> sum.shift;
  return (uint32_t)(y < 0 ? 0 : y > 255 ? 255 : y);
}

int main(void) {
  const uint32_t outputs = KERNEL == add ? ADDED : SIZE * SIZE * POOLED / 4;
  if (rt_core_id() == 0) {
    bench_fill_bytes(a, sizeof a, 1);
    bench_fill_bytes(b, sizeof b, 2);
    rt_region_macs(1, outputs);
  }
  rt_barrier();
  enum kernel_status status;
  bench_measure(status, run());
  struct rt_range mine = rt_split(outputs, 1);
  for (uint32_t i = mine.begin; i < mine.end && status == KERNEL_OK; i++) {
    if (!bench_equal("out", i, 0, out[i], KERNEL == add ? added(i) : pooled(i)))
      return 1;
  }
  return status != KERNEL_OK;
}
