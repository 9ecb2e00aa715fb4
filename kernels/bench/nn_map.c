// kernels/bench/nn_map.c: the layers without weights: KERNEL max, average or add, of the shapes
// that the literature reports: pooling 16x16x64, 2x2, stride 2; addition of 16x16x32 (CHANNELS: of
// so many). BITS of a, b and the output (pooling: three times the same). WINDOW 3: overlapping
// windows, 3x3, a row and a column of them beginning outside. "Useful MACs" are outputs here.
#include "bench.h"

#include "kernels/nn/nn_add.h"
#include "kernels/nn/nn_bits.h"
#include "kernels/nn/nn_pool.h"
#include "kernels/ref/ref_add.h"
#include "kernels/ref/ref_pool.h"

enum kind { max, average, add };
#ifndef CHANNELS
#define CHANNELS 32
#endif
enum { SIZE = 16, POOLED = 64, ADDED = CHANNELS };

#ifndef BITS
#define BITS 8, 8, 8
#endif
#ifndef WINDOW
#define WINDOW 2
#endif

RT_REGION(1, BENCH_TEXT(NAME));
RT_REGION(2, "first call");

static RT_L1_BSS uint8_t a[SIZE * SIZE * POOLED] __attribute__((aligned(4)));
static RT_L1_BSS uint8_t b[SIZE * SIZE * ADDED] __attribute__((aligned(4)));
static RT_L1_BSS uint8_t out[SIZE * SIZE * (ADDED > POOLED / 2 ? ADDED : POOLED / 2)]
    __attribute__((aligned(4)));
static const uint8_t bits[3] = {BITS};

static RT_L1_BSS struct nn_pool pool;
static RT_L1_BSS struct nn_add sum;

static __attribute__((noinline)) enum kernel_status run(void) {
  return KERNEL == max ? nn_maxpool(&pool) : KERNEL == average ? nn_avgpool(&pool) : nn_add(&sum);
}

// Sums, half of which pass the range.
static void fill(void) {
  bench_fill_bytes(a, sizeof a, 1);
  bench_fill_bytes(b, sizeof b, 2);
  pool = (struct nn_pool){.in = a,
                          .out = out,
                          .in_h = SIZE,
                          .in_w = SIZE,
                          .channels = POOLED,
                          .kernel_h = WINDOW,
                          .kernel_w = WINDOW,
                          .stride_h = 2,
                          .stride_w = 2,
                          .pad_top = WINDOW - 2,
                          .pad_left = WINDOW - 2,
                          .bits = bits[0]};
  sum = (struct nn_add){.a = a,
                        .b = b,
                        .out = out,
                        .pixels = SIZE * SIZE,
                        .channels = ADDED,
                        .scale_a = 93,
                        .scale_b = 110,
                        .lambda = 1 << 6,
                        .shift = (uint8_t)(7 + bits[0] - bits[2]),
                        .a_bits = bits[0],
                        .b_bits = bits[1],
                        .out_bits = bits[2]};
}

static uint32_t pooled(uint32_t i) {
  uint32_t p = i / POOLED;
  return (KERNEL == max ? ref_maxpool : ref_avgpool)(&pool, p / (SIZE / 2), p % (SIZE / 2),
                                                     i % POOLED);
}

// Element i's place in the output, whose pixels begin at a byte.
static uint32_t place(uint32_t i) {
  uint32_t pixel = nn_bits_bytes(ADDED, bits[2]) * 8 / bits[2];
  return i / ADDED * pixel + i % ADDED;
}

int main(void) {
  const uint32_t outputs = KERNEL == add ? SIZE * SIZE * ADDED : SIZE * SIZE * POOLED / 4;
  if (rt_core_id() == 0) {
    fill();
    rt_region_macs(1, outputs);
  }
  rt_barrier();
  enum kernel_status status;
  bench_measure_step(status, run());
  struct rt_range mine = rt_split(outputs, 1);
  for (uint32_t i = mine.begin; i < mine.end && status == KERNEL_OK; i++) {
    uint32_t want = KERNEL == add ? ref_add(&sum, i / ADDED, i % ADDED) : pooled(i);
    uint32_t at = KERNEL == add ? place(i) : i;
    if (!bench_equal("out", i, 0, nn_bits_unsigned(out, at, bits[2]), want))
      return 1;
  }
  return status != KERNEL_OK;
}
