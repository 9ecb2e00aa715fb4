// kernels/bench/speed_layer.c: a workload for the speed of the simulator: a pointwise layer, 64 ->
// 64 channels, int8 in, int32 out, over pixels that come from L2 and go back there through
// double-buffered DMA, TILE pixels at a time.
#include "bench.h"

#include "kernels/mm/mm_i8.h"
#include "kernels/ref/ref_mm.h"

RT_REGION(1, "pointwise by DMA");

enum { CHANNELS = 64, TILE = 64, TILES = 8, WORDS = TILE * CHANNELS };

static int8_t in[TILES * WORDS];   // L2
static int32_t out[TILES * WORDS]; // L2
static RT_L1_BSS int8_t weights[CHANNELS * CHANNELS] __attribute__((aligned(4)));
static RT_L1_BSS int8_t packed[CHANNELS * CHANNELS] __attribute__((aligned(4)));
static RT_L1_BSS int8_t tile_in[2][WORDS] __attribute__((aligned(8)));
static RT_L1_BSS int32_t tile_out[2][WORDS] __attribute__((aligned(8)));
volatile uint32_t bench_repeat = 1;

static struct mm_i8 product(uint32_t buffer) {
  return (struct mm_i8){tile_in[buffer], packed,   tile_out[buffer], TILE,    CHANNELS,
                        CHANNELS,        CHANNELS, CHANNELS,         CHANNELS};
}

// Core 0 drives the DMA: while the cores work on tile t, tile t + 1 comes and tile t - 1 goes.
static enum kernel_status layer(void) {
  enum kernel_status status = KERNEL_OK;
  bool driver = rt_core_id() == 0;
  unsigned coming = 0, going = 0;
  if (driver)
    coming = rt_dma_in(tile_in[0], in, sizeof tile_in[0]);
  for (uint32_t t = 0; t < TILES && status == KERNEL_OK; t++) {
    struct mm_i8 mm = product(t & 1);
    if (driver)
      rt_dma_wait(coming);
    rt_barrier(); // the data is here, and all are done with tile t - 1
    if (driver && t + 1 < TILES)
      coming = rt_dma_in(tile_in[(t + 1) & 1], in + (t + 1) * WORDS, sizeof tile_in[0]);
    if (driver && t >= 1)
      going = rt_dma_out(out + (t - 1) * WORDS, tile_out[(t - 1) & 1], sizeof tile_out[0]);
    status = mm_i8_4x4_rows(&mm);
    if (driver && t >= 1) // the next tile's results go where this transfer comes from
      rt_dma_wait(going);
    rt_barrier();
    if (driver && t + 1 == TILES)
      rt_dma_wait(rt_dma_out(out + t * WORDS, tile_out[t & 1], sizeof tile_out[0]));
  }
  return status;
}

static int check(void) {
  for (uint32_t p = 7 * rt_core_id(); p < TILES * TILE; p += 7 * rt_core_count()) {
    struct mm_i8 mm = product(0);
    uint32_t j = p % CHANNELS;
    mm.a = in + p / TILE * WORDS;
    if (!bench_equal("out", p, j, (uint32_t)out[p * CHANNELS + j],
                     (uint32_t)ref_mm_i8(&mm, weights, CHANNELS, p % TILE, j)))
      return 1;
  }
  return 0;
}

int main(void) {
  enum kernel_status status = KERNEL_OK;
  if (rt_core_id() == 0) {
    bench_fill_bytes(in, sizeof in, 1);
    bench_fill_bytes(weights, sizeof weights, 2);
    rt_region_macs(1, (uint64_t)TILES * WORDS * CHANNELS);
  }
  rt_barrier();
  mm_i8_pack(packed, weights, CHANNELS, CHANNELS, CHANNELS);
  rt_barrier();
  for (uint32_t n = bench_repeat; n > 0 && status == KERNEL_OK; n--) {
    rt_region_begin(1);
    status = layer();
    rt_barrier();
    rt_region_end(1);
  }
  return status == KERNEL_OK ? check() : 1;
}
