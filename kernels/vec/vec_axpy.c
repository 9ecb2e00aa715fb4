// kernels/vec/vec_axpy.c: tiles in, work, tiles out, overlapped.
#include "vec_axpy.h"

#include <stdbool.h>
#include <stddef.h>

#include "kernels/rt/rt.h"

#ifndef __riscv
void vec_axpy_i32(int32_t *y, const int32_t *x, int32_t alpha, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    y[i] = (int32_t)((uint32_t)alpha * (uint32_t)x[i] + (uint32_t)y[i]);
}
#endif

// Two tiles of x, and three of y: y is worked on in place, so a tile still on its way out must
// not be overwritten by the tile after next.
enum { X_TILES = 2, Y_TILES = 3 };

static uint32_t even(uint32_t tile) {
  return (tile + 1) & ~1u;
}

uint32_t vec_axpy_tiled_buffer_size(uint32_t tile) {
  return (X_TILES + Y_TILES) * even(tile) * (uint32_t)sizeof(int32_t);
}

// What the core that drives the DMA keeps: the open transfers of each buffer.
struct transfers {
  unsigned x[X_TILES], y[Y_TILES], out[Y_TILES];
};

struct tiles {
  const struct vec_axpy_tiled *axpy;
  uint32_t count; // tiles
};

static int32_t *x_tile(const struct tiles *t, uint32_t i) {
  return t->axpy->buffer + i % X_TILES * even(t->axpy->tile);
}

static int32_t *y_tile(const struct tiles *t, uint32_t i) {
  return t->axpy->buffer + (X_TILES + i % Y_TILES) * even(t->axpy->tile);
}

static uint32_t tile_elements(const struct tiles *t, uint32_t i) {
  uint32_t left = t->axpy->count - i * t->axpy->tile;
  return left < t->axpy->tile ? left : t->axpy->tile;
}

static void fetch(const struct tiles *t, struct transfers *open, uint32_t i) {
  uint32_t bytes = tile_elements(t, i) * (uint32_t)sizeof(int32_t);
  size_t first = (size_t)i * t->axpy->tile;
  open->x[i % X_TILES] = rt_dma_in(x_tile(t, i), t->axpy->x + first, bytes);
  open->y[i % Y_TILES] = rt_dma_in(y_tile(t, i), t->axpy->y + first, bytes);
}

static void put_back(const struct tiles *t, struct transfers *open, uint32_t i) {
  uint32_t bytes = tile_elements(t, i) * (uint32_t)sizeof(int32_t);
  open->out[i % Y_TILES] = rt_dma_out(t->axpy->y + (size_t)i * t->axpy->tile, y_tile(t, i), bytes);
}

static void await(const struct transfers *open, uint32_t i) {
  rt_dma_wait(open->x[i % X_TILES]);
  rt_dma_wait(open->y[i % Y_TILES]);
}

static void work(const struct tiles *t, uint32_t i) {
  struct rt_range mine = rt_split(tile_elements(t, i), 2);
  vec_axpy_i32(y_tile(t, i) + mine.begin, x_tile(t, i) + mine.begin, t->axpy->alpha,
               mine.end - mine.begin);
}

// Behind the barrier of tile i its data is there and everyone is done with tile i - 1, whose x
// and the y of tile i - 2 (gone out by then) make room for tile i + 1.
static void run(const struct tiles *t) {
  bool driver = rt_core_id() == 0;
  struct transfers open = {0};
  if (driver)
    fetch(t, &open, 0);
  for (uint32_t i = 0; i < t->count; i++) {
    if (driver)
      await(&open, i);
    rt_barrier();
    if (driver && i > 0)
      put_back(t, &open, i - 1);
    if (driver && i >= 2)
      rt_dma_wait(open.out[(i - 2) % Y_TILES]);
    if (driver && i + 1 < t->count)
      fetch(t, &open, i + 1);
    work(t, i);
  }
  rt_barrier();
  if (driver) {
    if (t->count > 1)
      rt_dma_wait(open.out[(t->count - 2) % Y_TILES]);
    put_back(t, &open, t->count - 1);
    rt_dma_wait(open.out[(t->count - 1) % Y_TILES]);
  }
  rt_barrier();
}

enum kernel_status vec_axpy_i32_tiled(const struct vec_axpy_tiled *axpy) {
  if (axpy->tile < 1 || axpy->tile > 16384)
    return KERNEL_BAD_SHAPE;
  if (!axpy->x || !axpy->y || !axpy->buffer || (uintptr_t)axpy->buffer % 8 != 0 ||
      ((uintptr_t)axpy->x | (uintptr_t)axpy->y) % 4 != 0)
    return KERNEL_BAD_POINTER;
  struct tiles tiles = {axpy, (axpy->count + axpy->tile - 1) / axpy->tile};
  if (tiles.count > 0)
    run(&tiles);
  return KERNEL_OK;
}
