// kernels/train/train_net.c: see train_net.h.
#include "train_net.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_net_far.h"
#include "kernels/train/train_net_half.h"
#include "kernels/train/train_net_layers.h"
#include "kernels/train/train_net_stretches.h"

static const void *input_of(const struct train_net *net, uint32_t layer) {
  return layer == 0 ? net->input : net->layers[layer - 1].out;
}

// ---------------------------------------------------------------- 16 bits

static uint32_t number_of(const struct train_net *net, const float *weights) {
  return (uint32_t)(weights - net->weights);
}

// Where the gradient of weight `number` is, or of a layer's that begin at `first`.
static uint16_t *half_gradient(const struct train_net *net, uint32_t number, uint32_t first) {
  return net->half->gradients + number - (net->at_once ? first : 0);
}

static bool is_gated(const struct train_net *net, uint32_t layer) {
  const struct train_net_layer *below = layer ? &net->layers[layer - 1] : NULL;
  return below && below->relu && below->kind != TRAIN_NET_DEPTHWISE;
}

static struct train_half_place half_place(const struct train_net *net, uint32_t layer,
                                          bool lowest) {
  const struct train_net_layer *l = &net->layers[layer];
  struct train_half_place place = {.type = net->half->type->id,
                                   .blocks = net->half->type,
                                   .in = input_of(net, layer),
                                   .out_grad = net->grads[layer % 2],
                                   .in_grad = lowest ? NULL : net->grads[!(layer % 2)],
                                   .gated = is_gated(net, layer)};
  if (l->weights) {
    uint32_t at = number_of(net, l->weights);
    place.weights = net->half->weights + at;
    place.weights_grad = l->frozen ? NULL : half_gradient(net, at, at);
  }
  if (l->bias) {
    uint32_t at = number_of(net, l->bias);
    place.bias = net->half->weights + at;
    place.bias_grad = l->frozen ? NULL : half_gradient(net, at, number_of(net, l->weights));
  }
  return place;
}

static enum kernel_status half_fw(const struct train_net *net, uint32_t layer) {
  const struct train_half_place place = half_place(net, layer, true);
  return train_half_fw(net, &net->layers[layer], &place);
}

static enum kernel_status half_bw(const struct train_net *net, uint32_t layer, bool lowest) {
  const struct train_half_place place = half_place(net, layer, lowest);
  return train_half_bw(net, &net->layers[layer], &place);
}

// What a step does to the scale. bfloat16 would never end its growth.
static void change_scale(struct train_net_half *half, bool finite) {
  static const float most = 0x1p24f;
  if (!finite) {
    half->skipped++;
    half->taken = 0;
    half->scale = half->scale > 1 ? half->scale / 2 : 1;
  } else if (++half->taken == half->growth) {
    half->taken = 0;
    half->scale *= half->scale < most ? 2 : 1;
  }
  half->infinite = false;
}

static enum kernel_status layer_fw(const struct train_net *net, uint32_t layer) {
  if (net->half)
    return half_fw(net, layer);
  const struct train_net_place place = {.in = input_of(net, layer)};
  return train_net_layer_fw(net, &net->layers[layer], &place);
}

enum kernel_status train_net_forward(const struct train_net *net) {
  for (uint32_t i = 0; i < net->count; i++) {
    if (net->far)
      net->far->calls->want(net, i, true);
    KERNEL_CHECK(layer_fw(net, i));
  }
  rt_barrier();
  return KERNEL_OK;
}

// ---------------------------------------------------------------- backward

// The lowest layer with weights that learn; count if there is none.
static uint32_t lowest(const struct train_net *net) {
  for (uint32_t i = 0; i < net->count; i++) {
    if (net->layers[i].weights && !net->layers[i].frozen)
      return i;
  }
  return net->count;
}

static float *gradient_of(const struct train_net *net, const struct train_net_layer *l,
                          const float *weights) {
  return weights ? net->gradients + (weights - (net->at_once ? l->weights : net->weights)) : NULL;
}

// Of a layer's output.
static float *out_grad(const struct train_net *net, uint32_t layer) {
  float *own = net->layers[layer].out_grad;
  return own ? own : net->grads[layer % 2];
}

static struct train_net_place place_of(const struct train_net *net, uint32_t layer, bool lowest) {
  const struct train_net_layer *l = &net->layers[layer];
  return (struct train_net_place){.in = input_of(net, layer),
                                  .out_grad = out_grad(net, layer),
                                  .in_grad = lowest ? NULL : out_grad(net, layer - 1),
                                  .weights_grad =
                                      l->frozen ? NULL : gradient_of(net, l, l->weights),
                                  .bias_grad = l->frozen ? NULL : gradient_of(net, l, l->bias),
                                  .gated = is_gated(net, layer)};
}

// What became of a layer's weights: they have been stepped, too, as they may be where steps are
// taken at once and the weights lie in L2, or their gradient waits for others.
struct outcome {
  bool stepped, waits;
  const struct train_net_layer *like; // the last one that waits, or NULL
};
enum { MOST_WAITING = 32 }; // layers from the first on that may wait: a bit each

