// kernels/nn/nn_linear.c
#include "nn_linear.h"

#include <stdbool.h>
#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_linear_block.h"
#include "nn_requant.h"
#include "nn_split.h"

// A block: the words of eight outputs, their {kappa, lambda}, and 13 words so that the blocks of
// different cores begin at different banks.
static uint32_t words_of(const struct nn_linear *l) {
  return (l->inputs + 3u) / 4;
}
static uint32_t block_words(const struct nn_linear *l) {
  return words_of(l) * 8 + 16 + 13;
}

uint32_t nn_linear_packed_size(const struct nn_linear *l) {
  return (l->outputs + 7u) / 8 * block_words(l) * 4;
}

void nn_linear_pack(const struct nn_linear *l, void *packed, const int8_t *weights,
                    const int32_t *kappa, const int32_t *lambda) {
  uint32_t words = words_of(l);
  struct rt_range blocks = rt_split((l->outputs + 7u) / 8, 1);
  for (uint32_t f = blocks.begin * 8; f < blocks.end * 8; f++) {
    uint32_t *block = (uint32_t *)packed + f / 8 * block_words(l);
    int used = f < l->outputs;
    for (uint32_t i = 0; i < words * 4; i++)
      ((int8_t *)block)[(i / 4 * 8 + f % 8) * 4 + i % 4] =
          used && i < l->inputs ? weights[(size_t)f * l->inputs + i] : 0;
    block[words * 8 + f % 8 * 2] = used && kappa ? (uint32_t)kappa[f] : 0;
    block[words * 8 + f % 8 * 2 + 1] = used && kappa ? (uint32_t)lambda[f] : 0;
  }
}

#ifndef __riscv
void nn_linear_block(int32_t sums[8], const uint8_t *in, const void *block, uint32_t words) {
  for (uint32_t f = 0; f < 8; f++) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < words * 4; i++)
      sum += (uint32_t)(in[i] * ((const int8_t *)block)[(i / 4 * 8 + f) * 4 + i % 4]);
    sums[f] = (int32_t)sum;
  }
}

void nn_linear_block_u8(uint8_t out[8], const uint8_t *in, const void *block, uint32_t words,
                        uint32_t shift) {
  const int32_t *scale = (const int32_t *)block + words * 8;
  int32_t sums[8];
  nn_linear_block(sums, in, block, words);
  for (uint32_t f = 0; f < 8; f++)
    out[f] = nn_requant_u8(sums[f], scale[2 * f], scale[2 * f + 1], shift);
}
#endif

