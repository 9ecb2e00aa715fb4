// deploy/lower/quantizing_other.c: additions, products, concatenations, pools, tables of quantized
// graphs.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/lower/quantizing.h"
#include "deploy/lower/window.h"
#include "deploy/memory.h"
#include "deploy/op/op.h"
#include "deploy/op/op_quant.h"

static bool is(const struct graph_node *node, const char *op) {
  return strcmp(node->op, op) == 0;
}

static int32_t least_code(const struct quantum *q) {
  return q->type == ARRAY_I8 ? -128 : 0;
}

// ---------------------------------------------------------------------------- of two tensors

enum pairing { PAIR_SUM, PAIR_DIFFERENCE, PAIR_PRODUCT };

// The code of each pair of codes, by the definition, and the sum or product that the layer makes of
// it: mul[0] * (a - zero) + mul[1] * (b - zero), or (a - zero) * (b - zero).
struct pairs {
  struct quantum in[2], to;
  bool product;
  int sign; // of b
  int64_t mul[2];
  int32_t low, high;
};

static int64_t sum_of(const struct pairs *p, int64_t a, int64_t b) {
  a -= p->in[0].zero, b -= p->in[1].zero;
  return p->product ? a * b : p->mul[0] * a + p->mul[1] * b;
}

static int64_t code_of(const struct pairs *p, int64_t a, int64_t b) {
  struct quant_pair by = {p->in[0].scale, p->in[1].scale, p->to.scale, p->to.zero, p->to.type};
  a -= p->in[0].zero, b -= p->in[1].zero;
  int64_t code = p->product ? quant_product(&by, a, b) : quant_sum(&by, a, p->sign * b);
  return code < p->low ? p->low : code > p->high ? p->high : code;
}

// The steps of the codes over the sums; false: sums do not order the codes. Scales whose ratio the
// sums' bits cannot tell from a simple one can have pairs on both sides of a step whose sums differ
// in the last bits only: these get the lower code.
static bool steps_of(const struct pairs *p, struct fit_channel *channel) {
  int64_t first[FIT_CODES + 1], last[FIT_CODES + 1];
  int32_t count = p->high - p->low + 1;
  for (int32_t i = 0; i <= FIT_CODES; i++)
    first[i] = INT64_MAX, last[i] = INT64_MIN;
  int64_t a0 = least_code(&p->in[0]), b0 = least_code(&p->in[1]);
  for (int64_t a = a0; a < a0 + 256; a++)
    for (int64_t b = b0; b < b0 + 256; b++) {
      int64_t sum = sum_of(p, a, b), code = code_of(p, a, b) - p->low;
      first[code] = sum < first[code] ? sum : first[code];
      last[code] = sum > last[code] ? sum : last[code];
    }
  for (int32_t i = count - 2; i >= 0; i--)
    first[i] = first[i + 1] < first[i] ? first[i + 1] : first[i];
  for (int32_t i = 1; i < count; i++)
    last[i] = last[i - 1] > last[i] ? last[i - 1] : last[i];
  bool ordered = true;
  int64_t slack = (last[count - 1] - first[0]) >> 16;
  for (int32_t i = 0; i + 1 < count; i++) {
    bool never = first[i + 1] == INT64_MAX;
    ordered &= last[i] < first[i + 1] || last[i] - first[i + 1] <= slack;
    channel->last[i] = last[i];
    channel->first[i] = never || last[i] < first[i + 1] ? first[i + 1] : last[i] + 1;
  }
  return ordered;
}

