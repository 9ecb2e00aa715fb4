// kernels/nn/nn_act.c
#include "nn_act.h"

#include "kernels/rt/rt.h"
#include "nn_bits.h"
#include "nn_word.h"
#include "xpulp.h"

// A function of four bytes at once; `low` and `high` hold its parameter in every byte. Of packed
// bytes it need only be right for the element on top, whatever stands below.
struct lanes {
  uint32_t low, high;
  const uint8_t *table;
};
typedef uint32_t lanes_fn(uint32_t word, const struct lanes *p);

static enum kernel_status check(const struct nn_act *act, bool parameters) {
  if (!act->count || !parameters || !nn_bits_valid(act->bits))
    return KERNEL_BAD_SHAPE;
  return act->in && act->out ? KERNEL_OK : KERNEL_BAD_POINTER;
}

// Each of a byte's elements on top once.
static inline __attribute__((always_inline)) uint32_t every(uint32_t word, const struct lanes *p,
                                                            lanes_fn *function, uint32_t bits) {
  if (bits == 8)
    return function(word, p);
  uint32_t top = (0xffu << (8 - bits) & 0xff) * 0x01010101u, result = function(word, p) & top;
  for (uint32_t up = bits; up < 8; up += bits) {
    word = (uint32_t)pv_sll_b(word, bits * 0x01010101u);
    result |= (uint32_t)pv_srl_b(function(word, p) & top, up * 0x01010101u);
  }
  return result;
}

// This core's words, then the bytes left over.
static inline __attribute__((always_inline)) void map(const struct nn_act *act, lanes_fn *function,
                                                      const struct lanes *p, uint32_t bits) {
  uint32_t bytes = nn_bits_bytes(act->count, act->bits);
  struct rt_range mine = rt_split(bytes, 4);
  const uint8_t *in = (const uint8_t *)act->in + mine.begin;
  uint8_t *out = (uint8_t *)act->out + mine.begin;
  uint32_t words = (mine.end - mine.begin) / 4, rest = (mine.end - mine.begin) % 4;
  for (uint32_t i = 0; i < words; i++, in += 4, out += 4)
    nn_word_store(out, every(nn_word_load(in), p, function, bits));
  if (rest > 0)
    nn_word_store_part(out, every(nn_word_load_part(in, rest), p, function, bits), rest);
}
static inline __attribute__((always_inline)) void
map_any(const struct nn_act *act, lanes_fn *function, const struct lanes *p) {
  if (act->bits == 8)
    map(act, function, p, 8);
  else if (act->bits == 4)
    map(act, function, p, 4);
  else
    map(act, function, p, 2);
}

static uint32_t four(uint32_t byte) {
  return (byte & 0xff) * 0x01010101u;
}

static inline uint32_t clip_u(uint32_t word, const struct lanes *p) {
  return (uint32_t)pv_minu_b((uint32_t)pv_maxu_b(word, p->low), p->high);
}
static inline uint32_t clip_s(uint32_t word, const struct lanes *p) {
  return (uint32_t)pv_min_b((uint32_t)pv_max_b(word, p->low), p->high);
}
static inline uint32_t leaky(uint32_t word, const struct lanes *p) {
  return (uint32_t)pv_max_b(word, (uint32_t)pv_sra_b(word, p->low));
}
static inline uint32_t look_up(uint32_t word, const struct lanes *p) {
  const uint8_t *table = p->table;
  return table[word & 255] | (uint32_t)table[word >> 8 & 255] << 8 |
         (uint32_t)table[word >> 16 & 255] << 16 | (uint32_t)table[word >> 24] << 24;
}

enum kernel_status nn_clip(const struct nn_act *act, int32_t low, int32_t high) {
  KERNEL_CHECK(check(act, true));
  int32_t least = act->is_signed ? -(1 << (act->bits - 1)) : 0, most = least + (1 << act->bits) - 1;
  KERNEL_CHECK(low <= high && low >= least && high <= most ? KERNEL_OK : KERNEL_BAD_SHAPE);
  uint32_t up = 8u - act->bits; // below the element on top anything may stand
  const struct lanes p = {four((uint32_t)low << up), four((((uint32_t)high + 1) << up) - 1), NULL};
  if (act->is_signed)
    map_any(act, clip_s, &p);
  else
    map_any(act, clip_u, &p);
  return KERNEL_OK;
}

enum kernel_status nn_leaky(const struct nn_act *act, uint8_t shift) {
  const struct lanes p = {four(shift), 0, NULL};
  KERNEL_CHECK(check(act, act->is_signed && shift < act->bits));
  map_any(act, leaky, &p);
  return KERNEL_OK;
}

enum kernel_status nn_table(const struct nn_act *act, const uint8_t table[256]) {
  const struct lanes p = {0, 0, table};
  KERNEL_CHECK(table ? check(act, true) : KERNEL_BAD_POINTER);
  map(act, look_up, &p, 8);
  return KERNEL_OK;
}

void nn_act_leaky_table(uint8_t table[256], uint16_t slope, uint8_t shift) {
  for (int32_t x = -128; x < 128; x++)
    table[x & 255] = (uint8_t)(x < 0 ? (x * (int32_t)slope) >> shift : x);
}

void nn_act_packed_table(uint8_t table[256], const uint8_t *function, uint8_t bits) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    for (uint32_t i = 0; i < 8u / bits; i++)
      nn_bits_put(table + byte, i, bits, function[byte >> i * bits & ((1u << bits) - 1)]);
  }
}
