// kernels/nn/nn_pool_window.c: the loops by precision and sign, and what they compute, in C.
#include "nn_pool_window.h"

#include <stddef.h>

#include "nn_bits.h"
#include "nn_word.h"

#define NAMES(bits) nn_max_window_fn nn_max_window_##bits##u, nn_max_window_##bits##s;
NAMES(8)
NAMES(4)
NAMES(2)

// By bits (2, 4, 8 at 0, 1, 2), sign.
nn_max_window_fn *nn_max_window(uint32_t bits, bool is_signed) {
  static nn_max_window_fn *const all[3][2] = {{nn_max_window_2u, nn_max_window_2s},
                                              {nn_max_window_4u, nn_max_window_4s},
                                              {nn_max_window_8u, nn_max_window_8s}};
  return all[bits / 4][is_signed];
}

#ifdef __riscv

_Static_assert(offsetof(struct nn_pool_window, next) == 16, "nn_pool_window.S knows the offsets");
_Static_assert(offsetof(struct nn_average_run, pixel) == 36, "nn_pool_window.S knows the offsets");
_Static_assert(NN_AVERAGE_SHIFT == 15, "nn_pool_window.S knows it");

#else

static const uint8_t *pixel_at(const struct nn_pool_window *w, uint32_t i, uint32_t j) {
  return w->first + (size_t)i * (w->columns * w->pixel + w->next) + (size_t)j * w->pixel;
}

static void most(uint8_t *out, const struct nn_pool_window *w, uint32_t pairs, uint32_t bits,
                 bool is_signed) {
  for (uint32_t e = 0; e < pairs * 64 / bits; e++) {
    int32_t largest = INT32_MIN;
    for (uint32_t i = 0; i < w->rows * w->columns; i++) {
      const uint8_t *at = pixel_at(w, i / w->columns, i % w->columns);
      int32_t x = is_signed ? nn_bits_signed(at, e, bits) : (int32_t)nn_bits_unsigned(at, e, bits);
      largest = x > largest ? x : largest;
    }
    nn_bits_put(out, e, bits, (uint32_t)largest);
  }
}

static void sums(uint32_t parts[4], const struct nn_pool_window *w, uint32_t flip, uint32_t bits) {
  uint32_t ways = bits == 2 ? 4 : 2, lane = bits == 8 ? 16 : 8, mask = (1u << bits) - 1;
  for (uint32_t k = 0; k < 4; k++)
    parts[k] = 0;
  for (uint32_t i = 0; i < w->rows * w->columns; i++) {
    uint32_t word = nn_word_load(pixel_at(w, i / w->columns, i % w->columns)) ^ flip;
    for (uint32_t e = 0; e < 32 / bits; e++)
      parts[e % ways] += (word >> e * bits & mask) << e / ways * lane;
  }
}

#define DEFINE(bits)                                                                               \
  void nn_max_window_##bits##u(uint8_t *out, const struct nn_pool_window *w, uint32_t pairs) {     \
    most(out, w, pairs, bits, false);                                                              \
  }                                                                                                \
  void nn_max_window_##bits##s(uint8_t *out, const struct nn_pool_window *w, uint32_t pairs) {     \
    most(out, w, pairs, bits, true);                                                               \
  }                                                                                                \
  void nn_window_sums_##bits(uint32_t parts[4], const struct nn_pool_window *w, uint32_t flip) {   \
    sums(parts, w, flip, bits);                                                                    \
  }
DEFINE(8)
DEFINE(4)
DEFINE(2)

static uint32_t sum_of(const struct nn_average_run *run, const uint8_t *first, uint32_t columns,
                       uint32_t flip) {
  uint32_t sum = 0, pixel = run->rows * run->row + run->column;
  for (uint32_t x = 0; x < columns; x++) {
    for (uint32_t y = 0; y < run->rows; y++)
      sum += first[(size_t)x * pixel + (size_t)y * run->row] ^ flip;
  }
  return sum;
}

static void average(uint8_t *out, const struct nn_average_run *run, uint32_t pairs,
                    const struct nn_average_by *by, uint32_t flip, uint32_t limit) {
  uint32_t pixel = run->rows * run->row + run->column, before = run->before;
  const uint8_t *first = run->first;
  for (uint32_t i = 0; i < run->windows; i++) {
    for (uint32_t e = 0; e < pairs * 8; e++) {
      uint32_t sum = sum_of(run, first + e, before + run->alone + run->shared, flip);
      sum += by->add & 0xffff;
      sum -= sum < (limit & 0xffff);
      out[(size_t)i * run->pixel + e] =
          (uint8_t)((sum * (by->factor & 0xffff)) >> by->shift ^ flip);
    }
    first += (before + run->alone) * pixel + run->next;
    before = run->shared;
  }
}
void nn_average_run_8u(uint8_t *out, const struct nn_average_run *run, uint32_t pairs,
                       const struct nn_average_by *by) {
  average(out, run, pairs, by, 0, 0);
}
void nn_average_run_8s(uint8_t *out, const struct nn_average_run *run, uint32_t pairs,
                       const struct nn_average_by *by) {
  average(out, run, pairs, by, 0x80, by->limit);
}

#endif
