// deploy/quant/repair.c
#include "repair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "quantize_layer.h"

enum { REPAIR_WORK = 2000000000 }; // products of a layer's second moments at most

static size_t elements(const struct flow *f, int t) {
  return real_elements(f->real_run, t);
}

static void keep_codes(struct flow *f, struct repair *s, int t) {
  s->codes[t] = memory_new(f->samples->count * elements(f, t), 1);
}

static void drop(struct repair *s, int t) {
  free(s->real[t]);
  free(s->codes[t]);
  s->real[t] = NULL, s->codes[t] = NULL;
}

double repair_real_of(const struct net_tensor *t, uint8_t code) {
  int32_t value = t->is_signed ? (int8_t)code : code;
  return t->scale * (value - t->zero);
}

static void keep_inputs(struct flow *f, struct repair *s) {
  int t = f->net->inputs[0];
  const struct net_tensor *in = &f->net->tensors[t];
  int32_t least = in->is_signed ? -128 : 0;
  size_t n = elements(f, t);
  keep_codes(f, s, t);
  s->real[t] = memory_new(f->samples->count * n, sizeof(float));
  for (uint32_t k = 0; k < f->samples->count; k++) {
    for (size_t i = 0; i < n; i++) {
      double x = (double)f->samples->values[k][i], q = round(x / in->scale) + in->zero;
      s->codes[t][k * n + i] = (uint8_t)(int32_t)fmin(fmax(q, least), least + 255);
      s->real[t][k * n + i] = (float)x;
    }
  }
}

// The layer on sample k, in both; results without the clip where `raw`.
static void run_real(struct flow *f, struct repair *s, uint32_t layer, uint32_t k) {
  const struct net_layer *l = &f->real->net->layers[layer];
  for (uint32_t i = 0; i < l->input_count; i++) {
    size_t n = elements(f, l->inputs[i]);
    memcpy(real_tensor(f->real_run, l->inputs[i]), s->real[l->inputs[i]] + k * n,
           n * sizeof(float));
  }
  real_execute_layer(f->real_run, layer);
}

static void run_codes(struct flow *f, struct repair *s, uint32_t layer, uint32_t k) {
  const struct net_layer *l = &f->net->layers[layer];
  for (uint32_t i = 0; i < l->input_count; i++) {
    size_t n = elements(f, l->inputs[i]);
    bool is_signed = f->net->tensors[l->inputs[i]].is_signed;
    const uint8_t *from = s->codes[l->inputs[i]] + k * n;
    for (size_t e = 0; e < n; e++)
      int_tensor(s->run, l->inputs[i])[e] = is_signed ? (int8_t)from[e] : from[e];
  }
  int_execute_layer(s->run, layer);
}

// One row in so many, such that the work stays bounded.
static uint32_t row_stride(const struct flow *f, const struct net_layer *l,
                           const struct moments *m) {
  const struct net_tensor *out = net_output(f->net, l);
  double rows = (double)f->samples->count * out->h * out->w;
  double work = rows * (double)m->taps * ((double)m->taps * m->groups + m->filters);
  double stride = m->h ? ceil(work / REPAIR_WORK) : 1;
  double most = rows / (8 * (double)m->taps);
  return (uint32_t)fmax(1, fmin(stride, most));
}

static void repair_weights(struct flow *f, struct repair *s, uint32_t layer) {
  struct net_layer *l = &f->net->layers[layer];
  struct real_layer *numbers = &f->real->layers[layer], kept = *numbers;
  const struct net_tensor *in = net_input(f->net, l, 0);
  struct moments *m = moments_new(f->net, l, !f->options->no_reconstruct);
  uint32_t stride = row_stride(f, l, m);
  size_t n = elements(f, l->inputs[0]);
  float *x = memory_new(n, sizeof *x);
  numbers->low = -INFINITY, numbers->high = INFINITY;
  for (uint32_t k = 0; k < f->samples->count; k++) {
    run_real(f, s, layer, k);
    for (size_t i = 0; i < n; i++)
      x[i] = (float)repair_real_of(in, s->codes[l->inputs[0]][k * n + i]);
    moments_add(m, f->net, l, x, real_tensor(f->real_run, l->output), stride, k % stride);
  }
  *numbers = kept;
  moments_finish(m);
  quantize_weights(f->real, layer, f->net, l, f->options, m, &f->numbers[layer]);
  int_reload(s->run, layer);
  moments_free(m);
  free(x);
}

// What the real network gives, if it is not known.
static void keep_real(struct flow *f, struct repair *s, uint32_t layer) {
  int t = f->net->layers[layer].output;
  size_t n = elements(f, t);
  if (s->real[t])
    return;
  s->real[t] = memory_new(f->samples->count * n, sizeof(float));
  for (uint32_t k = 0; k < f->samples->count; k++) {
    run_real(f, s, layer, k);
    memcpy(s->real[t] + k * n, real_tensor(f->real_run, t), n * sizeof(float));
  }
}

void repair_layer(struct flow *f, struct repair *s, uint32_t layer) {
  const struct net_layer *l = &f->net->layers[layer];
  size_t n = elements(f, l->output);
  if (f->real->layers[layer].weights)
    repair_weights(f, s, layer);
  keep_real(f, s, layer);
  keep_codes(f, s, l->output);
  for (uint32_t k = 0; k < f->samples->count; k++) {
    run_codes(f, s, layer, k);
    for (size_t i = 0; i < n; i++)
      s->codes[l->output][k * n + i] = (uint8_t)int_tensor(s->run, l->output)[i];
  }
}

void repair_begin(struct flow *f, struct repair *s) {
  s->real = memory_new(f->net->tensor_count, sizeof *s->real);
  s->codes = memory_new(f->net->tensor_count, sizeof *s->codes);
  s->run = int_new(f->net);
  keep_inputs(f, s);
}

void repair_end(struct flow *f, struct repair *s) {
  for (uint32_t t = 0; s->real && t < f->net->tensor_count; t++)
    drop(s, (int)t);
  free(s->real);
  free(s->codes);
  if (s->run)
    int_free(s->run);
}

// Tensors go when their last reader is done.
void repair(struct flow *f) {
  struct repair s;
  uint32_t *last = memory_new(f->net->tensor_count, sizeof *last);
  for (uint32_t i = 0; i < f->net->layer_count; i++) {
    const struct net_layer *l = &f->net->layers[i];
    last[l->output] = i;
    for (uint32_t k = 0; k < l->input_count; k++)
      last[l->inputs[k]] = i;
  }
  repair_begin(f, &s);
  for (uint32_t i = 0; i < f->net->layer_count; i++) {
    repair_layer(f, &s, i);
    for (uint32_t t = 0; t < f->net->tensor_count; t++) {
      if (last[t] == i)
        drop(&s, (int)t);
    }
  }
  repair_end(f, &s);
  free(last);
}
