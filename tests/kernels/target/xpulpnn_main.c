// tests/kernels/target/xpulpnn_main.c: the mixed-precision grid for cores that have XpulpNN.
#include "tests/kernels/grid.h"

int main(void) {
  grid_xpulpnn = true;
  return grid_nn_mixed();
}
