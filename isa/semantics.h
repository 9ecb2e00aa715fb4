// isa/semantics.h: pure helper functions of the rows' bodies. Integers only; floats: isa/fp.h.
//
// Everything is a value in, a value out, on uint32_t register values, and inline, so that
// an executor that includes the rows gets straight-line code. Packed operations come in
// _h (two half-words), _b (four bytes), _n (eight nibbles) and _c (sixteen crumbs, two bits).
// (MACLOAD alone is no function: it is a body that sixteen rows share.)
#ifndef PULPSIM_ISA_SEMANTICS_H
#define PULPSIM_ISA_SEMANTICS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __SSE4_1__
#include <smmintrin.h>
#elif defined __SSE2__
#include <emmintrin.h>
#endif

// ------------------------------------------------------------------ scalar helpers

// The low `bits` bits (1..32) of x, sign-extended.
static inline uint32_t sign_extend(uint32_t x, unsigned bits) {
  return (uint32_t)((int32_t)(x << (32 - bits)) >> (32 - bits));
}

// `bits` ones (0..31).
static inline uint32_t low_mask(unsigned bits) {
  return (UINT32_C(1) << bits) - 1;
}

static inline uint32_t shift_right(uint32_t x, unsigned n) {
  return (uint32_t)((int32_t)x >> n);
}

static inline uint32_t rotate_right(uint32_t x, unsigned n) {
  return x >> n | x << (-n & 31);
}

static inline uint32_t high_signed(uint32_t x) {
  return shift_right(x, 16);
}

// Half of the last place that a shift right by n drops; none if it drops nothing.
static inline uint32_t rounding(unsigned n) {
  return UINT32_C(1) << n >> 1;
}

// RISC-V manual, table 7.1: division by zero gives -1, overflow the dividend.
static inline uint32_t divide_signed(uint32_t a, uint32_t b) {
  if (b == 0)
    return UINT32_MAX;
  if (b == UINT32_MAX)
    return 0 - a;
  return (uint32_t)((int32_t)a / (int32_t)b);
}

static inline uint32_t remainder_signed(uint32_t a, uint32_t b) {
  if (b == 0)
    return a;
  if (b == UINT32_MAX)
    return 0;
  return (uint32_t)((int32_t)a % (int32_t)b);
}

// To -bound-1 .. bound. A negative bound: as RI5CY's comparators work it out.
static inline uint32_t clip(uint32_t x, uint32_t bound) {
  if ((int64_t)(int32_t)x + (int32_t)bound < 0)
    return ~bound;
  return (int32_t)x < (int32_t)bound ? x : bound;
}

// To 0 .. bound, likewise.
static inline uint32_t clip_unsigned(uint32_t x, uint32_t bound) {
  if ((int32_t)x <= 0)
    return 0;
  return (int32_t)x < (int32_t)bound ? x : bound;
}

// ------------------------------------------------------------------ bit fields
// A field of width1 + 1 bits (1..32) from bit `position` (0..31) on, cut at bit 31.

static inline uint32_t field_mask(unsigned width1) {
  return UINT32_MAX >> (31 - width1);
}

static inline uint32_t extract_unsigned(uint32_t x, unsigned width1, unsigned position) {
  return x >> position & field_mask(width1);
}

static inline uint32_t extract_signed(uint32_t x, unsigned width1, unsigned position) {
  if (position + width1 > 31)
    return shift_right(x, position);
  return sign_extend(x >> position, width1 + 1);
}

static inline uint32_t insert_field(uint32_t into, uint32_t x, unsigned width1, unsigned position) {
  uint32_t mask = field_mask(width1) << position;
  return (into & ~mask) | (x << position & mask);
}

static inline uint32_t set_field(uint32_t x, unsigned width1, unsigned position) {
  return x | field_mask(width1) << position;
}

static inline uint32_t clear_field(uint32_t x, unsigned width1, unsigned position) {
  return x & ~(field_mask(width1) << position);
}

// Swaps neighbouring groups of `width` bits; `low` has the lower group of each pair.
static inline uint32_t swap_groups(uint32_t x, uint32_t low, unsigned width) {
  return (x >> width & low) | (x & low) << width;
}

