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

enum kernel_status nn_linear_few(void *out, const uint8_t *in, const void *blocks, uint32_t words,
                                 uint32_t first, uint32_t end, uint32_t bytes, int32_t shift) {
  for (uint32_t f = first; f < end; f++) {
    const int8_t *block = (const int8_t *)blocks + (size_t)(f / 8) * bytes;
    const int32_t *scale = (const int32_t *)(const void *)block + words * 8 + f % 8 * 2;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < words * 4; i++)
      sum += (uint32_t)(in[i] * block[(i / 4 * 8 + f % 8) * 4 + i % 4]);
    if (shift == NN_LINEAR_SUMS)
      ((int32_t *)out)[f - first] = (int32_t)sum;
    else
      ((uint8_t *)out)[f - first] =
          nn_requant_u8((int32_t)sum, scale[0], scale[1], (uint32_t)shift);
  }
  return KERNEL_OK;
}
#endif

static enum kernel_status check(const struct nn_linear *l) {
  if (!l->inputs || !l->outputs || l->shift > 31)
    return KERNEL_BAD_SHAPE;
  if (!l->in || !l->filters || !l->out ||
      ((uintptr_t)l->in | (uintptr_t)l->filters | (uintptr_t)l->scratch) % 4)
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

// ---- the split

// Slots a word of `count` outputs, one after the other: two each, and one for the input of each
// four, or less where a block ends.
static inline uint32_t slots(uint32_t count) {
  return 2 * count + (count + 3) / 4 + 1;
}

// A block has 17: so many outputs or less are faster one by one, however few blocks a core has.
enum { FEW = 6 };

// Blocks of eight.
static inline __attribute__((always_inline)) enum kernel_status
by_blocks(const struct nn_linear *l, uint32_t begin, uint32_t end, bool sums) {
  uint32_t words = words_of(l), step = block_words(l);
  const uint32_t *block = (const uint32_t *)l->filters + begin * step;
  for (uint32_t f = begin * 8; f < end * 8; f += 8, block += step) {
    void *out = sums ? (void *)((int32_t *)l->out + f) : (void *)((uint8_t *)l->out + f);
    if (f + 8u > l->outputs)
      nn_linear_few(out, l->in, block, words, 0, l->outputs - f, 0,
                    sums ? NN_LINEAR_SUMS : l->shift);
    else if (sums)
      nn_linear_block(out, l->in, block, words);
    else
      nn_linear_block_u8(out, l->in, block, words, l->shift);
  }
  return KERNEL_OK;
}

// Where there are fewer outputs than cores, and words enough, the cores share the inputs. Cycles of
// a barrier and of adding up.
enum { REDUCTION = 250, FEW_WORDS = 96 };

static inline bool share_inputs(const struct nn_linear *l) {
  return l->outputs < rt_core_count() && words_of(l) >= FEW_WORDS;
}

// Cores that share the inputs of an output, as a power of two: the one that takes the least time.
static __attribute__((noinline)) uint32_t members_of(uint32_t words, uint32_t outputs) {
  uint32_t best = 0, least = UINT32_MAX;
  for (uint32_t k = 0; rt_core_count() >> k > 0; k++) {
    uint32_t parts = rt_core_count() >> k;
    uint32_t cost = slots(nn_split_divide(outputs + parts - 1, k)) * (words >> k);
    cost += k > 0 ? REDUCTION : 0;
    if (cost < least) {
      least = cost;
      best = k;
    }
  }
  return best;
}

uint32_t nn_linear_buffer_size(const struct nn_linear *l) {
  return share_inputs(l) ? l->outputs * 4u << members_of(words_of(l), l->outputs) : 0;
}

// By outputs and inputs, among cores / 2^k parts of the outputs with 2^k cores each. Each adds up
// partial sums, of which every member has a row, of some outputs.
static __attribute__((noinline)) enum kernel_status by_inputs(const struct nn_linear *l,
                                                              bool sums) {
  uint32_t words = words_of(l), step = block_words(l), k = members_of(words, l->outputs);
  uint32_t parts = rt_core_count() >> k, members = 1u << k, id = rt_core_id(), part = id >> k;
  int32_t *row = (int32_t *)l->scratch;
  struct rt_range inputs = nn_split_share(words, members, words >> k, id & (members - 1));
  struct rt_range mine = {0, 0};
  if (part < parts)
    mine = nn_split_share(l->outputs, parts, nn_split_divide(l->outputs, k), part);
  if (mine.begin < mine.end)
    nn_linear_few(row + (id & (members - 1)) * l->outputs + mine.begin, l->in + inputs.begin * 4,
                  (const uint32_t *)l->filters + inputs.begin * 8, inputs.end - inputs.begin,
                  mine.begin, mine.end, step * 4, NN_LINEAR_SUMS);
  rt_barrier();
  mine = rt_share(l->outputs);
  for (uint32_t f = mine.begin; f < mine.end; f++) {
    uint32_t sum = 0;
#pragma GCC unroll 1
    for (uint32_t m = 0; m < members; m++)
      sum += (uint32_t)row[m * l->outputs + f];
    const int32_t *scale = (const int32_t *)l->filters + f / 8 * step + words * 8 + f % 8 * 2;
    if (sums)
      ((int32_t *)l->out)[f] = (int32_t)sum;
    else
      ((uint8_t *)l->out)[f] = nn_requant_u8((int32_t)sum, scale[0], scale[1], l->shift);
  }
  return KERNEL_OK;
}

static __attribute__((noinline)) enum kernel_status by_outputs(const struct nn_linear *l,
                                                               bool sums) {
  if (l->scratch && share_inputs(l))
    return by_inputs(l, sums);
  struct rt_range mine = rt_share(l->outputs);
  if (mine.begin >= mine.end)
    return KERNEL_OK;
  return nn_linear_few((uint8_t *)l->out + (sums ? 4 * mine.begin : mine.begin), l->in, l->filters,
                       words_of(l), mine.begin, mine.end, block_words(l) * 4,
                       sums ? NN_LINEAR_SUMS : l->shift);
}

static __attribute__((noinline)) enum kernel_status by_some_blocks(const struct nn_linear *l,
                                                                   bool sums) {
  struct rt_range mine = rt_share((l->outputs + 7u) / 8);
  return by_blocks(l, mine.begin, mine.end, sums);
}

static __attribute__((noinline)) enum kernel_status by_even_blocks(const struct nn_linear *l,
                                                                   uint32_t each, bool sums) {
  return by_blocks(l, rt_core_id() * each, rt_core_id() * each + each, sums);
}

// Calls at the end only: nothing is saved here.
static inline __attribute__((always_inline)) enum kernel_status run(const struct nn_linear *l,
                                                                    bool sums) {
  uint32_t cores = rt_core_count(), outputs = l->outputs;
  if (outputs <= FEW * cores)
    return by_outputs(l, sums);
  uint32_t blocks = (outputs + 7) / 8, each = rt_per_core(blocks);
  if (each * cores == blocks)
    return by_even_blocks(l, each, sums);
  return slots(rt_per_core(outputs + cores - 1)) < 17 * (each + 1) ? by_outputs(l, sums)
                                                                   : by_some_blocks(l, sums);
}

enum kernel_status nn_linear_u8_i8_u8(const struct nn_linear *l) {
  KERNEL_CHECK(check(l));
  return run(l, false);
}

enum kernel_status nn_linear_u8_i8_i32(const struct nn_linear *l) {
  KERNEL_CHECK(check(l));
  KERNEL_CHECK((uintptr_t)l->out % 4 ? KERNEL_BAD_POINTER : KERNEL_OK);
  return run(l, true);
}
