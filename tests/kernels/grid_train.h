// tests/kernels/grid_train.h: grids of the training kernels, on top of grid.h. They run on machines
// with 16-bit floats (trainlib).
#ifndef TESTS_GRID_TRAIN_H
#define TESTS_GRID_TRAIN_H

#include "grid.h"
#include "kernels/ref/ref_train_half.h"

#define TRAIN_GRIDS(GRID)                                                                          \
  GRID(train_mm)                                                                                   \
  GRID(train_half)                                                                                 \
  GRID(train_conv)                                                                                 \
  GRID(train_dw)                                                                                   \
  GRID(train_dw_half)                                                                              \
  GRID(train_linear)                                                                               \
  GRID(train_tiles)                                                                                \
  GRID(train_streamed)                                                                             \
  GRID(train_gradients)                                                                            \
  GRID(train_types) GRID(train_special) GRID(train_im2col) GRID(train_dw_low) GRID(train_packed)

#define GRID(name) int grid_##name(void);
TRAIN_GRIDS(GRID)
#undef GRID

// Which elements are checked against the reference: all on the host; on the simulated machine,
// where the reference takes most of the time, every fifth.
#ifdef __riscv
enum { GRID_EACH = 5 };
#else
enum { GRID_EACH = 1 };
#endif

// `count` floats: multiples of 2^-7 in [-1, 1).
static inline float *grid_floats(uint32_t count, uint32_t *seed) {
  float *m = grid_take(count * 4, 0);
  for (uint32_t i = 0; i < count; i++)
    m[i] = (float)(int8_t)(rt_random(seed) >> 7) * 0x1p-7f;
  return m;
}

// The same values in any type, exact in all of them.
static inline void *grid_values(uint32_t count, enum train_type type, uint32_t *seed) {
  if (type == TRAIN_F32)
    return grid_floats(count, seed);
  enum mmt_f16_format format = type == TRAIN_FP16 ? MMT_FP16 : MMT_BF16;
  uint16_t *m = grid_take(count * 2, 0);
  for (uint32_t i = 0; i < count; i++)
    m[i] = ref_half_round((float)(int8_t)(rt_random(seed) >> 7) * 0x1p-7f, format);
  return m;
}

// Scratch, full of NaN in any type: what a kernel reads there it must have written. NULL for 0
// bytes.
static inline void *grid_scratch(uint32_t bytes) {
  uint8_t *scratch = bytes ? grid_take(bytes, 0) : NULL;
  for (uint32_t i = 0; i < bytes; i++)
    scratch[i] = 0xff;
  return scratch;
}

// Half of the cases in floats.
static inline enum train_type grid_type(uint32_t *seed) {
  return grid_draw(seed, 0, 1) ? TRAIN_F32 : (enum train_type)grid_draw(seed, 0, TRAIN_TYPES - 1);
}

// Usually 0; else the number of a matrix product, as layers take it.
static inline uint8_t grid_matmul(uint32_t *seed) {
  return grid_draw(seed, 0, 3) ? 0 : (uint8_t)grid_draw(seed, 1, MMT_F32_COUNT);
}

// A NaN or an infinity somewhere: it must go where it belongs, and nowhere else.
static inline void grid_spoil(void *values, uint32_t count, enum train_type type, uint32_t *seed) {
  static const float odd[] = {__builtin_inff(), -__builtin_inff(), __builtin_nanf("")};
  float value = odd[rt_random(seed) % 3];
  uint32_t i = rt_random(seed) % count;
  if (type == TRAIN_F32)
    ((float *)values)[i] = value;
  else
    ((uint16_t *)values)[i] = ref_half_round(value, type == TRAIN_FP16 ? MMT_FP16 : MMT_BF16);
}

#endif