// Reverses the order of the groups of radix1 + 1 bits (1, 2, 3; radix1 = 3 counts as 0). Of 32
// bits ten groups of three take part, which leaves the upper two bits of the result empty.
static inline uint32_t bit_reverse(uint32_t x, unsigned radix1) {
  if (radix1 == 2) {
    uint32_t result = 0;
    for (unsigned i = 2; i < 32; i += 3)
      result = result >> 3 | (x >> (31 - i) << 29 >> 2 & 0x38000000);
    return result;
  }
  x = swap_groups(__builtin_bswap32(x), 0x0f0f0f0f, 4);
  x = swap_groups(x, 0x33333333, 2);
  return radix1 == 1 ? x : swap_groups(x, 0x55555555, 1);
}

// ------------------------------------------------------------------ packed operations

static inline uint32_t rep_h(uint32_t x) {
  return (x & 0xffff) * 0x10001u;
}
static inline uint32_t rep_b(uint32_t x) {
  return (x & 0xff) * 0x1010101u;
}
static inline uint32_t rep_n(uint32_t x) {
  return (x & 0xf) * 0x11111111u;
}
static inline uint32_t rep_c(uint32_t x) {
  return (x & 3) * 0x55555555u;
}

// All lanes at once, in a 32-bit word. `tops` has the highest bit of each lane: it keeps sums
// and differences from crossing into the next lane.
#define TOPS_H 0x80008000u
#define TOPS_B 0x80808080u
#define TOPS_N 0x88888888u
#define TOPS_C 0xaaaaaaaau

static inline uint32_t add_lanes(uint32_t x, uint32_t y, uint32_t tops) {
  return ((x & ~tops) + (y & ~tops)) ^ ((x ^ y) & tops);
}

static inline uint32_t sub_lanes(uint32_t x, uint32_t y, uint32_t tops) {
  return ((x | tops) - (y & ~tops)) ^ ((x ^ ~y) & tops);
}

// The tops of the lanes in which x >= y, unsigned; in which x != y.
static inline uint32_t ge_tops(uint32_t x, uint32_t y, uint32_t tops) {
  uint32_t low = (x | tops) - (y & ~tops); // top set: without their tops, x >= y
  return ((x & ~y) | (~(x ^ y) & low)) & tops;
}

static inline uint32_t ne_tops(uint32_t x, uint32_t y, uint32_t tops) {
  uint32_t z = x ^ y;
  return (((z & ~tops) + ~tops) | z) & tops;
}

// All bits of the lanes whose tops are given.
static inline uint32_t whole_lanes(uint32_t tops, unsigned width) {
  return (tops << 1) - (tops >> (width - 1));
}

static inline uint32_t choose(uint32_t mask, uint32_t x, uint32_t y) {
  return (x & mask) | (y & ~mask);
}

