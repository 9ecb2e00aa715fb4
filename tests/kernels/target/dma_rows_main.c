// tests/kernels/target/dma_rows_main.c: a transfer behind one in 2-D, read as soon as the wait is
// over: with an identifier of its own it is there, as are many in 1-D under one; under the same one
// the hardware may say so too early (rt.h), and does for a core whose second transfer waits behind
// those of others.
#include "kernels/rt/rt.h"

enum { ROWS = 40, ROW_WORDS = 8, PITCH = 16, LONG = 256, SEED = 0x5eed0000 };

static uint32_t planes[ROWS * PITCH], line[LONG];
static RT_L1_BSS uint32_t rows[RT_MAX_CORES][ROWS * ROW_WORDS], to[RT_MAX_CORES][LONG];
static RT_L1_BSS uint32_t late[RT_MAX_CORES];

static void begin(void) {
  for (uint32_t i = 0; i < LONG; i++)
    to[rt_core_id()][i] = 0;
  rt_barrier();
}

static __attribute__((noinline)) void move_rows(void) {
  rt_dma_also_in_2d(rows[rt_core_id()], planes, ROWS, 4 * ROW_WORDS, 4 * PITCH);
}

static __attribute__((noinline)) bool arrived_apart(void) {
  unsigned first = rt_dma_open();
  move_rows();
  unsigned second = rt_dma_in(to[rt_core_id()], line, sizeof line);
  rt_dma_wait_set(1u << first | 1u << second);
  return to[rt_core_id()][LONG - 1] == SEED + LONG - 1;
}

// A word each, more than the DMA takes at a time.
static __attribute__((noinline)) bool arrived_in_words(void) {
  uint32_t sum = 0, right = 0;
  unsigned all = rt_dma_open();
  for (uint32_t i = 0; i < LONG; i++)
    rt_dma_also_in(&to[rt_core_id()][i], &line[i], 4);
  rt_dma_wait(all);
  for (uint32_t i = 0; i < LONG; i++)
    sum += to[rt_core_id()][i], right += SEED + i;
  return sum == right;
}

static __attribute__((noinline)) bool arrived_together(void) {
  unsigned both = rt_dma_open();
  move_rows();
  rt_dma_also_in(to[rt_core_id()], line, sizeof line);
  rt_dma_wait(both);
  return to[rt_core_id()][LONG - 1] == SEED + LONG - 1;
}

static uint32_t sum(void) {
  uint32_t all = 0;
  rt_barrier();
  for (uint32_t i = 0; i < rt_core_count(); i++)
    all += late[i];
  rt_barrier();
  return all;
}

int main(void) {
  if (rt_core_id() == 0)
    for (uint32_t i = 0; i < LONG; i++)
      line[i] = SEED + i;
  begin();
  late[rt_core_id()] = !arrived_apart();
  uint32_t apart = sum();
  begin();
  late[rt_core_id()] = !arrived_in_words();
  apart += sum();
  begin();
  late[rt_core_id()] = !arrived_together();
  uint32_t together = sum();
  if (rt_core_id() == 0)
    rt_printf("too early: %u apart, %u together\n", (unsigned)apart, (unsigned)together);
  return 0;
}
