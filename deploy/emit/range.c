#include "range.h"

struct range range_of_sums(const struct net *net, const struct net_layer *l, uint32_t c) {
  const struct net_tensor *in = net_input(net, l, 0);
  size_t count = l->weight_count / net_output(net, l)->c;
  const int8_t *w = l->weights + c * count;
  int zero = l->weight_zero ? l->weight_zero[l->weight_zero_per_channel ? c : 0] : 0;
  int64_t low = in->is_signed ? -(1 << (in->bits - 1)) : 0, high = low + (1 << in->bits) - 1;
  struct range r = {0, 0};
  for (size_t i = 0; i < count; i++) {
    int64_t weight = w[i] - zero;
    r.low += weight * (weight < 0 ? high : low);
    r.high += weight * (weight < 0 ? low : high);
  }
  return r;
}

bool range_fits(const struct net *net, const struct net_layer *l, int64_t more) {
  const struct net_requant *rq = &l->requant;
  if (!net_has_weights(l->kind) || !rq->kappa)
    return false;
  for (uint32_t c = 0; c < net_output(net, l)->c; c++) {
    struct range r = range_of_sums(net, l, c);
    int64_t kappa = rq->kappa[rq->per_channel ? c : 0], lambda = rq->lambda ? rq->lambda[c] : 0;
    if (r.low < INT32_MIN || r.high > INT32_MAX || lambda < INT32_MIN || lambda > INT32_MAX)
      return false;
    int64_t a = kappa * r.low + lambda, b = kappa * r.high + lambda;
    if (a < INT32_MIN || a > INT32_MAX - more || b < INT32_MIN || b > INT32_MAX - more)
      return false;
  }
  return true;
}