static enum kernel_status check(const struct nn_linear *l) {
  if (!l->inputs || !l->outputs || l->shift > 31)
    return KERNEL_BAD_SHAPE;
  if (!l->in || (uintptr_t)l->in % 4 || !l->filters || (uintptr_t)l->filters % 4 || !l->out ||
      (uintptr_t)l->scratch % 4)
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

// ---- the inputs shared, too

// Cycles of a block beside 17 a word, and of a barrier and what is added up behind it; words below
// which that is never worth it.
enum { BLOCK = 60, REDUCTION = 500, FEW_WORDS = 96 };

// Cores that share the inputs of a block, as a power of two: the one that takes the least time.
static __attribute__((noinline)) uint32_t members_of(uint32_t words, uint32_t blocks) {
  uint32_t best = 0, least = UINT32_MAX;
  for (uint32_t k = 0; rt_core_count() >> k > 0 && words >> k > 0; k++) {
    uint32_t parts = rt_core_count() >> k, share = (words + (1u << k) - 1) >> k;
    uint32_t cost = nn_split_divide(blocks + parts - 1, k) * (17 * share + BLOCK);
    cost += k > 0 ? REDUCTION : 0;
    if (cost < least) {
      least = cost;
      best = k;
    }
  }
  return best;
}

uint32_t nn_linear_buffer_size(const struct nn_linear *l) {
  uint32_t blocks = (l->outputs + 7u) / 8, k = members_of(words_of(l), blocks);
  return k > 0 && words_of(l) >= FEW_WORDS ? blocks << k << 5 : 0;
}

// Output f of eight, whose partial sums stand eight words apart.
static inline int32_t total(const int32_t *partial, uint32_t members) {
  uint32_t sum = 0;
#pragma GCC unroll 4
  for (; members > 0; members--, partial += 8)
    sum += (uint32_t)*partial;
  return (int32_t)sum;
}

// By blocks and inputs, among cores / 2^k parts of the blocks with 2^k cores each. The partial sums
// are added up output by output, by all cores.
static void by_inputs(const struct nn_linear *l, uint32_t k, bool sums) {
  uint32_t words = words_of(l), step = block_words(l), blocks = (l->outputs + 7u) / 8;
  uint32_t members = 1u << k, id = rt_core_id(), part = id >> k, member = id & (members - 1);
  uint32_t parts = rt_core_count() >> k;
  int32_t *scratch = (int32_t *)l->scratch;
  struct rt_range mine = {0, 0}, inputs = nn_split_share(words, members, words >> k, member);
  if (part < parts)
    mine = nn_split_share(blocks, parts, nn_split_divide(blocks, k), part);
  for (uint32_t b = mine.begin; b < mine.end; b++)
    nn_linear_block(scratch + (b * members + member) * 8, l->in + inputs.begin * 4,
                    (const uint32_t *)l->filters + b * step + inputs.begin * 8,
                    inputs.end - inputs.begin);
  rt_barrier();
  mine = rt_share(l->outputs);
  for (uint32_t f = mine.begin; f < mine.end; f++) {
    int32_t sum = total(scratch + (f / 8 << k) * 8 + f % 8, members);
    const int32_t *scale = (const int32_t *)l->filters + f / 8 * step + words * 8 + f % 8 * 2;
    if (sums)
      ((int32_t *)l->out)[f] = sum;
    else
      ((uint8_t *)l->out)[f] = nn_requant_u8(sum, scale[0], scale[1], l->shift);
  }
}

// Whether it is by inputs, and has been done.
static __attribute__((noinline)) bool done_by_inputs(const struct nn_linear *l, bool sums) {
  uint32_t k = members_of(words_of(l), (l->outputs + 7u) / 8);
  if (k > 0)
    by_inputs(l, k, sums);
  return k > 0;
}
static inline bool may_be_by_inputs(const struct nn_linear *l) {
  uint32_t blocks = (l->outputs + 7u) / 8;
  return l->scratch && words_of(l) >= FEW_WORDS && rt_per_core(blocks) * rt_core_count() != blocks;
}

// ---- blocks

enum kernel_status nn_linear_u8_i8_u8(const struct nn_linear *l) {
  KERNEL_CHECK(check(l));
  if (may_be_by_inputs(l) && done_by_inputs(l, false))
    return KERNEL_OK;
  uint32_t words = words_of(l), step = block_words(l);
  struct rt_range blocks = rt_split((l->outputs + 7u) / 8, 1);
  const uint32_t *block = (const uint32_t *)l->filters + blocks.begin * step;
  for (uint32_t at = blocks.begin * 8; at < blocks.end * 8; at += 8, block += step) {
    uint8_t last[8], *out = (uint8_t *)l->out + at;
    uint32_t count = l->outputs - at;
    nn_linear_block_u8(count < 8 ? last : out, l->in, block, words, l->shift);
    for (uint32_t f = 0; f < count && count < 8; f++)
      out[f] = last[f];
  }
  return KERNEL_OK;
}

enum kernel_status nn_linear_u8_i8_i32(const struct nn_linear *l) {
  KERNEL_CHECK(check(l));
  KERNEL_CHECK((uintptr_t)l->out % 4 ? KERNEL_BAD_POINTER : KERNEL_OK);
  if (may_be_by_inputs(l) && done_by_inputs(l, true))
    return KERNEL_OK;
  uint32_t words = words_of(l);
  struct rt_range blocks = rt_split((l->outputs + 7u) / 8, 1);
  for (uint32_t b = blocks.begin; b < blocks.end; b++) {
    int32_t sums[8], *out = (int32_t *)l->out + b * 8;
    uint32_t count = l->outputs - b * 8u < 8 ? l->outputs - b * 8u : 8;
    nn_linear_block(count == 8 ? out : sums, l->in,
                    (const uint32_t *)l->filters + b * block_words(l), words);
    for (uint32_t f = 0; f < count && count < 8; f++)
      out[f] = sums[f];
  }
  return KERNEL_OK;
}