static bool may_step(const struct train_net *net, const struct train_net_place *place) {
  return net->at_once && !net->far && place->weights_grad;
}

static enum kernel_status layer_bw(const struct train_net *net, uint32_t layer, bool lowest,
                                   struct outcome *outcome) {
  if (net->half)
    return half_bw(net, layer, lowest);
  const struct train_net_layer *l = &net->layers[layer];
  struct train_net_place place = place_of(net, layer, lowest);
  if (may_step(net, &place))
    place.stepped = &outcome->stepped;
  bool again = layer > 0 && net->layers[layer - 1].again;
  outcome->waits = layer < MOST_WAITING && !again && !net->far &&
                   train_net_layer_waits(net, l, &place, outcome->like);
  if (outcome->waits) {
    outcome->like = l;
    place.weights_grad = NULL;
  }
  return train_net_layer_bw(net, l, &place);
}

// Those that wait, bit i: layer i.
static __attribute__((noinline)) void waiting_wg(const struct train_net *net, uint32_t waiting) {
  struct train_net_outer pass;
  bool stepped;
  pass.count = 0;
  for (uint32_t i = MOST_WAITING; i-- > 0;) {
    if (!(waiting >> i & 1))
      continue;
    struct train_net_place place = place_of(net, i, true);
    if (may_step(net, &place))
      place.stepped = &stepped;
    train_net_layer_wg(net, &net->layers[i], &place, &pass);
  }
  train_net_layer_wg(net, NULL, NULL, &pass);
}

// What the layer reads, where that was not kept.
static enum kernel_status compute_again(const struct train_net *net, uint32_t layer) {
  if (layer == 0 || !net->layers[layer - 1].again)
    return KERNEL_OK;
  if (net->far)
    net->far->calls->hold(net, layer - 1);
  return layer_fw(net, layer - 1);
}

// The loss and the gradient of the last layer's outputs.
static enum kernel_status loss_of(const struct train_net *net, uint32_t label, float *loss) {
  static RT_L1_BSS uint8_t labels[1];
  static RT_L1_BSS float partial[TRAIN_LOSS_PARTS];
  const struct train_net_layer *last = &net->layers[net->count - 1];
  uint32_t count = (uint32_t)last->out_c * last->out_h * last->out_w, bytes = count * 4;
  float *scores = net->l1, *grad = net->l1 + count, *target = net->l1 + 2 * count;
  if ((!net->target && label >= count) || 3 * bytes > net->l1_bytes)
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  if (rt_core_id() == 0) {
    labels[0] = (uint8_t)label;
    rt_dma_wait(rt_dma_in(scores, last->out, bytes));
    if (net->target)
      rt_dma_wait(rt_dma_in(target, net->target, bytes));
  }
  rt_barrier();
  const struct train_loss of = {.in = scores,
                                .target = target,
                                .labels = labels,
                                .in_grad = grad,
                                .loss = loss,
                                .partial = partial,
                                .count = count,
                                .rows = 1,
                                .columns = count};
  enum kernel_status status = (net->target ? train_loss_mse : train_loss_cross_entropy)(&of);
  rt_barrier();
  if (rt_core_id() == 0)
    rt_dma_wait(rt_dma_out(out_grad(net, net->count - 1), grad, bytes));
  return status;
}

// ---------------------------------------------------------------- weights

enum { WEIGHTS, GRADIENTS, STEPPED };

static void copy(float *out, const float *from, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    out[i] = from[i];
}

// STEPPED = WEIGHTS + factor * GRADIENTS; a factor that is no step: a copy of the gradients.
static void step(const void *state, float *const *at, uint32_t floats) {
  const float *w = at[WEIGHTS], *g = at[GRADIENTS];
  float *out = at[STEPPED], factor = *(const float *)state;
  if (!train_net_is_step(factor)) {
    copy(out, g, floats);
    return;
  }
  for (float *sixes = out + floats / 6 * 6; out < sixes; out += 6, w += 6, g += 6) {
    float a = w[0], b = w[1], c = w[2], d = w[3], e = w[4], f = w[5];
    float ga = g[0], gb = g[1], gc = g[2], gd = g[3], ge = g[4], gf = g[5];
    out[0] = __builtin_fmaf(factor, ga, a);
    out[1] = __builtin_fmaf(factor, gb, b);
    out[2] = __builtin_fmaf(factor, gc, c);
    out[3] = __builtin_fmaf(factor, gd, d);
    out[4] = __builtin_fmaf(factor, ge, e);
    out[5] = __builtin_fmaf(factor, gf, f);
  }
  for (uint32_t i = 0; i < floats % 6; i++)
    out[i] = __builtin_fmaf(factor, g[i], w[i]);
}

