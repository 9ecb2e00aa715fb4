// kernels/bench/speed_mm.c: a workload for the speed of the simulator: the 64x64x64 matrix product
// in L1 over and over, TYPE i8 or f32, one element in eleven checked at the end.
#include "bench.h"

#include "kernels/mm/mm_f32.h"
#include "kernels/mm/mm_i8.h"
#include "kernels/ref/ref_mm.h"

enum { N = 64, i8 = 0, f32 = 1 };

RT_REGION(1, "matmul " BENCH_TEXT(TYPE));
volatile uint32_t bench_repeat = 2;

#define PITCH (N + (TYPE == i8 ? 4 : 1)) // see mm_i8.c, mm_f32.c

static RT_L1_BSS uint32_t a[N * PITCH / (TYPE == i8 ? 4 : 1)], b[N * PITCH / (TYPE == i8 ? 4 : 1)];
static RT_L1_BSS int32_t packed[TYPE == i8 ? N * N / 4 : 1];
static RT_L1_BSS uint32_t c[N * (N + 1)];

static const struct mm_i8 mi = {(int8_t *)a, (int8_t *)packed, (int32_t *)c, N, N, N, PITCH, PITCH,
                                N + 1};
static const struct mm_f32 mf = {(float *)a, (float *)b, (float *)c, N,     N,
                                 N,          PITCH,      PITCH,      N + 1, NULL};

static void fill(void) {
  if (TYPE == i8) {
    bench_fill_bytes(a, sizeof a, 1);
    bench_fill_bytes(b, sizeof b, 2);
  } else {
    bench_fill_floats((void *)a, sizeof a / 4, 1);
    bench_fill_floats((void *)b, sizeof b / 4, 2);
  }
  rt_region_macs(1, (uint64_t)N * N * N);
}

static int check(void) {
  for (uint32_t e = 11 * rt_core_id(); e < N * N; e += 11 * rt_core_count()) {
    uint32_t i = e / N, j = e % N;
    uint32_t want = TYPE == i8 ? (uint32_t)ref_mm_i8(&mi, (const int8_t *)b, PITCH, i, j)
                               : rt_float_bits(ref_mm_f32(&mf, i, j));
    if (!bench_equal("C", i, j, c[i * (N + 1) + j], want))
      return 1;
  }
  return 0;
}

int main(void) {
  enum kernel_status status = KERNEL_OK;
  if (rt_core_id() == 0)
    fill();
  rt_barrier();
  if (TYPE == i8)
    mm_i8_pack((int8_t *)packed, (const int8_t *)b, PITCH, N, N);
  rt_barrier();
  for (uint32_t n = bench_repeat; n > 0 && status == KERNEL_OK; n--) {
    rt_region_begin(1);
    status = TYPE == i8 ? mm_i8_4x4_rows(&mi) : mm_f32(MM_F32_4x4_cols, &mf);
    rt_barrier();
    rt_region_end(1);
  }
  return status == KERNEL_OK ? check() : 1;
}
