// kernels/examples/idle.c: cores that are not running yet, before and after the remedy.
//
// The fabric controller starts the cluster (idle_start.S): once a table is ready, which it fills
// itself (CONTROLLER_PREPARES, idle_before.elf), or at once, and each core fills its share
// (idle_after.elf). Run both with -s soc.boot=soc; docs/bottleneck-to-remedy.md has the figures.
#include "idle.h"
#include "kernels/rt/rt.h"

uint32_t idle_table[IDLE_WORDS]; // each holds its own address
static RT_L1_BSS uint32_t wrong[RT_MAX_CORES];

int main(void) {
  struct rt_range mine = rt_split(IDLE_WORDS, 1);
#ifndef CONTROLLER_PREPARES
  for (unsigned i = mine.begin; i < mine.end; i++)
    idle_table[i] = (uint32_t)(uintptr_t)&idle_table[i];
  rt_barrier();
#endif
  for (unsigned i = mine.begin; i < mine.end; i++)
    wrong[rt_core_id()] += idle_table[i] != (uint32_t)(uintptr_t)&idle_table[i];
  return wrong[rt_core_id()] != 0;
}
