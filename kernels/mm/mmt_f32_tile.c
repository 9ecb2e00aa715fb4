// kernels/mm/mmt_f32_tile.c: the blocks by size, and what they compute, in C.
#include "mmt_f32_tile.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "mmt_f32_tiles.h"

#ifdef __riscv

#define DECLARE(kind, U, V) mmt_tile_fn mmt_tile_##kind##_##U##x##V;

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

// Where the operands lie: bytes from line to line, from k to k + 1, and from run to run.
struct lie {
  size_t a_line, a_k, b_line, b_k;
  size_t runs, a_run, b_run;
};
static struct lie lie_nn(const struct mmt_tile *t) {
  return (struct lie){t->a.step, 4, 4, t->b.step, 1, 0, 0};
}
static struct lie lie_nt(const struct mmt_tile *t) {
  return (struct lie){t->a.step, 4, t->b.step, 4, 1, 0, 0};
}
static struct lie lie_tn(const struct mmt_tile *t) {
  return (struct lie){4, t->a.step, 4, t->b.step, 1, 0, 0};
}
static struct lie lie_tnp(const struct mmt_tile *t) {
  return lie_tn(t);
}
static struct lie in_runs(const struct mmt_tile *t, struct lie lie) {
  lie.runs = t->runs;
  lie.a_run = t->k * lie.a_k + t->a_jump;
  lie.b_run = t->k * lie.b_k + t->b_jump;
  return lie;
}
static struct lie lie_ntr(const struct mmt_tile *t) {
  return in_runs(t, lie_nt(t));
}
static struct lie lie_ntp(const struct mmt_tile *t) {
  enum { LINE = 4 * MMT_TILE_PITCH };
  (void)t;
  return (struct lie){LINE, 4, LINE, 4, 1, 0, 0};
}
static struct lie lie_ntp_pairs(const struct mmt_tile *t) {
  enum { LINE = 4 * MMT_TILE_PITCH_PAIRS };
  (void)t;
  return (struct lie){LINE, 4, LINE, 4, 1, 0, 0};
}
static struct lie lie_tnr(const struct mmt_tile *t) {
  return in_runs(t, lie_tn(t));
}

// In line, so that rows and columns are constants: a host learns whole networks by these loops.
static inline __attribute__((always_inline)) void
plain_c(const struct mmt_tile *t, const struct format *format,
        struct lie (*lie_of)(const struct mmt_tile *), uint32_t rows, uint32_t cols) {
  const struct lie lie = lie_of(t);
  const bool scaled = lie_of == lie_ntp && t->add, relu = lie_of == lie_tnp && t->relu;
  for (size_t block = 0; block < t->blocks; block++) {
    char *c = (char *)t->c + block * t->c_next;
    const void *a = at(t->a.at, block * t->a.next), *b = at(t->b.at, block * t->b.next);
    float sum[MMT_TILE_ACC];
    for (uint32_t i = 0; i < rows * cols; i++)
      sum[i] =
          t->add && !scaled ? format->get(c + i / cols * t->c_step + i % cols * format->bytes) : 0;
    for (size_t run = 0; run < lie.runs; run++, a = at(a, lie.a_run), b = at(b, lie.b_run)) {
      for (size_t k = 0; k < t->k; k++) {
        for (uint32_t i = 0; i < rows * cols; i++)
          sum[i] = format->fma(at(a, k * lie.a_k + i / cols * lie.a_line),
                               at(b, k * lie.b_k + i % cols * lie.b_line), sum[i]);
      }
    }
    for (uint32_t i = 0; i < rows * cols; i++) {
      char *to = c + i / cols * t->c_step + i % cols * format->bytes;
      float value = scaled ? __builtin_fmaf(t->factor, sum[i], get_s(to)) : sum[i];
      format->put(to, relu && !(value > 0) && value == value ? 0 : value);
    }
  }
}

// By the kind of a tile: format, and how the operands lie.
#define KIND_s_nn   &format_s, lie_nn
#define KIND_s_nt   &format_s, lie_nt
#define KIND_s_tn   &format_s, lie_tn
#define KIND_s_nn1  KIND_s_nn
#define KIND_s_nt1  KIND_s_nt
#define KIND_s_tn1  KIND_s_tn
#define KIND_s_nn2  KIND_s_nn
#define KIND_s_nt2  KIND_s_nt
#define KIND_s_tn2  KIND_s_tn
#define KIND_h_nt   &format_h, lie_nt
#define KIND_h_tn   &format_h, lie_tn
#define KIND_ah_nt  &format_ah, lie_nt
#define KIND_ah_tn  &format_ah, lie_tn
#define KIND_s_ntr  &format_s, lie_ntr
#define KIND_h_ntr  &format_h, lie_ntr
#define KIND_ah_ntr &format_ah, lie_ntr
#define KIND_s_ntp  &format_s, lie_ntp
#define KIND_h_ntp  &format_h, lie_ntp_pairs
#define KIND_ah_ntp &format_ah, lie_ntp_pairs
#define KIND_s_tnp  &format_s, lie_tnp
#define KIND_s_tns  KIND_s_tn
#define KIND_h_tnp  KIND_h_tn
#define KIND_ah_tnp KIND_ah_tn
#define KIND_s_tnr  &format_s, lie_tnr
#define KIND_h_tnr  &format_h, lie_tnr
#define KIND_ah_tnr &format_ah, lie_tnr
#define DECLARE(kind, U, V)                                                                        \
  static void mmt_tile_##kind##_##U##x##V(const struct mmt_tile *t) {                              \
    plain_c(t, KIND_##kind, U, V);                                                                 \
  }

