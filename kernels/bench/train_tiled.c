// kernels/bench/train_tiled.c: float matrix product of operands in L2, by tiles through L1, of any
// shape, tile and kernel: read from variables, which the bench runner and the tuner set.
#include "bench.h"

#include "kernels/ref/ref_train_mm.h"
#include "kernels/train/train_tiled_product.h"

RT_REGION(1, "tiled product");
RT_REGION(2, "first call");

volatile uint32_t bench_shape[4] = {64, 125, 64, MMT_NN}; // N, M, K, enum mmt_layout
volatile uint32_t bench_tile[5] = {12, 125, 64, 0, 0};    // N, M, K, rows inner, 1 + kernel

// 0: data are zeros, nothing is compared: the same cycles
volatile uint32_t bench_check = 1;
volatile uint32_t bench_in_l1 = 0; // 1: the whole product is in L1, and there are no tiles
volatile uint32_t bench_warm_call = BENCH_WARM_CALLS; // the call that is region 1; the first is 0

enum { L1_FLOATS = 12500, L2_FLOATS = 88 * 1024 };
static RT_L1_BSS float l1[L1_FLOATS];
static float l2[L2_FLOATS];

static struct train_tiled_product described(void) {
  uint32_t n = bench_shape[0], m = bench_shape[1], k = bench_shape[2];
  enum mmt_layout layout = (enum mmt_layout)bench_shape[3];
  float *data = bench_in_l1 ? l1 : l2;
  struct mmt_f32 mm = {
      .a = data, .b = data + n * k, .c = data + n * k + k * m, .n = n, .m = m, .k = k};
  mm.layout = layout;
  mm.lda = layout == MMT_TN ? n : k;
  mm.ldb = layout == MMT_NT ? k : m;
  mm.ldc = m;
  return (struct train_tiled_product){.whole = mm,
                                      .tile_n = bench_tile[0],
                                      .tile_m = bench_tile[1],
                                      .tile_k = bench_tile[2],
                                      .rows_inner = bench_tile[3],
                                      .matmul = (uint8_t)bench_tile[4],
                                      .l1 = l1};
}

// What does not fit ends the program before anything is written.
static void refuse_larger(const struct train_tiled_product *p) {
  const struct mmt_f32 *mm = &p->whole;
  uint32_t outside = mm->n * mm->k + mm->k * mm->m + mm->n * mm->m;
  uint32_t inside = bench_in_l1 ? outside * 4 : train_tiled_product_buffer_size(p);
  if (outside <= L2_FLOATS && inside <= sizeof l1)
    return;
  rt_printf("%u floats in L2 and %u bytes of L1 wanted\n", (unsigned)outside, (unsigned)inside);
  rt_exit(1);
}

static int check(const struct mmt_f32 *mm) {
  for (uint32_t i = rt_core_id() * 7; i < mm->n * mm->m; i += 7 * rt_core_count()) {
    float want = ref_mmt_f32(mm, i / mm->m, i % mm->m, 0);
    if (!bench_equal("C", i / mm->m, i % mm->m, rt_float_bits(mm->c[i]), rt_float_bits(want)))
      return 1;
  }
  return 0;
}

static enum kernel_status run(const struct train_tiled_product *product) {
  if (!bench_in_l1)
    return train_tiled_product(product);
  return mmt_f32(product->matmul ? (enum mmt_f32_id)(product->matmul - 1) : MMT_F32_AUTO,
                 &product->whole);
}

int main(void) {
  const struct train_tiled_product product = described();
  const struct mmt_f32 *mm = &product.whole;
  refuse_larger(&product);
  if (rt_core_id() == 0 && bench_check)
    bench_fill_floats((float *)(uintptr_t)mm->a, mm->n * mm->k + mm->k * mm->m, 1);
  if (rt_core_id() == 0)
    rt_region_macs(1, (uint64_t)mm->n * mm->m * mm->k);
  enum kernel_status status;
  bench_measure_call(bench_warm_call, status, run(&product));
  if (status != KERNEL_OK)
    return 1;
  return bench_check ? check(mm) : 0;
}
