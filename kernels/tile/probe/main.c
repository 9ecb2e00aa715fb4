// kernels/tile/probe/main.c: executes one layer, which the host writes into memory, on data that
// are all zero, with its filters in L2: what pulpsim-deploy measures tiles with.
#include <stddef.h>

#include "kernels/rt/rt.h"
#include "kernels/tile/tile_kernel.h"

#ifndef L1_BYTES // of larger machines
#define L1_BYTES 56192
#endif
enum { PIECES = 1024 };

_Static_assert(sizeof(void *) > 4 || offsetof(struct tile_layer, in_h) == 8,
               "deploy/emit/cost.c writes it");

struct tile_layer probe_layer; // in the host's words: all tensors at the start of L2
uint32_t probe_cycles;

static RT_L1_BSS __attribute__((aligned(16))) uint8_t l1[L1_BYTES];
__attribute__((aligned(16))) uint8_t probe_l2[1 << 20];
static struct tile_piece pieces[PIECES];
static RT_L1 struct tile_stream weights = {.pieces = pieces, .count = PIECES};

static uint32_t now(void) {
  uint32_t cycles;
  __asm__ volatile("csrr %0, 0x780" : "=r"(cycles)); // RI5CY's counter of cycles
  return cycles;
}

// Whichever the host writes.
static const struct tile_kernel *const kernels[] = {
    &tile_conv,    &tile_rows,      &tile_planes, &tile_quads, &tile_global, &tile_mixed,
    &tile_direct,  &tile_depthwise, &tile_linear, &tile_sums,  &tile_add,    &tile_maxpool,
    &tile_avgpool, &tile_average,   &tile_lookup, &tile_parts};

// The host waits for this, and writes.
__attribute__((noinline)) void probe_ready(void) {
  __asm__ volatile("" ::"r"(kernels) : "memory");
}

// One transfer of a byte stands for all: they are over when the layer begins.
static void bring_pieces(void) {
  for (unsigned i = 0; i < PIECES; i++)
    pieces[i] = (struct tile_piece){.bytes = 1};
  tile_stream_begin(&weights, probe_l2, 0);
  tile_stream_wait(&weights, PIECES - 1);
}

int main(void) {
  __asm__ volatile("csrwi 0xcc0, 1; csrwi 0xcc1, 1"); // counts, and which
  if (rt_core_id() == rt_core_count() - 1) {
    bring_pieces();
    probe_ready();
  }
  rt_barrier();
  const struct tile_layer *const layers[] = {&probe_layer};
  struct tile_work work;
  uint32_t begin = now();
  tile_begin(&work, layers, 1, &weights, l1);
  enum kernel_status status = tile_run(&work, 0);
  if (rt_core_id() == 0)
    probe_cycles = now() - begin;
  return (int)status;
}
