// tests/deploy/net_plausible.c
#include "net_plausible.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "deploy/memory.h"
#include "net_random.h"

enum { INPUTS_MOST = 9 }; // of a concatenation; a tile takes four

struct making {
  struct draw draw;
  struct net *net;
};

static uint32_t within(struct making *m, uint32_t low, uint32_t high) {
  return (uint32_t)draw_within(&m->draw, low, high);
}

static bool one_in(struct making *m, uint32_t n) {
  return within(m, 1, n) == 1;
}

// ---------------------------------------------------------------------------- tensors

static void draw_codes(struct making *m, struct net_tensor *t) {
  t->bits = one_in(m, 2) ? 8 : one_in(m, 2) ? 4 : 2;
  t->is_signed = one_in(m, 3);
}

static int add_tensor(struct making *m, struct net_tensor *t) {
  t->name = memory_format("t%u", m->net->tensor_count);
  int number = net_add_tensor(m->net, t);
  free(t->name);
  return number;
}

static int32_t least(const struct net_tensor *t) {
  return t->is_signed ? -(1 << (t->bits - 1)) : 0;
}

static int32_t most(const struct net_tensor *t) {
  return least(t) + (1 << t->bits) - 1;
}

// ---------------------------------------------------------------------------- requantization

// Real numbers by which sums of about `size` become codes over the whole range.
static double factor_for(struct making *m, const struct net_tensor *out, double size) {
  return (double)(1 << out->bits) / size * within(m, 5, 20) / 10;
}

static void set_scale(struct making *m, struct net_requant *rq, double factor, uint32_t i) {
  int exponent;
  double mantissa = frexp(factor, &exponent); // 0.5..1
  switch (rq->kind) {
  case NET_ICN:
  case NET_TFLITE:
    rq->kappa[i] = (int32_t)(mantissa * INT32_MAX);
    rq->shifts[i] = (int8_t)(exponent < -31 ? -31 : exponent > 20 ? 20 : exponent);
    return;
  case NET_FOLDED:
    rq->shifts[i] = (int8_t)(exponent > 0 ? 0 : exponent < -31 ? 31 : -exponent);
    return;
  default: // kappa of 7 bits
    rq->kappa[i] = (int32_t)(mantissa * 128) * (one_in(m, 20) ? -1 : 1);
  }
}

// The shift for kappa of 7 bits; NET_SCALE divides by 2^d - 1 now and then.
static void set_shift(struct making *m, struct net_requant *rq, double factor) {
  int exponent;
  (void)frexp(factor, &exponent);
  int shift = 7 - exponent;
  shift = shift < 0 ? 0 : shift > 31 ? 31 : shift;
  rq->shift = (uint8_t)shift, rq->m = 1;
  if (rq->kind == NET_SCALE) {
    rq->m = one_in(m, 2) ? (int32_t)within(m, 1 << 29, (1u << 30) - 1) : (int32_t)within(m, 1, 200);
    int more = 0;
    while (more < 30 && (1 << more) < rq->m)
      more++;
    rq->shift = (uint8_t)(shift + more > 62 ? 62 : shift + more);
  }
}

static void set_thresholds(struct making *m, struct net_requant *rq, const struct net_tensor *out,
                           uint32_t sets, double size) {
  uint32_t steps = (1u << out->bits) - 1;
  rq->thresholds = memory_new((size_t)sets * steps, sizeof *rq->thresholds);
  for (uint32_t s = 0; s < sets; s++) {
    double at = -size / 2, step = size / steps * within(m, 5, 15) / 10;
    for (uint32_t i = 0; i < steps; i++)
      rq->thresholds[(size_t)s * steps + i] = (int32_t)(at + step * i);
  }
}

