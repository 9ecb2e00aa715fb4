// kernels/train/train_net_half_planes.c: see train_net_half.h; layers along channels.
//
// Planes are words of two elements for train_net_planes.h.
#include <stddef.h>

#include "kernels/rt/rt.h"
#include "kernels/train/train_depthwise_edges.h"
#include "kernels/train/train_dw_half.h"
#include "kernels/train/train_half_gate.h"
#include "kernels/train/train_net_half.h"
#include "kernels/train/train_net_half_window.h"
#include "kernels/train/train_net_layers.h"
#include "kernels/train/train_net_planes.h"

// What a core's function for a plane finds.
struct half_state {
  const struct train_net_layer *layer;
  const struct train_half_place *at;
  struct train_dw_edges window, back;
  bool windowed, backward;    // by the kernels for 3x3
  bool both;                  // gradients, the second one behind a ReLU: in one pass over the plane
  struct train_dw_half plane; // by the kernels for pairs, zeros around what the window sees
  struct train_dw_half_pad pad;
  uint32_t padded_words;
  uint32_t pixels;                          // of a plane of the result
  float share;                              // a pixel's in the mean of a plane
  const uint16_t *weights_grad, *bias_grad; // in L1, of the last channel that was computed
};

enum { CORES = 8 }; // on more, a layer may go other ways

static uint32_t eights(uint32_t bytes) {
  return (bytes + 7) / 8 * 8;
}

static uint32_t words_of(uint32_t pixels) {
  return (train_net_half_pitch(pixels) + 1) / 2;
}
static uint32_t in_pixels(const struct train_net_layer *l) {
  return (uint32_t)l->in_h * l->in_w;
}
static uint32_t out_pixels(const struct train_net_layer *l) {
  return (uint32_t)l->out_h * l->out_w;
}

// Zeros for the kernels.
static uint32_t zeros_words(const struct train_net_layer *l) {
  return l->in_w + (uint32_t)l->pad_left + l->pad_right + 4u;
}

// The last element of a plane of an odd number of pixels.
static void clear_last(void *plane, uint32_t pixels) {
  if (pixels % 2 && pixels > 1)
    ((uint16_t *)plane)[pixels] = 0;
}

// ---------------------------------------------------------------- depthwise

// Lanes. Of a mean's output, or its gradient: MEAN.
enum { IN, OUT, OUT_GRAD, IN_GRAD, WEIGHTS, BIAS, WEIGHTS_GRAD, BIAS_GRAD, MEAN = WEIGHTS };

static uint16_t *half(float *at) {
  return (uint16_t *)(void *)at;
}

static void window_at(struct train_dw_edges *e, const void *x, void *w, void *y) {
  e->x = x;
  e->end = (const char *)x + e->plane;
  e->w = w;
  e->y = y;
}

TRAIN_TYPED void add_bias(void *plane, uint32_t count, const uint16_t *bias, enum train_type t) {
  float value = train_get(bias, 0, t);
  for (uint32_t i = 0; i < count; i++)
    train_put(plane, i, train_get(plane, i, t) + value, t);
}

static void dw_plane_fw(void *state, float *const *at) {
  struct half_state *s = state;
  const struct train_net_layer *l = s->layer;
  uint32_t pixels = out_pixels(l);
  if (s->windowed) {
    window_at(&s->window, at[IN], at[WEIGHTS], at[OUT]);
    train_dw_edges_fw[l->stride_w - 1][s->at->type](&s->window);
  } else {
    train_half_window_fw(l, s->at->type, at[IN], half(at[WEIGHTS]), at[OUT]);
  }
  if (at[BIAS])
    TRAIN_BY_HALF(s->at->type, add_bias, at[OUT], pixels, half(at[BIAS]));
  clear_last(at[OUT], pixels);
  if (l->relu)
    train_half_relu(at[OUT], words_of(pixels));
}

TRAIN_TYPED void put_all(uint16_t *to, const float *from, uint32_t count, enum train_type t) {
  for (uint32_t i = 0; i < count; i++)
    train_put(to, i, from[i], t);
}

static void dw_wg(struct half_state *s, float *const *at) {
  const struct train_net_layer *l = s->layer;
  float sums[9];
  if (s->windowed) {
    rt_zero_words(sums, 9);
    window_at(&s->window, at[IN], sums, at[OUT_GRAD]);
    train_dw_edges_wg[l->stride_w - 1][s->at->type](&s->window);
    TRAIN_BY_HALF(s->at->type, put_all, half(at[WEIGHTS_GRAD]), sums, 9);
  } else {
    train_half_window_wg(l, s->at->type, at[IN], half(at[WEIGHTS_GRAD]), at[OUT_GRAD]);
  }
}

