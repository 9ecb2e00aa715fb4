// tests/kernels/target/xpulpnn_main.c: the mixed-precision grid for cores that have XpulpNN.
#define GRID_XPULPNN 1
#include "tests/kernels/grid.c"
#include "tests/kernels/grid_nn_mixed.c"

int main(void) {
  return grid_nn_mixed();
}