// `size`: about the range of sums.
static void draw_requant(struct making *m, struct net_layer *l, double size) {
  static const enum net_requant_kind kinds[] = {NET_NORM, NET_NORM,   NET_SCALE,      NET_ICN,
                                                NET_ICN,  NET_FOLDED, NET_THRESHOLDS, NET_TFLITE};
  const struct net_tensor *out = net_output(m->net, l);
  struct net_requant *rq = &l->requant;
  rq->kind = kinds[within(m, 0, 7)];
  if (rq->kind == NET_THRESHOLDS && out->is_signed)
    rq->kind = NET_ICN;
  rq->per_channel = net_has_weights(l->kind) && one_in(m, 2);
  rq->wide = (rq->kind == NET_NORM || rq->kind == NET_SCALE) && one_in(m, 3);
  uint32_t sets = net_kappa_count(m->net, l), lambdas = net_lambda_count(m->net, l);
  double factor = factor_for(m, out, size);
  if (rq->kind == NET_NORM || rq->kind == NET_SCALE)
    set_shift(m, rq, factor);
  if (rq->kind == NET_THRESHOLDS)
    set_thresholds(m, rq, out, sets, size);
  rq->kappa = memory_new(sets, sizeof *rq->kappa);
  rq->shifts = memory_new(sets, sizeof *rq->shifts);
  if (rq->kind == NET_ICN && one_in(m, 4))
    rq->shift = 2;
  for (uint32_t i = 0; i < sets; i++)
    set_scale(m, rq, factor, i);
  rq->lambda = memory_new(lambdas, sizeof *rq->lambda);
  for (uint32_t i = 0; i < lambdas; i++)
    rq->lambda[i] = draw_within(&m->draw, -(int64_t)size, (int64_t)size) / 4;
  rq->zero = rq->kind == NET_ICN || rq->kind == NET_TFLITE ? (least(out) + most(out)) / 2 : 0;
  rq->low = least(out), rq->high = most(out);
  if (one_in(m, 4))
    rq->low = (int32_t)draw_within(&m->draw, least(out), 0);
  if (one_in(m, 4))
    rq->high = (int32_t)draw_within(&m->draw, rq->low, most(out));
}

static void set_copy(struct net_layer *l, const struct net_tensor *out) {
  l->requant.kind = NET_COPY, l->requant.low = least(out), l->requant.high = most(out);
}

// ---------------------------------------------------------------------------- layers

static struct net_layer layer_of(struct making *m, enum net_kind kind, int first) {
  char *name = memory_format("layer %u", m->net->layer_count);
  struct net_layer l = net_plain_layer(kind, name, NULL, 0);
  l.input_count = 1;
  l.inputs = memory_new(INPUTS_MOST, sizeof *l.inputs);
  l.inputs[0] = first;
  return l;
}

static int finish(struct making *m, const struct net_layer *l) {
  net_add_layer(m->net, l);
  return l->output;
}

// An axis of a window over `size`; the number of windows.
static uint32_t draw_axis(struct making *m, bool pool, uint32_t size, uint8_t *kernel,
                          uint8_t *stride, uint8_t *dilation, uint8_t *before, uint8_t *after) {
  for (;;) {
    *kernel = (uint8_t)within(m, pool ? 2 : 1, pool ? 4 : 7);
    *stride = (uint8_t)(one_in(m, 2) ? 1 : within(m, 1, 3));
    *dilation = (uint8_t)(!pool && one_in(m, 8) ? 2 : 1);
    *before = (uint8_t)within(m, 0, *kernel / 2u), *after = (uint8_t)within(m, 0, *kernel / 2u);
    uint32_t reach = (*kernel - 1u) * *dilation + 1, padded = size + *before + *after;
    if (padded >= reach && (!pool || size + *before >= reach))
      return (padded - reach) / *stride + 1;
  }
}

static void draw_windows(struct making *m, struct net_layer *l, const struct net_tensor *in,
                         struct net_tensor *out) {
  bool pool = l->kind == NET_MAXPOOL || l->kind == NET_AVGPOOL;
  if (l->kind == NET_CONV && one_in(m, 3)) {
    out->h = in->h, out->w = in->w;
    return;
  }
  out->h = draw_axis(m, pool, in->h, &l->kernel_h, &l->stride_h, &l->dilation_h, &l->pad_top,
                     &l->pad_bottom);
  out->w = draw_axis(m, pool, in->w, &l->kernel_w, &l->stride_w, &l->dilation_w, &l->pad_left,
                     &l->pad_right);
}

static void draw_weights(struct making *m, struct net_layer *l) {
  l->weight_bits = (uint8_t)(8 >> within(m, 0, 2));
  l->weight_count = net_weight_count(m->net, l);
  l->weights = memory_new(l->weight_count, 1);
  int32_t half = 1 << (l->weight_bits - 1);
  for (size_t i = 0; i < l->weight_count; i++)
    l->weights[i] = (int8_t)draw_within(&m->draw, -half, half - 1);
  if (!one_in(m, 6))
    return;
  uint32_t zeros = net_output(m->net, l)->c;
  l->weight_zero_per_channel = one_in(m, 2);
  l->weight_zero = memory_new(zeros, sizeof *l->weight_zero);
  for (uint32_t i = 0; i < zeros; i++)
    l->weight_zero[i] = (int16_t)draw_within(&m->draw, -half, half - 1);
}

