// kernels/bench/vec_axpy.c: y = alpha * x + y on vectors in L2, through L1 by double-buffered DMA.
// It runs twice, so twice alpha * x is added.
#include "bench.h"

#include "kernels/vec/vec_axpy.h"

RT_REGION(1, "vec_axpy_i32_tiled");

enum { COUNT = 16384, TILE = 1024, ALPHA = -7 };

static int32_t x[COUNT], y[COUNT]; // L2
static RT_L1_BSS int32_t buffer[5 * TILE] __attribute__((aligned(8)));

static uint32_t y_before(uint32_t i) {
  return i * 2654435761u;
}

static int check(void) {
  struct rt_range mine = rt_split(COUNT, 1);
  for (uint32_t i = mine.begin; i < mine.end; i++) {
    uint32_t want = 2u * (uint32_t)ALPHA * (uint32_t)x[i] + y_before(i);
    if (!bench_equal("y", 0, i, (uint32_t)y[i], want))
      return 1;
  }
  return 0;
}

int main(void) {
  if (rt_core_id() == 0) {
    bench_fill_bytes(x, sizeof x, 1);
    for (uint32_t i = 0; i < COUNT; i++)
      y[i] = (int32_t)y_before(i);
    rt_region_macs(1, COUNT);
  }
  const struct vec_axpy_tiled axpy = {y, x, ALPHA, COUNT, TILE, buffer};
  if (vec_axpy_tiled_buffer_size(TILE) > sizeof buffer)
    return 1;
  rt_barrier();
  enum kernel_status status;
  bench_measure(status, vec_axpy_i32_tiled(&axpy));
  return status == KERNEL_OK ? check() : 1;
}
