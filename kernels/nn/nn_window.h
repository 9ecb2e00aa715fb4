// kernels/nn/nn_window.h: how many windows there are along an axis.
#ifndef NN_WINDOW_H
#define NN_WINDOW_H

#include <stdint.h>

// A call of its own: behind a taken branch RI5CY starts a division that it is not to execute
// (docs/timing.md, phantom-division), and waits for it.
static __attribute__((noinline)) uint32_t nn_window_divide(uint32_t room, uint32_t stride) {
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): layers are checked, none has a stride of 0
  return room / stride;
}

// (in + pads - kernel) / stride + 1; 0 if the kernel does not fit. A division takes 35 cycles: not
// for the usual strides.
static __attribute__((noinline)) uint32_t nn_window_count(uint32_t in, uint32_t pads,
                                                          uint32_t kernel, uint32_t stride) {
  uint32_t room = in + pads - kernel;
  if (in + pads < kernel)
    return 0;
  return (stride == 1 ? room : stride == 2 ? room / 2 : nn_window_divide(room, stride)) + 1;
}

#endif
