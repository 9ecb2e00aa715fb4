// kernels/train/train_net_half_step.c: see train_net_half.h; weights and their gradients.
//
// Weights are kept as floats, of which the passes read copies in 16 bits: a step is often smaller
// than half a unit in the last place of the weight, and would be lost there (Micikevicius et al.,
// "Mixed Precision Training", ICLR 2018, 3.1).
#include <stddef.h>

#include "kernels/rt/rt.h"
#include "kernels/train/train_half_gate.h"
#include "kernels/train/train_half_sgd.h"
#include "kernels/train/train_net_half.h"
#include "kernels/train/train_net_stretches.h"

// Weights go by pairs: of halves and of floats these bytes. The state is a factor.
enum { WEIGHTS, GRADIENTS, NEW_WEIGHTS, HALF };
enum { HALVES = 4, FLOATS = 8 };

static float factor_of(const void *state) {
  return *(const float *)state;
}

// ---------------------------------------------------------------- sums of batches

TRAIN_TYPED void add_pairs(float factor, float *const *at, uint32_t pairs, enum train_type t) {
  const float *sums = at[WEIGHTS];
  for (uint32_t i = 0; i < 2 * pairs; i++)
    at[NEW_WEIGHTS][i] = __builtin_fmaf(factor, train_get(at[GRADIENTS], i, t), sums ? sums[i] : 0);
}

static void add_fp16(const void *state, float *const *at, uint32_t pairs) {
  add_pairs(factor_of(state), at, pairs, TRAIN_FP16);
}
static void add_bf16(const void *state, float *const *at, uint32_t pairs) {
  add_pairs(factor_of(state), at, pairs, TRAIN_BF16);
}

enum kernel_status train_half_add(const struct train_net *net, float *to, bool first) {
  const struct train_net_half *half = net->half;
  const float factor = 1 / half->scale;
  const struct train_net_stretches s = {.of = {[WEIGHTS] = {first ? NULL : to, FLOATS, false},
                                               [GRADIENTS] = {half->gradients, HALVES, false},
                                               [NEW_WEIGHTS] = {to, FLOATS, true}},
                                        .compute =
                                            half->type->id == TRAIN_FP16 ? add_fp16 : add_bf16};
  return train_net_stretches(net, &s, net->weight_count / 2, &factor);
}

// ---------------------------------------------------------------- steps

// By gradients of 16 bits.
static void step_fp16(const void *state, float *const *at, uint32_t pairs) {
  train_half_sgd_h(at[NEW_WEIGHTS], at[WEIGHTS], at[GRADIENTS], at[HALF], pairs, state);
}
static void step_bf16(const void *state, float *const *at, uint32_t pairs) {
  train_half_sgd_ah(at[NEW_WEIGHTS], at[WEIGHTS], at[GRADIENTS], at[HALF], pairs, state);
}

TRAIN_TYPED float pair_of(float low, float high, enum train_type t) {
  return t == TRAIN_FP16 ? vfcpka_h_s(low, high) : vfcpka_ah_s(low, high);
}

// By sums, or (without) as they are.
TRAIN_TYPED void sum_pairs(float factor, float *const *at, uint32_t pairs, enum train_type t) {
  const float *w = at[WEIGHTS], *g = at[GRADIENTS];
  for (uint32_t i = 0; i < 2 * pairs; i += 2) {
    float a = g ? __builtin_fmaf(factor, g[i], w[i]) : w[i];
    float b = g ? __builtin_fmaf(factor, g[i + 1], w[i + 1]) : w[i + 1];
    if (g) {
      at[NEW_WEIGHTS][i] = a;
      at[NEW_WEIGHTS][i + 1] = b;
    }
    train_put2(at[HALF], i, pair_of(a, b, t));
  }
}

static void sum_fp16(const void *state, float *const *at, uint32_t pairs) {
  sum_pairs(factor_of(state), at, pairs, TRAIN_FP16);
}
static void sum_bf16(const void *state, float *const *at, uint32_t pairs) {
  sum_pairs(factor_of(state), at, pairs, TRAIN_BF16);
}

enum kernel_status train_half_step(const struct train_net *net, uint32_t begin, uint32_t count,
                                   const uint16_t *gradients) {
  const struct train_net_half *half = net->half;
  const float factor = gradients ? -net->rate / half->scale : -net->rate;
  const bool fp16 = half->type->id == TRAIN_FP16;
  struct train_net_stretches s = {.of = {[WEIGHTS] = {net->weights + begin, FLOATS, false},
                                         [GRADIENTS] = {net->sums + begin, FLOATS, false},
                                         [NEW_WEIGHTS] = {net->weights + begin, FLOATS, true},
                                         [HALF] = {half->weights + begin, HALVES, true}},
                                  .compute = fp16 ? sum_fp16 : sum_bf16};
  if (gradients) {
    s.of[GRADIENTS].array = gradients;
    s.of[GRADIENTS].bytes = HALVES;
    s.compute = fp16 ? step_fp16 : step_bf16;
  }
  return train_net_stretches(net, &s, count / 2, &factor);
}

enum kernel_status train_net_round(const struct train_net *net) {
  const struct train_net_half *half = net->half;
  const float factor = 0;
  const struct train_net_stretches s = {
      .of = {[WEIGHTS] = {net->weights, FLOATS, false}, [HALF] = {half->weights, HALVES, true}},
      .compute = half->type->id == TRAIN_FP16 ? sum_fp16 : sum_bf16};
  KERNEL_CHECK(train_net_stretches(net, &s, net->weight_count / 2, &factor));
  rt_barrier();
  return KERNEL_OK;
}

// ---------------------------------------------------------------- finite?

// Of each core: 0 times the sum of all gradients that it has seen, a NaN if one was not finite.
static RT_L1_BSS float seen[RT_MAX_CORES];

void train_half_watch(const uint16_t *gradients, uint32_t count, enum train_type type) {
  float *sum = &seen[rt_core_id()];
  (type == TRAIN_FP16 ? train_half_zero_h : train_half_zero_ah)(sum, gradients, count / 2);
  if (count % 2)
    *sum += 0 * TRAIN_BY_HALF(type, train_get, gradients, count - 1);
}

void train_half_watch_none(void) {
  seen[rt_core_id()] = 0;
}

bool train_half_finite(void) {
  float sum = 0;
  for (uint32_t i = 0; i < rt_core_count(); i++)
    sum += seen[i];
  return sum == 0;
}

static void see_sums(const void *state, float *const *at, uint32_t pairs) {
  float sum = seen[rt_core_id()];
  (void)state;
  for (uint32_t i = 0; i < 2 * pairs; i++)
    sum = __builtin_fmaf(0, at[GRADIENTS][i], sum);
  seen[rt_core_id()] = sum;
}

enum kernel_status train_half_watch_sums(const struct train_net *net) {
  const struct train_net_stretches s = {.of = {[GRADIENTS] = {net->sums, FLOATS, false}},
                                        .compute = see_sums};
  train_half_watch_none();
  KERNEL_CHECK(train_net_stretches(net, &s, net->weight_count / 2, NULL));
  rt_barrier();
  return KERNEL_OK;
}

static void put_zeros(const void *state, float *const *at, uint32_t pairs) {
  (void)state;
  rt_zero_words(at[GRADIENTS], pairs);
}

enum kernel_status train_half_clear(const struct train_net *net, uint32_t count) {
  const struct train_net_stretches s = {.of = {[GRADIENTS] = {net->half->gradients, HALVES, true}},
                                        .compute = put_zeros};
  return train_net_stretches(net, &s, count / 2, NULL);
}
