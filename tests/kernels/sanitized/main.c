// tests/kernels/sanitized/main.c: the grids of the training kernels on this machine, on three
// cores, compiled with AddressSanitizer and UndefinedBehaviorSanitizer. train_host.c runs it.
#include "kernels/rt/rt_host.h"
#include "tests/kernels/grid_train.h"

static int run_all(void *user) {
  (void)user;
  int failed = 0;
#define GRID(name)                                                                                 \
  if (!failed)                                                                                     \
    failed = grid_##name();
  TRAIN_GRIDS(GRID)
#undef GRID
  return failed;
}

int main(void) {
  return rt_host_run(3, run_all, NULL) == 0 ? 0 : 1;
}