// kappa 1: the inputs' factors carry the shift, and 32 bits are enough.
static bool fit_unit(struct pairs *p, struct fit *fit, struct net_requant *rq) {
  enum { LIMIT = 1 << 30 };
  for (int shift = 24; shift >= 8; shift--) {
    for (int i = 0; i < 2; i++) {
      double factor = ldexp((double)p->in[i].scale / (double)p->to.scale, shift);
      p->mul[i] = llround(factor < LIMIT ? factor : LIMIT) * (i ? p->sign : 1);
    }
    int64_t most = (llabs(p->mul[0]) + llabs(p->mul[1])) * 256, low = -LIMIT, high = LIMIT;
    if (most >= LIMIT || llabs((int64_t)p->to.zero) + 1 > LIMIT >> shift ||
        !steps_of(p, fit->channels))
      continue;
    for (int32_t i = 0; i < p->high - p->low; i++) {
      const struct fit_channel *c = fit->channels;
      int64_t step = (int64_t)((uint64_t)(int64_t)(p->low + 1 + i) << shift);
      if (c->first[i] != INT64_MAX && step - c->first[i] > low)
        low = step - c->first[i];
      if (c->last[i] != INT64_MIN && step - c->last[i] - 1 < high)
        high = step - c->last[i] - 1;
    }
    if (low > high)
      continue;
    *rq = (struct net_requant){.kind = NET_NORM, .shift = (uint8_t)shift, .low = p->low};
    rq->high = p->high;
    rq->kappa = memory_new(1, sizeof *rq->kappa);
    rq->lambda = memory_new(1, sizeof *rq->lambda);
    rq->kappa[0] = 1, rq->lambda[0] = low + (high - low) / 2;
    return true;
  }
  return false;
}

// The ratio of the scales as that of two integers below 2^21: the convergents of its continued
// fraction.
static void ratio_of(struct pairs *p) {
  const double limit = 0x1p21;
  double x = (double)p->in[0].scale / (double)p->in[1].scale;
  double n0 = 1, d0 = 0, n1 = floor(x), d1 = 1;
  for (int i = 0; i < 40 && x - floor(x) > 1e-12; i++) {
    x = 1 / (x - floor(x));
    double n = floor(x) * n1 + n0, d = floor(x) * d1 + d0;
    if (n > limit || d > limit)
      break;
    n0 = n1, d0 = d1, n1 = n, d1 = d;
  }
  p->mul[0] = n1 >= 1 && n1 <= limit ? (int64_t)n1 : 0;
  p->mul[1] = n1 >= 1 && n1 <= limit ? (int64_t)d1 * p->sign : 0;
}

static bool fit_pairs(struct pairs *p, struct net_layer *l) {
  struct fit fit;
  fit_begin(&fit, 1, p->low, p->high, p->to.type == ARRAY_I8);
  bool good = !p->product && fit_unit(p, &fit, &l->requant);
  if (!good) {
    ratio_of(p);
    double to = (double)p->to.scale;
    fit.channels[0].factor =
        p->product ? (double)p->in[0].scale * (double)p->in[1].scale / to
                   : (double)p->in[0].scale / (double)(p->mul[0] ? p->mul[0] : 1) / to;
    good = (p->product || p->mul[0]) && steps_of(p, fit.channels);
    if (good)
      fit_requant(&fit, &l->requant);
  }
  fit_end(&fit);
  return good;
}

// Whether b is one number for each channel of a, repeated along its other dimensions.
static bool vector_of(const struct quantizing *q, int a, int b) {
  const struct array *x = quantizing_shape(q, a), *y = quantizing_shape(q, b);
  const struct net_tensor *map = &q->net->tensors[q->values[a].tensor],
                          *t = &q->net->tensors[q->values[b].tensor];
  int channels = order_channels(map, q->values[a].order, x);
  if (t->h != 1 || t->w != 1 || t->c != map->c || channels < 0 || y->rank > x->rank)
    return false;
  for (int i = 0; i < y->rank; i++)
    if (y->dims[i] != (i + x->rank - y->rank == channels ? x->dims[channels] : 1))
      return false;
  return t->c == 1 || channels >= x->rank - y->rank;
}