static double size_of_sums(const struct making *m, const struct net_layer *l) {
  const struct net_tensor *in = net_input(m->net, l, 0);
  size_t taps = l->weight_count / net_output(m->net, l)->c;
  return sqrt((double)taps) * (double)(1 << in->bits) * (double)(1 << l->weight_bits) / 4 + 4;
}

static int add_filters(struct making *m, enum net_kind kind, int first) {
  struct net_layer l = layer_of(m, kind, first);
  struct net_tensor in = m->net->tensors[first], out = {.h = 1, .w = 1, .c = in.c};
  if (kind != NET_LINEAR)
    draw_windows(m, &l, &in, &out);
  if (kind == NET_CONV && in.c % 2 == 0 && one_in(m, 6))
    l.groups = 2;
  if (kind != NET_DEPTHWISE)
    out.c = within(m, 1, 20) * l.groups;
  draw_codes(m, &out);
  l.output = add_tensor(m, &out);
  l.pad_value = one_in(m, 2) ? 0 : draw_code(&m->draw, &in);
  draw_weights(m, &l);
  draw_requant(m, &l, size_of_sums(m, &l));
  return finish(m, &l);
}

static int add_pool(struct making *m, enum net_kind kind, int first) {
  struct net_layer l = layer_of(m, kind, first);
  struct net_tensor in = m->net->tensors[first], out = in;
  draw_windows(m, &l, &in, &out);
  if (one_in(m, 4))
    draw_codes(m, &out);
  l.output = add_tensor(m, &out);
  set_copy(&l, &out);
  if (kind == NET_AVGPOOL && one_in(m, 3)) {
    draw_requant(m, &l, (double)l.kernel_h * l.kernel_w * (1 << in.bits));
  } else if (kind == NET_AVGPOOL) {
    l.requant.kind = NET_DIVIDE, l.requant.round = one_in(m, 2);
    l.requant.divisor = one_in(m, 2) ? 0 : (l.kernel_h * l.kernel_w) | one_in(m, 2);
  }
  return finish(m, &l);
}

// The averages of all pixels, of a tensor that is large for a linear layer.
static int add_global(struct making *m, int first) {
  enum { LARGE = 2000, SIDE_MOST = 64 };
  struct net_tensor out = m->net->tensors[first];
  if (out.h * out.w * out.c < LARGE || out.h > SIDE_MOST || out.w > SIDE_MOST)
    return first;
  struct net_layer l = layer_of(m, NET_AVGPOOL, first);
  l.kernel_h = (uint8_t)out.h, l.kernel_w = (uint8_t)out.w;
  out.h = out.w = 1;
  l.output = add_tensor(m, &out);
  set_copy(&l, &out);
  l.requant.kind = NET_DIVIDE, l.requant.round = true;
  return finish(m, &l);
}

// A tensor of the shape of `like` that is there already, or the same one again.
static int another(struct making *m, int like, bool channels) {
  const struct net_tensor *t = &m->net->tensors[like];
  int found = like;
  for (uint32_t i = 0; i < m->net->tensor_count; i++) {
    const struct net_tensor *u = &m->net->tensors[i];
    bool fits = u->h == t->h && u->w == t->w && (u->c == t->c || !channels);
    found = fits && one_in(m, 2) ? (int)i : found;
  }
  return found;
}

static void draw_scaled(struct making *m, struct net_layer *l) {
  l->scaled = memory_new(l->input_count, sizeof *l->scaled);
  bool fixed = one_in(m, 3), plain = one_in(m, 2);
  for (uint32_t i = 0; i < l->input_count; i++) {
    struct net_scaled *s = &l->scaled[i];
    s->mul = (int32_t)within(m, 1, 200), s->zero = (int32_t)draw_within(&m->draw, -8, 8);
    s->add = (int32_t)draw_within(&m->draw, -50, 50), s->shift = plain ? 0 : 4;
    if (fixed)
      *s = (struct net_scaled){.mul = (int32_t)within(m, 1u << 30, INT32_MAX),
                               .zero = s->zero,
                               .shift = 16,
                               .fixed = true,
                               .left = (int8_t)draw_within(&m->draw, -14, -8)};
  }
}

