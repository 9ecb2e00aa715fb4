// kernels/train/train_net_layers.c: see train_net_layers.h.
//
// What is done along channels is one core's work for each of them, from ReLU to ReLU: no barrier
// between.
#include "train_net_layers.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "kernels/train/train_depthwise.h"
#include "kernels/train/train_depthwise_edges.h"
#include "kernels/train/train_dw_low.h"
#include "kernels/train/train_gate.h"
#include "kernels/train/train_net_outer.h"
#include "kernels/train/train_net_panels.h"
#include "kernels/train/train_net_pass.h"
#include "kernels/train/train_net_patches.h"
#include "kernels/train/train_net_planes.h"
#include "kernels/train/train_net_vector.h"
#include "kernels/train/train_pool.h"
#include "kernels/train/train_tiled_product.h"

// What a pass is described by, off the stack of the others: stacks are short.
#define OWN_FRAME __attribute__((noinline))

static uint32_t in_plane(const struct train_net_layer *l) {
  return (uint32_t)l->in_h * l->in_w;
}
static uint32_t out_plane(const struct train_net_layer *l) {
  return (uint32_t)l->out_h * l->out_w;
}
static uint32_t window(const struct train_net_layer *l) {
  return (uint32_t)l->kernel_h * l->kernel_w;
}

static struct train_net_lane moving(const void *array, uint32_t floats, bool out) {
  return (struct train_net_lane){array, 4 * floats, out, false};
}
static struct train_net_lane kept(const void *array, uint32_t floats, bool out) {
  return (struct train_net_lane){array, 4 * floats, out, true};
}

// ---------------------------------------------------------------- products

static enum kernel_status product(const struct train_net *net, struct train_tiled_product *p,
                                  const struct train_net_tile *tile) {
  p->tile_n = tile->n;
  p->tile_m = tile->m;
  p->tile_k = tile->k;
  p->rows_inner = tile->rows_inner;
  p->matmul = tile->matmul;
  p->l1 = net->l1;
  if (train_tiled_product_buffer_size(p) > net->l1_bytes)
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  rt_barrier();
  return train_tiled_product(p);
}

static bool by_panels(const struct train_net *net, const struct train_net_panels *p) {
  if (!train_net_panels_fit(net->l1_bytes, rt_core_count(), p))
    return false;
  train_net_panels(net, p);
  return true;
}

static OWN_FRAME bool panels_fw(const struct train_net *net, const struct train_net_layer *l,
                                const struct train_net_place *at) {
  const struct train_net_panels p = {.weights = l->weights,
                                     .bias = l->bias,
                                     .in = at->in,
                                     .out = l->out,
                                     .n = l->out_c,
                                     .k = l->in_c,
                                     .plane = out_plane(l),
                                     .relu = l->relu};
  return l->fw.matmul == 0 && by_panels(net, &p);
}

static OWN_FRAME bool panels_ig(const struct train_net *net, const struct train_net_layer *l,
                                const struct train_net_place *at) {
  const struct train_net_panels p = {.weights = l->weights,
                                     .in = at->out_grad,
                                     .out = at->in_grad,
                                     .n = l->in_c,
                                     .k = l->out_c,
                                     .plane = out_plane(l),
                                     .turned = true};
  return l->ig.matmul == 0 && !at->gated && by_panels(net, &p);
}

static OWN_FRAME enum kernel_status product_fw(const struct train_net *net,
                                               const struct train_net_layer *l,
                                               const struct train_net_place *at) {
  uint32_t plane = out_plane(l);
  struct train_tiled_product p = {.whole = {.a = l->weights,
                                            .b = at->in,
                                            .c = l->out,
                                            .n = l->out_c,
                                            .m = plane,
                                            .k = l->in_c,
                                            .lda = l->in_c,
                                            .ldb = plane,
                                            .ldc = plane,
                                            .layout = MMT_NN},
                                  .bias = l->bias,
                                  .relu = l->relu};
  return product(net, &p, &l->fw);
}

static void outer_of(struct train_net_outer *o, const struct train_net *net,
                     const struct train_net_layer *l) {
  o->count = 0;
  o->factor = -net->rate;
  o->n = l->out_c;
  o->m = l->in_c;
  o->plane = out_plane(l);
}