static void dw_bias(const struct half_state *s, const void *grad, uint32_t words, uint16_t *to) {
  float sum = TRAIN_BY_HALF(s->at->type, train_half_sum, grad, words);
  TRAIN_BY_HALF(s->at->type, put_all, to, &sum, 1);
}

static void dw_plane_both(struct half_state *s, float *const *at) {
  float sums[9];
  window_at(&s->back, at[OUT_GRAD], at[WEIGHTS], at[IN_GRAD]);
  s->back.in = at[IN];
  s->back.w_grad = sums;
  train_dw_edges_both[s->at->type](&s->back);
  TRAIN_BY_HALF(s->at->type, put_all, half(at[WEIGHTS_GRAD]), sums, 9);
}

static void dw_plane_ig(struct half_state *s, float *const *at) {
  const struct train_net_layer *l = s->layer;
  if (s->backward) {
    window_at(&s->back, at[OUT_GRAD], at[WEIGHTS], at[IN_GRAD]);
    train_dw_edges_back[s->at->type](&s->back);
  } else {
    train_half_window_ig(l, s->at->type, at[OUT_GRAD], half(at[WEIGHTS]), at[IN_GRAD]);
  }
  if (s->at->gated)
    train_half_gate(at[IN_GRAD], at[IN], words_of(in_pixels(l)));
}

// Those of all channels of a core, as they still lie in L1 one behind the other.
static void watch_gradients(const struct half_state *s) {
  const struct train_net_layer *l = s->layer;
  struct rt_range mine = rt_share(l->in_c);
  uint32_t count = mine.end - mine.begin, window = (uint32_t)l->kernel_h * l->kernel_w;
  if (s->weights_grad)
    train_half_watch(s->weights_grad - (count - 1) * window, count * window, s->at->type);
  if (s->bias_grad)
    train_half_watch(s->bias_grad - (count - 1), count, s->at->type);
}

static void dw_plane_bw(void *state, float *const *at) {
  struct half_state *s = state;
  const struct train_net_layer *l = s->layer;
  s->weights_grad = half(at[WEIGHTS_GRAD]);
  s->bias_grad = half(at[BIAS_GRAD]);
  if (at[OUT])
    train_half_gate(at[OUT_GRAD], at[OUT], words_of(out_pixels(l)));
  if (s->both) {
    dw_plane_both(s, at);
  } else {
    if (at[WEIGHTS_GRAD])
      dw_wg(s, at);
    if (at[IN_GRAD])
      dw_plane_ig(s, at);
  }
  if (at[BIAS_GRAD])
    dw_bias(s, at[OUT_GRAD], words_of(out_pixels(l)), half(at[BIAS_GRAD]));
  if (at[IN_GRAD])
    clear_last(at[IN_GRAD], in_pixels(l));
}

// How the planes go: the kernels for 3x3, or any window.
static void choose_kernels(const struct train_net *net, struct half_state *s, bool backward) {
  struct train_depthwise dw = train_net_depthwise(s->layer, 1);
  dw.type = s->at->type;
  float *zeros = train_net_planes_scratch(net);
  s->windowed = train_depthwise_edges_fits(&dw);
  s->backward = backward && s->layer->stride_w == 1 && train_depthwise_edges_ig_fits(&dw);
  s->both = s->backward && s->at->gated && s->at->weights_grad && s->at->in_grad;
  if (s->windowed && !s->both)
    train_depthwise_edges_fw_plane(&s->window, &dw, zeros);
  if (s->backward)
    train_depthwise_edges_back_plane(&s->back, &dw, zeros);
}

// ---------------------------------------------------------------- depthwise, 3x3 by pairs

static void pad_plane(struct half_state *s, const void *from) {
  s->pad.from = from;
  train_dw_half_pad(&s->pad);
}

static void paired_plane_fw(void *state, float *const *at) {
  struct half_state *s = state;
  const struct train_net_layer *l = s->layer;
  pad_plane(s, at[IN]);
  s->plane.w = at[WEIGHTS];
  s->plane.y = at[OUT];
  (s->at->type == TRAIN_FP16 ? train_dw_half_fw_h : train_dw_half_fw_ah)(&s->plane);
  if (at[BIAS]) {
    TRAIN_BY_HALF(s->at->type, add_bias, at[OUT], out_pixels(l), half(at[BIAS]));
    if (l->relu)
      train_half_relu(at[OUT], words_of(out_pixels(l)));
  }
  clear_last(at[OUT], s->pixels);
}

