// kernels/train/train_net_half_step.c: see train_net_half.h; weights and their gradients.
//
// Weights are kept as floats, of which the passes read copies in 16 bits: a step is often smaller
// than half a unit in the last place of the weight, and would be lost there (Micikevicius et al.,
// "Mixed Precision Training", ICLR 2018, 3.1).
#include <stddef.h>

#include "kernels/rt/rt.h"
#include "kernels/train/train_half_gate.h"
#include "kernels/train/train_net_half.h"
#include "kernels/train/train_net_pass.h"

// Weights go by pairs: these are the streams' elements.
enum { WEIGHTS, GRADIENTS, NEW_WEIGHTS, HALF };

// A pass over `count` weights, in as many parts as L1 wants.
static enum kernel_status run_pass(const struct train_net *net, struct train_net_pass *p,
                                   uint32_t count) {
  uint32_t words = 0;
  for (uint32_t i = 0; i < TRAIN_NET_STREAMS; i++)
    words += p->stream[i].array ? p->stream[i].floats : 0;
  uint32_t room = net->l1_bytes / 8 / words - 4, parts = (count / 2 + room - 1) / room;
  if (count == 0)
    return KERNEL_OK;
  p->channels = count / 2;
  p->part = (p->channels + parts - 1) / parts;
  return train_net_pass(net, p);
}

static struct train_net_stream words(const void *array, uint32_t count, bool out) {
  return (struct train_net_stream){array, count, out};
}

// ---------------------------------------------------------------- sums of batches

TRAIN_TYPED void add_pairs(const struct train_net_pass *p, struct rt_range mine, float *const *at,
                           enum train_type t) {
  const float *sums = at[WEIGHTS];
  for (uint32_t i = 2 * mine.begin; i < 2 * mine.end; i++)
    at[NEW_WEIGHTS][i] =
        __builtin_fmaf(p->factor, train_get(at[GRADIENTS], i, t), sums ? sums[i] : 0);
}

static void add_fp16(const struct train_net_pass *p, uint32_t pairs, float *const *at) {
  add_pairs(p, rt_share(pairs), at, TRAIN_FP16);
}
static void add_bf16(const struct train_net_pass *p, uint32_t pairs, float *const *at) {
  add_pairs(p, rt_share(pairs), at, TRAIN_BF16);
}

enum kernel_status train_half_add(const struct train_net *net, float *to, bool first) {
  const struct train_net_half *half = net->half;
  struct train_net_pass p = {.stream = {[WEIGHTS] = words(first ? NULL : to, 2, false),
                                        [GRADIENTS] = words(half->gradients, 1, false),
                                        [NEW_WEIGHTS] = words(to, 2, true)},
                             .compute = half->type->id == TRAIN_FP16 ? add_fp16 : add_bf16,
                             .factor = 1 / half->scale};
  return run_pass(net, &p, net->weight_count);
}

// ---------------------------------------------------------------- steps

TRAIN_TYPED float pair_of(float low, float high, enum train_type t) {
  return t == TRAIN_FP16 ? vfcpka_h_s(low, high) : vfcpka_ah_s(low, high);
}

// Pairs 0..count-1 from `w` and `g` on: two at a time, so that no load is waited for.
TRAIN_TYPED void step_weights(float *out, const float *w, const uint16_t *g, uint16_t *half,
                              uint32_t count, float factor, enum train_type t) {
  for (const float *end = w + (count & ~1u) * 2; w < end; w += 4, g += 4, out += 4, half += 4) {
    float ga = train_get(g, 0, t), gb = train_get(g, 1, t);
    float gc = train_get(g, 2, t), gd = train_get(g, 3, t);
    float a = w[0], b = w[1], c = w[2], d = w[3];
    a = __builtin_fmaf(factor, ga, a);
    b = __builtin_fmaf(factor, gb, b);
    c = __builtin_fmaf(factor, gc, c);
    d = __builtin_fmaf(factor, gd, d);
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
    train_put2(half, 0, pair_of(a, b, t));
    train_put2(half, 2, pair_of(c, d, t));
  }
  if (count & 1) {
    out[0] = __builtin_fmaf(factor, train_get(g, 0, t), w[0]);
    out[1] = __builtin_fmaf(factor, train_get(g, 1, t), w[1]);
    train_put2(half, 0, pair_of(out[0], out[1], t));
  }
}

// New weights, and their copies, by gradients of 16 bits.
TRAIN_TYPED void step_pairs(const struct train_net_pass *p, struct rt_range mine, float *const *at,
                            enum train_type t) {
  uint32_t first = 2 * mine.begin;
  step_weights(at[NEW_WEIGHTS] + first, at[WEIGHTS] + first,
               (const uint16_t *)(const void *)at[GRADIENTS] + first,
               (uint16_t *)(void *)at[HALF] + first, mine.end - mine.begin, p->factor, t);
}

static void step_fp16(const struct train_net_pass *p, uint32_t pairs, float *const *at) {
  step_pairs(p, rt_share(pairs), at, TRAIN_FP16);
}
static void step_bf16(const struct train_net_pass *p, uint32_t pairs, float *const *at) {
  step_pairs(p, rt_share(pairs), at, TRAIN_BF16);
}

