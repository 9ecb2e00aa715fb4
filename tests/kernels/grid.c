// tests/kernels/grid.c: see grid.h.
#include "grid.h"

#ifdef __riscv

bool grid_xpulpnn = false;

static RT_L1_BSS uint32_t arena[48 * 1024 / 4];
static uint32_t used;

void *grid_take(uint32_t bytes, uint32_t offset) {
  uint8_t *place = (uint8_t *)(arena + used) + offset;
  used += (bytes + offset + 3) / 4;
  if (used > sizeof arena / 4) {
    rt_printf("grid: case too large\n");
    rt_exit(1);
  }
  return place;
}

void grid_release(void) {
  used = 0;
}

#else

#include <stdlib.h>

bool grid_xpulpnn = true;

enum { MAX_PLACES = 16 };
static void *places[MAX_PLACES];
static unsigned place_count;

void *grid_take(uint32_t bytes, uint32_t offset) {
  uint8_t *place = place_count < MAX_PLACES ? malloc(bytes + offset) : NULL;
  if (!place)
    abort();
  places[place_count++] = place;
  return place + offset;
}

void grid_release(void) {
  while (place_count > 0)
    free(places[--place_count]);
}

#endif

uint32_t grid_draw(uint32_t *seed, uint32_t low, uint32_t high) {
  return low + rt_random(seed) % (high - low + 1);
}

void grid_fill(void *data, uint32_t bytes, uint32_t *seed) {
  for (uint32_t i = 0; i < bytes; i++)
    ((uint8_t *)data)[i] = (uint8_t)(rt_random(seed) >> 13);
}

void grid_fill_ends(void *data, uint32_t bytes, uint32_t *seed) {
  static const uint8_t ends[4] = {0, 0x7f, 0x80, 0xff};
  uint32_t kinds = grid_draw(seed, 0, 15); // 0, 1: one value or all four
  if (kinds > 1) {
    grid_fill(data, bytes, seed);
    return;
  }
  uint8_t only = ends[grid_draw(seed, 0, 3)];
  for (uint32_t i = 0; i < bytes; i++)
    ((uint8_t *)data)[i] = kinds ? ends[grid_draw(seed, 0, 3)] : only;
}

int32_t grid_edge(int32_t sum, int32_t kappa, uint32_t shift, uint32_t bits, uint32_t *seed) {
  const uint32_t at[3] = {0, 1u << bits, 1u << (bits - 1)};
  uint32_t wanted = (at[grid_draw(seed, 0, 2)] << shift) - grid_draw(seed, 0, 1);
  return (int32_t)(wanted - (uint32_t)sum * (uint32_t)kappa);
}

static int run_from(const char *name, const struct grid_case *what, uint32_t first,
                    uint32_t count) {
  static volatile int failed;
  for (uint32_t number = first; number < first + count; number++) {
    if (rt_core_id() == 0)
      what->prepare(number, number * 2654435761u + 1);
    rt_barrier();
    int status = what->run();
    rt_barrier();
    if (rt_core_id() == 0) {
      failed = status != 0 || what->check() != 0;
      if (failed)
        rt_printf("%s: case %u on %u cores, status %d\n", name, (unsigned)number, rt_core_count(),
                  status);
      grid_release();
    }
    rt_barrier();
    if (failed)
      return 1;
  }
  return 0;
}

int grid_run(const char *name, const struct grid_case *what) {
  return run_from(name, what, 0, GRID_CASES);
}

int grid_run_by_cores(const char *name, const struct grid_case *what) {
  return run_from(name, what, (rt_core_count() - 1) * GRID_CASES, GRID_CASES);
}

int grid_run_variants(const char *name, const struct grid_case *what, uint32_t count) {
  return run_from(name, what, 0, count);
}