static void add_outer(struct train_net_outer *o, const struct train_net_layer *l,
                      const struct train_net_place *at) {
  struct train_net_outer_layer *to = &o->layer[o->count++];
  to->out_grad = at->out_grad;
  to->in = at->in;
  to->weights_grad = at->weights_grad;
  to->weights = at->stepped && !l->bias ? l->weights : NULL;
}

bool train_net_layer_waits(const struct train_net *net, const struct train_net_layer *l,
                           const struct train_net_place *at, const struct train_net_layer *like) {
  struct train_net_outer o;
  if (!l->out_grad || l->kind != TRAIN_NET_PRODUCT || l->bias || !at->weights_grad ||
      l->wg.matmul != 0)
    return false;
  if (like && like->out_c == l->out_c && like->in_c == l->in_c && like->out_h == l->out_h &&
      like->out_w == l->out_w)
    return true;
  outer_of(&o, net, l);
  add_outer(&o, l, at);
  return train_net_outer_fits(net->l1_bytes, rt_core_count(), &o);
}

static bool same_shape(const struct train_net_outer *o, const struct train_net_layer *l) {
  return o->n == l->out_c && o->m == l->in_c && o->plane == out_plane(l);
}

void train_net_layer_wg(const struct train_net *net, const struct train_net_layer *l,
                        const struct train_net_place *at, struct train_net_outer *o) {
  if (o->count == TRAIN_NET_OUTERS || (o->count && !(l && same_shape(o, l)))) {
    train_net_outer(net, o);
    o->count = 0;
  }
  if (!l)
    return;
  if (o->count == 0)
    outer_of(o, net, l);
  add_outer(o, l, at);
}

static OWN_FRAME bool outer_wg(const struct train_net *net, const struct train_net_layer *l,
                               const struct train_net_place *at) {
  struct train_net_outer o;
  outer_of(&o, net, l);
  add_outer(&o, l, at);
  if (l->wg.matmul != 0 || !train_net_outer_fits(net->l1_bytes, rt_core_count(), &o))
    return false;
  train_net_outer(net, &o);
  if (o.layer[0].weights)
    *at->stepped = true;
  return true;
}

static OWN_FRAME enum kernel_status product_wg(const struct train_net *net,
                                               const struct train_net_layer *l,
                                               const struct train_net_place *at) {
  uint32_t plane = out_plane(l);
  struct train_tiled_product p = {.whole = {.a = at->out_grad,
                                            .b = at->in,
                                            .c = at->weights_grad,
                                            .n = l->out_c,
                                            .m = l->in_c,
                                            .k = plane,
                                            .lda = plane,
                                            .ldb = plane == 1 ? l->in_c : plane,
                                            .ldc = l->in_c,
                                            .layout = plane == 1 ? MMT_NN : MMT_NT}};
  return product(net, &p, &l->wg);
}

static OWN_FRAME enum kernel_status product_ig(const struct train_net *net,
                                               const struct train_net_layer *l,
                                               const struct train_net_place *at) {
  uint32_t plane = out_plane(l);
  struct train_tiled_product p = {.whole = {.a = l->weights,
                                            .b = at->out_grad,
                                            .c = at->in_grad,
                                            .n = l->in_c,
                                            .m = plane,
                                            .k = l->out_c,
                                            .lda = l->in_c,
                                            .ldb = plane,
                                            .ldc = plane,
                                            .layout = MMT_TN},
                                  .gate = at->gated ? at->in : NULL};
  if (plane == 1) { // the same as a row
    const struct mmt_f32 row = {.a = at->out_grad,
                                .b = l->weights,
                                .c = at->in_grad,
                                .n = 1,
                                .m = l->in_c,
                                .k = l->out_c,
                                .lda = l->out_c,
                                .ldb = l->in_c,
                                .ldc = l->in_c,
                                .layout = MMT_NN};
    p.whole = row;
  }
  return product(net, &p, &l->ig);
}

static float sum_of(const float *x, uint32_t count) {
  float sum = 0;
  for (uint32_t i = 0; i < count; i++)
    sum += x[i];
  return sum;
}

// at: gradients of planes, of their biases.
static void sum_planes(const struct train_net_pass *pass, uint32_t channels, float *const *at) {
  uint32_t plane = out_plane(pass->layer);
  struct rt_range mine = rt_share(channels);
  for (uint32_t c = mine.begin; c < mine.end; c++)
    at[1][c] = sum_of(at[0] + c * plane, plane);
}

