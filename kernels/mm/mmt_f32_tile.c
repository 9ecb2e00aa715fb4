// kernels/mm/mmt_f32_tile.c: the blocks by size, and what they compute, in C.
#include "mmt_f32_tile.h"

#include <stddef.h>

#ifdef __riscv

#define DECLARE(layout, U, V) mmt_tile_fn mmt_tile_##layout##_##U##x##V

#else

#include "isa/fp.h"

static const void *at(const void *base, size_t offset) {
  return (const char *)base + offset;
}

static uint32_t bits_of(float value) {
  union {
    float f;
    uint32_t u;
  } bits = {value};
  return bits.u;
}

static float float_of(uint32_t value) {
  union {
    uint32_t u;
    float f;
  } bits = {value};
  return bits.f;
}

// Formats: size of C's elements, C to float and back, sum + a * b.
static float get_s(const void *c) {
  return *(const float *)c;
}
static void put_s(void *c, float value) {
  *(float *)c = value;
}
static float fma_s(const void *a, const void *b, float sum) {
  return __builtin_fmaf(*(const float *)a, *(const float *)b, sum);
}
static unsigned flags; // raised, and of no interest
static float get_h(const void *c) {
  return float_of(fp32_from_fp16(*(const uint16_t *)c | 0xffff0000, &flags));
}
static void put_h(void *c, float value) {
  *(uint16_t *)c = (uint16_t)fp16_from_fp32(bits_of(value), 0, &flags);
}
static float fma_h(const void *a, const void *b, float sum) {
  return float_of(
      fp32_dotp_fp16x2(bits_of(sum), *(const uint32_t *)a, *(const uint32_t *)b, 0, &flags));
}
static float get_ah(const void *c) {
  return float_of(fp32_from_bf16(*(const uint16_t *)c | 0xffff0000, &flags));
}
static void put_ah(void *c, float value) {
  *(uint16_t *)c = (uint16_t)bf16_from_fp32(bits_of(value), 0, &flags);
}
static float fma_ah(const void *a, const void *b, float sum) {
  return float_of(
      fp32_dotp_bf16x2(bits_of(sum), *(const uint32_t *)a, *(const uint32_t *)b, 0, &flags));
}

struct format {
  size_t bytes;
  float (*get)(const void *);
  void (*put)(void *, float);
  float (*fma)(const void *, const void *, float);
};
static const struct format format_s = {4, get_s, put_s, fma_s};
static const struct format format_h = {2, get_h, put_h, fma_h};
static const struct format format_ah = {2, get_ah, put_ah, fma_ah};

// Where the operands lie: bytes from line to line and from k to k + 1.
struct lie {
  size_t a_line, a_k, b_line, b_k;
};
static struct lie lie_nn(const struct mmt_tile *t) {
  return (struct lie){t->a.step, 4, 4, t->b.step};
}
static struct lie lie_nt(const struct mmt_tile *t) {
  return (struct lie){t->a.step, 4, t->b.step, 4};
}
static struct lie lie_tn(const struct mmt_tile *t) {
  return (struct lie){4, t->a.step, 4, t->b.step};
}

static void plain_c(const struct mmt_tile *t, const struct format *format, struct lie lie,
                    uint32_t rows, uint32_t cols) {
  for (size_t i = 0; i < (size_t)t->blocks * rows * cols; i++) {
    size_t block = i / (rows * cols), u = i / cols % rows, v = i % cols;
    char *c = (char *)t->c + block * t->c_next + u * t->c_step + v * format->bytes;
    const void *a = at(t->a.at, block * t->a.next + u * lie.a_line);
    const void *b = at(t->b.at, block * t->b.next + v * lie.b_line);
    float sum = t->add ? format->get(c) : 0;
    for (size_t k = 0; k < t->k; k++)
      sum = format->fma(at(a, k * lie.a_k), at(b, k * lie.b_k), sum);
    format->put(c, sum);
  }
}

#define FORMAT_s_nn  format_s
#define FORMAT_s_nt  format_s
#define FORMAT_s_tn  format_s
#define FORMAT_h_nt  format_h
#define FORMAT_h_tn  format_h
#define FORMAT_ah_nt format_ah
#define FORMAT_ah_tn format_ah
#define LIE_s_nn     lie_nn
#define LIE_s_nt     lie_nt
#define LIE_s_tn     lie_tn
#define LIE_h_nt     lie_nt
#define LIE_h_tn     lie_tn
#define LIE_ah_nt    lie_nt
#define LIE_ah_tn    lie_tn
#define DECLARE(layout, U, V)                                                                      \
  static void mmt_tile_##layout##_##U##x##V(const struct mmt_tile *t) {                            \
    plain_c(t, &FORMAT_##layout, LIE_##layout(t), U, V);                                           \
  }                                                                                                \
  _Static_assert(1, "")

#endif

#define TILE(U, V)                                                                                 \
  DECLARE(s_nn, U, V);                                                                             \
  DECLARE(s_nt, U, V);                                                                             \
  DECLARE(s_tn, U, V);                                                                             \
  DECLARE(h_nt, U, V);                                                                             \
  DECLARE(h_tn, U, V);                                                                             \
  DECLARE(ah_nt, U, V);                                                                            \
  DECLARE(ah_tn, U, V);
#include "mmt_f32_tiles.def"
#undef TILE

mmt_tiles mmt_tiles_s_nn = {
#define TILE(U, V) [U - 1][V - 1] = mmt_tile_s_nn_##U##x##V,
#include "mmt_f32_tiles.def"
#undef TILE
};
mmt_tiles mmt_tiles_s_nt = {
#define TILE(U, V) [U - 1][V - 1] = mmt_tile_s_nt_##U##x##V,
#include "mmt_f32_tiles.def"
#undef TILE
};
mmt_tiles mmt_tiles_s_tn = {
#define TILE(U, V) [U - 1][V - 1] = mmt_tile_s_tn_##U##x##V,
#include "mmt_f32_tiles.def"
#undef TILE
};
mmt_tiles mmt_tiles_h_nt = {
#define TILE(U, V) [U - 1][V - 1] = mmt_tile_h_nt_##U##x##V,
#include "mmt_f32_tiles.def"
#undef TILE
};
mmt_tiles mmt_tiles_h_tn = {
#define TILE(U, V) [U - 1][V - 1] = mmt_tile_h_tn_##U##x##V,
#include "mmt_f32_tiles.def"
#undef TILE
};
mmt_tiles mmt_tiles_ah_nt = {
#define TILE(U, V) [U - 1][V - 1] = mmt_tile_ah_nt_##U##x##V,
#include "mmt_f32_tiles.def"
#undef TILE
};
mmt_tiles mmt_tiles_ah_tn = {
#define TILE(U, V) [U - 1][V - 1] = mmt_tile_ah_tn_##U##x##V,
#include "mmt_f32_tiles.def"
#undef TILE
};