// By sums, or (without) as they are.
TRAIN_TYPED void sum_pairs(const struct train_net_pass *p, struct rt_range mine, float *const *at,
                           enum train_type t) {
  const float *w = at[WEIGHTS], *g = at[GRADIENTS];
  for (uint32_t i = 2 * mine.begin; i < 2 * mine.end; i += 2) {
    float a = g ? __builtin_fmaf(p->factor, g[i], w[i]) : w[i];
    float b = g ? __builtin_fmaf(p->factor, g[i + 1], w[i + 1]) : w[i + 1];
    if (g) {
      at[NEW_WEIGHTS][i] = a;
      at[NEW_WEIGHTS][i + 1] = b;
    }
    train_put2(at[HALF], i, pair_of(a, b, t));
  }
}

static void sum_fp16(const struct train_net_pass *p, uint32_t pairs, float *const *at) {
  sum_pairs(p, rt_share(pairs), at, TRAIN_FP16);
}
static void sum_bf16(const struct train_net_pass *p, uint32_t pairs, float *const *at) {
  sum_pairs(p, rt_share(pairs), at, TRAIN_BF16);
}

enum kernel_status train_half_step(const struct train_net *net, uint32_t begin, uint32_t count,
                                   const uint16_t *gradients) {
  const struct train_net_half *half = net->half;
  bool fp16 = half->type->id == TRAIN_FP16;
  struct train_net_pass p = {.stream = {[WEIGHTS] = words(net->weights + begin, 2, false),
                                        [GRADIENTS] = words(gradients, 1, false),
                                        [NEW_WEIGHTS] = words(net->weights + begin, 2, true),
                                        [HALF] = words(half->weights + begin, 1, true)},
                             .compute = fp16 ? step_fp16 : step_bf16,
                             .factor = -net->rate / half->scale};
  if (!gradients) {
    p.stream[GRADIENTS] = words(net->sums + begin, 2, false);
    p.compute = fp16 ? sum_fp16 : sum_bf16;
    p.factor = -net->rate;
  }
  return run_pass(net, &p, count);
}

enum kernel_status train_net_round(const struct train_net *net) {
  const struct train_net_half *half = net->half;
  struct train_net_pass p = {
      .stream = {[WEIGHTS] = words(net->weights, 2, false), [HALF] = words(half->weights, 1, true)},
      .compute = half->type->id == TRAIN_FP16 ? sum_fp16 : sum_bf16};
  return run_pass(net, &p, net->weight_count);
}

// ---------------------------------------------------------------- finite?

// Of each core: the largest magnitudes that it has seen, as bits.
static RT_L1_BSS uint32_t largest[RT_MAX_CORES];

static void find_largest_pairs(const struct train_net_pass *p, uint32_t pairs, float *const *at) {
  const train_two *x = (const train_two *)(const void *)at[GRADIENTS];
  struct rt_range mine = rt_share(pairs);
  uint32_t most = largest[rt_core_id()];
  (void)p;
  x += mine.begin;
  for (const train_two *end = x + ((mine.end - mine.begin) & ~3u); x < end; x += 4) {
    uint32_t a = x[0], b = x[1], c = x[2], d = x[3];
    a = (uint32_t)pv_max_h(a & 0x7fff7fff, b & 0x7fff7fff);
    c = (uint32_t)pv_max_h(c & 0x7fff7fff, d & 0x7fff7fff);
    most = (uint32_t)pv_max_h(most, (uint32_t)pv_max_h(a, c));
  }
  for (uint32_t i = 0; i < ((mine.end - mine.begin) & 3u); i++)
    most = (uint32_t)pv_max_h(most, x[i] & 0x7fff7fff);
  largest[rt_core_id()] = most;
}

static void find_largest(const struct train_net_pass *p, uint32_t pairs, float *const *at) {
  const train_two *x = (const train_two *)(const void *)at[GRADIENTS];
  struct rt_range mine = rt_share(pairs);
  uint32_t most = largest[rt_core_id()];
  (void)p;
  for (uint32_t i = 2 * mine.begin; i < 2 * mine.end; i++) {
    uint32_t bits = x[i] & 0x7fffffff;
    most = bits > most ? bits : most;
  }
  largest[rt_core_id()] = most;
}

enum kernel_status train_half_finite(const struct train_net *net, uint32_t begin, uint32_t count,
                                     const uint16_t *gradients, bool *finite) {
  uint32_t infinite = net->half->type->id == TRAIN_FP16 ? 0x7c00 : 0x7f80;
  struct train_net_pass p = {.stream = {[GRADIENTS] = words(gradients, 1, false)},
                             .compute = find_largest_pairs};
  if (!gradients) {
    p.stream[GRADIENTS] = words(net->sums + begin, 2, false);
    p.compute = find_largest;
  }
  largest[rt_core_id()] = 0;
  KERNEL_CHECK(run_pass(net, &p, count));
  *finite = true;
  for (uint32_t i = 0; i < rt_core_count(); i++) {
    uint32_t most = largest[i];
    *finite = *finite &&
              (gradients ? (most & 0xffff) < infinite && most >> 16 < infinite : most < 0x7f800000);
  }
  rt_barrier();
  return KERNEL_OK;
}

static void put_zeros(const struct train_net_pass *p, uint32_t pairs, float *const *at) {
  struct rt_range mine = rt_share(pairs);
  (void)p;
  if (mine.begin < mine.end)
    rt_zero_words(at[GRADIENTS] + mine.begin, mine.end - mine.begin);
}

enum kernel_status train_half_clear(const struct train_net *net, uint32_t count) {
  struct train_net_pass p = {.stream = {[GRADIENTS] = words(net->half->gradients, 1, true)},
                             .compute = put_zeros};
  return run_pass(net, &p, count);
}