static void sum_plane(void *state, float *const *at) {
  at[1][0] = sum_of(at[0], *(const uint32_t *)state);
}

// A plane at a time, where planes are worth a transfer.
static OWN_FRAME bool bias_grad_by_planes(const struct train_net *net,
                                          const struct train_net_layer *l,
                                          const struct train_net_place *at) {
  enum { WORTH_IT = 16 };
  uint32_t plane = out_plane(l);
  struct train_net_planes p;
  train_net_planes_begin(&p, l, l->out_c, sum_plane);
  p.lane[0] = moving(at->out_grad, plane, false);
  p.lane[1] = kept(at->bias_grad, 1, true);
  if (plane < WORTH_IT || !train_net_planes_fit(net, &p))
    return false;
  train_net_planes(net, &p, &plane);
  return true;
}

static OWN_FRAME enum kernel_status bias_grad(const struct train_net *net,
                                              const struct train_net_layer *l,
                                              const struct train_net_place *at) {
  uint32_t plane = out_plane(l), room = net->l1_bytes / 4 / 3;
  uint32_t part = room / (plane + 1);
  struct train_net_pass p = {.layer = l,
                             .channels = l->out_c,
                             .part = part < l->out_c ? part : l->out_c,
                             .stream = {{at->out_grad, plane, false}, {at->bias_grad, 1, true}},
                             .compute = sum_planes};
  return part ? train_net_pass(net, &p) : KERNEL_REFUSE(KERNEL_BAD_SHAPE);
}

static bool by_vector(const struct train_net *net, const struct train_net_layer *l) {
  return out_plane(l) == 1 && l->fw.matmul == 0 && train_net_vector_fits(net->l1_bytes, l);
}

static OWN_FRAME enum kernel_status product_bw(const struct train_net *net,
                                               const struct train_net_layer *l,
                                               const struct train_net_place *at) {
  if (by_vector(net, l)) {
    train_net_vector_bw(net, l, at);
    return KERNEL_OK;
  }
  if (at->bias_grad && !bias_grad_by_planes(net, l, at))
    KERNEL_CHECK(bias_grad(net, l, at));
  if (at->in_grad && !panels_ig(net, l, at)) // before the weights change
    KERNEL_CHECK(product_ig(net, l, at));
  if (at->weights_grad && !outer_wg(net, l, at))
    KERNEL_CHECK(product_wg(net, l, at));
  return KERNEL_OK;
}

static enum kernel_status product_forward(const struct train_net *net,
                                          const struct train_net_layer *l,
                                          const struct train_net_place *at) {
  if (by_vector(net, l)) {
    train_net_vector_fw(net, l, at);
    return KERNEL_OK;
  }
  return panels_fw(net, l, at) ? KERNEL_OK : product_fw(net, l, at);
}

// ---------------------------------------------------------------- depthwise

enum { // as train_dw_low.h has them
  DW_IN = TRAIN_DW_LOW_IN,
  DW_WEIGHTS = TRAIN_DW_LOW_WEIGHTS,
  DW_BIAS = TRAIN_DW_LOW_BIAS,
  DW_OUT = TRAIN_DW_LOW_OUT,
  DW_OUT_GRAD = TRAIN_DW_LOW_OUT_GRAD,
  DW_WEIGHTS_GRAD = TRAIN_DW_LOW_WEIGHTS_GRAD,
  DW_BIAS_GRAD = TRAIN_DW_LOW_BIAS_GRAD,
  DW_IN_GRAD = TRAIN_DW_LOW_IN_GRAD
};

struct train_depthwise train_net_depthwise(const struct train_net_layer *l, uint32_t channels) {
  return (struct train_depthwise){.c = (uint16_t)channels,
                                  .in_h = l->in_h,
                                  .in_w = l->in_w,
                                  .kernel_h = l->kernel_h,
                                  .kernel_w = l->kernel_w,
                                  .stride_h = l->stride_h,
                                  .stride_w = l->stride_w,
                                  .pad_top = l->pad_top,
                                  .pad_bottom = l->pad_bottom,
                                  .pad_left = l->pad_left,
                                  .pad_right = l->pad_right};
}

