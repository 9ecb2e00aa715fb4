// tests/kernels/grid_mm_i8.c: all int8 matrix multiplications on shapes with every leftover.
#include "grid.h"

#include "kernels/ref/ref_mm.h"

static const struct kernel {
  const char *name;
  enum kernel_status (*run)(const struct mm_i8 *mm);
  bool packed;
} kernels[] = {
    {"mm_i8_4x2_rows", mm_i8_4x2_rows, false},
    {"mm_i8_4x4_rows", mm_i8_4x4_rows, true},
    {"mm_i8_4x4_cols", mm_i8_4x4_cols, true},
};

static const struct kernel *kernel;
static struct mm_i8 mm;
static int8_t *bt, *packed;
static const int32_t untouched = 0x5a5a5a5a;

// Every seventh case is all -128: the largest sums.
static int8_t *matrix(uint32_t number, uint32_t rows, uint32_t stride, uint32_t *seed) {
  int8_t *m = grid_take(rows * stride, grid_draw(seed, 0, 3));
  grid_fill(m, rows * stride, seed);
  for (uint32_t i = 0; number % 7 == 3 && i < rows * stride; i++)
    m[i] = -128;
  return m;
}

static void prepare(uint32_t number, uint32_t seed) {
  kernel = &kernels[number % 3];
  mm.n = grid_draw(&seed, 1, 18);
  mm.m = grid_draw(&seed, 1, 18);
  mm.k = grid_draw(&seed, 8, 45);
  if (!kernel->packed)
    mm.k = (mm.k + 3) / 4 * 4;
  mm.lda = mm.k + grid_draw(&seed, 0, 5);
  mm.ldb = mm.k + grid_draw(&seed, 0, 5);
  mm.ldc = mm.m + grid_draw(&seed, 0, 3);
  mm.a = matrix(number, mm.n, mm.lda, &seed);
  bt = matrix(number, mm.m, mm.ldb, &seed);
  packed = grid_take(mm_i8_packed_size(mm.m, mm.k), 0);
  mm.b = kernel->packed ? packed : bt;
  mm.c = grid_take(mm.n * mm.ldc * 4, 0);
  for (uint32_t i = 0; i < mm.n * mm.ldc; i++)
    mm.c[i] = untouched;
}

static int run(void) {
  mm_i8_pack(packed, bt, mm.ldb, mm.m, mm.k);
  rt_barrier();
  return (int)kernel->run(&mm);
}

static int check(void) {
  for (uint32_t i = 0; i < mm.n * mm.ldc; i++) {
    uint32_t row = i / mm.ldc, column = i % mm.ldc;
    int32_t want = column < mm.m ? ref_mm_i8(&mm, bt, mm.ldb, row, column) : untouched;
    if (mm.c[i] != want) {
      rt_printf("%s %ux%ux%u: C[%u][%u] = %d, expected %d\n", kernel->name, (unsigned)mm.n,
                (unsigned)mm.m, (unsigned)mm.k, (unsigned)row, (unsigned)column, (int)mm.c[i],
                (int)want);
      return 1;
    }
  }
  return 0;
}

int grid_mm_i8(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("mm_i8", &what);
}
