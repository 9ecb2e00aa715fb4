// deploy/lower/lower_close.c: a layer in the making becomes one: bits, range, width of its sums.
#include <math.h>
#include <stdlib.h>

#include "deploy/lower/fit.h"
#include "deploy/lower/lowering.h"
#include "deploy/memory.h"

// The smallest and the largest code of a tensor, by its bits.
static int64_t least_code(const struct net_tensor *t) {
  return t->is_signed ? -((int64_t)1 << (t->bits - 1)) : 0;
}
static int64_t most_code(const struct net_tensor *t) {
  return ((int64_t)1 << (t->bits - t->is_signed)) - 1;
}

struct range {
  int64_t low, high;
};

static void add_product(struct range *r, int64_t w, int64_t low, int64_t high) {
  r->low += w > 0 ? w * low : w * high;
  r->high += w > 0 ? w * high : w * low;
}

// What a scaled input of an addition can be.
static struct range scaled_range(const struct net_scaled *s, const struct net_tensor *t) {
  int64_t a = (s->mul * least_code(t) + s->add) >> s->shift;
  int64_t b = (s->mul * most_code(t) + s->add) >> s->shift;
  return (struct range){a < b ? a : b, a < b ? b : a};
}

// What the sums of channel c can be, from its weights and all codes that can come in.
static struct range sum_range(const struct net *net, const struct net_layer *layer, uint32_t c,
                              uint32_t channels) {
  const struct net_tensor *in = net_input(net, layer, 0);
  int64_t low = least_code(in), high = most_code(in);
  struct range r = {0, 0};
  if (layer->kind == NET_AVGPOOL) {
    int64_t window = (int64_t)layer->kernel_h * layer->kernel_w;
    return (struct range){window * low, window * high};
  }
  if (layer->kind == NET_ADD) {
    for (uint32_t i = 0; i < layer->input_count; i++) {
      struct range one = scaled_range(&layer->scaled[i], net_input(net, layer, i));
      r.low += one.low, r.high += one.high;
    }
    return r;
  }
  low = low < 0 ? low : 0; // padding
  size_t taps = layer->weight_count / channels;
  for (size_t i = 0; i < taps; i++)
    add_product(&r, layer->weights[c * taps + i], low, high);
  return r;
}

static bool fits_32(int64_t x) {
  return x >= INT32_MIN && x <= INT32_MAX;
}

// Sums wrap there.
static struct range in_32_bits(struct range r) {
  return fits_32(r.low) && fits_32(r.high) ? r : (struct range){INT32_MIN, INT32_MAX};
}

// Whether any channel's product and sum can leave 32 bits; the results' range comes with it.
static bool needs_wide(const struct net *net, const struct open *open, struct range *results) {
  bool wide = open->shift > 31;
  *results = (struct range){INT64_MAX, INT64_MIN};
  for (uint32_t c = 0; c < open->out.c; c++) {
    struct range sum = in_32_bits(sum_range(net, &open->layer, c, open->out.c));
    struct range r = {open->lambda[c], open->lambda[c]};
    add_product(&r, open->kappa[c], sum.low, sum.high);
    wide |= !fits_32(r.low) || !fits_32(r.high) || !fits_32(open->lambda[c]);
    results->low = r.low < results->low ? r.low : results->low;
    results->high = r.high > results->high ? r.high : results->high;
  }
  results->low >>= open->shift;
  results->high >>= open->shift;
  return wide;
}

bool lower_overflows(const struct lowering *low, const struct open *open) {
  struct range results;
  needs_wide(low->net, open, &results);
  return !open->clipped &&
         (results.low < 0 ? results.low < -128 || results.high > 127 : results.high > 255);
}

static bool plain(const struct open *open) {
  for (uint32_t c = 0; c < open->out.c; c++)
    if (open->kappa[c] != 1)
      return false;
  return open->shift == 0 && !open->clipped;
}