static struct train_depthwise depthwise(const struct train_net_layer *l, uint32_t channels,
                                        float *const *at) {
  struct train_depthwise dw = train_net_depthwise(l, channels);
  dw.in = at[DW_IN];
  dw.weights = at[DW_WEIGHTS];
  dw.bias = at[DW_BIAS];
  dw.out = at[DW_OUT];
  dw.out_grad = at[DW_OUT_GRAD];
  dw.in_grad = at[DW_IN_GRAD];
  dw.weights_grad = at[DW_WEIGHTS_GRAD];
  dw.bias_grad = at[DW_BIAS_GRAD];
  return dw;
}

// Of the calling core's channels, as train_depthwise.h splits them.
static void gate_planes(float *x, const float *out, uint32_t channels, uint32_t plane) {
  struct rt_range mine = rt_share(channels);
  uint32_t at = mine.begin * plane, count = (mine.end - mine.begin) * plane;
  if (count == 0)
    return;
  if (out)
    train_gate_grad(x + at, out + at, 1, count, 0);
  else
    train_gate_relu(x + at, 1, count, 0);
}

static void depthwise_fw_tile(const struct train_net_pass *pass, uint32_t channels,
                              float *const *at) {
  struct train_depthwise dw = depthwise(pass->layer, channels, at);
  dw.scratch = pass->scratch;
  train_depthwise_fw(&dw);
  if (pass->layer->relu)
    gate_planes(at[DW_OUT], NULL, channels, out_plane(pass->layer));
}

static void depthwise_bw_tile(const struct train_net_pass *pass, uint32_t channels,
                              float *const *at) {
  const struct train_net_layer *l = pass->layer;
  struct train_depthwise dw = depthwise(l, channels, at);
  dw.scratch = pass->scratch;
  if (l->relu)
    gate_planes(at[DW_OUT_GRAD], at[DW_OUT], channels, out_plane(l));
  if (dw.weights_grad)
    train_depthwise_wg(&dw);
  if (!dw.in_grad)
    return;
  rt_barrier(); // a core's part of the scratch is elsewhere
  train_depthwise_ig(&dw);
  if (pass->gated)
    gate_planes(at[DW_IN_GRAD], at[DW_IN], channels, in_plane(l));
}

static OWN_FRAME enum kernel_status depthwise_fw_tiles(const struct train_net *net,
                                                       const struct train_net_layer *l,
                                                       const struct train_net_place *at) {
  struct train_net_pass p = {.layer = l,
                             .channels = l->in_c,
                             .part = l->part_fw,
                             .stream = {[DW_IN] = {at->in, in_plane(l), false},
                                        [DW_WEIGHTS] = {l->weights, window(l), false},
                                        [DW_BIAS] = {l->bias, 1, false},
                                        [DW_OUT] = {l->out, out_plane(l), true}},
                             .compute = depthwise_fw_tile};
  const struct train_depthwise dw = train_net_depthwise(l, p.part);
  p.scratch_floats = train_depthwise_fw_buffer_size(&dw) / 4;
  return train_net_pass(net, &p);
}

static OWN_FRAME enum kernel_status depthwise_bw_tiles(const struct train_net *net,
                                                       const struct train_net_layer *l,
                                                       const struct train_net_place *at) {
  struct train_net_pass p = {.layer = l,
                             .channels = l->in_c,
                             .part = l->part_bw,
                             .stream = {[DW_IN] = {at->in, in_plane(l), false},
                                        [DW_WEIGHTS] = {l->weights, window(l), false},
                                        [DW_OUT] = {l->relu ? l->out : NULL, out_plane(l), false},
                                        [DW_OUT_GRAD] = {at->out_grad, out_plane(l), false},
                                        [DW_WEIGHTS_GRAD] = {at->weights_grad, window(l), true},
                                        [DW_BIAS_GRAD] = {at->bias_grad, 1, true},
                                        [DW_IN_GRAD] = {at->in_grad, in_plane(l), true}},
                             .compute = depthwise_bw_tile,
                             .gated = at->gated};
  const struct train_depthwise dw = train_net_depthwise(l, p.part);
  uint32_t wg = train_depthwise_wg_buffer_size(&dw), ig = train_depthwise_ig_buffer_size(&dw);
  p.scratch_floats = (wg > ig ? wg : ig) / 4;
  return train_net_pass(net, &p);
}

