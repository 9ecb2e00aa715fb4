// kernels/train/train_extent.h: one axis of a sliding window, and the checks that all layers share.
#ifndef TRAIN_EXTENT_H
#define TRAIN_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

// What a small layer does is put in line, the rest aside: a line of code that is not in the cache
// costs more than what it does.
#define TRAIN_USUALLY(condition) __builtin_expect(!!(condition), 1)
#define TRAIN_RARELY(condition)  __builtin_expect(!!(condition), 0)

// n / stride. Division takes up to 35 cycles: not for the usual strides, and aside, as a core
// divides even in the shadow of a branch.
static __attribute__((noinline, unused)) uint32_t train_divide(uint32_t n, uint32_t stride) {
  return stride ? n / stride : 0;
}
static inline uint32_t train_over(uint32_t n, uint32_t stride) {
  return stride == 1 ? n : stride == 2 ? n / 2 : train_divide(n, stride);
}

// Positions of the window along the axis.
static inline uint32_t train_positions(uint32_t padded, uint32_t kernel, uint32_t stride) {
  return train_over(padded - kernel, stride) + 1;
}

// Position whose tap lies on element `at` of the axis; TRAIN_NOWHERE if there is none.
#define TRAIN_NOWHERE UINT32_MAX
static inline uint32_t train_position(uint32_t at, uint32_t pad, uint32_t tap, uint32_t stride,
                                      uint32_t count) {
  uint32_t offset = at + pad - tap;
  if (at + pad < tap || (stride > 1 && offset % stride))
    return TRAIN_NOWHERE;
  uint32_t p = stride > 1 ? offset / stride : offset;
  return p < count ? p : TRAIN_NOWHERE;
}

// True unless sizes are 1..4095, kernel and stride 1..15, the paddings smaller than the kernel and
// the kernel fits into the padded axis.
static inline bool train_bad_extent(uint32_t size, uint32_t kernel, uint32_t stride,
                                    uint32_t before, uint32_t after) {
  return size - 1 >= 4095 || kernel - 1 >= 15 || stride - 1 >= 15 || before >= kernel ||
         after >= kernel || size + before + after < kernel;
}

// A pointer that a layer needs.
static inline bool train_aligned(const void *pointer) {
  return pointer && (uintptr_t)pointer % 4 == 0;
}

#endif
