// kernels/train/train_product.h: matrix products in any element type: mmt_f32.h or mmt_f16.h.
//
// 16-bit operands that mmt_f16.h does not take as they are (K or a stride odd, pointers aligned to
// 2 bytes only) are packed to scratch first. With 16-bit types it contains barriers, and C is
// complete when it returns; with floats the caller puts a barrier behind the call. All cores call
// with the same arguments.
#ifndef TRAIN_PRODUCT_H
#define TRAIN_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/mm/mmt_f32.h"
#include "kernels/status.h"
#include "kernels/train/train_type.h"

struct train_product { // members as in struct mmt_f32
  const void *a, *b;
  void *c;
  uint32_t n, m, k;
  uint32_t lda, ldb, ldc;
  enum mmt_layout layout;
  bool add;
  void *scratch;  // train_product_buffer_size() bytes, aligned to 4
  uint8_t matmul; // 0: the kernel by shape; else 1 + an id of mmt_f32.h
  enum train_type type;
};

// The kernel that a layer's `matmul` asks for, and whether there is one.
static inline enum mmt_f32_id train_matmul(uint32_t matmul) {
  return matmul ? (enum mmt_f32_id)(matmul - 1) : MMT_F32_AUTO;
}
static inline bool train_bad_matmul(uint32_t matmul) {
  return matmul > MMT_F32_COUNT;
}

// Enough for operands that lie anyhow; of n, m, k and type only. 0 with floats.
uint32_t train_product_buffer_size(uint32_t n, uint32_t m, uint32_t k, enum train_type type);

enum kernel_status train_product(const struct train_product *product);

#endif
