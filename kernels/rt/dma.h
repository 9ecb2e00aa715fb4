// kernels/rt/dma.h: commands of the cluster DMA, for dma.c and for loops that start a short
// transfer every few hundred cycles: inlined, and unchecked. Compiled for the host they are those
// of rt.h.
#ifndef DMA_H
#define DMA_H

#include <stdint.h>

#include "kernels/rt/platform.h"
#include "kernels/rt/rt.h"

#define DMA_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

#ifndef RT_DMA_VERSION
#define RT_DMA_VERSION 7
#endif

enum {
  DMA_LENGTH_BITS = RT_DMA_VERSION == 7 ? 17 : 16,
  DMA_MAX_BYTES = (1 << DMA_LENGTH_BITS) - 1,
  DMA_TO_L1 = 1 << DMA_LENGTH_BITS,
  DMA_INCREMENT = 2 << DMA_LENGTH_BITS,
  DMA_EXT_2D = 4 << DMA_LENGTH_BITS,
  DMA_EVENT = 8 << DMA_LENGTH_BITS,
};

static inline void dma_command(uint32_t bytes, uint32_t flags, const volatile void *l1,
                               const volatile void *ext) {
  __asm__ volatile("" ::: "memory"); // what the program stored before is what is moved
  DMA_REGISTER(RT_DMA_CMD) = bytes | flags | DMA_INCREMENT | DMA_EVENT;
  DMA_REGISTER(RT_DMA_CMD) = (uint32_t)(uintptr_t)l1;
  DMA_REGISTER(RT_DMA_CMD) = (uint32_t)(uintptr_t)ext;
}

#ifdef __riscv

static inline void dma_also_in(void *l1, const void *ext, uint32_t bytes) {
  dma_command(bytes, DMA_TO_L1, l1, ext);
}

static inline void dma_also_out(void *ext, const void *l1, uint32_t bytes) {
  dma_command(bytes, 0, l1, ext);
}

static inline void dma_drain(unsigned id) {
  if (DMA_REGISTER(RT_DMA_STATUS) & (1u << id))
    rt_dma_drain(id);
  __asm__ volatile("" ::: "memory");
}

#else

static inline void dma_also_in(void *l1, const void *ext, uint32_t bytes) {
  rt_dma_also_in(l1, ext, bytes);
}

static inline void dma_also_out(void *ext, const void *l1, uint32_t bytes) {
  rt_dma_also_out(ext, l1, bytes);
}

static inline void dma_drain(unsigned id) {
  rt_dma_drain(id);
}

#endif

#endif
