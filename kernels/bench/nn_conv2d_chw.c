// kernels/bench/nn_conv2d_chw.c: the reference layer (nn_conv2d.c: 16x16x32 -> 64 filters, 3x3, pad
// 1) with planes in the place of pixels, in[channel][y][x] and out[filter][y][x]: what the layout
// costs (Burrello et al., DORY, IEEE TC 2021, figure 9). The products are those of the HWC kernel;
// columns are gathered plane by plane, three bytes a row, and outputs scattered to planes.
#include "bench.h"

#include "kernels/nn/nn_strip_u8.h"
#include "kernels/nn/nn_word.h"
#include "kernels/ref/ref_conv2d.h"

enum { SIZE = 16, PLANE = SIZE * SIZE, CHANNELS = 32, FILTERS = 64, K = CHANNELS * 9, SHIFT = 20 };
enum { CORES = 8, GROUP = 4, GUARD = SIZE + 4, EVERY = 7 }; // GUARD: bytes read beside the planes

RT_REGION(1, "conv2d_16x16x32_64x3x3_chw");
RT_REGION(2, "first call");

static RT_L1_BSS uint32_t planes[(GUARD + CHANNELS * PLANE + GUARD) / 4];
static RT_L1_BSS uint32_t filters[FILTERS / 4 * (K * 4 + 32) / 4];
static RT_L1_BSS uint8_t out[FILTERS * PLANE];
static RT_L1_BSS uint32_t columns[CORES][GROUP * K / 4 + 2];
static RT_L1_BSS uint32_t block[CORES][GROUP * FILTERS / 4 + 1];

static int8_t weights[FILTERS * K]; // [filter][channel][row][column]
static int32_t kappa[FILTERS], lambda[FILTERS];

static uint8_t *const in = (uint8_t *)planes + GUARD;

// The column of a pixel: nine bytes of each plane. Words, as the next store corrects the fourth
// byte; what is outside the planes is masked.
static void make_column(uint8_t *column, uint32_t y, uint32_t x) {
  uint32_t mask = x == 0 ? 0x00ffff00 : x == SIZE - 1 ? 0x0000ffff : 0x00ffffff;
  uint32_t above = y > 0 ? mask : 0, below = y < SIZE - 1 ? mask : 0;
  const uint8_t *src = in + y * SIZE + x - 1;
  for (const uint8_t *end = src + CHANNELS * PLANE; src != end; src += PLANE, column += 9) {
    uint32_t top = nn_word_load(src - SIZE), middle = nn_word_load(src);
    uint32_t bottom = nn_word_load(src + SIZE);
    nn_word_store(column, top & above);
    nn_word_store(column + 3, middle & mask);
    nn_word_store(column + 6, bottom & below);
  }
}

// Four pixels of all filters, from pixels to planes.
static void scatter(uint32_t pixel, const uint8_t *from) {
  for (uint32_t f = 0; f < FILTERS; f++, from++) {
    uint32_t word = from[0] | (uint32_t)from[FILTERS] << 8 | (uint32_t)from[2 * FILTERS] << 16 |
                    (uint32_t)from[3 * FILTERS] << 24;
    nn_word_store(out + f * PLANE + pixel, word);
  }
}

static __attribute__((noinline)) enum kernel_status run(void) {
  struct rt_range mine = rt_split(PLANE, GROUP);
  uint8_t *column = (uint8_t *)columns[rt_core_id()], *pixels = (uint8_t *)block[rt_core_id()];
  const struct nn_strip_u8 strip = {.a = column,
                                    .a_stride = K,
                                    .blocks = filters,
                                    .out = pixels,
                                    .out_stride = FILTERS,
                                    .words = K / 4,
                                    .count = FILTERS / 4,
                                    .shift = SHIFT,
                                    .strips = 1};
  nn_strip_u8_fn *multiply = nn_strip_u8_i8_u8_rows[GROUP - 1];
  for (uint32_t p = mine.begin; p < mine.end; p += GROUP) {
    for (uint32_t i = 0; i < GROUP; i++)
      make_column(column + i * K, p / SIZE, p % SIZE + i);
    multiply(&strip);
    scatter(p, pixels);
  }
  return KERNEL_OK;
}

static void fill(void) {
  uint32_t seed = 3;
  bench_fill_bytes(in, CHANNELS * PLANE, 1);
  bench_fill_bytes(weights, sizeof weights, 2);
  for (uint32_t f = 0; f < FILTERS; f++) {
    kappa[f] = 200 + (int32_t)(rt_random(&seed) % 1000);
    lambda[f] = (int32_t)(rt_random(&seed) % (1u << (SHIFT + 7)));
  }
  rt_region_macs(1, (uint64_t)PLANE * FILTERS * K);
}

// The same layer in pixels, for the reference.
static uint8_t in_hwc[PLANE * CHANNELS];
static int8_t weights_hwc[FILTERS * K];

static void turn(void) {
  for (uint32_t c = 0; c < CHANNELS; c++) {
    for (uint32_t p = 0; p < PLANE; p++)
      in_hwc[p * CHANNELS + c] = in[c * PLANE + p];
    for (uint32_t i = 0; i < FILTERS * 9; i++)
      weights_hwc[i * CHANNELS + c] = weights[i / 9 * K + c * 9 + i % 9];
  }
}

static int check_some(void) {
  const struct ref_conv2d ref = {weights_hwc, kappa, lambda};
  const struct nn_conv2d layer = {.in = in_hwc,
                                  .in_h = SIZE,
                                  .in_w = SIZE,
                                  .in_c = CHANNELS,
                                  .out_c = FILTERS,
                                  .kernel_h = 3,
                                  .kernel_w = 3,
                                  .stride_h = 1,
                                  .stride_w = 1,
                                  .pad_top = 1,
                                  .pad_bottom = 1,
                                  .pad_left = 1,
                                  .pad_right = 1,
                                  .shift = SHIFT};
  struct rt_range mine = rt_split(FILTERS, 1);
  for (uint32_t p = 0; p < PLANE; p += EVERY)
    for (uint32_t f = mine.begin; f < mine.end; f++)
      if (!bench_equal("out", f, p, out[f * PLANE + p],
                       ref_conv2d_u8(&layer, &ref, p / SIZE, p % SIZE, f)))
        return 1;
  return 0;
}

int main(void) {
  // To the packing, a column is a pixel of K channels.
  const struct nn_conv2d column = {.in_c = K, .out_c = FILTERS, .kernel_h = 1, .kernel_w = 1};
  if (rt_core_id() == 0)
    fill();
  rt_barrier();
  nn_conv2d_pack(&column, filters, weights, kappa, lambda);
  enum kernel_status status;
  bench_measure_step(status, run());
  if (rt_core_id() == 0)
    turn();
  rt_barrier();
  return status != KERNEL_OK || check_some();
}