#define PACKED_FUNCTIONS(s, width, tops)                                                           \
  static inline uint32_t add_##s(uint32_t x, uint32_t y) {                                         \
    return add_lanes(x, y, tops);                                                                  \
  }                                                                                                \
  static inline uint32_t sub_##s(uint32_t x, uint32_t y) {                                         \
    return sub_lanes(x, y, tops);                                                                  \
  }                                                                                                \
  static inline uint32_t avg_##s(uint32_t x, uint32_t y) {                                         \
    uint32_t sum = add_lanes(x, y, tops);                                                          \
    return (sum >> 1 & ~(tops)) | (sum & (tops));                                                  \
  }                                                                                                \
  static inline uint32_t avgu_##s(uint32_t x, uint32_t y) {                                        \
    return add_lanes(x, y, tops) >> 1 & ~(tops);                                                   \
  }                                                                                                \
  static inline uint32_t cmpgeu_##s(uint32_t x, uint32_t y) {                                      \
    return whole_lanes(ge_tops(x, y, tops), width);                                                \
  }                                                                                                \
  static inline uint32_t cmpge_##s(uint32_t x, uint32_t y) {                                       \
    return cmpgeu_##s(x ^ (tops), y ^ (tops));                                                     \
  }                                                                                                \
  static inline uint32_t cmpne_##s(uint32_t x, uint32_t y) {                                       \
    return whole_lanes(ne_tops(x, y, tops), width);                                                \
  }                                                                                                \
  static inline uint32_t cmpeq_##s(uint32_t x, uint32_t y) {                                       \
    return ~cmpne_##s(x, y);                                                                       \
  }                                                                                                \
  static inline uint32_t cmple_##s(uint32_t x, uint32_t y) {                                       \
    return cmpge_##s(y, x);                                                                        \
  }                                                                                                \
  static inline uint32_t cmplt_##s(uint32_t x, uint32_t y) {                                       \
    return ~cmpge_##s(x, y);                                                                       \
  }                                                                                                \
  static inline uint32_t cmpgt_##s(uint32_t x, uint32_t y) {                                       \
    return ~cmpge_##s(y, x);                                                                       \
  }                                                                                                \
  static inline uint32_t cmpleu_##s(uint32_t x, uint32_t y) {                                      \
    return cmpgeu_##s(y, x);                                                                       \
  }                                                                                                \
  static inline uint32_t cmpltu_##s(uint32_t x, uint32_t y) {                                      \
    return ~cmpgeu_##s(x, y);                                                                      \
  }                                                                                                \
  static inline uint32_t cmpgtu_##s(uint32_t x, uint32_t y) {                                      \
    return ~cmpgeu_##s(y, x);                                                                      \
  }                                                                                                \
  static inline uint32_t max_##s(uint32_t x, uint32_t y) {                                         \
    return choose(cmpge_##s(x, y), x, y);                                                          \
  }                                                                                                \
  static inline uint32_t min_##s(uint32_t x, uint32_t y) {                                         \
    return choose(cmpge_##s(x, y), y, x);                                                          \
  }                                                                                                \
  static inline uint32_t maxu_##s(uint32_t x, uint32_t y) {                                        \
    return choose(cmpgeu_##s(x, y), x, y);                                                         \
  }                                                                                                \
  static inline uint32_t minu_##s(uint32_t x, uint32_t y) {                                        \
    return choose(cmpgeu_##s(x, y), y, x);                                                         \
  }                                                                                                \
  static inline uint32_t abs_##s(uint32_t x) {                                                     \
    uint32_t negative = whole_lanes(x & (tops), width);                                            \
    return sub_lanes(x ^ negative, negative, tops);                                                \
  }
PACKED_FUNCTIONS(h, 16, TOPS_H)
PACKED_FUNCTIONS(b, 8, TOPS_B)
PACKED_FUNCTIONS(n, 4, TOPS_N)
PACKED_FUNCTIONS(c, 2, TOPS_C)

// The lane of `width` bits at bit `position`, sign-extended; zero-extended.
static inline int32_t lane_s(uint32_t x, unsigned position, unsigned width) {
  return (int32_t)(x << (32 - width - position)) >> (32 - width);
}

static inline int32_t lane_u(uint32_t x, unsigned position, unsigned width) {
  return (int32_t)(x >> position & low_mask(width));
}

// Each lane shifted by the low bits of its own amount.
#define SHIFT_FUNCTION(name, s, width, lane, OP)                                                   \
  static inline uint32_t name##_##s(uint32_t x, uint32_t y) {                                      \
    uint32_t result = 0;                                                                           \
    _Pragma("GCC unroll 16") for (unsigned i = 0; i < 32; i += (width)) {                          \
      unsigned amount = y >> i & ((width)-1);                                                      \
      result |= ((uint32_t)(lane(x, i, width) OP amount) & low_mask(width)) << i;                  \
    }                                                                                              \
    return result;                                                                                 \
  }
#define SHIFT_FUNCTIONS(s, width)                                                                  \
  SHIFT_FUNCTION(srl, s, width, lane_u, >>)                                                        \
  SHIFT_FUNCTION(sra, s, width, lane_s, >>)                                                        \
  SHIFT_FUNCTION(sll, s, width, lane_u, <<)
SHIFT_FUNCTIONS(h, 16)
SHIFT_FUNCTIONS(b, 8)
SHIFT_FUNCTIONS(n, 4)
SHIFT_FUNCTIONS(c, 2)

// Sums of products of lanes. Half-words and bytes: one product after the other.
#define DOT_FUNCTION(name, s, width, lane_x, lane_y)                                               \
  static inline uint32_t name##_##s(uint32_t x, uint32_t y) {                                      \
    uint32_t sum = 0;                                                                              \
    _Pragma("GCC unroll 4") for (unsigned i = 0; i < 32; i += (width)) sum +=                      \
        (uint32_t)lane_x(x, i, width) * (uint32_t)lane_y(y, i, width);                             \
    return sum;                                                                                    \
  }
