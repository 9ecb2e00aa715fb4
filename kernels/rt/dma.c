// kernels/rt/dma.c: the cluster DMA (mchan v7), driven through the core's own command queue.
//
// A command is a sequence of stores to one register: command word, L1 address, external
// address and, for 2-D, row length and stride. Source: mchan RTL, parameters of pulp_cluster.
#include "rt.h"

#include "platform.h"
#include "xpulp.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

enum {
  TO_L1 = 1 << 17,
  INCREMENT = 1 << 18,
  EXT_2D = 1 << 19,
  EVENT = 1 << 20,
};

enum { MAX_BYTES = 0x1ffff }; // the length field has 17 bits

static unsigned start(uint64_t bytes, uint32_t flags, const volatile void *l1,
                      const volatile void *ext) {
  if (bytes == 0 || bytes > MAX_BYTES) { // would be another command altogether
    rt_printf("rt_dma: a transfer has 1 to 131,071 bytes\n");
    rt_exit(RT_DMA_ERROR);
  }
  unsigned id = REGISTER(RT_DMA_CMD);
  __asm__ volatile("" ::: "memory"); // what the program stored before is what is moved
  REGISTER(RT_DMA_CMD) = (uint32_t)bytes | flags | INCREMENT | EVENT;
  REGISTER(RT_DMA_CMD) = (uint32_t)l1;
  REGISTER(RT_DMA_CMD) = (uint32_t)ext;
  return id;
}

unsigned rt_dma_in(void *l1, const void *ext, uint32_t bytes) {
  return start(bytes, TO_L1, l1, ext);
}

unsigned rt_dma_out(void *ext, const void *l1, uint32_t bytes) {
  return start(bytes, 0, l1, ext);
}

static void rows_of(uint32_t row_bytes, uint32_t stride) {
  REGISTER(RT_DMA_CMD) = row_bytes;
  REGISTER(RT_DMA_CMD) = stride;
}

unsigned rt_dma_in_2d(void *l1, const void *ext, uint32_t rows, uint32_t row_bytes,
                      uint32_t stride) {
  unsigned id = start((uint64_t)rows * row_bytes, TO_L1 | EXT_2D, l1, ext);
  rows_of(row_bytes, stride);
  return id;
}

unsigned rt_dma_out_2d(void *ext, const void *l1, uint32_t rows, uint32_t row_bytes,
                       uint32_t stride) {
  unsigned id = start((uint64_t)rows * row_bytes, EXT_2D, l1, ext);
  rows_of(row_bytes, stride);
  return id;
}

// The event tells that some transfer of this core ended; the status tells which still run. The
// event unit records an event even while nobody waits for it, so none is missed between the
// look at the status and the sleep; a stale one only costs another look.
void rt_dma_wait(unsigned id) {
  REGISTER(RT_EU_BASE + RT_EU_MASK) = 1 << RT_EVENT_DMA;
  while (REGISTER(RT_DMA_STATUS) & (1u << id))
    (void)p_elw((void *)RT_EU_BASE, RT_EU_WAIT_CLEAR);
  REGISTER(RT_EU_BASE + RT_EU_MASK) = RT_EVENT_TEAM;
  REGISTER(RT_DMA_STATUS) = 1u << id;
  __asm__ volatile("" ::: "memory");
}