static void paired_plane_bw(void *state, float *const *at) {
  struct half_state *s = state;
  s->weights_grad = half(at[WEIGHTS_GRAD]);
  s->bias_grad = half(at[BIAS_GRAD]);
  s->pad.gate = at[OUT];
  if (at[OUT]) {
    s->pad.from = at[OUT_GRAD];
    train_dw_half_pad_gated(&s->pad);
  } else {
    pad_plane(s, at[OUT_GRAD]);
  }
  s->plane.w = at[WEIGHTS];
  s->plane.y = at[IN_GRAD];
  s->plane.in = at[IN];
  s->plane.w_grad = at[WEIGHTS_GRAD];
  (s->at->type == TRAIN_FP16 ? train_dw_half_both_h : train_dw_half_both_ah)(&s->plane);
  if (at[BIAS_GRAD]) // zeros around it do not count
    dw_bias(s, (const uint16_t *)s->plane.x - 1, s->padded_words, half(at[BIAS_GRAD]));
  clear_last(at[IN_GRAD], s->pixels);
}

// What the window sees forward: the input; backward: the gradient of the output.
static void place_pairs(struct half_state *s, bool backward, uint16_t *padded) {
  const struct train_net_layer *l = s->layer;
  uint32_t top = backward ? 2u - l->pad_top : l->pad_top;
  uint32_t left = backward ? 2u - l->pad_left : l->pad_left;
  s->plane.x = padded + 1;
  s->plane.floor = l->relu && !s->at->bias ? 0 : TRAIN_DW_HALF_ANY;
  s->pad.to = padded + 1 + top * s->plane.pitch / 2 + left;
  s->pad.pitch = s->plane.pitch;
  s->pad.h = backward ? l->out_h : l->in_h;
  s->pad.width = backward ? l->out_w : l->in_w;
}

// Whether the layer's planes go by pairs: where there is room for zeros around one, on any number
// of cores, or its results would differ.
static bool take_pairs(const struct train_net *net, struct train_net_planes *p,
                       struct half_state *s, bool backward) {
  const struct train_net_layer *l = s->layer;
  uint32_t scratch = p->scratch_floats, cores = rt_core_count();
  if (l->kind != TRAIN_NET_DEPTHWISE || l->kernel_h != 3 || l->kernel_w != 3 || l->stride_h != 1 ||
      l->stride_w != 1 || (backward && !(s->at->gated && s->at->weights_grad && s->at->in_grad)))
    return false;
  s->plane.h = backward ? l->in_h : l->out_h;
  s->plane.width = backward ? l->in_w : l->out_w;
  s->plane.pitch = train_dw_half_pitch(s->plane.width);
  s->padded_words = p->scratch_floats = train_dw_half_bytes(s->plane.h, s->plane.width) / 4;
  if (!train_net_planes_fit_on(net, p, cores > CORES ? cores : CORES)) {
    p->scratch_floats = scratch;
    return false;
  }
  place_pairs(s, backward, half(train_net_planes_scratch(net)));
  s->pixels = s->plane.h * s->plane.width;
  p->compute = backward ? paired_plane_bw : paired_plane_fw;
  return true;
}

static struct train_net_lane lane(const void *array, uint32_t pixels, bool out) {
  return (struct train_net_lane){array, 4 * words_of(pixels), out, false};
}
static struct train_net_lane kept(const uint16_t *array, uint32_t elements, bool out) {
  return (struct train_net_lane){array, 2 * elements, out, true};
}

// ---------------------------------------------------------------- means

TRAIN_TYPED void put_mean(uint16_t *to, const void *plane, uint32_t words, float share,
                          enum train_type t) {
  train_put(to, 0, train_half_sum(plane, words, t) * share, t);
}

static void mean_plane_fw(void *state, float *const *at) {
  struct half_state *s = state;
  TRAIN_BY_HALF(s->at->type, put_mean, half(at[MEAN]), at[IN], words_of(in_pixels(s->layer)),
                s->share);
}

// The gradient for each pixel, twice.
TRAIN_TYPED uint32_t share_of(const uint16_t *grad, float share, enum train_type t) {
  uint16_t one = 0;
  train_put(&one, 0, train_get(grad, 0, t) * share, t);
  return (uint32_t)one << 16 | one;
}