DOT_FUNCTION(dotup, h, 16, lane_u, lane_u)
DOT_FUNCTION(dotusp, h, 16, lane_u, lane_s)
#ifdef __SSE2__
// Where the host multiplies and adds pairs of signed half-words at once, bytes are widened to them.
static inline __m128i half_words_s(uint32_t x) {
  __m128i bytes = _mm_cvtsi32_si128((int)x);
#ifdef __SSE4_1__
  return _mm_cvtepi8_epi16(bytes);
#else
  return _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
#endif
}
static inline __m128i half_words_u(uint32_t x) {
  return _mm_unpacklo_epi8(_mm_cvtsi32_si128((int)x), _mm_setzero_si128());
}
static inline uint32_t sum_of_products(__m128i x, __m128i y) {
  __m128i pairs = _mm_madd_epi16(x, y);
  return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(pairs, _mm_shuffle_epi32(pairs, 1)));
}
static inline uint32_t dotsp_h(uint32_t x, uint32_t y) {
  return (uint32_t)_mm_cvtsi128_si32(
      _mm_madd_epi16(_mm_cvtsi32_si128((int)x), _mm_cvtsi32_si128((int)y)));
}
static inline uint32_t dotup_b(uint32_t x, uint32_t y) {
  return sum_of_products(half_words_u(x), half_words_u(y));
}
static inline uint32_t dotusp_b(uint32_t x, uint32_t y) {
  return sum_of_products(half_words_u(x), half_words_s(y));
}
static inline uint32_t dotsp_b(uint32_t x, uint32_t y) {
  return sum_of_products(half_words_s(x), half_words_s(y));
}
#else
DOT_FUNCTION(dotsp, h, 16, lane_s, lane_s)
DOT_FUNCTION(dotup, b, 8, lane_u, lane_u)
DOT_FUNCTION(dotusp, b, 8, lane_u, lane_s)
DOT_FUNCTION(dotsp, b, 8, lane_s, lane_s)
#endif

// Nibbles and crumbs: as the coefficients of polynomials, x forwards and y backwards, so that
// one product of 64 bits has their dot product as its highest coefficient. Those below are
// small, and if negative borrow no more than the half that is added before the shift.
//
// Four of the nibbles of x, as bytes in steps of 16 bits; its eight crumb pairs in steps of 8.
static inline uint64_t spread_bytes(uint32_t x) {
  uint64_t t = (x | (uint64_t)x << 16) & UINT64_C(0x0000ffff0000ffff);
  return (t | t << 8) & UINT64_C(0x00ff00ff00ff00ff);
}

