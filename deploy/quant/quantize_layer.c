// deploy/quant/quantize_layer.c
#include "quantize_layer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "deploy/net/net_ref.h"
#include "rounding.h"

enum { ADD_BITS = 14, PRODUCT_BITS = 24, MULTIPLIER_BITS = 31, SHIFT_MOST = 31 };

static int32_t least_of(const struct net_tensor *t) {
  return t->is_signed ? -(1 << (t->bits - 1)) : 0;
}

static int32_t most_of(const struct net_tensor *t) {
  return least_of(t) + (1 << t->bits) - 1;
}

static int32_t code_of(const struct net_tensor *t, double real) {
  double x = round(real / t->scale) + t->zero;
  return (int32_t)fmin(fmax(x, least_of(t)), most_of(t));
}

static void set_clip(const struct net_tensor *out, const struct real_layer *real,
                     struct net_requant *rq) {
  rq->low = isinf(real->low) ? least_of(out) : code_of(out, (double)real->low);
  rq->high = isinf(real->high) ? most_of(out) : code_of(out, (double)real->high);
}

// ---------------------------------------------------------------------------- requantization

// M = M0 * 2^N0, 0.5 <= M0 < 1 in Q31.
static void set_multiplier(struct net_requant *rq, uint32_t i, double m) {
  int exponent;
  int64_t m0 = llround(frexp(m, &exponent) * 2147483648.0);
  if (m0 == (int64_t)1 << MULTIPLIER_BITS)
    m0 /= 2, exponent++;
  bool small = exponent<-SHIFT_MOST, large = exponent> SHIFT_MOST;
  rq->kappa[i] = small ? 0 : large ? INT32_MAX : (int32_t)m0;
  rq->shifts[i] = (int8_t)(small ? -SHIFT_MOST : large ? SHIFT_MOST : exponent);
}

static int64_t bounded(double x) {
  return (int64_t)fmin(fmax(round(x), INT32_MIN), INT32_MAX);
}

static void new_icn(struct net_requant *rq, uint32_t factors, uint32_t lambdas,
                    const struct net_tensor *out) {
  rq->kind = NET_ICN;
  rq->shift = 0;
  rq->per_channel = factors > 1;
  rq->zero = out->zero;
  rq->kappa = memory_new(factors, sizeof *rq->kappa);
  rq->shifts = memory_new(factors, sizeof *rq->shifts);
  rq->lambda = memory_new(lambdas, sizeof *rq->lambda);
}

// One factor, no weights: `offset` is what the sum has too much.
static void set_one_factor(struct net_requant *rq, const struct net_tensor *out, double m,
                           double offset) {
  new_icn(rq, 1, 1, out);
  set_multiplier(rq, 0, m);
  rq->lambda[0] = bounded(0.5 / m - offset);
}

void quantize_to_thresholds(const struct net *net, struct net_layer *l) {
  struct net_requant icn = l->requant, *rq = &l->requant;
  uint32_t channels = net_output(net, l)->c, bits = net_output(net, l)->bits;
  uint32_t steps = (1u << bits) - 1;
  rq->kind = NET_THRESHOLDS, rq->per_channel = true, rq->zero = 0, rq->shift = 0;
  rq->thresholds = memory_new((size_t)channels * steps, sizeof *rq->thresholds);
  for (uint32_t c = 0; c < channels; c++) {
    for (uint32_t t = 0; t < steps; t++) {
      int64_t low = INT32_MIN / 2,
              high = INT32_MAX / 2; // of sums: |lambda| is below the other half
      while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (net_requantized(&icn, (int32_t)middle, c, bits, 1) > (int32_t)t)
          high = middle;
        else
          low = middle + 1;
      }
      rq->thresholds[(size_t)c * steps + t] = (int32_t)low;
    }
  }
  free(rq->kappa);
  free(rq->shifts);
  free(rq->lambda);
  rq->kappa = NULL, rq->shifts = NULL, rq->lambda = NULL;
}

// ---------------------------------------------------------------------------- weights

static bool has_one_scale(const struct net *net, const struct net_layer *l,
                          const struct quantize_options *o) {
  struct bits_budget budget = {.per_channel = !o->per_layer, .scheme = o->scheme};
  return bits_scheme_of(&budget, l->weight_bits, net_output(net, l)->bits) == BITS_FOLDED;
}

// Whether sums and biases with so many bits behind the point have 32 bits.
static bool point_fits(const struct net *net, const struct net_layer *l, uint32_t point) {
  const struct net_tensor *in = net_input(net, l, 0), *out = net_output(net, l);
  size_t taps = l->weight_count / out->c;
  for (uint32_t f = 0; f < out->c; f++) {
    int64_t most = llabs(l->requant.lambda[f]);
    for (size_t i = 0; i < taps; i++)
      most += (int64_t)abs(l->weights[f * taps + i]) << in->bits;
    if (most << point > INT32_MAX)
      return false;
  }
  return true;
}