// 3x3 planes as each core streams them.
struct dw_state {
  const struct train_net_layer *layer;
  struct train_dw_edges window, back;
  bool gated;
  bool both;    // gradients, the second one behind a ReLU: in one pass over the plane
  float factor; // not +0: of gradients that are added to the weights, and go nowhere
};

static void window_at(struct train_dw_edges *e, const float *x, float *w, float *y) {
  e->x = x;
  e->end = (const char *)x + e->plane;
  e->w = w;
  e->y = y;
}

static void dw_plane_fw(void *state, float *const *at) {
  struct dw_state *s = state;
  uint32_t plane = out_plane(s->layer);
  window_at(&s->window, at[DW_IN], at[DW_WEIGHTS], at[DW_OUT]);
  train_dw_edges_fw[s->layer->stride_w - 1][TRAIN_F32](&s->window);
  if (at[DW_BIAS])
    train_gate_bias(at[DW_OUT], at[DW_BIAS], 1, plane, 0);
  if (s->layer->relu)
    train_gate_relu(at[DW_OUT], 1, plane, 0);
}

static void dw_plane_grads(struct dw_state *s, float *const *at) {
  if (s->both) {
    window_at(&s->back, at[DW_OUT_GRAD], at[DW_WEIGHTS], at[DW_IN_GRAD]);
    s->back.in = at[DW_IN];
    s->back.w_grad = at[DW_WEIGHTS_GRAD];
    train_dw_edges_both[TRAIN_F32](&s->back);
    return;
  }
  if (at[DW_WEIGHTS_GRAD]) {
    rt_zero_words(at[DW_WEIGHTS_GRAD], 9);
    window_at(&s->window, at[DW_IN], at[DW_WEIGHTS_GRAD], at[DW_OUT_GRAD]);
    train_dw_edges_wg[s->layer->stride_w - 1][TRAIN_F32](&s->window);
  }
  if (!at[DW_IN_GRAD])
    return;
  window_at(&s->back, at[DW_OUT_GRAD], at[DW_WEIGHTS], at[DW_IN_GRAD]);
  train_dw_edges_back[TRAIN_F32](&s->back);
  if (s->gated)
    train_gate_grad(at[DW_IN_GRAD], at[DW_IN], 1, in_plane(s->layer), 0);
}

static void dw_plane_bw(void *state, float *const *at) {
  struct dw_state *s = state;
  uint32_t plane = out_plane(s->layer);
  if (at[DW_OUT])
    train_gate_grad(at[DW_OUT_GRAD], at[DW_OUT], 1, plane, 0);
  if (at[DW_BIAS_GRAD])
    at[DW_BIAS_GRAD][0] = sum_of(at[DW_OUT_GRAD], plane);
  dw_plane_grads(s, at);
  if (train_net_is_step(s->factor)) {
    for (uint32_t i = 0; i < 9; i++)
      at[DW_WEIGHTS_GRAD][i] = __builtin_fmaf(s->factor, at[DW_WEIGHTS_GRAD][i], at[DW_WEIGHTS][i]);
  }
}

static enum kernel_status stream_dw(const struct train_net *net, const struct train_net_planes *p,
                                    bool gated, float factor) {
  const struct train_depthwise dw = train_net_depthwise(p->layer, 1);
  float *zeros = train_net_planes_scratch(net);
  bool back = p->lane[DW_IN_GRAD].array;
  struct dw_state state; // field by field: the compiler would call memset()
  state.layer = p->layer;
  state.both = gated && back && p->lane[DW_WEIGHTS_GRAD].array;
  state.gated = gated;
  state.factor = factor;
  if (!state.both)
    train_depthwise_edges_fw_plane(&state.window, &dw, zeros);
  if (back)
    train_depthwise_edges_back_plane(&state.back, &dw, zeros);
  train_net_planes(net, p, &state);
  return KERNEL_OK;
}

// Low planes as each core streams them.
struct low_state {
  struct train_dw_low low; // in front: the kernels' own
  const struct train_net_layer *layer;
  train_dw_low_fn *kernel;
};

