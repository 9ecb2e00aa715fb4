// tests/kernels/sanitized/main.c: the grids of the kernels on this machine, on three cores,
// compiled with AddressSanitizer and UndefinedBehaviorSanitizer; with an argument those of the
// training kernels. kernels_host.c and train_host.c run it.
#include "kernels/rt/rt_host.h"
#include "tests/kernels/grid.h"
#include "tests/kernels/grid_train.h"

#define RUN(name)                                                                                  \
  if (!failed)                                                                                     \
    failed = grid_##name();

static int run_all(void *user) {
  (void)user;
  int failed = 0;
  GRIDS(RUN)
  VARIANT_GRIDS(RUN)
  return failed;
}

static int run_train(void *user) {
  (void)user;
  int failed = 0;
  TRAIN_GRIDS(RUN)
  return failed;
}

int main(int argc, char **argv) {
  (void)argv;
  return rt_host_run(3, argc > 1 ? run_train : run_all, NULL) == 0 ? 0 : 1;
}