// B_q of filter f, unrounded.
static double bias_of(const struct net *net, const struct net_layer *l,
                      const struct quantize_numbers *numbers, uint32_t f) {
  const struct net_tensor *in = net_input(net, l, 0), *out = net_output(net, l);
  size_t taps = l->weight_count / out->c;
  double sum_scale = in->scale * (double)numbers->scales[f];
  int64_t sum = 0;
  for (size_t i = 0; i < taps; i++)
    sum += l->weights[f * taps + i];
  return numbers->biases[f] / sum_scale + 0.5 * out->scale / sum_scale -
         (double)in->zero * (double)sum;
}

static bool all_equal(const float *scales, uint32_t count) {
  for (uint32_t i = 1; i < count; i++)
    if (scales[i] < scales[0] || scales[i] > scales[0])
      return false;
  return true;
}

static void set_requant(const struct net *net, struct net_layer *l,
                        const struct quantize_options *options,
                        const struct quantize_numbers *numbers) {
  const struct net_tensor *in = net_input(net, l, 0), *out = net_output(net, l);
  struct net_requant *rq = &l->requant;
  free(rq->kappa);
  free(rq->shifts);
  free(rq->lambda);
  bool one = has_one_scale(net, l, options) && all_equal(numbers->scales, out->c);
  new_icn(rq, one ? 1 : out->c, out->c, out);
  for (uint32_t f = 0; f < out->c; f++) {
    if (f == 0 || !one)
      set_multiplier(rq, f, in->scale * (double)numbers->scales[f] / out->scale);
    rq->lambda[f] = bounded(bias_of(net, l, numbers, f));
  }
  if (!point_fits(net, l, options->point))
    return;
  rq->shift = options->point;
  for (uint32_t f = 0; f < out->c; f++)
    rq->lambda[f] = bounded(ldexp(bias_of(net, l, numbers, f), rq->shift));
}

// The scale of all filters: the least error of all.
static float layer_scale(struct rounding *r, const float *weights, const struct moments *m,
                         uint32_t filters) {
  enum { SCALES = 24 };
  if (r->whole)
    return rounding_whole(r->bits, weights, filters * r->taps);
  float most = 0, best = 1;
  for (size_t i = 0; i < filters * r->taps; i++)
    most = fmaxf(most, fabsf(weights[i]));
  float whole = most > 0 ? most / (float)((1 << (r->bits - 1)) - (r->bits > 2)) : 1;
  double least = INFINITY;
  int8_t *codes = memory_new(r->taps, 1);
  for (int i = 0; i < (r->bits == 8 ? 1 : SCALES); i++) {
    float scale = whole * (1 - (float)i / 1.4f / SCALES);
    double error = 0;
    for (uint32_t f = 0; f < filters; f++) {
      r->h = m && m->h ? m->h + moments_group(m, f) * r->taps * r->taps : NULL;
      error += rounding_at(r, weights + f * r->taps, m && m->g ? m->g + f * r->taps : NULL, scale,
                           codes);
    }
    if (error < least)
      least = error, best = scale;
  }
  free(codes);
  return best;
}

// Weights as they were before a batch normalization was folded into them.
static float *unfolded(const struct real_layer *from, uint32_t filters, size_t taps) {
  float *weights = memory_copy(from->weights, filters * taps, sizeof *weights);
  for (uint32_t f = 0; f < filters; f++)
    for (size_t i = 0; i < taps && fabsf(from->norm[f]) > 0; i++)
      weights[f * taps + i] /= from->norm[f];
  return weights;
}

// Each filter's part of the layer's scale.
static void set_scales(const struct real_layer *from, struct rounding *r, const struct moments *m,
                       uint32_t filters, bool keep, float *scales) {
  float *weights = keep ? unfolded(from, filters, r->taps) : NULL;
  float common = layer_scale(r, keep ? weights : from->weights, keep ? NULL : m, filters);
  for (uint32_t f = 0; f < filters; f++)
    scales[f] = keep && fabsf(from->norm[f]) > 0 ? common * fabsf(from->norm[f]) : common;
  free(weights);
}

// Means of the real network's results, less those of the rounded weights on the same inputs.
static double corrected_bias(const struct moments *m, const struct net_layer *l, uint32_t f,
                             float scale) {
  const double *mean = m->mean_x + moments_group(m, f) * m->taps;
  double sum = 0;
  for (size_t i = 0; i < m->taps; i++)
    sum += (double)scale * l->weights[f * m->taps + i] * mean[i];
  return m->mean_y[f] - sum;
}

