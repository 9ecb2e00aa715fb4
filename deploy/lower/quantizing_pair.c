// deploy/lower/quantizing_pair.c: sums, differences and products of two tensors of codes.
#include <math.h>
#include <stdlib.h>

#include "deploy/lower/quantizing.h"
#include "deploy/memory.h"
#include "deploy/op/op_quant.h"

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
  int64_t a0 = quantum_least(&p->in[0]), b0 = quantum_least(&p->in[1]);
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

bool quantizing_pair(struct quantizing *q, const struct graph_node *node, const int values[2],
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