static inline uint64_t spread_nibbles(uint32_t x) {
  uint64_t t = spread_bytes(x);
  return (t | t << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
}

static inline uint32_t top_coefficient(uint64_t x, uint64_t y, unsigned step) {
  uint64_t product = x * y + (UINT64_C(1) << (63 - step));
  return (uint32_t)((int64_t)product >> (64 - step));
}

// A signed lane is an unsigned one with its top bit flipped, less the value of that bit.
static inline uint32_t dot_nibbles(uint32_t x, uint32_t y, bool signed_x, bool signed_y) {
  const uint64_t ones = UINT64_C(0x0001000100010001), mask = 15 * ones;
  uint64_t less_x = signed_x ? 8 * ones : 0, less_y = signed_y ? 8 * ones : 0;
  uint64_t u = spread_bytes(signed_x ? x ^ TOPS_N : x);
  uint64_t v = spread_bytes(__builtin_bswap32(signed_y ? y ^ TOPS_N : y));
  return top_coefficient((u & mask) - less_x, (v & mask) - less_y, 16) +
         top_coefficient((u >> 4 & mask) - less_x, (v >> 4 & mask) - less_y, 16);
}

static inline uint32_t dot_crumbs(uint32_t x, uint32_t y, bool signed_x, bool signed_y) {
  const uint64_t ones = UINT64_C(0x0101010101010101), mask = 3 * ones;
  uint64_t less_x = signed_x ? 2 * ones : 0, less_y = signed_y ? 2 * ones : 0;
  uint64_t u = spread_nibbles(signed_x ? x ^ TOPS_C : x);
  uint64_t v = __builtin_bswap64(spread_nibbles(signed_y ? y ^ TOPS_C : y));
  return top_coefficient((u & mask) - less_x, (v & mask) - less_y, 8) +
         top_coefficient((u >> 2 & mask) - less_x, (v >> 2 & mask) - less_y, 8);
}

static inline uint32_t dotup_n(uint32_t x, uint32_t y) {
  return dot_nibbles(x, y, false, false);
}
static inline uint32_t dotusp_n(uint32_t x, uint32_t y) {
  return dot_nibbles(x, y, false, true);
}
static inline uint32_t dotsp_n(uint32_t x, uint32_t y) {
  return dot_nibbles(x, y, true, true);
}
static inline uint32_t dotup_c(uint32_t x, uint32_t y) {
  return dot_crumbs(x, y, false, false);
}
static inline uint32_t dotusp_c(uint32_t x, uint32_t y) {
  return dot_crumbs(x, y, false, true);
}
static inline uint32_t dotsp_c(uint32_t x, uint32_t y) {
  return dot_crumbs(x, y, true, true);
}

// Lane i of the result is the lane of x that lane i of the selector names.
static inline uint32_t shuffle_h(uint32_t x, uint32_t select) {
  return (x >> (select & 1) * 16 & 0xffff) | x >> (select >> 16 & 1) * 16 << 16;
}

static inline uint32_t shuffle_b(uint32_t x, uint32_t select) {
  uint32_t result = 0;
  _Pragma("GCC unroll 4") for (unsigned i = 0; i < 32; i += 8) result |=
      (x >> (select >> i & 3) * 8 & 0xff) << i;
  return result;
}

// The selector of pv.shufflei<top>.sci.b: two bits per byte in imm, and the top byte's number.
static inline uint32_t shuffle_selector(uint32_t imm, uint32_t top) {
  return (imm & 3) | (imm >> 2 & 3) << 8 | (imm >> 4 & 3) << 16 | top << 24;
}

// The same with two sources: the bit above the lane number chooses x (1) or y (0).
static inline uint32_t shuffle2_h(uint32_t x, uint32_t y, uint32_t select) {
  uint32_t low = select & 2 ? x : y, high = select >> 16 & 2 ? x : y;
  return (low >> (select & 1) * 16 & 0xffff) | high >> (select >> 16 & 1) * 16 << 16;
}

static inline uint32_t shuffle2_b(uint32_t x, uint32_t y, uint32_t select) {
  uint32_t result = 0;
  _Pragma("GCC unroll 4") for (unsigned i = 0; i < 32; i += 8) result |=
      ((select >> i & 4 ? x : y) >> (select >> i & 3) * 8 & 0xff) << i;
  return result;
}

// ------------------------------------------------------------------ mac&load
// The fused operation of XpulpNN, in the vocabulary of the rows. Its immediate: bit 0 the
// activation register, bits 2:1 the weight register, bit 3 reload the activation register, bit 4
// else reload the weight register, from rs1, which then moves on by four. The product is of the
// registers as they were before. With a destination x0 it only loads.
#define NN_A NN(IMM & 1)
#define NN_W NN(2 + (IMM >> 1 & 3))
#define MACLOAD(product)                                                                           \
  uint32_t sum = RS3 + (product);                                                                  \
  if (IMM & 0x18) {                                                                                \
    uint32_t word = LOAD(uint32_t, RS1);                                                           \
    NN(IMM & 8 ? IMM & 1 : 2 + (IMM >> 1 & 3)) = word;                                             \
    RS1_OUT = RS1 + 4;                                                                             \
  }                                                                                                \
  RD = sum

// ------------------------------------------------------------------ complex numbers
// Real part in the low half-word, imaginary part in the high one.

static inline uint32_t complex_real(uint32_t x, uint32_t y, unsigned shift) {
  uint32_t re = sign_extend(x, 16) * sign_extend(y, 16), im = high_signed(x) * high_signed(y);
  return shift_right(re - im, shift);
}

static inline uint32_t complex_imag(uint32_t x, uint32_t y, unsigned shift) {
  uint32_t a = sign_extend(x, 16) * high_signed(y), b = high_signed(x) * sign_extend(y, 16);
  return shift_right(a + b, shift);
}

// x times -j, both parts shifted right.
static inline uint32_t rotate_minus_j(uint32_t x, unsigned shift) {
  uint32_t re = shift_right(x, 16 + shift);
  uint32_t im = shift_right((0 - x) << 16, 16 + shift);
  return (re & 0xffff) | im << 16;
}

#endif