static void mean_plane_bw(void *state, float *const *at) {
  struct half_state *s = state;
  uint32_t pixels = in_pixels(s->layer), words = words_of(pixels);
  uint32_t share = TRAIN_BY_HALF(s->at->type, share_of, half(at[MEAN]), s->share);
  train_two *to = (train_two *)(void *)at[IN_GRAD];
  if (at[IN])
    train_half_mask(to, at[IN], share, words);
  for (uint32_t i = 0; i < words && !at[IN]; i++)
    to[i] = share;
  clear_last(to, pixels);
}

// ---------------------------------------------------------------- patches and pools

// Pixels of the output for a channel of the input, in whole planes.
static uint32_t out_elements(const struct train_net_layer *l) {
  uint32_t pitch = train_net_half_pitch(out_pixels(l));
  return l->kind == TRAIN_NET_PATCHES ? pitch * l->kernel_h * l->kernel_w : pitch;
}

static void other_plane_fw(void *state, float *const *at) {
  const struct half_state *s = state;
  train_half_other_fw(s->layer, s->at->type, at[IN], at[OUT]);
}

static void other_plane_bw(void *state, float *const *at) {
  const struct half_state *s = state;
  train_half_other_bw(s->layer, s->at->type, at[IN], at[OUT_GRAD], at[IN_GRAD]);
  clear_last(at[IN_GRAD], in_pixels(s->layer));
  if (s->at->gated)
    train_half_gate(at[IN_GRAD], at[IN], words_of(in_pixels(s->layer)));
}

// Each core makes some of the patches' planes, where L1 holds all that they are of: channels may be
// few.
struct patches_state {
  const struct train_net_layer *layer;
  const uint16_t *in;   // the channel at hand
  uint32_t tap, window; // of a window's places
};

static void patch_plane(void *state, float *const *at) {
  struct patches_state *s = state;
  train_half_patch(s->layer, s->tap, s->in, at[OUT]);
  if (++s->tap == s->window) {
    s->tap = 0;
    s->in += train_net_half_pitch(in_pixels(s->layer));
  }
}

// Behind so many planes.
static void begin_patches(struct patches_state *s, const struct train_net_layer *l, const void *in,
                          uint32_t planes) {
  uint32_t window = (uint32_t)l->kernel_h * l->kernel_w, channel = planes / window;
  s->layer = l;
  s->window = window;
  s->tap = planes - channel * window;
  s->in = (const uint16_t *)in + channel * train_net_half_pitch(in_pixels(l));
}

static uint32_t input_bytes(const struct train_net_layer *l) {
  return l->in_c * train_net_half_pitch(in_pixels(l)) * 2;
}

// The planes, and the L1 behind the input for them. False: it does not hold both.
static bool plan_patches(const struct train_net *net, const struct train_net_layer *l,
                         const void *out, struct train_net *rest, struct train_net_planes *p) {
  uint32_t bytes = eights(input_bytes(l));
  if (l->kind != TRAIN_NET_PATCHES || bytes > net->l1_bytes / 2)
    return false;
  rest->l1 = net->l1 + bytes / 4;
  rest->l1_bytes = net->l1_bytes - bytes;
  train_net_planes_begin(p, l, l->out_c, patch_plane);
  p->lane[OUT] = lane(out, out_pixels(l), true);
  return train_net_planes_fit(rest, p);
}

static __attribute__((noinline)) bool patches_by_place(const struct train_net *net,
                                                       const struct train_net_layer *l,
                                                       const struct train_half_place *at) {
  struct train_net rest;
  struct train_net_planes p;
  struct patches_state s;
  if (!plan_patches(net, l, l->out, &rest, &p))
    return false;
  begin_patches(&s, l, net->l1, rt_share(p.channels).begin);
  rt_barrier();
  if (rt_core_id() == 0)
    rt_dma_wait(rt_dma_in(net->l1, at->in, input_bytes(l)));
  train_net_planes(&rest, &p, &s);
  return true;
}

// Planes of one pixel are no words; means and products have them alone.
static bool has_planes(const struct train_net_layer *l) {
  return in_pixels(l) > 1 && (l->kind == TRAIN_NET_MEAN || out_pixels(l) > 1);
}

// ---------------------------------------------------------------- all

