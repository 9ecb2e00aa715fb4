// kernels/bench/hello.c: the smallest program: every core says who it is.
#include "kernels/rt/rt.h"

int main(void) {
  rt_printf("core %u of %u\n", rt_core_id(), rt_core_count());
  rt_barrier();
  return 0;
}
