// kernels/train/train_net_half_step.c: see train_net_half.h; weights and their gradients.
//
// Weights are kept as floats, of which the passes read copies in 16 bits: a step is often smaller
// than half a unit in the last place of the weight, and would be lost there (Micikevicius et al.,
// "Mixed Precision Training", ICLR 2018, 3.1).
#include <stddef.h>

#include "kernels/rt/rt.h"
#include "kernels/train/train_half_gate.h"
#include "kernels/train/train_net_half.h"
#include "kernels/train/train_net_planes.h"

// Weights go by pairs: these are the lanes.
enum { WEIGHTS, GRADIENTS, NEW_WEIGHTS, HALF };

// What a core's function for some of them finds.
struct half_step {
  uint32_t pairs;
  float factor;
};

typedef void compute_fn(void *state, float *const *at);

static enum kernel_status run(const struct train_net *net, const struct train_net_planes *p,
                              uint32_t count, float factor) {
  struct half_step s = {0, factor};
  return train_net_stretches(net, p, count / 2, &s.pairs, &s);
}

// `words` a pair.
static struct train_net_lane lane(const void *array, uint32_t words, bool out) {
  return (struct train_net_lane){array, 4 * words, out, false};
}

// ---------------------------------------------------------------- sums of batches

TRAIN_TYPED void add_pairs(const struct half_step *s, float *const *at, enum train_type t) {
  const float *sums = at[WEIGHTS];
  for (uint32_t i = 0; i < 2 * s->pairs; i++)
    at[NEW_WEIGHTS][i] =
        __builtin_fmaf(s->factor, train_get(at[GRADIENTS], i, t), sums ? sums[i] : 0);
}

static void add_fp16(void *state, float *const *at) {
  add_pairs(state, at, TRAIN_FP16);
}
static void add_bf16(void *state, float *const *at) {
  add_pairs(state, at, TRAIN_BF16);
}

enum kernel_status train_half_add(const struct train_net *net, float *to, bool first) {
  const struct train_net_half *half = net->half;
  struct train_net_planes p;
  train_net_planes_begin(&p, NULL, 0, half->type->id == TRAIN_FP16 ? add_fp16 : add_bf16);
  p.lane[WEIGHTS] = lane(first ? NULL : to, 2, false);
  p.lane[GRADIENTS] = lane(half->gradients, 1, false);
  p.lane[NEW_WEIGHTS] = lane(to, 2, true);
  return run(net, &p, net->weight_count, 1 / half->scale);
}

// ---------------------------------------------------------------- steps

TRAIN_TYPED float pair_of(float low, float high, enum train_type t) {
  return t == TRAIN_FP16 ? vfcpka_h_s(low, high) : vfcpka_ah_s(low, high);
}

// Pairs 0..count-1 from `w` and `g` on: four at a time, so that no load is waited for.
TRAIN_TYPED void step_weights(float *out, const float *w, const uint16_t *g, uint16_t *half,
                              uint32_t count, float factor, enum train_type t) {
  for (const float *end = w + (count & ~3u) * 2; w < end; w += 8, g += 8, out += 8, half += 8) {
    float new[8], grad[8];
#pragma GCC unroll 8
    for (uint32_t i = 0; i < 8; i++)
      grad[i] = train_get(g, i, t);
#pragma GCC unroll 8
    for (uint32_t i = 0; i < 8; i++)
      new[i] = __builtin_fmaf(factor, grad[i], w[i]);
#pragma GCC unroll 8
    for (uint32_t i = 0; i < 8; i++)
      out[i] = new[i];
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 8; i += 2)
      train_put2(half, i, pair_of(new[i], new[i + 1], t));
  }
  for (count &= 3; count > 0; count--, w += 2, g += 2, out += 2, half += 2) {
    out[0] = __builtin_fmaf(factor, train_get(g, 0, t), w[0]);
    out[1] = __builtin_fmaf(factor, train_get(g, 1, t), w[1]);
    train_put2(half, 0, pair_of(out[0], out[1], t));
  }
}

// New weights, and their copies, by gradients of 16 bits.
TRAIN_TYPED void step_pairs(const struct half_step *s, float *const *at, enum train_type t) {
  step_weights(at[NEW_WEIGHTS], at[WEIGHTS], (const uint16_t *)(const void *)at[GRADIENTS],
               (uint16_t *)(void *)at[HALF], s->pairs, s->factor, t);
}

static void step_fp16(void *state, float *const *at) {
  step_pairs(state, at, TRAIN_FP16);
}
static void step_bf16(void *state, float *const *at) {
  step_pairs(state, at, TRAIN_BF16);
}

// By sums, or (without) as they are.
TRAIN_TYPED void sum_pairs(const struct half_step *s, float *const *at, enum train_type t) {
  const float *w = at[WEIGHTS], *g = at[GRADIENTS];
  for (uint32_t i = 0; i < 2 * s->pairs; i += 2) {
    float a = g ? __builtin_fmaf(s->factor, g[i], w[i]) : w[i];
    float b = g ? __builtin_fmaf(s->factor, g[i + 1], w[i + 1]) : w[i + 1];
    if (g) {
      at[NEW_WEIGHTS][i] = a;
      at[NEW_WEIGHTS][i + 1] = b;
    }
    train_put2(at[HALF], i, pair_of(a, b, t));
  }
}

