// kernels/nn/nn_act.c
#include "nn_act.h"

#include <stdbool.h>

#include "kernels/rt/rt.h"
#include "nn_word.h"
#include "xpulp.h"

// A function of four bytes at once; `low` and `high` hold its parameter in every byte.
struct lanes {
  uint32_t low, high;
  const uint8_t *table;
};
typedef uint32_t lanes_fn(uint32_t word, const struct lanes *p);

static enum kernel_status check(const struct nn_act *act, bool parameters) {
  if (!act->count || !parameters)
    return KERNEL_BAD_SHAPE;
  return act->in && act->out ? KERNEL_OK : KERNEL_BAD_POINTER;
}

// This core's words, then the bytes left over.
static inline __attribute__((always_inline)) void map(const struct nn_act *act, lanes_fn *function,
                                                      const struct lanes *p) {
  struct rt_range mine = rt_split(act->count, 4);
  const uint8_t *in = (const uint8_t *)act->in + mine.begin;
  uint8_t *out = (uint8_t *)act->out + mine.begin;
  uint32_t words = (mine.end - mine.begin) / 4, rest = (mine.end - mine.begin) % 4;
  for (uint32_t i = 0; i < words; i++, in += 4, out += 4)
    nn_word_store(out, function(nn_word_load(in), p));
  if (rest > 0)
    nn_word_store_part(out, function(nn_word_load_part(in, rest), p), rest);
}

static uint32_t four(uint8_t byte) {
  return byte * 0x01010101u;
}

static inline uint32_t clip_u8(uint32_t word, const struct lanes *p) {
  return (uint32_t)pv_minu_b((uint32_t)pv_maxu_b(word, p->low), p->high);
}
static inline uint32_t clip_i8(uint32_t word, const struct lanes *p) {
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

enum kernel_status nn_clip_u8(const struct nn_act *act, uint8_t low, uint8_t high) {
  const struct lanes p = {four(low), four(high), NULL};
  KERNEL_CHECK(check(act, low <= high));
  map(act, clip_u8, &p);
  return KERNEL_OK;
}

enum kernel_status nn_clip_i8(const struct nn_act *act, int8_t low, int8_t high) {
  const struct lanes p = {four((uint8_t)low), four((uint8_t)high), NULL};
  KERNEL_CHECK(check(act, low <= high));
  map(act, clip_i8, &p);
  return KERNEL_OK;
}

enum kernel_status nn_leaky_i8(const struct nn_act *act, uint8_t shift) {
  const struct lanes p = {four(shift), 0, NULL};
  KERNEL_CHECK(check(act, shift <= 7));
  map(act, leaky, &p);
  return KERNEL_OK;
}

enum kernel_status nn_table(const struct nn_act *act, const uint8_t table[256]) {
  const struct lanes p = {0, 0, table};
  KERNEL_CHECK(table ? check(act, true) : KERNEL_BAD_POINTER);
  map(act, look_up, &p);
  return KERNEL_OK;
}

void nn_act_leaky_table(uint8_t table[256], uint16_t slope, uint8_t shift) {
  for (int32_t x = -128; x < 128; x++)
    table[x & 255] = (uint8_t)(x < 0 ? (x * (int32_t)slope) >> shift : x);
}
