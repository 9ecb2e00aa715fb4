// tests/kernels/grid.h: the same grids of shapes for the host and for the simulated machine.
//
// A grid is an SPMD function: it draws shapes from a fixed seed, runs a kernel on all cores and
// compares every output with the reference, and what lies between the rows of an output with what
// was there before. It returns 0, or 1 after saying which case failed.
#ifndef TESTS_GRID_H
#define TESTS_GRID_H

#include "kernels/rt/rt.h"

// Draws the cases one after the other: grid(0), grid(1) ...
#define GRIDS(GRID)                                                                                \
  GRID(mm_f32)                                                                                     \
  GRID(mm_i8)                                                                                      \
  GRID(conv2d)                                                                                     \
  GRID(axpy)                                                                                       \
  GRID(split)                                                                                      \
  GRID(dma) GRID(copy) GRID(nn_mixed) GRID(nn_depthwise) GRID(nn_map) GRID(nn_elem) GRID(nn_requant)

// Grids that take every variant of their operators' loops in turn, with small shapes.
#define VARIANT_GRIDS(GRID)                                                                        \
  GRID(conv2d_variants)                                                                            \
  GRID(nn_mixed_variants) GRID(nn_depthwise_variants) GRID(nn_map_variants)

#define GRID(name) int grid_##name(void);
GRIDS(GRID)
VARIANT_GRIDS(GRID)
#undef GRID

// Whether this machine has XpulpNN: the host has all, in C.
extern bool grid_xpulpnn;

// Cases per grid: the simulated machine takes a sample.
#ifdef __riscv
enum { GRID_CASES = 48 };
#else
enum { GRID_CASES = 400 };
#endif

// Memory of a case, taken by core 0; exact to the byte on the host, so that the sanitizers see
// every step beyond it. `offset` misaligns it. grid_release() gives all back.
void *grid_take(uint32_t bytes, uint32_t offset);
void grid_release(void);

// A case, its preparation and its check (by core 0), and its run (by all).
struct grid_case {
  void (*prepare)(uint32_t number, uint32_t seed);
  int (*run)(void); // a kernel's status
  int (*check)(void);
};

int grid_run(const char *name, const struct grid_case *what);

// Other cases on other numbers of cores: for kernels with many variants.
int grid_run_by_cores(const char *name, const struct grid_case *what);

// As many cases as there are variants.
int grid_run_variants(const char *name, const struct grid_case *what, uint32_t count);

// A number in low..high.
uint32_t grid_draw(uint32_t *seed, uint32_t low, uint32_t high);
void grid_fill(void *data, uint32_t bytes, uint32_t *seed);

// The same; now and then only 0, 0x7f, 0x80 and 0xff, the ends of all ranges.
void grid_fill_ends(void *data, uint32_t bytes, uint32_t *seed);

// A lambda with which kappa * sum + lambda, shifted, is just inside or outside an end of 0..2^bits
// - 1, or one in the middle.
int32_t grid_edge(int32_t sum, int32_t kappa, uint32_t shift, uint32_t bits, uint32_t *seed);

#endif
