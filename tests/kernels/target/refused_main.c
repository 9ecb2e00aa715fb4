// tests/kernels/target/refused_main.c: an operator of a debug build that does not take its layer.
#define KERNEL_DEBUG
#include "kernels/nn/nn_pool.c"

int main(void) {
  static const uint8_t in[4];
  static uint8_t out[4];
  struct nn_pool pool = {in, out, 2, 2, 1, 2, 2, 1, 1, 0, 0, 0, 0, 8, false};
  if (nn_maxpool(&pool) != KERNEL_OK)
    return 1;
  pool.stride_h = 0;
  return nn_maxpool(&pool) == KERNEL_OK ? 2 : 3;
}