// Both gradients, and the bias's.
static void low_plane_bias(void *state, float *const *at) {
  struct low_state *s = state;
  s->kernel(&s->low, at);
  at[DW_BIAS_GRAD][0] = sum_of(s->low.turned + s->layer->in_h, in_plane(s->layer));
}

static enum kernel_status stream_low(const struct train_net *net, struct train_net_planes *p,
                                     float factor) {
  const struct train_net_layer *l = p->layer;
  struct low_state state;
  state.layer = l;
  state.low.columns = l->in_w;
  state.low.floor = l->relu ? TRAIN_DW_RELU : TRAIN_DW_NO_RELU;
  state.low.factor = factor;
  state.low.turned = train_net_planes_scratch(net);
  bool back = p->lane[DW_IN_GRAD].array, bias = p->lane[DW_BIAS_GRAD].array;
  uint32_t kernel = train_dw_low_kernel(l->in_h, l->in_w);
  state.kernel = back ? train_dw_low_both[kernel] : train_dw_low_fw[kernel];
  p->compute = back && bias ? low_plane_bias : state.kernel;
  train_net_planes(net, p, &state);
  return KERNEL_OK;
}

// Whether a layer's planes go through the kernels for low ones. These add in an order of their own:
// up to eight cores decide alike.
static bool is_low(const struct train_net *net, const struct train_net_planes *p) {
  enum { CORES = 8 };
  const struct train_net_layer *l = p->layer;
  return l->kernel_h == 3 && l->kernel_w == 3 && l->stride_h == 1 && l->stride_w == 1 &&
         l->pad_top == 1 && l->pad_bottom == 1 && l->pad_left == 1 && l->pad_right == 1 &&
         l->in_h >= TRAIN_DW_LOW_LEAST && l->in_h <= TRAIN_DW_LOW_MOST &&
         train_net_planes_fit_on(net, p, rt_core_count() > CORES ? rt_core_count() : CORES);
}

// Whether a layer's planes go through the kernels for 3x3.
static bool dw_streams(const struct train_net_layer *l, bool back) {
  const struct train_depthwise dw = train_net_depthwise(l, 1);
  return train_depthwise_edges_fits(&dw) &&
         (!back || (l->stride_w == 1 && train_depthwise_edges_ig_fits(&dw)));
}

static OWN_FRAME enum kernel_status depthwise_fw(const struct train_net *net,
                                                 const struct train_net_layer *l,
                                                 const struct train_net_place *at) {
  struct train_net_planes p;
  train_net_planes_begin(&p, l, l->in_c, dw_plane_fw);
  p.lane[DW_IN] = moving(at->in, in_plane(l), false);
  p.lane[DW_WEIGHTS] = kept(l->weights, 9, false);
  p.lane[DW_BIAS] = kept(l->bias, 1, false);
  p.lane[DW_OUT] = moving(l->out, out_plane(l), true);
  if (is_low(net, &p))
    return stream_low(net, &p, 0);
  p.scratch_floats = l->in_w + 4u;
  if (dw_streams(l, false) && train_net_planes_fit(net, &p))
    return stream_dw(net, &p, false, 0);
  return depthwise_fw_tiles(net, l, at);
}

static OWN_FRAME enum kernel_status depthwise_bw(const struct train_net *net,
                                                 const struct train_net_layer *l,
                                                 const struct train_net_place *at) {
  bool step = at->stepped && at->in_grad && !l->bias;
  struct train_net_planes p;
  train_net_planes_begin(&p, l, l->in_c, dw_plane_bw);
  p.scratch_floats = train_dw_low_turned_floats(l->in_h, l->in_w);
  p.lane[DW_IN] = moving(at->in, in_plane(l), false);
  p.lane[DW_WEIGHTS] = kept(at->in_grad ? l->weights : NULL, 9, false);
  p.lane[DW_OUT] = moving(l->relu ? l->out : NULL, out_plane(l), false);
  p.lane[DW_OUT_GRAD] = moving(at->out_grad, out_plane(l), false);
  p.lane[DW_WEIGHTS_GRAD] = kept(step ? l->weights : at->weights_grad, 9, true);
  p.lane[DW_BIAS_GRAD] = kept(at->bias_grad, 1, true);
  p.lane[DW_IN_GRAD] = moving(at->in_grad, in_plane(l), true);
  bool low = at->gated && at->in_grad && at->weights_grad && is_low(net, &p);
  if (!low) {
    p.scratch_floats = l->in_w + 4u;
    if (!dw_streams(l, at->in_grad != NULL) || !train_net_planes_fit(net, &p))
      return depthwise_bw_tiles(net, l, at);
  }
  if (step)
    *at->stepped = true;
  float factor = step ? -net->rate : 0;
  return low ? stream_low(net, &p, factor) : stream_dw(net, &p, at->gated, factor);
}