static void depthwise_lanes(struct train_net_lane *lanes, const struct train_net_layer *l,
                            const struct train_half_place *at, bool backward) {
  uint32_t window = (uint32_t)l->kernel_h * l->kernel_w;
  lanes[WEIGHTS] = kept(!backward || at->in_grad ? at->weights : NULL, window, false);
  if (!backward) {
    lanes[BIAS] = kept(at->bias, 1, false);
    return;
  }
  lanes[OUT] = lane(l->relu ? l->out : NULL, out_pixels(l), false);
  lanes[WEIGHTS_GRAD] = kept(at->weights_grad, window, true);
  lanes[BIAS_GRAD] = kept(at->bias_grad, 1, true);
}

// Means are no planes.
static void mean_lanes(struct train_net_lane *lanes, const struct train_net_layer *l,
                       const struct train_half_place *at, bool backward) {
  lanes[OUT].array = lanes[OUT_GRAD].array = NULL;
  lanes[MEAN] = backward ? kept(at->out_grad, 1, false) : kept(l->out, 1, true);
}

static void pass_of(struct train_net_planes *p, const struct train_net_layer *l,
                    const struct train_half_place *at, bool backward) {
  struct train_net_lane *lanes = p->lane;
  bool depthwise = l->kind == TRAIN_NET_DEPTHWISE, mean = l->kind == TRAIN_NET_MEAN;
  bool reads_in = !backward || depthwise || at->gated || l->kind == TRAIN_NET_MAX;
  train_net_planes_begin(p, l, l->in_c, other_plane_fw);
  p->scratch_floats = zeros_words(l);
  lanes[IN] = lane(reads_in ? at->in : NULL, in_pixels(l), false);
  if (backward) {
    lanes[OUT_GRAD] = lane(at->out_grad, out_elements(l), false);
    lanes[IN_GRAD] = lane(at->in_grad, in_pixels(l), true);
    p->compute = depthwise ? dw_plane_bw : mean ? mean_plane_bw : other_plane_bw;
  } else {
    lanes[OUT] = lane(l->out, out_elements(l), true);
    p->compute = depthwise ? dw_plane_fw : mean ? mean_plane_fw : other_plane_fw;
  }
  if (depthwise)
    depthwise_lanes(lanes, l, at, backward);
  if (mean)
    mean_lanes(lanes, l, at, backward);
}

static __attribute__((noinline)) enum kernel_status run_layer(const struct train_net *net,
                                                              const struct train_net_layer *l,
                                                              const struct train_half_place *at,
                                                              bool backward) {
  struct train_net_planes p;
  struct half_state s; // field by field: the compiler would call memset()
  s.layer = l;
  s.at = at;
  s.weights_grad = s.bias_grad = NULL;
  s.share = 1.0f / (float)in_pixels(l);
  pass_of(&p, l, at, backward);
  if (!has_planes(l))
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  if (!take_pairs(net, &p, &s, backward)) {
    if (!train_net_planes_fit(net, &p))
      return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
    if (l->kind == TRAIN_NET_DEPTHWISE)
      choose_kernels(net, &s, backward);
  }
  train_net_planes(net, &p, &s);
  if (backward)
    watch_gradients(&s);
  return KERNEL_OK;
}

enum kernel_status train_half_planes_fw(const struct train_net *net,
                                        const struct train_net_layer *l,
                                        const struct train_half_place *at) {
  if (l->kind == TRAIN_NET_PATCHES && patches_by_place(net, l, at))
    return KERNEL_OK;
  return run_layer(net, l, at, false);
}

enum kernel_status train_half_planes_bw(const struct train_net *net,
                                        const struct train_net_layer *l,
                                        const struct train_half_place *at) {
  bool nothing = l->kind != TRAIN_NET_DEPTHWISE && !at->in_grad;
  return nothing ? KERNEL_OK : run_layer(net, l, at, true);
}

bool train_half_planes_fit(const struct train_net *net, const struct train_net_layer *l,
                           bool backward) {
  static const uint16_t some;
  uint16_t *any = (uint16_t *)(uintptr_t)&some;
  const struct train_half_place all = {.in = any,
                                       .out_grad = any,
                                       .weights = any,
                                       .bias = any,
                                       .in_grad = any,
                                       .weights_grad = any,
                                       .bias_grad = any,
                                       .gated = true};
  struct train_net_layer full = *l;
  full.out = any;
  struct train_net rest;
  struct train_net_planes forward, back, patches;
  pass_of(&forward, &full, &all, false);
  pass_of(&back, &full, &all, true);
  return has_planes(l) &&
         (plan_patches(net, l, any, &rest, &patches) || train_net_planes_fit(net, &forward)) &&
         (!backward || train_net_planes_fit(net, &back));
}
