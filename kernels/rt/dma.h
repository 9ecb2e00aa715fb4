// kernels/rt/dma.h: commands of the cluster DMA, for dma.c and for loops that start a short
// transfer every few hundred cycles: inlined, and unchecked. Compiled for the host they are those
// of rt.h.
#ifndef DMA_H
#define DMA_H

#include <stdbool.h>
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

// The first word of a command in one dimension, for loops that have it ready.
static inline uint32_t dma_command_word(uint32_t bytes, bool to_l1) {
  return bytes | (to_l1 ? DMA_TO_L1 : 0) | DMA_INCREMENT | DMA_EVENT;
}

#ifdef __riscv

static inline unsigned dma_open(void) {
  return DMA_REGISTER(RT_DMA_CMD);
}

// `command`: dma_command_word(); in two dimensions the shape's words follow.
static inline void dma_also(uint32_t command, const volatile void *l1, const volatile void *ext) {
  __asm__ volatile("" ::: "memory"); // what the program stored before is what is moved
  DMA_REGISTER(RT_DMA_CMD) = command;
  DMA_REGISTER(RT_DMA_CMD) = (uint32_t)(uintptr_t)l1;
  DMA_REGISTER(RT_DMA_CMD) = (uint32_t)(uintptr_t)ext;
}

// The word is made on the way: a loop of one command has fewer registers to keep.
static inline void dma_command(uint32_t bytes, uint32_t flags, const volatile void *l1,
                               const volatile void *ext) {
  __asm__ volatile("" ::: "memory");
  DMA_REGISTER(RT_DMA_CMD) = bytes | flags | DMA_INCREMENT | DMA_EVENT;
  DMA_REGISTER(RT_DMA_CMD) = (uint32_t)(uintptr_t)l1;
  DMA_REGISTER(RT_DMA_CMD) = (uint32_t)(uintptr_t)ext;
}

static inline void dma_also_in(void *l1, const void *ext, uint32_t bytes) {
  dma_command(bytes, DMA_TO_L1, l1, ext);
}

static inline void dma_also_out(void *ext, const void *l1, uint32_t bytes) {
  dma_command(bytes, 0, l1, ext);
}

// Of a command with DMA_EXT_2D.
static inline void dma_shape(uint32_t row_bytes, uint32_t stride) {
  if (RT_DMA_VERSION == 6) {
    DMA_REGISTER(RT_DMA_CMD) = row_bytes | stride << 16;
    return;
  }
  DMA_REGISTER(RT_DMA_CMD) = row_bytes;
  DMA_REGISTER(RT_DMA_CMD) = stride;
}

static inline void dma_also_2d(uint32_t command, const volatile void *l1, const volatile void *ext,
                               uint32_t row_bytes, uint32_t stride) {
  dma_also(command | DMA_EXT_2D, l1, ext);
  dma_shape(row_bytes, stride);
}

static inline void dma_drain(unsigned id) {
  if (DMA_REGISTER(RT_DMA_STATUS) & (1u << id))
    rt_dma_drain(id);
  __asm__ volatile("" ::: "memory");
}

static inline void dma_wait(unsigned id) {
  dma_drain(id);
  DMA_REGISTER(RT_DMA_STATUS) = 1u << id;
}

#else

static inline unsigned dma_open(void) {
  return rt_dma_open();
}

static inline void dma_also(uint32_t command, void *l1, void *ext) {
  if (command & DMA_TO_L1)
    rt_dma_also_in(l1, ext, command & DMA_MAX_BYTES);
  else
    rt_dma_also_out(ext, l1, command & DMA_MAX_BYTES);
}

static inline void dma_also_in(void *l1, const void *ext, uint32_t bytes) {
  rt_dma_also_in(l1, ext, bytes);
}

static inline void dma_also_out(void *ext, const void *l1, uint32_t bytes) {
  rt_dma_also_out(ext, l1, bytes);
}

static inline void dma_also_2d(uint32_t command, void *l1, void *ext, uint32_t row_bytes,
                               uint32_t stride) {
  uint32_t rows = (command & DMA_MAX_BYTES) / row_bytes;
  if (command & DMA_TO_L1)
    rt_dma_also_in_2d(l1, ext, rows, row_bytes, stride);
  else
    rt_dma_also_out_2d(ext, l1, rows, row_bytes, stride);
}

static inline void dma_drain(unsigned id) {
  rt_dma_drain(id);
}

static inline void dma_wait(unsigned id) {
  rt_dma_wait(id);
}

#endif

#endif
