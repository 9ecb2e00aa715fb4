// tests/kernels/grid_axpy.c: tiled vectors: less than a tile, whole tiles, and a last short one.
#include "grid.h"

#include "kernels/vec/vec_axpy.h"

enum { MAX_COUNT = 700 };
static int32_t x[MAX_COUNT], y[MAX_COUNT], before[MAX_COUNT]; // outside L1
static struct vec_axpy_tiled axpy;

static void prepare(uint32_t number, uint32_t seed) {
  grid_fill(x, sizeof x, &seed);
  grid_fill(y, sizeof y, &seed);
  for (uint32_t i = 0; i < MAX_COUNT; i++)
    before[i] = y[i];
  uint32_t offset = number % 2; // word-aligned only
  axpy.x = x + offset;
  axpy.y = y + offset;
  axpy.alpha = (int32_t)rt_random(&seed);
  axpy.count = number == 0 ? 0 : grid_draw(&seed, 1, MAX_COUNT - 1);
  axpy.tile = grid_draw(&seed, 1, number % 3 == 0 ? MAX_COUNT : 90);
  uint32_t bytes = vec_axpy_tiled_buffer_size(axpy.tile);
  axpy.buffer = (int32_t *)(((uintptr_t)grid_take(bytes + 4, 0) + 7) & ~(uintptr_t)7);
}

static int run(void) {
  return (int)vec_axpy_i32_tiled(&axpy);
}

static int check(void) {
  for (uint32_t i = 0; i < MAX_COUNT; i++) {
    bool inside = &y[i] >= axpy.y && &y[i] < axpy.y + axpy.count;
    uint32_t want = (uint32_t)before[i] + (inside ? (uint32_t)axpy.alpha * (uint32_t)x[i] : 0);
    if ((uint32_t)y[i] != want) {
      rt_printf("axpy %u by %u: y[%u] = %08x, expected %08x\n", (unsigned)axpy.count,
                (unsigned)axpy.tile, (unsigned)i, (unsigned)y[i], (unsigned)want);
      return 1;
    }
  }
  return 0;
}

int grid_axpy(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("axpy", &what);
}