static bool two(struct quantizing *q, const struct graph_node *node, const int values[2],
                enum pairing how, int out, const struct quantum *to, const struct span *span) {
  bool product = how == PAIR_PRODUCT;
  int swap = product && vector_of(q, values[1], values[0]) && !vector_of(q, values[0], values[1]);
  const struct coded *a = &q->values[values[swap]], *b = &q->values[values[1 - swap]];
  const struct net_tensor *x = &q->net->tensors[a->tensor], *y = &q->net->tensors[b->tensor];
  bool same = x->h == y->h && x->w == y->w && x->c == y->c && order_same(x, a->order, b->order) &&
              array_same_shape(quantizing_shape(q, values[0]), quantizing_shape(q, values[1]));
  if ((!same && !(product && vector_of(q, values[swap], values[1 - swap]))) || x->bits != 8 ||
      y->bits != 8)
    return graph_fail(
        q->error, node, "tensors of %u x %u x %u and %u x %u x %u; equal shapes%s are supported",
        x->c, x->h, x->w, y->c, y->h, y->w, product ? ", and a vector of channels," : "");
  struct pairs p = {.in = {quantizing_of(q, a), quantizing_of(q, b)}, .to = *to};
  p.product = product, p.sign = how == PAIR_DIFFERENCE ? -1 : 1;
  quantizing_codes(to, span, &p.low, &p.high);
  int inputs[2] = {a->tensor, b->tensor};
  uint32_t h = x->h, w = x->w, c = x->c;
  struct order order = a->order;
  struct net_layer l = quantizing_layer(node->name, product ? NET_MULTIPLY : NET_ADD, inputs, 2);
  if (!fit_pairs(&p, &l)) {
    quantizing_drop(&l);
    return graph_fail(q->error, node, "its scales, %g, %g and %g, are too far apart",
                      (double)p.in[0].scale, (double)p.in[1].scale, (double)to->scale);
  }
  l.scaled = memory_new(2, sizeof *l.scaled);
  for (int i = 0; i < 2; i++)
    l.scaled[i] =
        (struct net_scaled){.mul = product ? 1 : (int32_t)p.mul[i], .zero = (int32_t)p.in[i].zero};
  quantizing_add(q, &l, out, quantizing_tensor(q, out, to, h, w, c), order);
  return true;
}

// ---------------------------------------------------------------------------- tables

// A tensor of other codes: for each of `from`'s its own.
static int add_table(struct quantizing *q, const char *name, const struct coded *from, int value,
                     const char *tensor_name, const struct quantum *to, const uint8_t table[256]) {
  const struct net_tensor t = q->net->tensors[from->tensor];
  struct net_layer l = quantizing_layer(name, NET_TABLE, &from->tensor, 1);
  l.table = memory_copy(table, 256, 1);
  l.requant.kind = NET_COPY;
  l.requant.low = least_code(to), l.requant.high = l.requant.low + 255;
  struct net_tensor made = {.name = (char *)tensor_name, .h = t.h, .w = t.w, .c = t.c, .bits = 8};
  made.is_signed = to->type == ARRAY_I8;
  made.scale = (double)to->scale, made.zero = (int32_t)to->zero;
  int tensor = net_add_tensor(q->net, &made);
  l.output = tensor;
  struct order order = from->order;
  net_add_layer(q->net, &l);
  if (value != GRAPH_NONE)
    q->values[value] = (struct coded){.tensor = tensor, .order = order};
  return tensor;
}

enum { DEPTH = 32 };

// What a subgraph gives for every code of the one tensor it reads.
struct table {
  struct quantizing *q;
  int tensor; // NET_NONE: not found yet
};

static bool elementwise(const struct graph_node *node) {
  static const char *const ops[] = {"Abs",        "Add",
                                    "Cast",       "Celu",
                                    "Clip",       "Div",
                                    "Elu",        "Erf",
                                    "Exp",        "Floor",
                                    "Ceil",       "HardSigmoid",
                                    "HardSwish",  "Identity",
                                    "LeakyRelu",  "Log",
                                    "Max",        "Min",
                                    "Mul",        "Neg",
                                    "PRelu",      "Pow",
                                    "Reciprocal", "Relu",
                                    "Round",      "Selu",
                                    "Sigmoid",    "Sign",
                                    "Softplus",   "Softsign",
                                    "Sqrt",       "Sub",
                                    "Tanh",       "ThresholdedRelu"};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (is(node, ops[i]))
      return true;
  return false;
}

static bool fill_codes(const struct table *t, const struct coded *from, struct array *to) {
  struct quantum own = quantizing_of(t->q, from);
  *to = (struct array){.type = ARRAY_F32, .rank = 1, .dims = {256}};
  array_allocate(to);
  for (int i = 0; i < 256; i++) {
    int64_t code = least_code(&own) + i;
    array_set(to, (size_t)i, (double)(own.scale * (float)(code - own.zero)));
  }
  return true;
}

