// kernels/bench/mm_base.c: int8 matrix multiplication 64 x 64 x 64, int32 out, by one of the
// kernels of mm_i8_base.def: what SIMD, post-increment, hardware loops and a larger block are
// worth. Which one is read from two variables, which the bench runner sets: one program, many
// measurements.
#include "bench.h"

#include "kernels/mm/mm_i8.h"
#include "kernels/mm/mm_i8_base.h"
#include "kernels/ref/ref_mm.h"

RT_REGION(1, "matmul");

char bench_block[8] = "4x2";           // rows x columns of a block
char bench_use[16] = "simd+post+loop"; // the rest of its name

// Rows one word longer than a multiple of the banks, as in mm_i8.c.
enum { SIZE = 64, PITCH = SIZE + 4 };

static RT_L1_BSS int8_t a[SIZE * PITCH] __attribute__((aligned(4)));
static RT_L1_BSS int8_t bt[SIZE * PITCH] __attribute__((aligned(4)));
static RT_L1_BSS int32_t c[SIZE * SIZE];

struct base {
  const char *block, *use;
  uint32_t u, v;
  mm_i8_strip_fn *run;
};
#define MM_I8_BASE(u, v, simd, post, loop, name)                                                   \
  {#u "x" #v, name, u, v, mm_i8_base_##u##x##v##_##simd##post##loop},
static const struct base bases[] = {
#include "kernels/mm/mm_i8_base.def"
};

static bool equal(const char *x, const char *y) {
  for (; *x == *y; x++, y++) {
    if (*x == '\0')
      return true;
  }
  return false;
}

static const struct base *choose(void) {
  for (uint32_t i = 0; i < sizeof bases / sizeof *bases; i++) {
    if (equal(bases[i].block, bench_block) && equal(bases[i].use, bench_use))
      return &bases[i];
  }
  if (rt_core_id() == 0)
    rt_printf("mm_base: no kernel %s %s in mm_i8_base.def\n", bench_block, bench_use);
  rt_exit(2);
}

static __attribute__((noinline)) enum kernel_status multiply(const struct base *base) {
  struct rt_range rows = rt_split(SIZE, base->u);
  for (uint32_t i = rows.begin; i < rows.end; i += base->u) {
    struct mm_i8_strip strip = {.a = a + i * PITCH,
                                .a_stride = PITCH,
                                .b = bt,
                                .b_stride = PITCH,
                                .c = c + i * SIZE,
                                .c_stride = SIZE * sizeof *c,
                                .words = SIZE / 4,
                                .blocks = SIZE / base->v};
    base->run(&strip);
  }
  return KERNEL_OK;
}

static int check(void) {
  const struct mm_i8 mm = {a, bt, c, SIZE, SIZE, SIZE, PITCH, PITCH, SIZE};
  struct rt_range rows = rt_split(SIZE, 1);
  for (uint32_t i = rows.begin; i < rows.end; i++) {
    for (uint32_t j = 0; j < SIZE; j++) {
      if (!bench_equal("C", i, j, (uint32_t)c[i * SIZE + j],
                       (uint32_t)ref_mm_i8(&mm, bt, PITCH, i, j)))
        return 1;
    }
  }
  return 0;
}

int main(void) {
  const struct base *base = choose();
  if (rt_core_id() == 0) {
    bench_fill_bytes(a, sizeof a, 1);
    bench_fill_bytes(bt, sizeof bt, 2);
    rt_region_macs(1, (uint64_t)SIZE * SIZE * SIZE);
  }
  rt_barrier();
  enum kernel_status status;
  bench_measure(status, multiply(base));
  return status == KERNEL_OK ? check() : 1;
}
