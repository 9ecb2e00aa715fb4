// deploy/quant/real.c
#include "real.h"

#include <math.h>
#include <stdlib.h>
#include <sysexits.h>

#include "deploy/memory.h"

struct real_net *real_new(const char *name) {
  struct real_net *real = memory_new(1, sizeof *real);
  real->net = net_new(name);
  return real;
}

void real_free(struct real_net *real) {
  if (!real)
    return;
  for (uint32_t i = 0; i < real->net->layer_count; i++) {
    free(real->layers[i].weights);
    free(real->layers[i].bias);
    free(real->layers[i].norm);
  }
  free(real->layers);
  net_free(real->net);
  free(real);
}

void real_add_layer(struct real_net *real, const struct net_layer *layer,
                    const struct real_layer *numbers) {
  int at = net_add_layer(real->net, layer);
  real->layers = memory_grow(real->layers, (size_t)at + 1, sizeof *real->layers);
  real->layers[at] = *numbers;
}

// The integer form's rules hold for shapes and order: a copy with weights of 0 is asked.
static bool all_finite(const float *values, size_t count) {
  for (size_t i = 0; values && i < count; i++)
    if (!isfinite(values[i]))
      return false;
  return true;
}

bool real_check(const struct real_net *real, struct net_error *error) {
  struct net *net = real->net;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    struct net_layer *l = &net->layers[i];
    bool given = net_has_weights(l->kind);
    if (given != (real->layers[i].weights != NULL))
      return net_fail(error, "layer '%s' has %s weights", l->name, given ? "no" : "unasked");
    l->weight_bits = 8, l->weights = given ? memory_new(l->weight_count, 1) : NULL;
    l->table = l->kind == NET_TABLE ? memory_new(256, 1) : NULL;
    l->requant = (struct net_requant){.kind = NET_COPY};
  }
  bool good = net_check(net, error);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    struct net_layer *l = &net->layers[i];
    free(l->weights);
    free(l->table);
    l->weights = NULL, l->table = NULL;
    const struct real_layer *numbers = &real->layers[i];
    if (good && !(all_finite(numbers->weights, l->weight_count) &&
                  all_finite(numbers->bias, net_output(net, l)->c))) {
      error->status = EX_DATAERR;
      good =
          net_fail(error, "layer '%s' has weights or biases that are not finite numbers", l->name);
    }
  }
  return good;
}

static float softplus(float x) {
  return x > 20 ? x : log1pf(expf(x));
}

static float function_of(const struct real_layer *l, float x) {
  switch (l->function) {
  case REAL_SIGMOID:
    return 1 / (1 + expf(-x));
  case REAL_TANH:
    return tanhf(x);
  case REAL_HARD_SIGMOID:
    return fminf(fmaxf(l->alpha * x + l->beta, 0), 1);
  case REAL_HARD_SWISH:
    return x * fminf(fmaxf(x / 6 + 0.5f, 0), 1);
  case REAL_LEAKY:
    return x < 0 ? l->alpha * x : x;
  case REAL_ELU:
    return x < 0 ? l->alpha * expm1f(x) : x;
  case REAL_SILU:
    return x / (1 + expf(-x));
  case REAL_GELU:
    return x / 2 * (1 + erff(x * 0.70710678F));
  case REAL_MISH:
    return x * tanhf(softplus(x));
  case REAL_SOFTPLUS:
    return softplus(x);
  default:
    return x;
  }
}

float real_applied(const struct real_layer *l, float x) {
  float y = function_of(l, x);
  return y < l->low ? l->low : y > l->high ? l->high : y;
}
