// deploy/quant/trials.c
#include "trials.h"

#include <stdlib.h>

#include "deploy/memory.h"
#include "repair.h"

enum { KEPT_MOST = 1 << 30 }; // bytes

struct trials {
  struct flow flow;
  struct quantized base;
  struct repair kept; // of the first lists; nothing if it would be too much
};

static bool fits(const struct trials *t) {
  const struct net *net = t->flow.real->net;
  double elements = 0;
  for (uint32_t i = 0; i < net->tensor_count; i++)
    elements += (double)net->tensors[i].h * net->tensors[i].w * net->tensors[i].c;
  return elements * t->flow.samples->count * (sizeof(float) + 1) <= KEPT_MOST;
}

struct trials *trials_new(struct real_net *real, const struct quantize_samples *samples,
                          const struct quantize_options *options, struct net_error *error) {
  struct trials *t = memory_new(1, sizeof *t);
  t->flow = (struct flow){.real = real, .samples = samples, .options = options};
  if (!flow_begin(&t->flow, error) || !flow_round(&t->flow, &t->base, error)) {
    trials_free(t);
    return NULL;
  }
  if (!fits(t))
    return t;
  repair_begin(&t->flow, &t->kept);
  for (uint32_t i = 0; i < t->flow.net->layer_count; i++)
    repair_layer(&t->flow, &t->kept, i);
  return t;
}

void trials_free(struct trials *t) {
  t->flow.net = t->base.net;
  repair_end(&t->flow, &t->kept);
  quantized_free(&t->base);
  flow_end(&t->flow);
  free(t);
}

// The real tensors, and the codes that layers before `first` give, are the first ones'.
static void take_kept(const struct trials *t, struct repair *r, uint32_t first) {
  const struct net *net = t->flow.net;
  for (uint32_t i = 0; t->kept.real && i < net->layer_count; i++) {
    int out = net->layers[i].output;
    r->real[out] = t->kept.real[out];
    r->codes[out] = i < first ? t->kept.codes[out] : NULL;
  }
}

static void give_back(const struct trials *t, struct repair *r) {
  for (uint32_t i = 0; t->kept.real && i < t->flow.net->tensor_count; i++) {
    if (r->real[i] == t->kept.real[i])
      r->real[i] = NULL;
    if (r->codes[i] == t->kept.codes[i])
      r->codes[i] = NULL;
  }
}

static double error_of(const struct trials *t, const struct repair *r) {
  const struct net *net = t->flow.net;
  int number = net->outputs[0];
  const struct net_tensor *out = &net->tensors[number];
  size_t n = (size_t)out->h * out->w * out->c * t->flow.samples->count;
  double error = 0, size = 1e-30;
  for (size_t i = 0; i < n; i++) {
    double real = (double)r->real[number][i], got = repair_real_of(out, r->codes[number][i]);
    error += (got - real) * (got - real), size += real * real;
  }
  return error / size;
}

double trials_error(struct trials *t, uint32_t first, struct net_error *error) {
  struct quantized trial = {NULL, NULL};
  double result = -1;
  if (flow_round(&t->flow, &trial, error)) {
    struct repair r;
    repair_begin(&t->flow, &r);
    take_kept(t, &r, first);
    for (uint32_t i = t->kept.real ? first : 0; i < t->flow.net->layer_count; i++)
      repair_layer(&t->flow, &r, i);
    result = error_of(t, &r);
    give_back(t, &r);
    repair_end(&t->flow, &r);
  }
  quantized_free(&trial);
  return result;
}
