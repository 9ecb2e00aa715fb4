// tests/kernels/target/grid_main.c: one grid (GRID_NAME) as a program of the simulated machine.
#include "tests/kernels/grid.h"

#define GRID_(name) grid_##name
#define NAME(name)  GRID_(name)

int NAME(GRID_NAME)(void);

int main(void) {
  return NAME(GRID_NAME)();
}
