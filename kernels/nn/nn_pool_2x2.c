// kernels/nn/nn_pool_2x2.c: the loops by precision and sign, and what they compute, in C.
#include "nn_pool_2x2.h"

#include <stddef.h>

#include "nn_bits.h"

#define NAMES(bits)                                                                                \
  nn_pool_2x2_fn nn_max_2x2_##bits##u, nn_max_2x2_##bits##s, nn_average_2x2_##bits##u,             \
      nn_average_2x2_##bits##s;
NAMES(8)
NAMES(4)
NAMES(2)

// By average, bits (2, 4, 8 at 0, 1, 2), sign.
nn_pool_2x2_fn *nn_pool_2x2(bool average, uint32_t bits, bool is_signed) {
  static nn_pool_2x2_fn *const all[2][3][2] = {
      {{nn_max_2x2_2u, nn_max_2x2_2s},
       {nn_max_2x2_4u, nn_max_2x2_4s},
       {nn_max_2x2_8u, nn_max_2x2_8s}},
      {{nn_average_2x2_2u, nn_average_2x2_2s},
       {nn_average_2x2_4u, nn_average_2x2_4s},
       {nn_average_2x2_8u, nn_average_2x2_8s}},
  };
  return all[average][bits / 4][is_signed];
}

#ifdef __riscv

_Static_assert(offsetof(struct nn_pool_2x2, out_next) == 28, "nn_pool_2x2.S knows the offsets");

#else

static int32_t element(const uint8_t *at, uint32_t i, uint32_t bits, bool is_signed) {
  return is_signed ? nn_bits_signed(at, i, bits) : (int32_t)nn_bits_unsigned(at, i, bits);
}

static void pixel(const struct nn_pool_2x2 *s, uint32_t p, bool average, uint32_t bits,
                  bool is_signed) {
  const uint8_t *top = s->top + (size_t)p * (s->words * 4 + s->next);
  const uint8_t *bottom = s->bottom + (top - s->top);
  uint8_t *out = s->out + (size_t)p * (s->words * 4 + s->out_next);
  for (uint32_t i = 0; i < s->words * 32 / bits; i++) {
    int32_t of[4] = {element(top, i, bits, is_signed), element(top + s->pixel, i, bits, is_signed),
                     element(bottom, i, bits, is_signed),
                     element(bottom + s->pixel, i, bits, is_signed)};
    int32_t sum = 0, most = of[0];
    for (uint32_t j = 0; j < 4; j++) {
      sum += of[j];
      most = of[j] > most ? of[j] : most;
    }
    nn_bits_put(out, i, bits, (uint32_t)(average ? sum >> 2 : most));
  }
}

#define DEFINE(bits, signs, is_signed)                                                             \
  void nn_max_2x2_##bits##signs(const struct nn_pool_2x2 *s) {                                     \
    for (uint32_t p = 0; p < s->pixels; p++)                                                       \
      pixel(s, p, false, bits, is_signed);                                                         \
  }                                                                                                \
  void nn_average_2x2_##bits##signs(const struct nn_pool_2x2 *s) {                                 \
    for (uint32_t p = 0; p < s->pixels; p++)                                                       \
      pixel(s, p, true, bits, is_signed);                                                          \
  }
DEFINE(8, u, false)
DEFINE(4, u, false)
DEFINE(2, u, false)
DEFINE(8, s, true)
DEFINE(4, s, true)
DEFINE(2, s, true)

#endif