static void sum_fp16(void *state, float *const *at) {
  sum_pairs(state, at, TRAIN_FP16);
}
static void sum_bf16(void *state, float *const *at) {
  sum_pairs(state, at, TRAIN_BF16);
}

enum kernel_status train_half_step(const struct train_net *net, uint32_t begin, uint32_t count,
                                   const uint16_t *gradients) {
  const struct train_net_half *half = net->half;
  bool fp16 = half->type->id == TRAIN_FP16;
  compute_fn *by_sums = fp16 ? sum_fp16 : sum_bf16, *by_halves = fp16 ? step_fp16 : step_bf16;
  struct train_net_planes p;
  train_net_planes_begin(&p, NULL, 0, gradients ? by_halves : by_sums);
  p.lane[WEIGHTS] = lane(net->weights + begin, 2, false);
  p.lane[GRADIENTS] = gradients ? lane(gradients, 1, false) : lane(net->sums + begin, 2, false);
  p.lane[NEW_WEIGHTS] = lane(net->weights + begin, 2, true);
  p.lane[HALF] = lane(half->weights + begin, 1, true);
  return run(net, &p, count, gradients ? -net->rate / half->scale : -net->rate);
}

enum kernel_status train_net_round(const struct train_net *net) {
  const struct train_net_half *half = net->half;
  struct train_net_planes p;
  train_net_planes_begin(&p, NULL, 0, half->type->id == TRAIN_FP16 ? sum_fp16 : sum_bf16);
  p.lane[WEIGHTS] = lane(net->weights, 2, false);
  p.lane[HALF] = lane(half->weights, 1, true);
  KERNEL_CHECK(run(net, &p, net->weight_count, 0));
  rt_barrier();
  return KERNEL_OK;
}

// ---------------------------------------------------------------- finite?

// Of each core: the largest magnitudes that it has seen, as bits.
static RT_L1_BSS uint32_t largest[RT_MAX_CORES];

static void find_largest_pairs(void *state, float *const *at) {
  const train_two *x = (const train_two *)(const void *)at[GRADIENTS];
  uint32_t pairs = ((const struct half_step *)state)->pairs, most = largest[rt_core_id()];
  for (const train_two *end = x + (pairs & ~3u); x < end; x += 4) {
    uint32_t a = x[0], b = x[1], c = x[2], d = x[3];
    a = (uint32_t)pv_max_h(a & 0x7fff7fff, b & 0x7fff7fff);
    c = (uint32_t)pv_max_h(c & 0x7fff7fff, d & 0x7fff7fff);
    most = (uint32_t)pv_max_h(most, (uint32_t)pv_max_h(a, c));
  }
  for (uint32_t i = 0; i < (pairs & 3u); i++)
    most = (uint32_t)pv_max_h(most, x[i] & 0x7fff7fff);
  largest[rt_core_id()] = most;
}

static void find_largest(void *state, float *const *at) {
  const train_two *x = (const train_two *)(const void *)at[GRADIENTS];
  uint32_t pairs = ((const struct half_step *)state)->pairs, most = largest[rt_core_id()];
  for (uint32_t i = 0; i < 2 * pairs; i++) {
    uint32_t bits = x[i] & 0x7fffffff;
    most = bits > most ? bits : most;
  }
  largest[rt_core_id()] = most;
}

enum kernel_status train_half_finite(const struct train_net *net, uint32_t begin, uint32_t count,
                                     const uint16_t *gradients, bool *finite) {
  uint32_t infinite = net->half->type->id == TRAIN_FP16 ? 0x7c00 : 0x7f80;
  struct train_net_planes p;
  train_net_planes_begin(&p, NULL, 0, gradients ? find_largest_pairs : find_largest);
  p.lane[GRADIENTS] = gradients ? lane(gradients, 1, false) : lane(net->sums + begin, 2, false);
  largest[rt_core_id()] = 0;
  KERNEL_CHECK(run(net, &p, count, 0));
  rt_barrier();
  *finite = true;
  for (uint32_t i = 0; i < rt_core_count(); i++) {
    uint32_t most = largest[i];
    *finite = *finite &&
              (gradients ? (most & 0xffff) < infinite && most >> 16 < infinite : most < 0x7f800000);
  }
  rt_barrier();
  return KERNEL_OK;
}

static void put_zeros(void *state, float *const *at) {
  rt_zero_words(at[GRADIENTS], ((const struct half_step *)state)->pairs);
}

enum kernel_status train_half_clear(const struct train_net *net, uint32_t count) {
  struct train_net_planes p;
  train_net_planes_begin(&p, NULL, 0, put_zeros);
  p.lane[GRADIENTS] = lane(net->half->gradients, 1, true);
  return run(net, &p, count, 0);
}
