#include "requant.h"

#include <math.h>
#include <stdlib.h>

#include "deploy/memory.h"
#include "unsigned.h"

enum { CODES = 256, SHIFT_MOST = 22 }; // codes and a sign behind it: nn_mixed.h adds half of them

// Of a channel: codes are floor(sum * factor + offset); the sums that there may be.
struct channel {
  double factor, offset;
  int64_t least, most;
};

static struct channel channel_of(const struct net *net, const struct net_layer *l, uint32_t c) {
  const struct net_tensor *in = net_input(net, l, 0);
  const struct net_requant *rq = &l->requant;
  uint32_t filters = net_output(net, l)->c, i = rq->per_channel ? c : 0;
  size_t taps = l->weight_count / filters;
  int32_t low = in->is_signed ? -(1 << (in->bits - 1)) : 0, high = low + (1 << in->bits) - 1;
  double lambda = rq->lambda ? (double)rq->lambda[c] : 0;
  struct channel k = {.factor = ldexp(rq->kappa[i], rq->shifts[i] - 31)};
  k.offset = rq->kind == NET_ICN ? ldexp(lambda, -rq->shift) * k.factor + rq->zero
                                 : lambda * k.factor + rq->zero + 0.5;
  for (size_t t = 0; t < taps; t++) {
    int32_t w = l->weights[c * taps + t];
    k.least += w * (w > 0 ? low : high);
    k.most += w * (w > 0 ? high : low);
  }
  return k;
}

// Room for what a kernel adds, half of the codes: a bit.
static bool has_room(double x) {
  return fabs(x) < 0x1p30;
}

// What is multiplied has 32 bits: it would wrap, and the results be others.
static bool wraps(const struct net_requant *rq, const struct channel *k, uint32_t c) {
  int left = rq->kind == NET_ICN ? rq->shift : rq->shifts[rq->per_channel ? c : 0];
  int before = rq->kind == NET_ICN ? left : 0; // the sum is shifted, lambda is already
  double lambda = rq->lambda ? (double)rq->lambda[c] : 0;
  double least = ldexp((double)k->least, before) + lambda,
         most = ldexp((double)k->most, before) + lambda;
  int behind = rq->kind == NET_ICN || left < 0 ? 0 : left;
  return ldexp(fmax(fabs(least), fabs(most)), behind) >= 0x1p31;
}

static bool fits(const struct channel *k, int shift) {
  double kappa = round(ldexp(k->factor, shift)), lambda = round(ldexp(k->offset, shift));
  return has_room(kappa) && has_room(lambda) && has_room(kappa * (double)k->least + lambda) &&
         has_room(kappa * (double)k->most + lambda);
}

// How far from those in real numbers the results are, in codes, at the largest sum, or the one
// behind which all are clipped.
static double difference(const struct channel *k, int shift) {
  double kappa = ldexp(round(ldexp(k->factor, shift)), -shift);
  double sum = fmax(fabs((double)k->least), fabs((double)k->most));
  double clipped = (CODES + fabs(k->offset)) / fabs(k->factor);
  return fabs(kappa - k->factor) * fmin(sum, clipped) + ldexp(0.5, -shift);
}

// The largest that all channels have room for; less than 0: none.
static int shift_of(const struct channel *channels, uint32_t count) {
  int shift = SHIFT_MOST;
  for (uint32_t c = 0; c < count; c++)
    while (shift >= 0 && !fits(&channels[c], shift))
      shift--;
  for (uint32_t c = 0; c < count; c++)
    if (shift >= 0 && difference(&channels[c], shift) > 1)
      return -1;
  return shift;
}

static void set_norm(struct net_requant *rq, const struct channel *channels, uint32_t count,
                     int shift) {
  free(rq->kappa);
  free(rq->shifts);
  free(rq->lambda);
  rq->kind = NET_NORM, rq->per_channel = true, rq->zero = 0;
  rq->shift = (uint8_t)shift, rq->shifts = NULL;
  rq->kappa = memory_new(count, sizeof *rq->kappa);
  rq->lambda = memory_new(count, sizeof *rq->lambda);
  for (uint32_t c = 0; c < count; c++) {
    rq->kappa[c] = (int32_t)llround(ldexp(channels[c].factor, shift));
    rq->lambda[c] = llround(ldexp(channels[c].offset, shift));
  }
}

static bool narrow(const struct net *net, struct net_layer *l) {
  uint32_t count = net_output(net, l)->c;
  struct channel *channels = memory_new(count, sizeof *channels);
  bool wrap = false;
  for (uint32_t c = 0; c < count; c++) {
    channels[c] = channel_of(net, l, c);
    wrap |= wraps(&l->requant, &channels[c], c);
  }
  int shift = wrap ? -1 : shift_of(channels, count);
  if (shift >= 0)
    set_norm(&l->requant, channels, count, shift);
  free(channels);
  return shift >= 0;
}

struct requant_count requant(struct net *net) {
  struct requant_count count = {.unsigned_now = unsigned_codes(net)};
  for (uint32_t i = 0; i < net->layer_count; i++) {
    struct net_layer *l = &net->layers[i];
    if (!net_has_weights(l->kind) || !net_adds_zero(&l->requant))
      continue;
    bool plain = net_output(net, l)->bits == 8 && !l->weight_zero;
    if (plain && narrow(net, l))
      count.changed++;
    else
      count.kept++;
  }
  return count;
}
