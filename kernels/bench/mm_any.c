// kernels/bench/mm_any.c: float matrix product C = A * B of any shape by any kernel of
// mmt_f32.def. Both are read from variables, which the bench runner sets: one program, many
// measurements.
#include "bench.h"

#include "kernels/mm/mmt_f32.h"
#include "kernels/ref/ref_train_mm.h"

RT_REGION(1, "matmul");
RT_REGION(2, "first call");

volatile uint32_t bench_shape[4] = {64, 64, 64, MMT_NN}; // N, M, K, enum mmt_layout
char bench_kernel[32] = "4x4_grid";                      // a name in mmt_f32.def, or "auto"

enum { FLOATS = 54 * 256 };
static RT_L1_BSS float arena[FLOATS];

static bool equal(const char *a, const char *b) {
  for (; *a == *b; a++, b++) {
    if (*a == '\0')
      return true;
  }
  return false;
}

static enum mmt_f32_id kernel_id(void) {
  unsigned id = 0;
  while (id < MMT_F32_COUNT && !equal(mmt_f32_names[id] + sizeof "mmt_f32_" - 1, bench_kernel))
    id++;
  if (id == MMT_F32_COUNT && !equal(bench_kernel, "auto"))
    rt_exit(2);
  return (enum mmt_f32_id)id; // MMT_F32_AUTO is MMT_F32_COUNT
}

static int check(const struct mmt_f32 *mm) {
  struct rt_range rows = rt_split(mm->n, 1);
  for (uint32_t i = rows.begin; i < rows.end; i++) {
    for (uint32_t j = 0; j < mm->m; j++) {
      if (!bench_equal("C", i, j, rt_float_bits(mm->c[i * mm->ldc + j]),
                       rt_float_bits(ref_mmt_f32(mm, i, j, 0))))
        return 1;
    }
  }
  return 0;
}

int main(void) {
  uint32_t n = bench_shape[0], m = bench_shape[1], k = bench_shape[2];
  enum mmt_layout layout = (enum mmt_layout)bench_shape[3];
  const struct mmt_f32 mm = {arena,
                             arena + n * k,
                             arena + n * k + k * m,
                             n,
                             m,
                             k,
                             layout == MMT_TN ? n : k,
                             layout == MMT_NT ? k : m,
                             m,
                             layout,
                             false};
  enum mmt_f32_id id = kernel_id();
  if (n * k + k * m + n * m > FLOATS) {
    rt_printf("%u floats do not fit into L1\n", (unsigned)(n * k + k * m + n * m));
    return 1;
  }
  if (rt_core_id() == 0) {
    bench_fill_floats(arena, n * k + k * m, 1);
    rt_region_macs(1, (uint64_t)n * m * k);
  }
  rt_barrier();
  enum kernel_status status;
  bench_measure_step(status, mmt_f32(id, &mm));
  return status == KERNEL_OK ? check(&mm) : 1;
}
