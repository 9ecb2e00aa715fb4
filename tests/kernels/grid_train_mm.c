// tests/kernels/grid_train_mm.c: all float matrix products for training, all layouts, on shapes
// with every leftover: bit for bit, and those split over K against double precision.
#include "grid_train.h"

#include "kernels/mm/mmt_f32_by_k.h"
#include "kernels/mm/mmt_f32_pack.h"
#include "kernels/ref/ref_train_mm.h"

static struct mmt_f32 mm;
static enum mmt_f32_id id;
static bool by_k, pack;
static float *before, *parts, *packed_a, *packed_b;

static void prepare(uint32_t number, uint32_t seed) {
  id = (enum mmt_f32_id)(number % (MMT_F32_COUNT + 1)); // the last: MMT_F32_AUTO
  by_k = number % 4 == 1;
  pack = number % 4 == 3;
  mm.layout = (enum mmt_layout)(number / 3 % MMT_LAYOUTS);
  mm.add = number / 2 % 2;
  mm.n = grid_draw(&seed, 1, number % 3 == 0 ? 4 : 27);
  mm.m = grid_draw(&seed, 1, number % 5 == 0 ? 4 : 29);
  mm.k = grid_draw(&seed, 1, number % 7 == 0 ? 2 : 35);
  mm.lda = (mm.layout == MMT_TN ? mm.n : mm.k) + grid_draw(&seed, 0, 3);
  mm.ldb = (mm.layout == MMT_NT ? mm.k : mm.m) + grid_draw(&seed, 0, 3);
  mm.ldc = mm.m + grid_draw(&seed, 0, 3);
  uint32_t a = mm.lda * (mm.layout == MMT_TN ? mm.k : mm.n);
  uint32_t b = mm.ldb * (mm.layout == MMT_NT ? mm.m : mm.k);
  float *values = grid_floats(a, &seed);
  if (number % 11 == 0)
    grid_spoil(values, a, TRAIN_F32, &seed);
  mm.a = values;
  mm.b = grid_floats(b, &seed);
  mm.c = grid_floats(mm.n * mm.ldc, &seed);
  before = grid_take(mm.n * mm.ldc * 4, 0);
  parts = by_k ? grid_scratch(mmt_f32_by_k_buffer_size(&mm)) : NULL;
  packed_a = grid_take(mm.n * mm.k * 4, 0);
  packed_b = grid_take(mm.m * mm.k * 4, 0);
  for (uint32_t i = 0; i < mm.n * mm.ldc; i++)
    before[i] = mm.c[i];
}

// Both operands as far as the layout has them plain or transposed.
static int run_packed(void) {
  struct mmt_f32 product = mm;
  enum kernel_status status = KERNEL_OK;
  if (product.layout == MMT_NT)
    status = mmt_f32_pack(&product, packed_b, &product);
  if (status == KERNEL_OK && product.layout == MMT_NN)
    status = mmt_f32_pack(&product, packed_a, &product);
  rt_barrier();
  return (int)(status == KERNEL_OK ? mmt_f32(id, &product) : status);
}

static int run(void) {
  if (pack)
    return run_packed();
  return (int)(by_k ? mmt_f32_by_k(&mm, parts) : mmt_f32(id, &mm));
}

static bool same(float a, float b) {
  return rt_float_bits(a) == rt_float_bits(b) || (a != a && b != b); // host NaNs have signs
}

static bool element_is_right(uint32_t row, uint32_t column, float got, float was) {
  if (column >= mm.m)
    return same(got, was);
  if (!by_k)
    return same(got, ref_mmt_f32(&mm, row, column, was));
  struct ref_sum want = ref_mmt_f32_sum(&mm, row, column);
  if (mm.add)
    ref_add(&want, was);
  want.terms += rt_core_count(); // and as many additions of parts
  return ref_near(got, &want);
}

static int check(void) {
  for (uint32_t i = 0; i < mm.n * mm.ldc; i++) {
    uint32_t row = i / mm.ldc, column = i % mm.ldc;
    if (!element_is_right(row, column, mm.c[i], before[i])) {
      rt_printf("by_k %u kernel %u layout %u add %u %ux%ux%u: C[%u][%u] = %08x, expected %08x\n",
                by_k, (unsigned)id, (unsigned)mm.layout, (unsigned)mm.add, (unsigned)mm.n,
                (unsigned)mm.m, (unsigned)mm.k, (unsigned)row, (unsigned)column,
                (unsigned)rt_float_bits(mm.c[i]),
                (unsigned)rt_float_bits(ref_mmt_f32(&mm, row, column, before[i])));
      return 1;
    }
  }
  return 0;
}

int grid_train_mm(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("train_mm", &what);
}
