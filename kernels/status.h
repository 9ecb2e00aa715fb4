// kernels/status.h: what every operator returns.
#ifndef KERNELS_STATUS_H
#define KERNELS_STATUS_H

enum kernel_status {
  KERNEL_OK = 0,
  KERNEL_BAD_SHAPE,   // a dimension, stride or padding outside the documented range
  KERNEL_BAD_POINTER, // a missing buffer, or one that is not aligned as documented
};

// In an operator: returns what `check` says unless that is KERNEL_OK. In a debug build
// (-DKERNEL_DEBUG; make kernels KDEBUG=1) it ends the program instead, saying where.
#define KERNEL_CHECK(check)                                                                        \
  do {                                                                                             \
    enum kernel_status kernel_checked_ = (check);                                                  \
    if (kernel_checked_ != KERNEL_OK)                                                              \
      return KERNEL_REFUSE(kernel_checked_);                                                       \
  } while (0)

#ifdef KERNEL_DEBUG

#include "kernels/rt/rt.h"

#define KERNEL_REFUSE(status) kernel_refuse(status, __func__)

enum { KERNEL_REFUSED = 119 }; // the program's exit status then

static inline _Noreturn enum kernel_status kernel_refuse(enum kernel_status status,
                                                         const char *operator_) {
  rt_printf("%s: %s\n", operator_,
            status == KERNEL_BAD_SHAPE ? "a shape it does not take"
                                       : "a missing or misaligned buffer");
  rt_exit(KERNEL_REFUSED);
}

#else
#define KERNEL_REFUSE(status) (status)
#endif

#endif
