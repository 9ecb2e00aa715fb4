// tests/kernels/grid_train_half.c: products of 16-bit floats, within the stated bound.
#include "grid_train.h"

#include "kernels/ref/ref_train_half.h"

static struct mmt_f16 mm;
static enum mmt_f32_id id;
static uint16_t *before;

static uint16_t *halves(uint32_t count, uint32_t *seed) {
  uint16_t *m = grid_take(count * 2, 0);
  for (uint32_t i = 0; i < count; i++)
    m[i] = ref_half_round((float)(int8_t)(rt_random(seed) >> 7) * 0x1p-7f, mm.format);
  return m;
}

static void prepare(uint32_t number, uint32_t seed) {
  id = (enum mmt_f32_id)(number % (MMT_F32_COUNT + 1));
  mm.layout = (enum mmt_layout)(number / 3 % MMT_LAYOUTS);
  mm.format = (enum mmt_f16_format)(number % MMT_F16_FORMATS);
  mm.add = number / 2 % 2;
  mm.n = grid_draw(&seed, 1, number % 3 == 0 ? 4 : 17);
  mm.m = grid_draw(&seed, 1, number % 5 == 0 ? 4 : 19);
  mm.k = 2 * grid_draw(&seed, 1, number % 7 == 0 ? 2 : 18);
  mm.lda = ((mm.layout == MMT_TN ? mm.n : mm.k) + 1) / 2 * 2 + 2 * grid_draw(&seed, 0, 1);
  mm.ldb = ((mm.layout == MMT_NT ? mm.k : mm.m) + 1) / 2 * 2 + 2 * grid_draw(&seed, 0, 1);
  mm.ldc = mm.m + grid_draw(&seed, 0, 3);
  mm.a = halves(mm.lda * (mm.layout == MMT_TN ? mm.k : mm.n), &seed);
  mm.b = halves(mm.ldb * (mm.layout == MMT_NT ? mm.m : mm.k), &seed);
  mm.c = halves(mm.n * mm.ldc, &seed);
  if (number % 11 == 0)
    grid_spoil((void *)mm.a, mm.lda * (mm.layout == MMT_TN ? mm.k : mm.n),
               mm.format == MMT_FP16 ? TRAIN_FP16 : TRAIN_BF16, &seed);
  before = grid_take(mm.n * mm.ldc * 2, 0);
  for (uint32_t i = 0; i < mm.n * mm.ldc; i++)
    before[i] = mm.c[i];
  uint32_t bytes = mmt_f16_buffer_size(&mm);
  mm.scratch = grid_scratch(bytes);
}

static int run(void) {
  return (int)mmt_f16(id, &mm);
}

static int check(void) {
  for (uint32_t i = 0; i < mm.n * mm.ldc; i += GRID_EACH) {
    uint32_t row = i / mm.ldc, column = i % mm.ldc;
    bool right = mm.c[i] == before[i];
    if (column < mm.m) {
      struct ref_sum want = ref_mmt_f16(&mm, row, column);
      if (mm.add)
        ref_add(&want, ref_half_value(before[i], mm.format));
      right = ref_half_near(mm.c[i], mm.format, &want);
    }
    if (!right) {
      rt_printf("kernel %u layout %u format %u add %u %ux%ux%u: C[%u][%u] = %04x\n", (unsigned)id,
                (unsigned)mm.layout, (unsigned)mm.format, (unsigned)mm.add, (unsigned)mm.n,
                (unsigned)mm.m, (unsigned)mm.k, (unsigned)row, (unsigned)column, mm.c[i]);
      return 1;
    }
  }
  return 0;
}

int grid_train_half(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("train_half", &what);
}