// The values for all codes of the tensor; false: this is no function of one tensor's codes.
static bool evaluate(struct table *t, int value, int depth, struct array *to) {
  struct coded *from = &t->q->values[value];
  if (from->tensor != NET_NONE && from->real) {
    bool fits = (t->tensor == NET_NONE || t->tensor == from->tensor) &&
                t->q->net->tensors[from->tensor].bits == 8;
    t->tensor = from->tensor;
    return fits && fill_codes(t, from, to);
  }
  const struct array *fixed = &t->q->graph->values[value].array;
  if (fixed->data) {
    array_copy(to, fixed);
    to->rank = array_count(fixed) == 1 ? 0 : fixed->rank;
    return array_count(fixed) == 1;
  }
  const struct graph_node *node = quantizing_producer(t->q, value);
  bool weights = node && is(node, "DequantizeLinear") && graph_const(t->q->graph, node, 0);
  if (!node || depth == 0 || node->input_count > 3 || node->output_count != 1 ||
      (!weights && !elementwise(node)))
    return false;
  struct array in[3] = {{.data = NULL}, {.data = NULL}, {.data = NULL}};
  const struct array *list[3] = {NULL, NULL, NULL};
  struct net_error error = {.text = ""};
  bool good = true;
  for (uint32_t i = 0; good && i < node->input_count; i++) {
    if (node->inputs[i] == GRAPH_NONE)
      continue;
    good = evaluate(t, node->inputs[i], depth - 1, &in[i]);
    list[i] = &in[i];
  }
  good = good && op_apply(node, list, node->input_count, to, &error);
  for (int i = 0; i < 3; i++)
    array_clear(&in[i]);
  return good;
}

// All nodes of the subgraph belong to the table.
static void use_all(struct quantizing *q, int value, int depth) {
  const struct graph_node *node = quantizing_producer(q, value);
  if (!node || depth == 0 || q->values[value].tensor != NET_NONE)
    return;
  quantizing_use(q, node);
  for (uint32_t i = 0; i < node->input_count; i++)
    if (node->inputs[i] != GRAPH_NONE)
      use_all(q, node->inputs[i], depth - 1);
}

bool quantizing_table(struct quantizing *q, int value, int out, const struct quantum *to,
                      const struct span *span, bool *known) {
  struct table t = {.q = q, .tensor = NET_NONE};
  struct array reals = {.data = NULL};
  uint8_t table[256];
  int32_t low, high;
  const struct coded *self = &q->values[value];
  *known = false;
  if (self->tensor != NET_NONE) {
    struct quantum own = quantizing_of(q, self);
    if (own.zero == to->zero && own.type == to->type && !(own.scale < to->scale) &&
        !(own.scale > to->scale))
      return true; // nothing changes
  }
  if (!evaluate(&t, value, DEPTH, &reals) || t.tensor == NET_NONE || array_count(&reals) != 256) {
    array_clear(&reals);
    return true;
  }
  quantizing_codes(to, span, &low, &high);
  bool is_signed = q->net->tensors[t.tensor].is_signed;
  for (int i = 0; i < 256; i++) {
    int64_t code =
        quant_of_real((float)array_get(&reals, (size_t)i), to->scale, to->zero, to->type);
    code = code < low ? low : code > high ? high : code;
    table[is_signed ? (i - 128) & 255 : i] = (uint8_t)code;
  }
  array_clear(&reals);
  // The layout is that of the value that the table reads.
  struct coded from = {.tensor = t.tensor};
  for (uint32_t i = 0; i < q->graph->value_count; i++)
    if (q->values[i].tensor == t.tensor)
      from = q->values[i];
  if (from.pad[0] | from.pad[1] | from.pad[2] | from.pad[3])
    return true;
  const struct graph_node *node = quantizing_producer(q, value);
  use_all(q, value, DEPTH);
  add_table(q, node ? node->name : q->graph->values[out].name, &from, out,
            q->graph->values[out].name, to, table);
  *known = true;
  return true;
}

// ---------------------------------------------------------------------------- Concat