enum kernel_status train_net_combine(const struct train_net *net, float *to, const float *from,
                                     float factor, uint32_t begin, uint32_t end) {
  const float *weights = train_net_is_step(factor) ? to + begin : NULL;
  const struct train_net_stretches s = {.of = {[WEIGHTS] = {weights, 4, false},
                                               [GRADIENTS] = {from + begin, 4, false},
                                               [STEPPED] = {to + begin, 4, true}},
                                        .compute = step};
  return train_net_stretches(net, &s, end - begin, &factor);
}

enum kernel_status train_net_add(const struct train_net *net, bool first) {
  if (net->far) {
    net->far->calls->add(net);
    return KERNEL_OK;
  }
  KERNEL_CHECK(net->half ? train_half_add(net, net->sums, first)
                         : train_net_combine(net, net->sums, net->gradients, first ? 0 : 1, 0,
                                             net->weight_count));
  rt_barrier();
  return KERNEL_OK;
}

// In 16 bits: unless a gradient is not finite.
static __attribute__((noinline)) enum kernel_status
half_step_layer(const struct train_net *net, uint32_t begin, uint32_t count) {
  rt_barrier();
  bool finite = train_half_finite();
  if (!finite && rt_core_id() == 0)
    net->half->infinite = true;
  // Or what is between layers would stay infinite.
  KERNEL_CHECK(finite ? train_half_step(net, begin, count, net->half->gradients)
                      : train_half_clear(net, count));
  train_half_watch_none();
  return KERNEL_OK;
}

// The layer's gradients lie in the place that all share.
static enum kernel_status step_layer(const struct train_net *net, uint32_t layer) {
  const struct train_net_layer *l = &net->layers[layer];
  if (net->far)
    return net->far->calls->learn(net, layer);
  uint32_t next = layer + 1;
  while (next < net->count && !net->layers[next].weights)
    next++;
  uint32_t begin = (uint32_t)(l->weights - net->weights);
  uint32_t end =
      next < net->count ? (uint32_t)(net->layers[next].weights - net->weights) : net->weight_count;
  if (net->half)
    return half_step_layer(net, begin, end - begin);
  return train_net_combine(net, l->weights, net->gradients, -net->rate, 0, end - begin);
}

enum kernel_status train_net_backward(const struct train_net *net, uint32_t label, float *loss) {
  uint32_t first = lowest(net), waiting = 0;
  struct outcome outcome = {false, false, NULL};
  if (net->half)
    train_half_watch_none();
  KERNEL_CHECK((net->half ? train_half_loss : loss_of)(net, label, loss));
  for (uint32_t i = net->count; i-- > first;) {
    const struct train_net_layer *l = &net->layers[i];
    if (net->far)
      net->far->calls->want(net, i, false);
    KERNEL_CHECK(compute_again(net, i));
    outcome.stepped = outcome.waits = false;
    KERNEL_CHECK(layer_bw(net, i, i == first, &outcome));
    if (outcome.waits)
      waiting |= UINT32_C(1) << i;
    else if (net->at_once && l->weights && !l->frozen && !outcome.stepped)
      KERNEL_CHECK(step_layer(net, i));
  }
  if (waiting)
    waiting_wg(net, waiting);
  rt_barrier();
  return KERNEL_OK;
}

// Weights begin..end - 1.
static enum kernel_status step_run(const struct train_net *net, uint32_t begin, uint32_t end) {
  if (net->half)
    return train_half_step(net, begin, end - begin,
                           net->sums ? NULL : net->half->gradients + begin);
  return train_net_combine(net, net->weights, net->sums ? net->sums : net->gradients, -net->rate,
                           begin, end);
}

// Runs of layers that learn; a layer's weights begin where those of the one before end.
static enum kernel_status step_runs(const struct train_net *net) {
  bool learns = false;
  uint32_t begin = 0;
  for (uint32_t i = 0; i < net->count; i++) {
    const struct train_net_layer *l = &net->layers[i];
    if (!l->weights || learns == !l->frozen)
      continue;
    uint32_t at = number_of(net, l->weights);
    if (learns)
      KERNEL_CHECK(step_run(net, begin, at));
    learns = !l->frozen;
    begin = at;
  }
  return learns ? step_run(net, begin, net->weight_count) : KERNEL_OK;
}

// Gradients of frozen layers are zeros.
static enum kernel_status half_descend(const struct train_net *net) {
  bool finite = !net->half->infinite;
  if (!net->at_once) {
    if (net->sums)
      KERNEL_CHECK(train_half_watch_sums(net));
    finite = train_half_finite();
    if (finite)
      KERNEL_CHECK(step_runs(net));
  }
  rt_barrier();
  if (rt_core_id() == 0)
    change_scale(net->half, finite);
  rt_barrier();
  return KERNEL_OK;
}

enum kernel_status train_net_descend(const struct train_net *net) {
  if (net->far)
    return net->far->calls->descend(net);
  if (net->half)
    return half_descend(net);
  if (!net->at_once)
    KERNEL_CHECK(step_runs(net));
  rt_barrier();
  return KERNEL_OK;
}