void quantize_weights(const struct real_net *real, uint32_t number, const struct net *net,
                      struct net_layer *l, const struct quantize_options *options,
                      const struct moments *m, struct quantize_numbers *numbers) {
  const struct real_layer *from = &real->layers[number];
  uint32_t filters = net_output(net, l)->c;
  struct rounding r = {
      .taps = l->weight_count / filters, .bits = l->weight_bits, .whole = options->whole_weights};
  if (!numbers->scales) {
    numbers->scales = memory_new(filters, sizeof *numbers->scales);
    numbers->biases = memory_new(filters, sizeof *numbers->biases);
  }
  float *scales = numbers->scales;
  bool one = has_one_scale(net, l, options);
  if (one)
    set_scales(from, &r, m, filters, options->keep_norms && from->norm, scales);
  for (uint32_t f = 0; f < filters; f++) {
    const float *weights = from->weights + f * r.taps;
    const double *g = m && m->g ? m->g + f * r.taps : NULL;
    r.h = m && m->h ? m->h + moments_group(m, f) * r.taps * r.taps : NULL;
    if (one)
      rounding_at(&r, weights, g, scales[f], l->weights + f * r.taps);
    else
      rounding_filter(&r, weights, g, l->weights + f * r.taps, &scales[f]);
    numbers->biases[f] = m            ? corrected_bias(m, l, f, scales[f])
                         : from->bias ? (double)from->bias[f]
                                      : 0;
  }
  set_requant(net, l, options, numbers);
}

void quantize_biases(const struct net *net, struct net_layer *l,
                     const struct quantize_options *options, const struct moments *m,
                     struct quantize_numbers *numbers) {
  for (uint32_t f = 0; f < net_output(net, l)->c; f++)
    numbers->biases[f] = corrected_bias(m, l, f, numbers->scales[f]);
  set_requant(net, l, options, numbers);
}

// ---------------------------------------------------------------------------- other layers

static void *copied(const void *data, size_t count, size_t size) {
  return data ? memory_copy(data, count, size) : NULL;
}

// Sums of codes times whole numbers, with so many bits that rounding them is not felt.
static void set_add(const struct net *net, struct net_layer *l) {
  const struct net_tensor *out = net_output(net, l);
  double most = 0;
  for (uint32_t i = 0; i < l->input_count; i++)
    most = fmax(most, net_input(net, l, i)->scale / out->scale);
  int exponent;
  frexp(most, &exponent);
  int shift = ADD_BITS - exponent;
  shift = shift < 1 ? 1 : shift > 22 ? 22 : shift;
  double lambda = ldexp(out->zero, shift) + ldexp(0.5, shift);
  l->scaled = memory_new(l->input_count, sizeof *l->scaled);
  for (uint32_t i = 0; i < l->input_count; i++) {
    const struct net_tensor *in = net_input(net, l, i);
    l->scaled[i].mul = (int32_t)bounded(ldexp(in->scale / out->scale, shift));
    lambda -= (double)l->scaled[i].mul * in->zero;
  }
  struct net_requant *rq = &l->requant;
  rq->kind = NET_NORM, rq->shift = (uint8_t)shift;
  rq->kappa = memory_copy(&(int32_t){1}, 1, sizeof(int32_t));
  rq->lambda = memory_copy(&(int64_t){bounded(lambda)}, 1, sizeof(int64_t));
}

static void set_concat(const struct net *net, struct net_layer *l) {
  const struct net_tensor *out = net_output(net, l);
  l->scaled = memory_new(l->input_count, sizeof *l->scaled);
  for (uint32_t i = 0; i < l->input_count; i++) {
    const struct net_tensor *in = net_input(net, l, i);
    double ratio = in->scale / out->scale;
    int exponent;
    frexp(ratio, &exponent);
    int shift = ADD_BITS - exponent;
    shift = shift < 1 ? 1 : shift > 20 ? 20 : shift;
    struct net_scaled *s = &l->scaled[i];
    s->mul = (int32_t)bounded(ldexp(ratio, shift)), s->shift = (uint8_t)shift;
    s->add = (int32_t)bounded(ldexp(out->zero + 0.5, shift) - (double)s->mul * in->zero);
  }
}

static void set_multiply(const struct net *net, struct net_layer *l) {
  const struct net_tensor *a = net_input(net, l, 0), *b = net_input(net, l, 1),
                          *out = net_output(net, l);
  int grain = PRODUCT_BITS - a->bits - b->bits; // of what rounds to nearest, as for additions
  l->scaled = memory_new(2, sizeof *l->scaled);
  l->scaled[0] = (struct net_scaled){.mul = 1 << grain, .zero = a->zero};
  l->scaled[1] = (struct net_scaled){.mul = 1, .zero = b->zero};
  set_one_factor(&l->requant, out, ldexp(a->scale * b->scale / out->scale, -grain), 0);
}