static int add_joint(struct making *m, enum net_kind kind, int first) {
  struct net_layer l = layer_of(m, kind, first);
  struct net_tensor out = m->net->tensors[first];
  l.input_count = kind == NET_CONCAT ? within(m, 2, INPUTS_MOST)
                  : kind == NET_ADD  ? within(m, 2, 3)
                                     : 2;
  for (uint32_t i = 1; i < l.input_count; i++)
    l.inputs[i] = another(m, first, kind != NET_CONCAT);
  if (kind == NET_CONCAT) {
    out.c = 0;
    for (uint32_t i = 0; i < l.input_count; i++)
      out.c += m->net->tensors[l.inputs[i]].c;
  }
  draw_codes(m, &out);
  l.output = add_tensor(m, &out);
  if (kind != NET_CONCAT || one_in(m, 2))
    draw_scaled(m, &l);
  if (kind == NET_CONCAT && one_in(m, 2))
    set_copy(&l, &out);
  else
    draw_requant(m, &l, kind == NET_MULTIPLY ? 4e5 : 4e4);
  return finish(m, &l);
}

static int add_table(struct making *m, int first) {
  struct net_layer l = layer_of(m, NET_TABLE, first);
  struct net_tensor in = m->net->tensors[first], out = in;
  draw_codes(m, &out);
  l.output = add_tensor(m, &out);
  l.table = memory_new((size_t)1 << in.bits, 1);
  for (int i = 0; i < 1 << in.bits; i++)
    l.table[i] = (uint8_t)draw_code(&m->draw, &out);
  set_copy(&l, &out);
  return finish(m, &l);
}

static int add_resize(struct making *m, int first) {
  struct net_layer l = layer_of(m, NET_RESIZE, first);
  struct net_tensor out = m->net->tensors[first];
  l.stride_h = (uint8_t)within(m, 1, 3), l.stride_w = (uint8_t)within(m, 1, 3);
  l.dilation_h = within(m, 0, 1) ? l.stride_h : 1, l.dilation_w = within(m, 0, 1) ? l.stride_w : 1;
  l.pad_value = draw_code(&m->draw, &out);
  out.h *= l.stride_h, out.w *= l.stride_w;
  l.output = add_tensor(m, &out);
  set_copy(&l, &out);
  return finish(m, &l);
}

static int add_any(struct making *m, int first) {
  const struct net_tensor *in = &m->net->tensors[first];
  switch (within(m, 0, 13)) {
  case 0:
  case 1:
  case 2:
    return add_filters(m, NET_DEPTHWISE, first);
  case 3:
    return in->h > 1 && in->w > 1 ? add_pool(m, NET_MAXPOOL, first) : add_table(m, first);
  case 4:
    return in->h > 1 && in->w > 1 ? add_pool(m, NET_AVGPOOL, first) : add_table(m, first);
  case 5:
  case 6:
    return add_joint(m, NET_ADD, first);
  case 7:
    return in->c < 40 ? add_joint(m, NET_CONCAT, first) : add_table(m, first);
  case 8:
    return add_joint(m, NET_MULTIPLY, first);
  case 9:
    return in->h * in->w < 300 ? add_resize(m, first) : add_table(m, first);
  default:
    return add_filters(m, NET_CONV, first);
  }
}

struct net *net_plausible(uint64_t seed, uint32_t layers) {
  struct making m = {{seed * 0x9e3779b97f4a7c15u + 1}, net_new("plausible")};
  struct net_tensor in = {.h = within(&m, 4, 33), .w = within(&m, 4, 33), .c = within(&m, 1, 12)};
  draw_codes(&m, &in);
  int last = add_tensor(&m, &in);
  m.net->inputs = memory_new(1, sizeof *m.net->inputs);
  m.net->inputs[m.net->input_count++] = last;
  for (uint32_t i = 0; i + 1 < layers; i++)
    last = add_any(&m, last);
  last = add_filters(&m, NET_LINEAR, add_global(&m, last));
  m.net->outputs = memory_new(1, sizeof *m.net->outputs);
  m.net->outputs[m.net->output_count++] = last;
  return m.net;
}
