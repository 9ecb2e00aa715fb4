// tests/kernels/grid_train_tiles.c: float products whose operands lie in L2, by tiles of any size:
// bit for bit those of the reference, and nothing written between the lines of the result.
#include "grid_train.h"

#include "kernels/ref/ref_train_mm.h"
#include "kernels/train/train_tiled_product.h"

enum { FLOATS = 24 * 27, SIDE = 24 };
static float a[FLOATS], b[FLOATS], c[FLOATS];
static struct train_tiled_product product;

static void fill(float *values, uint32_t *seed) {
  for (uint32_t i = 0; i < FLOATS; i++)
    values[i] = (float)(int8_t)(rt_random(seed) >> 7) * 0x1p-7f;
}

static void prepare(uint32_t number, uint32_t seed) {
  struct mmt_f32 *mm = &product.whole;
  *mm = (struct mmt_f32){.a = a, .b = b, .c = c, .layout = (enum mmt_layout)(number % MMT_LAYOUTS)};
  mm->n = grid_draw(&seed, 1, SIDE);
  mm->m = grid_draw(&seed, 1, SIDE);
  mm->k = grid_draw(&seed, 1, SIDE);
  mm->lda = (mm->layout == MMT_TN ? mm->n : mm->k) + grid_draw(&seed, 0, 3);
  mm->ldb = (mm->layout == MMT_NT ? mm->k : mm->m) + grid_draw(&seed, 0, 3);
  mm->ldc = mm->m + grid_draw(&seed, 0, 3);
  product.tile_n = grid_draw(&seed, 1, mm->n);
  product.tile_m = grid_draw(&seed, 1, mm->m);
  product.tile_k = grid_draw(&seed, 1, mm->k);
  product.rows_inner = number / 3 % 2;
  product.matmul = (uint8_t)grid_draw(&seed, 0, MMT_F32_COUNT);
  product.l1 = grid_scratch(train_tiled_product_buffer_size(&product));
  fill(a, &seed);
  fill(b, &seed);
  for (uint32_t i = 0; i < FLOATS; i++)
    c[i] = -9;
}

static int run(void) {
  return (int)train_tiled_product(&product);
}

static int check(void) {
  const struct mmt_f32 *mm = &product.whole;
  for (uint32_t i = 0; i < FLOATS; i++) {
    uint32_t row = i / mm->ldc, column = i % mm->ldc;
    float want = row < mm->n && column < mm->m ? ref_mmt_f32(mm, row, column, 0) : -9;
    if (rt_float_bits(c[i]) == rt_float_bits(want))
      continue;
    rt_printf("layout %u %ux%ux%u by %ux%ux%u: C[%u][%u] = %08x, expected %08x\n",
              (unsigned)mm->layout, (unsigned)mm->n, (unsigned)mm->m, (unsigned)mm->k,
              (unsigned)product.tile_n, (unsigned)product.tile_m, (unsigned)product.tile_k,
              (unsigned)row, (unsigned)column, (unsigned)rt_float_bits(c[i]),
              (unsigned)rt_float_bits(want));
    return 1;
  }
  return 0;
}

int grid_train_tiles(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("train_tiles", &what);
}
