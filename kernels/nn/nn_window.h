// kernels/nn/nn_window.h: how many windows there are along an axis.
#ifndef NN_WINDOW_H
#define NN_WINDOW_H

#include <stdint.h>

// (in + pads - kernel) / stride + 1; 0 if the kernel does not fit. A division takes 35 cycles: not
// for the usual strides.
static inline uint32_t nn_window_count(uint32_t in, uint32_t pads, uint32_t kernel,
                                       uint32_t stride) {
  uint32_t room = in + pads - kernel;
  if (in + pads < kernel)
    return 0;
  return (stride == 1 ? room : stride == 2 ? room / 2 : room / stride) + 1;
}

#endif