// The tensor in the codes that the result has.
static int in_codes(struct quantizing *q, const struct graph_node *node, uint32_t i,
                    const struct coded *from, const struct quantum *to) {
  struct quantum own = quantizing_of(q, from);
  uint8_t table[256];
  if (own.zero == to->zero && own.type == to->type && !(own.scale < to->scale) &&
      !(own.scale > to->scale))
    return from->tensor;
  for (int k = 0; k < 256; k++) {
    int64_t code = least_code(&own) + k;
    float x = own.scale * (float)(code - own.zero);
    table[code & 255] = (uint8_t)quant_of_real(x, to->scale, to->zero, to->type);
  }
  char *name = memory_format("%s input %u", node->name, i);
  int tensor = add_table(q, name, from, GRAPH_NONE, name, to, table);
  free(name);
  return tensor;
}

static bool concatenate(struct quantizing *q, const struct graph_node *node, uint32_t first,
                        uint32_t step, int out, const struct quantum *to, const struct span *span) {
  enum { MOST = 64 };
  int tensors[MOST] = {NET_NONE};
  uint32_t count = 0, channels = 0;
  int64_t axis = graph_int(node, "axis", 1), rank = q->graph->values[out].array.rank;
  axis += axis < 0 ? (rank ? rank : 4) : 0;
  struct order order = order_first;
  for (uint32_t i = first; i < node->input_count; i += step, count++) {
    const struct coded *from = quantizing_in(q, node, i);
    if (!from || count == MOST || q->net->tensors[from->tensor].bits != 8)
      return graph_fail(q->error, node, "input %u is not quantized", i);
    const struct array *shape = quantizing_shape(q, node->inputs[i]);
    bool pixels = quantizing_picture(q, node->inputs[i]) && axis == 1;
    bool last = order_is_last(&q->net->tensors[from->tensor], from->order, shape) &&
                axis == shape->rank - 1;
    if (!pixels && !last)
      return graph_fail(q->error, node,
                        "attribute axis: of the channels of pictures is supported; this is %lld",
                        (long long)axis);
    order = pixels ? order_first : order_last;
    struct coded copy = *from;
    tensors[count] = in_codes(q, node, i, &copy, to);
    channels += q->net->tensors[tensors[count]].c;
  }
  const struct net_tensor t = q->net->tensors[tensors[0]];
  struct net_layer l = quantizing_layer(node->name, NET_CONCAT, tensors, count);
  l.requant.kind = NET_COPY;
  quantizing_codes(to, span, &l.requant.low, &l.requant.high);
  quantizing_add(q, &l, out, quantizing_tensor(q, out, to, t.h, t.w, channels), order);
  return true;
}

// ---------------------------------------------------------------------------- pools

struct mean {
  struct quantum in, to;
  int64_t pixels;
};

static float mean_factor(const struct mean *m) {
  return m->in.scale / (m->to.scale * (float)m->pixels);
}

static int64_t mean_code(const void *data, int64_t sum) {
  const struct mean *m = data;
  return quant_code(sum - m->in.zero * m->pixels, mean_factor(m), m->to.zero, m->to.type);
}

// All pixels of a picture; Reduce... also of one whose channels stand last.
static bool whole_picture(const struct quantizing *q, const struct graph_node *node) {
  const struct graph_attr *axes = graph_attr(node, "axes");
  const struct array *list = graph_const(q->graph, node, 1);
  const struct coded *from = quantizing_in(q, node, 0);
  const struct array *shape = quantizing_shape(q, node->inputs[0]);
  bool first = quantizing_picture(q, node->inputs[0]);
  if (!is(node, "ReduceMean") && !is(node, "ReduceMax"))
    return first &&
           (strncmp(node->op, "Global", 6) == 0 || strncmp(node->op, "QLinearGlobal", 13) == 0);
  bool last = order_is_last(&q->net->tensors[from->tensor], from->order, shape);
  int64_t begin = first ? 2 : 1, rank = shape->rank;
  size_t count = list ? array_count(list) : axes && axes->kind == GRAPH_INTS ? axes->count : 0;
  bool good = (first || last) && rank > 2 && count == (size_t)rank - 2;
  for (size_t i = 0; good && i < count; i++) {
    int64_t axis = list ? array_get_int(list, i) : axes->ints[i];
    axis += axis < 0 ? rank : 0;
    good = axis >= begin && axis < begin + rank - 2;
  }
  return good;
}