// ---------------------------------------------------------------- patches, pooling

enum { IN, OUT, OUT_GRAD, IN_GRAD };

static void patches_fw_tile(const struct train_net_pass *pass, uint32_t channels,
                            float *const *at) {
  train_net_patches_fw(pass->layer, channels, at[IN], at[OUT]);
}

static void patches_bw_tile(const struct train_net_pass *pass, uint32_t channels,
                            float *const *at) {
  train_net_patches_bw(pass->layer, channels, at[OUT_GRAD], at[IN_GRAD]);
  if (pass->gated)
    gate_planes(at[IN_GRAD], at[IN], channels, in_plane(pass->layer));
}

static struct train_pool pool(const struct train_net_layer *l, uint32_t channels,
                              float *const *at) {
  return (struct train_pool){.in = at[IN],
                             .out = at[OUT],
                             .out_grad = at[OUT_GRAD],
                             .in_grad = at[IN_GRAD],
                             .c = (uint16_t)channels,
                             .in_h = l->in_h,
                             .in_w = l->in_w,
                             .window_h = l->kernel_h,
                             .window_w = l->kernel_w,
                             .stride_h = l->stride_h,
                             .stride_w = l->stride_w};
}

static void pool_fw_tile(const struct train_net_pass *pass, uint32_t channels, float *const *at) {
  const struct train_pool p = pool(pass->layer, channels, at);
  (pass->layer->kind == TRAIN_NET_MAX ? train_pool_max_fw : train_pool_avg_fw)(&p);
}

static void pool_bw_tile(const struct train_net_pass *pass, uint32_t channels, float *const *at) {
  const struct train_pool p = pool(pass->layer, channels, at);
  (pass->layer->kind == TRAIN_NET_MAX ? train_pool_max_ig : train_pool_avg_ig)(&p);
  rt_barrier(); // channels may be split otherwise there
  if (pass->gated)
    gate_planes(at[IN_GRAD], at[IN], channels, in_plane(pass->layer));
}

struct mean_state {
  uint32_t plane;
  float factor;
  bool gated;
};

static void mean_plane_fw(void *state, float *const *at) {
  const struct mean_state *s = state;
  const float *x = at[IN], *fours = x + (s->plane & ~3u), *end = x + s->plane;
  float a = 0, b = 0, c = 0, d = 0;
  for (; x + 4 < fours; x += 8) { // two fours, so that no load is waited for
    float e = x[0], f = x[1], g = x[2], h = x[3], i = x[4], j = x[5], k = x[6], l = x[7];
    a = a + e + i;
    b = b + f + j;
    c = c + g + k;
    d = d + h + l;
  }
  for (; x < fours; x += 4) {
    a += x[0];
    b += x[1];
    c += x[2];
    d += x[3];
  }
  for (; x < end; x++)
    a += *x;
  at[OUT][0] = ((a + b) + (c + d)) * s->factor;
}

// The gradient of all pixels, 0 where the layer below has none.
static void mean_plane_bw(void *state, float *const *at) {
  const struct mean_state *s = state;
  float grad = at[OUT_GRAD][0] * s->factor, *to = at[IN_GRAD];
  if (s->gated)
    train_gate_mask(to, at[IN], grad, s->plane);
  else
    for (uint32_t i = 0; i < s->plane; i++)
      to[i] = grad;
}

static enum kernel_status mean(const struct train_net *net, const struct train_net_planes *p,
                               bool gated) {
  struct mean_state state = {in_plane(p->layer), 1.0f / (float)in_plane(p->layer), gated};
  if (!train_net_planes_fit(net, p))
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  train_net_planes(net, p, &state);
  return KERNEL_OK;
}