static void set_table(const struct net *net, const struct real_layer *real, struct net_layer *l) {
  const struct net_tensor *in = net_input(net, l, 0), *out = net_output(net, l);
  l->table = memory_new((size_t)1 << in->bits, 1);
  for (int i = 0; i < 1 << in->bits; i++) {
    int code = in->is_signed && i >= 1 << (in->bits - 1) ? i - (1 << in->bits) : i;
    double x = in->scale * (code - in->zero);
    l->table[i] = (uint8_t)code_of(out, (double)real_applied(real, (float)x));
  }
}

// Equal scales, as for maximum pools: an average pool divides, its outside the code 0. Otherwise
// its sum is requantized; what stands outside counts as the zero.
static void set_average(const struct net *net, const struct real_layer *real, struct net_layer *l) {
  const struct net_tensor *in = net_input(net, l, 0), *out = net_output(net, l);
  int32_t pixels = l->kernel_h * l->kernel_w;
  bool padded = l->pad_top | l->pad_bottom | l->pad_left | l->pad_right;
  bool outside = padded && real->count_padding && in->zero;
  if (in->bits == out->bits && fabs(in->scale - out->scale) <= 0 && !outside) {
    l->requant.kind = NET_DIVIDE, l->requant.round = true;
    l->requant.divisor = real->count_padding ? pixels : 0;
    return;
  }
  l->kind = NET_DEPTHWISE, l->weight_bits = 2, l->pad_value = in->zero;
  l->weight_count = (size_t)pixels * out->c;
  l->weights = memory_new(l->weight_count, 1);
  memset(l->weights, 1, l->weight_count);
  new_icn(&l->requant, 1, out->c, out);
  double m = in->scale / pixels / out->scale;
  set_multiplier(&l->requant, 0, m);
  for (uint32_t c = 0; c < out->c; c++)
    l->requant.lambda[c] = bounded(0.5 / m - (double)in->zero * pixels);
}

// By the kind that the real network's layer has.
static void set_other(const struct net *net, const struct real_layer *real, enum net_kind kind,
                      struct net_layer *l) {
  if (kind == NET_ADD)
    set_add(net, l);
  else if (kind == NET_CONCAT)
    set_concat(net, l);
  else if (kind == NET_MULTIPLY)
    set_multiply(net, l);
  else if (kind == NET_TABLE)
    set_table(net, real, l);
  else if (kind == NET_AVGPOOL)
    set_average(net, real, l);
}

static void forget(struct net_layer *l) {
  struct net_requant *rq = &l->requant;
  free(rq->kappa);
  free(rq->lambda);
  free(rq->shifts);
  free(rq->thresholds);
  free(l->scaled);
  free(l->table);
  *rq = (struct net_requant){.kind = NET_COPY};
  l->scaled = NULL, l->table = NULL;
}

void quantize_rescale(const struct real_net *real, uint32_t number, const struct net *net,
                      struct net_layer *l, const struct quantize_options *options,
                      const struct quantize_numbers *numbers) {
  forget(l);
  set_clip(net_output(net, l), &real->layers[number], &l->requant);
  if (numbers->scales) {
    set_requant(net, l, options, numbers);
    return;
  }
  if (real->net->layers[number].kind == NET_AVGPOOL) {
    free(l->weights);
    l->weights = NULL;
  }
  set_other(net, &real->layers[number], real->net->layers[number].kind, l);
}

struct net_layer quantize_layer(const struct real_net *real, uint32_t number, const struct net *net,
                                const struct quantize_options *options, uint8_t weight_bits,
                                struct quantize_numbers *numbers) {
  const struct real_layer *from = &real->layers[number];
  struct net_layer l = real->net->layers[number];
  const struct net_tensor *in = net_input(net, &l, 0), *out = net_output(net, &l);
  l.name = memory_text(l.name);
  l.inputs = copied(l.inputs, l.input_count, sizeof *l.inputs);
  l.pad_value = in->zero;
  l.requant = (struct net_requant){.kind = NET_COPY};
  set_clip(out, from, &l.requant);
  if (net_has_weights(l.kind)) {
    l.weight_bits = weight_bits;
    l.weights = memory_new(l.weight_count, 1);
    quantize_weights(real, number, net, &l, options, NULL, numbers);
  } else {
    set_other(net, from, l.kind, &l);
  }
  return l;
}
