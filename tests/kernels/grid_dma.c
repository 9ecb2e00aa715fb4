// tests/kernels/grid_dma.c: every core moves rows in and out by DMA, at the same time, one- and
// two-dimensional, at all alignments.
#include "grid.h"

enum { SHARE = 320 }; // bytes outside L1 that belong to a core
static uint8_t from[RT_MAX_CORES * SHARE], to[RT_MAX_CORES * SHARE];
static uint32_t rows, row_bytes, stride, offset;
static uint8_t *l1; // of all cores

static uint32_t inside(void) {
  return rows * row_bytes + 8;
}

static void prepare(uint32_t number, uint32_t seed) {
  (void)number;
  rows = grid_draw(&seed, 1, 6);
  row_bytes = grid_draw(&seed, 1, 40);
  stride = row_bytes + grid_draw(&seed, 0, 9);
  offset = grid_draw(&seed, 0, 7);
  grid_fill(from, rt_core_count() * SHARE, &seed);
  for (uint32_t i = 0; i < rt_core_count() * SHARE; i++)
    to[i] = 0x5a;
  l1 = grid_take(rt_core_count() * inside(), grid_draw(&seed, 0, 7));
}

static int run(void) {
  uint8_t *mine = l1 + rt_core_id() * inside();
  const uint8_t *source = from + rt_core_id() * SHARE + offset;
  uint8_t *target = to + rt_core_id() * SHARE + offset;
  if (rows == 1) {
    rt_dma_wait(rt_dma_in(mine, source, row_bytes));
    rt_dma_wait(rt_dma_out(target, mine, row_bytes));
    return 0;
  }
  // Two transfers open at a time, waited for out of order.
  uint32_t half = rows / 2;
  unsigned a = rt_dma_in_2d(mine, source, half, row_bytes, stride);
  unsigned b =
      rt_dma_in_2d(mine + half * row_bytes, source + half * stride, rows - half, row_bytes, stride);
  rt_dma_wait(b);
  rt_dma_wait(a);
  rt_dma_wait(rt_dma_out_2d(target, mine, rows, row_bytes, stride));
  return 0;
}

// What a core must have moved: byte by byte, `at` counting from the start of a row.
static int check_share(unsigned core) {
  uint32_t at = 0, row = 0;
  for (uint32_t i = core * SHARE; i < (core + 1) * SHARE; i++) {
    bool moved = i - core * SHARE >= offset && row < rows && at < row_bytes;
    uint8_t want = moved ? from[i] : 0x5a;
    if (to[i] != want) {
      rt_printf("dma %u rows of %u, %u apart: byte %u is %02x, expected %02x\n", (unsigned)rows,
                (unsigned)row_bytes, (unsigned)stride, (unsigned)i, to[i], want);
      return 1;
    }
    if (i - core * SHARE >= offset && ++at == stride) {
      at = 0;
      row++;
    }
  }
  return 0;
}

static int check(void) {
  int failed = 0;
  for (unsigned core = 0; core < rt_core_count() && !failed; core++)
    failed = check_share(core);
  return failed;
}

int grid_dma(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("dma", &what);
}