static OWN_FRAME enum kernel_status mean_fw(const struct train_net *net,
                                            const struct train_net_layer *l,
                                            const struct train_net_place *at) {
  struct train_net_planes p;
  train_net_planes_begin(&p, l, l->in_c, mean_plane_fw);
  p.lane[IN] = moving(at->in, in_plane(l), false);
  p.lane[OUT] = kept(l->out, 1, true);
  return mean(net, &p, false);
}

static OWN_FRAME enum kernel_status mean_bw(const struct train_net *net,
                                            const struct train_net_layer *l,
                                            const struct train_net_place *at) {
  struct train_net_planes p;
  train_net_planes_begin(&p, l, l->in_c, mean_plane_bw);
  p.lane[IN] = moving(at->gated ? at->in : NULL, in_plane(l), false);
  p.lane[OUT_GRAD] = kept(at->out_grad, 1, false);
  p.lane[IN_GRAD] = moving(at->in_grad, in_plane(l), true);
  return at->in_grad ? mean(net, &p, at->gated) : KERNEL_OK;
}

#ifndef __riscv // who writes a program asks
bool train_net_mean_fits(uint32_t l1_bytes, uint32_t cores, const struct train_net_layer *l) {
  static const float some;
  const struct train_net net = {.l1_bytes = l1_bytes};
  struct train_net_planes p; // backward: the more of the two
  train_net_planes_begin(&p, l, l->in_c, mean_plane_bw);
  p.lane[IN] = moving(&some, in_plane(l), false);
  p.lane[OUT_GRAD] = kept(&some, 1, false);
  p.lane[IN_GRAD] = moving(&some, in_plane(l), true);
  return train_net_planes_fit_on(&net, &p, cores);
}
#endif

// Floats of the output for a channel of the input.
static uint32_t out_floats(const struct train_net_layer *l) {
  return l->kind == TRAIN_NET_PATCHES ? window(l) * out_plane(l) : out_plane(l);
}

static OWN_FRAME enum kernel_status other_fw(const struct train_net *net,
                                             const struct train_net_layer *l,
                                             const struct train_net_place *at) {
  if (l->kind == TRAIN_NET_PATCHES && train_net_patches(net, l, at->in))
    return KERNEL_OK;
  struct train_net_pass p = {
      .layer = l,
      .channels = l->in_c,
      .part = l->part_fw,
      .stream = {[IN] = {at->in, in_plane(l), false}, [OUT] = {l->out, out_floats(l), true}},
      .compute = l->kind == TRAIN_NET_PATCHES ? patches_fw_tile : pool_fw_tile};
  return train_net_pass(net, &p);
}

static OWN_FRAME enum kernel_status other_bw(const struct train_net *net,
                                             const struct train_net_layer *l,
                                             const struct train_net_place *at) {
  bool reads_in = at->gated || l->kind == TRAIN_NET_MAX;
  struct train_net_pass p = {.layer = l,
                             .channels = l->in_c,
                             .part = l->part_bw,
                             .stream = {[IN] = {reads_in ? at->in : NULL, in_plane(l), false},
                                        [OUT_GRAD] = {at->out_grad, out_floats(l), false},
                                        [IN_GRAD] = {at->in_grad, in_plane(l), true}},
                             .compute =
                                 l->kind == TRAIN_NET_PATCHES ? patches_bw_tile : pool_bw_tile,
                             .gated = at->gated};
  return at->in_grad ? train_net_pass(net, &p) : KERNEL_OK;
}

enum kernel_status train_net_layer_fw(const struct train_net *net,
                                      const struct train_net_layer *layer,
                                      const struct train_net_place *place) {
  return (layer->kind == TRAIN_NET_PRODUCT     ? product_forward
          : layer->kind == TRAIN_NET_DEPTHWISE ? depthwise_fw
          : layer->kind == TRAIN_NET_MEAN      ? mean_fw
                                               : other_fw)(net, layer, place);
}

enum kernel_status train_net_layer_bw(const struct train_net *net,
                                      const struct train_net_layer *layer,
                                      const struct train_net_place *place) {
  return (layer->kind == TRAIN_NET_PRODUCT     ? product_bw
          : layer->kind == TRAIN_NET_DEPTHWISE ? depthwise_bw
          : layer->kind == TRAIN_NET_MEAN      ? mean_bw
                                               : other_bw)(net, layer, place);
}
