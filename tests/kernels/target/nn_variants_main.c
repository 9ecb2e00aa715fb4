// tests/kernels/target/nn_variants_main.c: every variant of the quantized inference kernels, for a
// core that has XpulpNN.
#include "tests/kernels/grid.h"

int main(void) {
  grid_xpulpnn = true;
#define RUN(name)                                                                                  \
  if (grid_##name() != 0)                                                                          \
    return 1;
  VARIANT_GRIDS(RUN)
#undef RUN
  return 0;
}
