// kernels/status.h: what every operator returns.
#ifndef KERNELS_STATUS_H
#define KERNELS_STATUS_H

enum kernel_status {
  KERNEL_OK = 0,
  KERNEL_BAD_SHAPE,   // a dimension, stride or padding outside the documented range
  KERNEL_BAD_POINTER, // a missing buffer, or one that is not aligned as documented
};

#endif
