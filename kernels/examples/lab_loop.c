// kernels/examples/lab_loop.c: a loop that branches, and a hardware loop; docs/labs.md.
#include "kernels/rt/rt.h"

enum { COUNT = 1024 };

RT_REGION(1, "branch");
RT_REGION(2, "hardware loop");

static RT_L1_BSS uint32_t data[COUNT];

uint32_t lab_loop_branch(const uint32_t *words, uint32_t count); // lab_loop_sum.S
uint32_t lab_loop_hardware(const uint32_t *words, uint32_t count);

int main(void) {
  uint32_t one = 0, two = 0;
  if (rt_core_id() != 0)
    return 0;
  for (uint32_t i = 0; i < COUNT; i++)
    data[i] = i;
  for (int pass = 0; pass < 2; pass++) { // the first one fills the instruction caches
    rt_region_begin_if(1, pass);
    one = lab_loop_branch(data, COUNT);
    rt_region_end_if(1, pass);
    rt_region_begin_if(2, pass);
    two = lab_loop_hardware(data, COUNT);
    rt_region_end_if(2, pass);
  }
  return one != two || one != COUNT * (COUNT - 1) / 2;
}
