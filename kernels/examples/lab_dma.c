// kernels/examples/lab_dma.c: tiles from L2, through one buffer and through two; docs/labs.md.
#include "kernels/rt/rt.h"

enum { TILE = 1024, TILES = 8 };

RT_REGION(1, "one buffer");
RT_REGION(2, "two buffers");

static uint32_t data[TILES][TILE];            // in L2
static RT_L1_BSS uint32_t buffer[2][TILE];    // in L1
static RT_L1_BSS uint32_t part[RT_MAX_CORES]; // sums of squares

static void work(const uint32_t *tile) {
  struct rt_range mine = rt_share(TILE);
  uint32_t sum = 0;
  for (uint32_t i = mine.begin; i < mine.end; i++)
    sum += tile[i] * tile[i];
  part[rt_core_id()] += sum;
}

// Core 0 drives the DMA; the barrier tells the others that the tile is there.
static void one_buffer(void) {
  for (unsigned t = 0; t < TILES; t++) {
    if (rt_core_id() == 0)
      rt_dma_wait(rt_dma_in(buffer[0], data[t], sizeof buffer[0]));
    rt_barrier();
    work(buffer[0]);
    rt_barrier(); // all are done with the tile
  }
}

// While all work on one tile, the next comes into the other buffer.
static void two_buffers(void) {
  unsigned id = 0;
  if (rt_core_id() == 0)
    id = rt_dma_in(buffer[0], data[0], sizeof buffer[0]);
  for (unsigned t = 0; t < TILES; t++) {
    if (rt_core_id() == 0)
      rt_dma_wait(id);
    rt_barrier(); // tile t is there, and all are done with tile t - 1
    if (rt_core_id() == 0 && t + 1 < TILES)
      id = rt_dma_in(buffer[(t + 1) % 2], data[t + 1], sizeof buffer[0]);
    work(buffer[t % 2]);
  }
}

int main(void) {
  struct rt_range mine = rt_share(TILES * TILE);
  uint32_t sum = 0;
  for (uint32_t i = mine.begin; i < mine.end; i++)
    data[i / TILE][i % TILE] = i % 16;
  for (int pass = 0; pass < 2; pass++) { // the first one fills the instruction caches
    rt_barrier();
    rt_region_begin_if(1, pass);
    one_buffer();
    rt_region_end_if(1, pass);
    rt_barrier();
    rt_region_begin_if(2, pass);
    two_buffers();
    rt_region_end_if(2, pass);
  }
  rt_barrier();
  for (unsigned i = 0; i < rt_core_count(); i++)
    sum += part[i];
  return sum != 4 * TILES * TILE / 16 * 1240; // 0 + 1 + 4 + ... + 225
}
