// tests/kernels/target/status_main.c: how programs end when something is wrong. The number of cores
// says what: 2, 3: core 1 (and 2) return a status; 4: core 3 leaves at once; 5: an impossible
// DMA transfer; 6: core 2 returns a status whose low 8 bits are 0.
#include "kernels/rt/rt.h"

int main(void) {
  static RT_L1_BSS uint32_t l1[4];
  unsigned core = rt_core_id(), cores = rt_core_count();
  if (cores <= 3)
    return core == 0 ? 0 : (int)(core * 10 + cores);
  if (cores == 4 && core == 3)
    rt_exit(44);
  if (cores == 5 && core == 4)
    rt_dma_in(l1, l1, 1u << 17);
  rt_barrier();
  if (cores == 6 && core == 2)
    return 256;
  return 0;
}
