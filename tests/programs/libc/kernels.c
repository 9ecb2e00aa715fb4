// An ordinary program that calls a kernel: -lkernels.
#include <stdio.h>

#include "kernels/libc/team.h"
#include "kernels/rt/rt.h"
#include "kernels/vec/vec_axpy.h"

enum { COUNT = 64 };
static RT_L1 int32_t x[COUNT], y[COUNT];

static void work(void *unused) {
  (void)unused;
  uint32_t share = COUNT / team_cores(), first = team_core() * share;
  vec_axpy_i32(y + first, x + first, 3, share);
}

int main(void) {
  for (int i = 0; i < COUNT; i++)
    x[i] = i, y[i] = 1;
  team_run(work, NULL);
  printf("%d %d\n", (int)y[1], (int)y[63]);
  return 0;
}