static bool same_everywhere(const struct open *open) {
  for (uint32_t c = 1; c < open->out.c; c++)
    if (open->kappa[c] != open->kappa[0] || open->lambda[c] != open->lambda[0])
      return false;
  return true;
}

// Bits and sign of the output: the clip's range; where nothing clips, as the PULP tools have it,
// 8 bits, unsigned unless negative results can come.
static bool set_output(struct lowering *low, const struct graph_node *node, struct open *open,
                       struct range results) {
  struct net_tensor *t = &open->out;
  if (!open->clipped) {
    open->layer.requant.unclipped = lower_overflows(low, open);
    t->bits = 8;
    t->is_signed = results.low < 0;
    open->low = least_code(t), open->high = most_code(t);
    return true;
  }
  t->is_signed = open->low < 0;
  static const uint8_t widths[] = {2, 4, 8};
  uint8_t needed = 0;
  for (size_t i = 0; i < 3 && !needed; i++) {
    t->bits = widths[i];
    if (open->low >= least_code(t) && open->high <= most_code(t))
      needed = widths[i];
  }
  t->bits = needed;
  return needed || graph_fail(low->error, node,
                              "it clips to %lld..%lld; ranges of 8, 4 and 2 bits are supported",
                              (long long)open->low, (long long)open->high);
}

// Both steps of an addition, by its sum.
static int64_t second_code(const void *data, int64_t sum) {
  const struct open *open = data;
  int64_t y = (open->kappa[0] * sum + open->lambda[0]) >> open->shift;
  int64_t x = open->factor * y + open->offset;
  int64_t code = x / open->parts - (x % open->parts < 0);
  return code < open->low ? open->low : code > open->high ? open->high : code;
}

static bool set_second(struct lowering *low, const struct graph_node *node, struct open *open) {
  struct range sum = in_32_bits(sum_range(low->net, &open->layer, 0, open->out.c));
  struct range results = {second_code(open, sum.low), second_code(open, sum.high)};
  if (open->less_one || open->kappa[0] < 0)
    return graph_fail(low->error, node, "behind a divisor of 2^d - 1, or a negative factor");
  if (!set_output(low, node, open, results))
    return false;
  struct fit fit;
  fit_begin(&fit, 1, (int32_t)open->low, (int32_t)open->high, open->out.is_signed);
  fit.bits = open->out.bits;
  fit_function(
      &fit, 0, sum.low, sum.high,
      ldexp((double)open->kappa[0] * (double)open->factor / (double)open->parts, -open->shift),
      second_code, open);
  fit_requant(&fit, &open->layer.requant);
  fit_end(&fit);
  return true;
}

static void copy_normalization(const struct open *open, struct net_requant *rq, bool shared) {
  uint32_t count = shared ? 1 : open->out.c;
  rq->per_channel = !shared;
  rq->kappa = memory_new(count, sizeof *rq->kappa);
  for (uint32_t c = 0; c < count; c++)
    rq->kappa[c] = (int32_t)open->kappa[c];
}

static bool divide(struct lowering *low, const struct graph_node *node, struct open *open) {
  struct net_requant *rq = &open->layer.requant;
  int power = lower_log2(open->divisor);
  if (plain(open) || (open->kappa[0] == 1 && open->shift == 0 && open->lambda[0] == 0)) {
    rq->kind = NET_DIVIDE;
    rq->divisor = (int32_t)open->divisor;
    return true;
  }
  if (power < 0 || (open->divisor & (open->divisor - 1)) || open->shift + power > 62)
    return graph_fail(low->error, node,
                      "an average of %lld pixels that is scaled; multiply it by %lld first, as "
                      "NEMO does, or pool over a power of two",
                      (long long)open->divisor, (long long)open->divisor);
  open->shift = (uint8_t)(open->shift + power);
  open->divisor = 1;
  return true;
}

