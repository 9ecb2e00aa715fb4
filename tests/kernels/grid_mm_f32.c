// tests/kernels/grid_mm_f32.c: all float matrix multiplications on shapes with every leftover.
#include "grid.h"

#include "kernels/ref/ref_mm.h"

static struct mm_f32 mm;
static enum mm_f32_id id;
static const float untouched = -12345.5f;

static float *matrix(uint32_t rows, uint32_t stride, uint32_t *seed) {
  float *m = grid_take(rows * stride * 4, 0);
  for (uint32_t i = 0; i < rows * stride; i++)
    m[i] = (float)(int16_t)rt_random(seed) * 0x1p-9f;
  return m;
}

// One size beyond each block, sizes smaller than the cores, K = 1.
static void prepare(uint32_t number, uint32_t seed) {
  id = (enum mm_f32_id)(number % MM_F32_COUNT);
  mm.n = grid_draw(&seed, 1, number % 3 == 0 ? 4 : 21);
  mm.m = grid_draw(&seed, 1, number % 5 == 0 ? 4 : 19);
  mm.k = grid_draw(&seed, 1, number % 7 == 0 ? 2 : 35);
  if (number % 9 < 2) // whole passes, of naive products too
    mm.k = 32 * grid_draw(&seed, 1, 2);
  mm.lda = mm.k + grid_draw(&seed, 0, 3);
  mm.ldb = mm.m + grid_draw(&seed, 0, 3);
  mm.ldc = mm.m + grid_draw(&seed, 0, 3);
  mm.a = matrix(mm.n, mm.lda, &seed);
  mm.b = matrix(mm.k, mm.ldb, &seed);
  mm.c = matrix(mm.n, mm.ldc, &seed);
  for (uint32_t i = 0; i < mm.n * mm.ldc; i++)
    mm.c[i] = untouched;
  uint32_t bytes = mm_f32_buffer_size(id, &mm);
  mm.scratch = bytes ? grid_take(bytes, 0) : NULL;
}

static int run(void) {
  return (int)mm_f32(id, &mm);
}

static int check(void) {
  for (uint32_t i = 0; i < mm.n * mm.ldc; i++) {
    uint32_t row = i / mm.ldc, column = i % mm.ldc;
    float want = column < mm.m ? ref_mm_f32(&mm, row, column) : untouched;
    if (rt_float_bits(mm.c[i]) != rt_float_bits(want)) {
      rt_printf("%s %ux%ux%u: C[%u][%u] = %08x, expected %08x\n", mm_f32_names[id], (unsigned)mm.n,
                (unsigned)mm.m, (unsigned)mm.k, (unsigned)row, (unsigned)column,
                (unsigned)rt_float_bits(mm.c[i]), (unsigned)rt_float_bits(want));
      return 1;
    }
  }
  return 0;
}

int grid_mm_f32(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("mm_f32", &what);
}