static bool pool_window(struct quantizing *q, const struct graph_node *node,
                        const struct coded *from, struct net_layer *window, uint32_t *h,
                        uint32_t *w) {
  const struct net_tensor in = q->net->tensors[from->tensor];
  bool whole = whole_picture(q, node);
  bool local = is(node, "AveragePool") || is(node, "MaxPool");
  *window = (struct net_layer){.kernel_h = (uint8_t)in.h, .kernel_w = (uint8_t)in.w};
  window->stride_h = window->stride_w = window->dilation_h = window->dilation_w = 1;
  *h = *w = 1;
  if (in.bits != 8 || (local ? !quantizing_picture(q, node->inputs[0]) : !whole) ||
      (whole && (in.h > 255 || in.w > 255)))
    return graph_fail(q->error, node,
                      "of pictures, channels first, over height and width up to "
                      "255 x 255, is supported");
  if (node->output_count > 1 && node->outputs[1] != GRAPH_NONE)
    return graph_fail(q->error, node, "indices as a second output are not supported");
  if (local && !window_read(node, from->pad, &in, (uint32_t[2]){0, 0}, window, h, w, q->error))
    return false;
  if (window->dilation_h != 1 || window->dilation_w != 1)
    return graph_fail(q->error, node, "attribute dilations: 1 is supported");
  return true;
}

// What stands outside does not count: the mean of the codes inside, of equal scales.
static bool divide(struct quantizing *q, const struct graph_node *node, const struct quantum *in,
                   const struct quantum *to, struct net_requant *rq) {
  if (in->zero != to->zero || in->type != to->type || in->scale < to->scale ||
      in->scale > to->scale)
    return graph_fail(q->error, node,
                      "attribute count_include_pad: 0 with padding is supported where input and "
                      "output have one scale and zero point, 1 with any");
  rq->kind = NET_DIVIDE, rq->round = true;
  return true;
}

// All pixels count, those outside with the code of 0.
static bool average(struct quantizing *q, const struct graph_node *node, struct net_layer *l,
                    const struct quantum *in, const struct quantum *to) {
  bool padded = l->pad_top | l->pad_bottom | l->pad_left | l->pad_right;
  struct mean mean = {*in, *to, (int64_t)l->kernel_h * l->kernel_w};
  const struct coded *from = quantizing_in(q, node, 0);
  bool nodes = from->pad[0] | from->pad[1] | from->pad[2] | from->pad[3];
  if (padded && !nodes && !graph_int(node, "count_include_pad", 0))
    return divide(q, node, in, to, &l->requant);
  if (padded && graph_int(node, "ceil_mode", 0))
    return graph_fail(q->error, node,
                      "attribute ceil_mode: 0 with count_include_pad 1 is supported");
  if (padded && in->zero) { // a pool's outside is the code 0
    uint32_t channels = q->net->tensors[from->tensor].c;
    l->kind = NET_DEPTHWISE, l->pad_value = (int32_t)in->zero;
    l->weight_count = (size_t)mean.pixels * channels;
    l->weights = memory_new(l->weight_count, 1);
    memset(l->weights, 1, l->weight_count);
  }
  struct fit fit;
  int64_t least = least_code(in);
  fit_begin(&fit, 1, l->requant.low, l->requant.high, to->type == ARRAY_I8);
  fit_function(&fit, 0, least * mean.pixels, (least + 255) * mean.pixels,
               (double)mean_factor(&mean), mean_code, &mean);
  fit_requant(&fit, &l->requant);
  fit_end(&fit);
  return true;
}

// A layer with weights has a lambda for each channel.
static void repeat_lambda(struct net_requant *rq, uint32_t channels) {
  rq->lambda = rq->lambda ? memory_grow(rq->lambda, channels, sizeof *rq->lambda) : NULL;
  for (uint32_t c = 1; rq->lambda && c < channels; c++)
    rq->lambda[c] = rq->lambda[0];
}