static void set_sums(struct open *open) {
  struct net_requant *rq = &open->layer.requant;
  rq->kind = NET_SUMS;
  rq->lambda = memory_copy(open->lambda, open->out.c, sizeof *open->lambda);
  open->out.bits = 32;
  open->out.is_signed = true;
}

// floor(x / (2^d - 1)) for x >= 0 is floor((x + 1) * m / 2^(d + 30)) with m = 2^30 + 2^(30 - d):
// m * (2^d - 1) = 2^(d + 30) - 2^(30 - d), so that the product is too small by less than what the
// one adds, for all x below 2^(2d). Results below 0 are clipped.
static void divide_by_less_one(struct open *open, struct net_requant *rq) {
  rq->kind = NET_SCALE;
  rq->m = (1 << 30) + (1 << (30 - open->shift));
  rq->shift = (uint8_t)(open->shift + 30);
  for (uint32_t c = 0; c < open->out.c; c++)
    open->lambda[c]++;
}

static bool set_norm(struct lowering *low, const struct graph_node *node, struct open *open) {
  struct net_requant *rq = &open->layer.requant;
  struct range results;
  bool wide = needs_wide(low->net, open, &results);
  if (!set_output(low, node, open, results))
    return false;
  rq->low = (int32_t)open->low, rq->high = (int32_t)open->high;
  if (rq->kind == NET_DIVIDE)
    return true;
  rq->kind = NET_NORM;
  rq->wide = wide;
  rq->shift = open->shift;
  if (open->less_one)
    divide_by_less_one(open, rq);
  copy_normalization(open, rq, same_everywhere(open) && !net_has_weights(open->layer.kind));
  rq->lambda = memory_copy(open->lambda,
                           net_has_weights(open->layer.kind) || rq->per_channel ? open->out.c : 1,
                           sizeof *open->lambda);
  return true;
}

// One function of the codes of one tensor.
static bool set_table(struct lowering *low, const struct graph_node *node, struct open *open) {
  const struct net_tensor *in = net_input(low->net, &open->layer, 0);
  if (!same_everywhere(open))
    return graph_fail(low->error, node,
                      "a function that differs by channel, behind no layer with "
                      "weights; only the same for all channels is supported");
  int64_t a = open->kappa[0] * least_code(in) + open->lambda[0];
  int64_t b = open->kappa[0] * most_code(in) + open->lambda[0];
  struct range results = {(a < b ? a : b) >> open->shift, (a < b ? b : a) >> open->shift};
  if (!set_output(low, node, open, results))
    return false;
  uint32_t count = 1u << in->bits;
  open->layer.table = memory_new(count, 1);
  for (int64_t code = least_code(in); code <= most_code(in); code++) {
    int64_t x = open->kappa[0] * code + open->lambda[0];
    int64_t y = open->less_one ? x / (((int64_t)1 << open->shift) - 1) : x >> open->shift;
    y = y < open->low ? open->low : y > open->high ? open->high : y;
    open->layer.table[(uint32_t)code & (count - 1)] = (uint8_t)y;
  }
  open->layer.requant.kind = NET_COPY;
  open->layer.requant.low = (int32_t)open->low, open->layer.requant.high = (int32_t)open->high;
  return true;
}

bool lower_close(struct lowering *low, const struct graph_node *node, struct open *open,
                 int value) {
  bool ok = true;
  if (open->layer.kind == NET_TABLE)
    ok = set_table(low, node, open);
  else if (open->divisor > 1 && !divide(low, node, open))
    ok = false;
  else if (open->second)
    ok = set_second(low, node, open);
  else if (net_has_weights(open->layer.kind) && plain(open))
    set_sums(open);
  else
    ok = set_norm(low, node, open);
  if (ok) {
    open->out.name = low->graph->values[value].name;
    open->layer.output = net_add_tensor(low->net, &open->out);
    net_add_layer(low->net, &open->layer);
    free(open->kappa);
    free(open->lambda);
  } else {
    lower_discard(open);
  }
  return ok;
}