#endif

MMT_TILES(DECLARE, s_nn)
MMT_TILES(DECLARE, s_nt)
MMT_TILES(DECLARE, s_tn)
MMT_TILES(DECLARE, h_nt)
MMT_TILES(DECLARE, h_tn)
MMT_TILES(DECLARE, ah_nt)
MMT_TILES(DECLARE, ah_tn)
MMT_TILES_PUBLISHED(DECLARE, s_nn1)
MMT_TILES_PUBLISHED(DECLARE, s_nt1)
MMT_TILES_PUBLISHED(DECLARE, s_tn1)
MMT_TILES_IN_RUNS(DECLARE, s_ntr)
MMT_TILES_IN_RUNS(DECLARE, h_ntr)
MMT_TILES_IN_RUNS(DECLARE, ah_ntr)
MMT_TILES_OF_PITCH(DECLARE, s_ntp)
MMT_TILES_OF_PITCH_PAIRS(DECLARE, h_ntp)
MMT_TILES_OF_PITCH_PAIRS(DECLARE, ah_ntp)
MMT_TILES_PACKED(DECLARE, s_tnp)
MMT_TILES_PACKED(DECLARE, s_tns)
MMT_TILES_PACKED(DECLARE, h_tnp)
MMT_TILES_PACKED(DECLARE, ah_tnp)
#define IN_WIDE_RUNS(DO, kind) MMT_TILES_IN_RUNS(DO, kind) MMT_TILES_IN_WIDE_RUNS(DO, kind)
IN_WIDE_RUNS(DECLARE, s_tnr)
IN_WIDE_RUNS(DECLARE, h_tnr)
IN_WIDE_RUNS(DECLARE, ah_tnr)
DECLARE(s_nn2, 1, 1)
DECLARE(s_nt2, 1, 1)
DECLARE(s_tn2, 1, 1)

#define ENTRY(kind, U, V) [U - 1][V - 1] = mmt_tile_##kind##_##U##x##V,
#define TABLE(kind)       mmt_tiles mmt_tiles_##kind = {MMT_TILES(ENTRY, kind)}
TABLE(s_nn);
TABLE(s_nt);
TABLE(s_tn);
TABLE(h_nt);
TABLE(h_tn);
TABLE(ah_nt);
TABLE(ah_tn);

#define COLUMN_ENTRY(kind, U) [U - 1] = mmt_tile_##kind##_##U##x1
#define COLUMN_TABLE(kind)                                                                         \
  RT_L1 mmt_column_tiles mmt_column_tiles_##kind = {                                               \
      COLUMN_ENTRY(kind, 1), COLUMN_ENTRY(kind, 2), COLUMN_ENTRY(kind, 3), COLUMN_ENTRY(kind, 4),  \
      COLUMN_ENTRY(kind, 5), COLUMN_ENTRY(kind, 6), COLUMN_ENTRY(kind, 7), COLUMN_ENTRY(kind, 8)}
COLUMN_TABLE(s_nt);
COLUMN_TABLE(h_nt);
COLUMN_TABLE(ah_nt);

// What the published kernels leave over at the edges goes the usual way.
#define PUBLISHED(kind)                                                                            \
  mmt_tiles mmt_tiles_##kind##1 = {MMT_TILES_PUBLISHED(ENTRY, kind##1)                             \
                                       MMT_TILES_OTHER(ENTRY, kind)};                              \
  mmt_tiles mmt_tiles_##kind##2 = {ENTRY(kind##2, 1, 1)}
PUBLISHED(s_nn);
PUBLISHED(s_nt);
PUBLISHED(s_tn);

mmt_tiles mmt_tiles_s_ntr = {MMT_TILES_IN_RUNS(ENTRY, s_ntr)};
mmt_tiles mmt_tiles_h_ntr = {MMT_TILES_IN_RUNS(ENTRY, h_ntr)};
mmt_tiles mmt_tiles_ah_ntr = {MMT_TILES_IN_RUNS(ENTRY, ah_ntr)};
mmt_tiles mmt_tiles_s_ntp = {MMT_TILES_OF_PITCH(ENTRY, s_ntp)};
mmt_tiles mmt_tiles_h_ntp = {MMT_TILES_OF_PITCH_PAIRS(ENTRY, h_ntp)};
mmt_tiles mmt_tiles_ah_ntp = {MMT_TILES_OF_PITCH_PAIRS(ENTRY, ah_ntp)};
mmt_tiles mmt_tiles_s_tnp = {MMT_TILES_PACKED(ENTRY, s_tnp)};
mmt_tiles mmt_tiles_s_tns = {MMT_TILES_PACKED(ENTRY, s_tns)};
mmt_tiles mmt_tiles_h_tnp = {MMT_TILES_PACKED(ENTRY, h_tnp)};
mmt_tiles mmt_tiles_ah_tnp = {MMT_TILES_PACKED(ENTRY, ah_tnp)};
mmt_tiles mmt_tiles_s_tnr = {IN_WIDE_RUNS(ENTRY, s_tnr)};
mmt_tiles mmt_tiles_h_tnr = {IN_WIDE_RUNS(ENTRY, h_tnr)};
mmt_tiles mmt_tiles_ah_tnr = {IN_WIDE_RUNS(ENTRY, ah_tnr)};