static bool pool(struct quantizing *q, const struct graph_node *node, int out,
                 const struct quantum *to, const struct span *span) {
  const struct coded from = *quantizing_in(q, node, 0);
  const struct net_tensor in = q->net->tensors[from.tensor];
  struct quantum own = quantizing_of(q, &from);
  bool most = strstr(node->op, "Max") != NULL;
  struct net_layer window;
  uint32_t h, w;
  if (!pool_window(q, node, &from, &window, &h, &w))
    return false;
  struct net_layer l =
      quantizing_layer(node->name, most ? NET_MAXPOOL : NET_AVGPOOL, &from.tensor, 1);
  memcpy(&l.kernel_h, &window.kernel_h, 10); // kernel, stride, dilation, pads
  l.requant.kind = NET_COPY;
  quantizing_codes(to, span, &l.requant.low, &l.requant.high);
  if (!most && !average(q, node, &l, &own, to)) {
    quantizing_drop(&l);
    return false;
  }
  if (l.kind == NET_DEPTHWISE)
    repeat_lambda(&l.requant, in.c);
  quantizing_add(q, &l, out, quantizing_tensor(q, out, to, h, w, in.c), order_first);
  return true;
}

// ---------------------------------------------------------------------------- Resize

static bool resize(struct quantizing *q, const struct graph_node *node, const struct coded *from,
                   int out, const struct quantum *to) {
  const struct net_tensor in = q->net->tensors[from->tensor];
  const struct array *a = &q->graph->values[node->outputs[0]].array;
  bool four = a->rank == 4 && quantizing_picture(q, node->inputs[0]) && a->dims[1] == in.c;
  int64_t h = four ? a->dims[2] / in.h : 0, w = four ? a->dims[3] / in.w : 0;
  const char *mode = graph_text(node, "coordinate_transformation_mode", "half_pixel");
  const char *rule = graph_text(node, "nearest_mode", "round_prefer_floor");
  bool old = node->version < 11 || is(node, "Upsample");
  // Whole factors: element y of the result is y / factor, also for half pixels to the nearest.
  bool same = old || (strcmp(mode, "asymmetric") == 0 && strcmp(rule, "floor") == 0) ||
              (strcmp(mode, "half_pixel") == 0 && strncmp(rule, "round_prefer_floor", 11) == 0) ||
              (strcmp(mode, "tf_half_pixel_for_nn") == 0 && strcmp(rule, "floor") == 0);
  if (!four || strcmp(graph_text(node, "mode", "nearest"), "nearest") != 0 || !same || h < 1 ||
      w < 1 || h > 255 || w > 255 || a->dims[2] % in.h || a->dims[3] % in.w)
    return graph_fail(
        q->error, node,
        "mode nearest by whole factors, coordinates asymmetric (floor) or half_pixel, "
        "is supported");
  struct net_layer l = quantizing_layer(node->name, NET_RESIZE, &from->tensor, 1);
  l.stride_h = (uint8_t)h, l.stride_w = (uint8_t)w;
  l.requant.kind = NET_COPY;
  l.requant.low = least_code(to), l.requant.high = l.requant.low + 255;
  uint32_t size[2] = {in.h * (uint32_t)h, in.w * (uint32_t)w};
  quantizing_add(q, &l, out, quantizing_tensor(q, out, to, size[0], size[1], in.c), order_first);
  return true;
}

// ---------------------------------------------------------------------------- by operator

bool quantizing_other(struct quantizing *q, int value, int out, const struct quantum *to,
                      const struct span *span, bool *known) {
  const struct graph_node *node = quantizing_producer(q, value);
  const struct coded *a = node ? quantizing_in(q, node, 0) : NULL;
  const struct coded *b = node ? quantizing_in(q, node, 1) : NULL;
  *known = false;
  if (!node || !a)
    return true;
  bool two_inputs = (is(node, "Add") || is(node, "Sum") || is(node, "Sub") || is(node, "Mul")) &&
                    b && node->input_count == 2;
  bool pools = is(node, "AveragePool") || is(node, "GlobalAveragePool") || is(node, "ReduceMean") ||
               is(node, "MaxPool") || is(node, "GlobalMaxPool") || is(node, "ReduceMax");
  bool sizes = is(node, "Resize") || is(node, "Upsample");
  *known = two_inputs || pools || sizes || is(node, "Concat");
  if (!*known)
    return true;
  quantizing_use(q, node);
  if (two_inputs)
    return two(q, node, node->inputs,
               is(node, "Mul")   ? PAIR_PRODUCT
               : is(node, "Sub") ? PAIR_DIFFERENCE
                                 : PAIR_SUM,
               out, to, span);
  if (is(node, "Concat"))
    return concatenate(q, node, 0, 1, out, to, span);
  return sizes ? resize(q, node, a, out, to) : pool(q, node, out, to, span);
}

