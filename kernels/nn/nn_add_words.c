// kernels/nn/nn_add_words.c: the loops by precision and sign, and what they compute, in C.
#include "nn_add_words.h"

#include <stddef.h>

#include "nn_bits.h"

#define NAME(a, b, o, signs) nn_add_##a##_##b##_##o##signs
#define SIGNS(M, a, b, o)                                                                          \
  M(a, b, o, uu, 0, 0) M(a, b, o, us, 0, 1) M(a, b, o, su, 1, 0) M(a, b, o, ss, 1, 1)
#define OUTS(M, a, b) SIGNS(M, a, b, 8) SIGNS(M, a, b, 4) SIGNS(M, a, b, 2)
#define SECONDS(M, a) OUTS(M, a, 8) OUTS(M, a, 4) OUTS(M, a, 2)
#define ALL(M)        SECONDS(M, 8) SECONDS(M, 4) SECONDS(M, 2)

#define DECLARE(a, b, o, signs, in, out) nn_add_words_fn NAME(a, b, o, signs);
ALL(DECLARE)

// By bits (2, 4, 8 at 0, 1, 2), then signs.
nn_add_words_fn *nn_add_words(uint32_t a, uint32_t b, uint32_t out, bool in_signed,
                              bool out_signed) {
  static nn_add_words_fn *const all[3][3][3][2][2] = {
#define ENTRY(a, b, o, signs, in, out) [(a) / 4][(b) / 4][(o) / 4][in][out] = NAME(a, b, o, signs),
      ALL(ENTRY)};
  return all[a / 4][b / 4][out / 4][in_signed][out_signed];
}

#ifdef __riscv

_Static_assert(offsetof(struct nn_add_words, most) == 32, "nn_add_words.S knows the offsets");

#else

static int32_t element(const uint8_t *data, uint32_t i, uint32_t bits, bool is_signed) {
  return is_signed ? nn_bits_signed(data, i, bits) : (int32_t)nn_bits_unsigned(data, i, bits);
}

struct kind {
  uint32_t a, b, out;
  bool in_signed, out_signed;
};

static void run(const struct nn_add_words *s, struct kind k) {
  int32_t scale_a = (int8_t)s->scale_a, scale_b = (int8_t)(s->scale_a >> 16);
  int32_t least = k.out_signed ? -(1 << (k.out - 1)) : 0, most = least + (1 << k.out) - 1;
  for (uint32_t i = 0; i < s->eights * 8; i++) {
    int32_t sum =
        element(s->a, i, k.a, k.in_signed) * scale_a + element(s->b, i, k.b, k.in_signed) * scale_b;
    int32_t y = (int32_t)((uint32_t)sum + s->lambda) >> s->shift;
    nn_bits_put(s->out, i, k.out, (uint32_t)(y < least ? least : y > most ? most : y));
  }
}

#define DEFINE(a, b, o, signs, in, out)                                                            \
  void NAME(a, b, o, signs)(const struct nn_add_words *s) {                                        \
    run(s, (struct kind){a, b, o, in, out});                                                       \
  }
ALL(DEFINE)

void nn_add_halves(const struct nn_add_words *s) {
  for (uint32_t i = 0; i < s->eights * 8; i++) {
    uint32_t y = s->a[i] * s->scale_a + s->b[i] * s->scale_b, most = s->most & 0xffff;
    s->out[i] = (uint8_t)(((y < most ? y : most) + (s->lambda & 0xffff)) >> s->shift);
  }
}

#endif
