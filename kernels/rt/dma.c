// kernels/rt/dma.c: the cluster DMA (mchan), driven through the core's own command queue.
//
// A command is a sequence of stores to one register: command word, L1 address, external
// address and, for 2-D, row length and stride. Source: mchan RTL, parameters of pulp_cluster.
// Version 6 (GAP8, Mr. Wolf) has a bit less of length, and one word for row length and stride.
#include "dma.h"

#include "xpulp.h"

unsigned rt_dma_open(void) {
  return DMA_REGISTER(RT_DMA_CMD);
}

static void command(uint64_t bytes, uint32_t flags, const volatile void *l1,
                    const volatile void *ext) {
  if (bytes == 0 || bytes > DMA_MAX_BYTES) { // would be another command altogether
    rt_print(RT_DMA_VERSION == 7 ? "rt_dma: a transfer has 1 to 131,071 bytes\n"
                                 : "rt_dma: a transfer has 1 to 65,535 bytes, a stride as many\n");
    rt_exit(RT_DMA_ERROR);
  }
  dma_command((uint32_t)bytes, flags, l1, ext);
}

void rt_dma_also_in(void *l1, const void *ext, uint32_t bytes) {
  command(bytes, DMA_TO_L1, l1, ext);
}

void rt_dma_also_out(void *ext, const void *l1, uint32_t bytes) {
  command(bytes, 0, l1, ext);
}

unsigned rt_dma_in(void *l1, const void *ext, uint32_t bytes) {
  unsigned id = rt_dma_open();
  command(bytes, DMA_TO_L1, l1, ext);
  return id;
}

unsigned rt_dma_out(void *ext, const void *l1, uint32_t bytes) {
  unsigned id = rt_dma_open();
  command(bytes, 0, l1, ext);
  return id;
}

// Bytes of a 2-D transfer; none, which is refused, if its stride does not fit into a command.
static uint64_t all_bytes(uint32_t rows, uint32_t row_bytes, uint32_t stride) {
  return RT_DMA_VERSION == 6 && stride > UINT16_MAX ? 0 : (uint64_t)rows * row_bytes;
}

void rt_dma_also_in_2d(void *l1, const void *ext, uint32_t rows, uint32_t row_bytes,
                       uint32_t stride) {
  command(all_bytes(rows, row_bytes, stride), DMA_TO_L1 | DMA_EXT_2D, l1, ext);
  dma_shape(row_bytes, stride);
}

void rt_dma_also_out_2d(void *ext, const void *l1, uint32_t rows, uint32_t row_bytes,
                        uint32_t stride) {
  command(all_bytes(rows, row_bytes, stride), DMA_EXT_2D, l1, ext);
  dma_shape(row_bytes, stride);
}

unsigned rt_dma_in_2d(void *l1, const void *ext, uint32_t rows, uint32_t row_bytes,
                      uint32_t stride) {
  unsigned id = rt_dma_open();
  rt_dma_also_in_2d(l1, ext, rows, row_bytes, stride);
  return id;
}

unsigned rt_dma_out_2d(void *ext, const void *l1, uint32_t rows, uint32_t row_bytes,
                       uint32_t stride) {
  unsigned id = rt_dma_open();
  rt_dma_also_out_2d(ext, l1, rows, row_bytes, stride);
  return id;
}

// The event tells that some transfer of this core ended; the status tells which still run. The
// event unit records an event even while nobody waits for it, so none is missed between the
// look at the status and the sleep; a stale one only costs another look.
static void drain(uint32_t ids) {
  if (DMA_REGISTER(RT_DMA_STATUS) & ids) {
    DMA_REGISTER(RT_EU_BASE + RT_EU_MASK) = 1 << RT_EVENT_DMA;
    while (DMA_REGISTER(RT_DMA_STATUS) & ids)
      (void)p_elw((void *)RT_EU_BASE, RT_EU_WAIT_CLEAR);
    DMA_REGISTER(RT_EU_BASE + RT_EU_MASK) = RT_EVENT_TEAM;
  }
  __asm__ volatile("" ::: "memory");
}

void rt_dma_drain(unsigned id) {
  drain(1u << id);
}

void rt_dma_wait_set(uint32_t ids) {
  drain(ids);
  DMA_REGISTER(RT_DMA_STATUS) = ids;
}

void rt_dma_wait(unsigned id) {
  rt_dma_wait_set(1u << id);
}