// A function of one tensor's codes, computed by the operator itself.
static bool coded_table(struct quantizing *q, const struct graph_node *node,
                        const struct quantum *to) {
  const struct coded *from = quantizing_in(q, node, 0);
  struct quantum own = quantizing_of(q, from);
  struct array x = {.type = own.type, .rank = 1, .dims = {256}}, y = {.data = NULL};
  const struct array *in[8] = {&x};
  uint8_t table[256];
  if (node->input_count > 8 || node->output_count != 1)
    return graph_fail(q->error, node, "it has too many inputs or outputs");
  for (uint32_t i = 1; i < node->input_count; i++)
    in[i] = graph_const(q->graph, node, i);
  array_allocate(&x);
  for (size_t i = 0; i < 256; i++)
    array_set_int(&x, i, (int64_t)i);
  bool good = op_apply(node, in, node->input_count, &y, q->error);
  for (size_t i = 0; good && i < 256; i++)
    table[i] = (uint8_t)array_get_int(&y, i);
  array_clear(&x);
  array_clear(&y);
  struct coded copy = *from;
  if (good)
    add_table(q, node->name, &copy, node->outputs[0], q->graph->values[node->outputs[0]].name, to,
              table);
  return good;
}

static bool check_input(const struct quantizing *q, const struct graph_node *node, uint32_t i,
                        const struct coded *from) {
  struct quantum said = {1, 0, ARRAY_NONE};
  if (!from)
    return graph_fail(q->error, node, "input %u is not a tensor of codes", i);
  struct quantum own = quantizing_of(q, from);
  if (!quantizing_read(q, node, i + 1, own.type, &said))
    return false;
  return (own.zero == said.zero && own.type == said.type && !(own.scale < said.scale) &&
          !(own.scale > said.scale)) ||
         graph_fail(q->error, node, "inputs %u and %u are not what input %u was quantized with",
                    i + 1, i + 2, i);
}

bool quantizing_microsoft(struct quantizing *q, const struct graph_node *node, bool *known) {
  const struct span all = {-INFINITY, INFINITY};
  bool two_inputs = is(node, "QLinearAdd") || is(node, "QLinearMul");
  bool means = is(node, "QLinearGlobalAveragePool"), joins = is(node, "QLinearConcat");
  bool function = is(node, "QLinearLeakyRelu") || is(node, "QLinearSigmoid");
  *known = strcmp(node->domain, "com.microsoft") == 0 && (two_inputs || means || joins || function);
  if (!*known)
    return true;
  uint32_t first = joins ? 2 : 0, y = two_inputs ? 6 : joins ? 0 : 3;
  struct quantum to = {1, 0, ARRAY_NONE};
  for (uint32_t i = first; i < (joins ? node->input_count : two_inputs ? 4 : 1); i += 3)
    if (!check_input(q, node, i, quantizing_in(q, node, i)))
      return false;
  if (y >= node->input_count || !quantizing_in(q, node, first))
    return graph_fail(q->error, node, "it has too few inputs");
  if (!quantizing_read(q, node, y, quantizing_of(q, quantizing_in(q, node, first)).type, &to))
    return false;
  int out = node->outputs[0];
  if (two_inputs)
    return two(q, node, (int[2]){node->inputs[0], node->inputs[3]},
               is(node, "QLinearMul") ? PAIR_PRODUCT : PAIR_SUM, out, &to, &all);
  if (joins)
    return concatenate(q, node, 2, 3, out, &to, &all);
  if (means && graph_int(node, "channels_last", 0))
    return graph_fail(q->error, node, "attribute channels_last 1 is not supported; 0 is");
  return means ? pool(q, node, out, &to, &all) : coded_table(q, node, &to);
}
