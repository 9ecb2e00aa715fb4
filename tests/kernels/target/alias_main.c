// tests/kernels/target/alias_main.c: every core adds to the same word without a lock: the even ones
// through the cluster's view at 0, and far enough from 0 that no null pointer is meant.
#include "kernels/rt/rt.h"

enum { FAR = 64 };
static RT_L1_BSS volatile uint32_t shared[FAR + 1];

int main(void) {
  uint32_t address = (uint32_t)&shared[FAR];
  if (rt_core_id() % 2 == 0)
    address -= 0x10000000;
  __asm__ volatile("" : "+r"(address));
  volatile uint32_t *word = (volatile uint32_t *)address;
  *word = *word + rt_core_id() + 1;
  rt_barrier();
  return 0;
}
