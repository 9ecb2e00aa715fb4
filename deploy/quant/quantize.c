// deploy/quant/quantize.c: the way from a real network and inputs to an integer one.
//
//   ranges    the real network meets all inputs: each tensor's range, and with it its codes
//   rounding  each layer in integers, weights rounded one by one
//   repair    layer by layer, both networks side by side: weights and biases once more, for what
//             the integer network gives this layer
#include "quantize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/host/int_run.h"
#include "deploy/memory.h"
#include "equalize.h"
#include "quantize_layer.h"

enum { REPAIR_WORK = 2000000000 }; // products of a layer's second moments at most

struct flow {
  struct real_net *real;
  const struct quantize_samples *samples;
  const struct quantize_options *options;
  struct net *net;
  struct real_run *real_run;
  struct ranges *ranges; // per tensor
  struct quantize_numbers *numbers;
  const struct quantized *before; // NULL, or what all weights but those of `layer` are taken from
  uint32_t layer;
};

// ---------------------------------------------------------------------------- ranges

static void see_samples(struct flow *f, void (*see)(struct ranges *, const float *, size_t)) {
  const struct net *net = f->real->net;
  for (uint32_t s = 0; s < f->samples->count; s++) {
    memcpy(real_tensor(f->real_run, net->inputs[0]), f->samples->values[s],
           real_elements(f->real_run, net->inputs[0]) * sizeof(float));
    real_execute(f->real_run);
    for (uint32_t t = 0; t < net->tensor_count; t++)
      see(&f->ranges[t], real_tensor(f->real_run, (int)t), real_elements(f->real_run, (int)t));
  }
}

// Numbers that are none, or too large for floats, would spoil all codes without a word.
static bool ranges_are_finite(const struct flow *f, struct net_error *error) {
  const struct net *net = f->real->net;
  for (uint32_t t = 0; t < net->tensor_count; t++) {
    if (isfinite(f->ranges[t].low) && isfinite(f->ranges[t].high))
      continue;
    error->status = EX_DATAERR;
    return net_fail(error, "tensor '%.100s' leaves the range of floats for some input",
                    net->tensors[t].name);
  }
  return true;
}

// ---------------------------------------------------------------------------- codes

// Average pools of fewer bits have more behind them: they become sums with a factor, if all windows
// have as many pixels.
bool quantize_keeps_codes(const struct real_net *real, uint32_t layer, const struct net *net) {
  const struct net_layer *l = &real->net->layers[layer];
  bool padded = l->pad_top || l->pad_bottom || l->pad_left || l->pad_right;
  return l->kind == NET_MAXPOOL || l->kind == NET_RESIZE ||
         (l->kind == NET_AVGPOOL &&
          (net->tensors[l->inputs[0]].bits == 8 || (padded && !real->layers[layer].count_padding)));
}

static bool is_output(const struct net *net, int number) {
  for (uint32_t i = 0; i < net->output_count; i++) {
    if (net->outputs[i] == number)
      return true;
  }
  return false;
}

// Average pools behind fewer bits are sums of many: 8 bits are kept of them.
static uint8_t output_bits(const struct flow *f, const struct net_layer *l, uint32_t *weighted) {
  const struct quantize_options *o = f->options;
  uint8_t bits = o->activation_bits;
  if (net_has_weights(l->kind)) {
    if (o->output_list && *weighted < o->list_count)
      bits = o->output_list[*weighted];
    ++*weighted;
  } else if (o->output_list) {
    bits = f->net->tensors[l->inputs[0]].bits;
  }
  return l->kind == NET_AVGPOOL || is_output(f->real->net, l->output) ? 8 : bits;
}

static void choose_codes(struct flow *f, int number, uint8_t bits) {
  struct net_tensor *t = &f->net->tensors[number];
  struct ranges_code code = ranges_choose(&f->ranges[number], f->options->range, bits);
  t->bits = bits, t->is_signed = false;
  t->scale = (double)code.scale, t->zero = code.zero;
}

static void copy_codes(struct net *net, int from, int to) {
  net->tensors[to].bits = net->tensors[from].bits;
  net->tensors[to].is_signed = net->tensors[from].is_signed;
  net->tensors[to].scale = net->tensors[from].scale,
  net->tensors[to].zero = net->tensors[from].zero;
}

static void set_codes(struct flow *f) {
  const struct net *from = f->real->net;
  uint32_t weighted = 0;
  for (uint32_t t = 0; t < from->tensor_count; t++)
    net_add_tensor(f->net, &from->tensors[t]);
  for (uint32_t i = 0; i < from->input_count; i++) {
    if (!(from->tensors[from->inputs[i]].scale > 0)) // else the file says what its codes are
      choose_codes(f, from->inputs[i], 8);
    f->net->tensors[from->inputs[i]].bits = 8;
  }
  for (uint32_t i = 0; i < from->layer_count; i++) {
    const struct net_layer *l = &from->layers[i];
    uint8_t bits = output_bits(f, l, &weighted);
    if (quantize_keeps_codes(f->real, i, f->net))
      copy_codes(f->net, l->inputs[0], l->output);
    else
      choose_codes(f, l->output, bits);
  }
}

// ---------------------------------------------------------------------------- rounding

static bool keeps_weights(const struct flow *f, uint32_t layer) {
  return f->before && layer != f->layer;
}

static struct net_layer taken_over(const struct flow *f, uint32_t i) {
  struct net_layer layer = net_copy_layer(f->before->net, &f->before->net->layers[i]);
  const struct quantize_numbers *from = &f->before->numbers[i];
  uint32_t filters = net_output(f->net, &layer)->c;
  f->numbers[i].scales = memory_copy(from->scales, filters, sizeof *from->scales);
  f->numbers[i].biases = memory_copy(from->biases, filters, sizeof *from->biases);
  layer.pad_value = net_input(f->net, &layer, 0)->zero;
  if (i > f->layer)
    quantize_rescale(f->real, i, f->net, &layer, f->options, &f->numbers[i]);
  return layer;
}

static void add_layers(struct flow *f) {
  const struct net *from = f->real->net;
  const struct quantize_options *o = f->options;
  for (uint32_t i = 0, weighted = 0; i < from->layer_count; i++) {
    uint8_t bits = o->weight_bits;
    if (net_has_weights(from->layers[i].kind)) {
      if (o->weight_list && weighted < o->list_count)
        bits = o->weight_list[weighted];
      weighted++;
    }
    struct net_layer layer = f->real->layers[i].weights && keeps_weights(f, i)
                                 ? taken_over(f, i)
                                 : quantize_layer(f->real, i, f->net, o, bits, &f->numbers[i]);
    net_add_layer(f->net, &layer);
  }
  f->net->inputs = memory_copy(from->inputs, from->input_count, sizeof(int));
  f->net->outputs = memory_copy(from->outputs, from->output_count, sizeof(int));
  f->net->input_count = from->input_count, f->net->output_count = from->output_count;
}

// ---------------------------------------------------------------------------- repair

// Both networks' tensors for all samples, as far as a later layer reads them.
struct side_by_side {
  float **real;    // per tensor: [samples][elements]
  uint8_t **codes; // the same
  uint32_t *last;  // per tensor: the last layer that reads it
  struct int_run *run;
};

static size_t elements(const struct flow *f, int t) {
  return real_elements(f->real_run, t);
}

static void keep(struct flow *f, struct side_by_side *s, int t) {
  s->real[t] = memory_new(f->samples->count * elements(f, t), sizeof(float));
  s->codes[t] = memory_new(f->samples->count * elements(f, t), 1);
}

static void drop(struct side_by_side *s, int t) {
  free(s->real[t]);
  free(s->codes[t]);
  s->real[t] = NULL, s->codes[t] = NULL;
}

static double real_of(const struct net_tensor *t, uint8_t code) {
  int32_t value = t->is_signed ? (int8_t)code : code;
  return t->scale * (value - t->zero);
}

static void keep_inputs(struct flow *f, struct side_by_side *s) {
  int t = f->net->inputs[0];
  const struct net_tensor *in = &f->net->tensors[t];
  int32_t least = in->is_signed ? -128 : 0;
  size_t n = elements(f, t);
  keep(f, s, t);
  for (uint32_t k = 0; k < f->samples->count; k++) {
    for (size_t i = 0; i < n; i++) {
      double x = (double)f->samples->values[k][i], q = round(x / in->scale) + in->zero;
      s->codes[t][k * n + i] = (uint8_t)(int32_t)fmin(fmax(q, least), least + 255);
      s->real[t][k * n + i] = (float)x;
    }
  }
}

// The layer on sample k, in both; results without the clip where `raw`.
static void run_real(struct flow *f, struct side_by_side *s, uint32_t layer, uint32_t k) {
  const struct net_layer *l = &f->real->net->layers[layer];
  for (uint32_t i = 0; i < l->input_count; i++) {
    size_t n = elements(f, l->inputs[i]);
    memcpy(real_tensor(f->real_run, l->inputs[i]), s->real[l->inputs[i]] + k * n,
           n * sizeof(float));
  }
  real_execute_layer(f->real_run, layer);
}

static void run_codes(struct flow *f, struct side_by_side *s, uint32_t layer, uint32_t k) {
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

static void repair_weights(struct flow *f, struct side_by_side *s, uint32_t layer) {
  struct net_layer *l = &f->net->layers[layer];
  struct real_layer *numbers = &f->real->layers[layer], kept = *numbers;
  const struct net_tensor *in = net_input(f->net, l, 0);
  bool kept_weights = keeps_weights(f, layer);
  struct moments *m = moments_new(f->net, l, !kept_weights && !f->options->no_reconstruct);
  uint32_t stride = row_stride(f, l, m);
  size_t n = elements(f, l->inputs[0]);
  float *x = memory_new(n, sizeof *x);
  numbers->low = -INFINITY, numbers->high = INFINITY;
  for (uint32_t k = 0; k < f->samples->count; k++) {
    run_real(f, s, layer, k);
    for (size_t i = 0; i < n; i++)
      x[i] = (float)real_of(in, s->codes[l->inputs[0]][k * n + i]);
    moments_add(m, f->net, l, x, real_tensor(f->real_run, l->output), stride, k % stride);
  }
  *numbers = kept;
  moments_finish(m);
  if (kept_weights)
    quantize_biases(f->net, l, f->options, m, &f->numbers[layer]);
  else
    quantize_weights(f->real, layer, f->net, l, f->options, m, &f->numbers[layer]);
  int_reload(s->run, layer);
  moments_free(m);
  free(x);
}

static void repair_layer(struct flow *f, struct side_by_side *s, uint32_t layer) {
  const struct net_layer *l = &f->net->layers[layer];
  size_t n = elements(f, l->output);
  if (f->real->layers[layer].weights && !(f->before && layer < f->layer))
    repair_weights(f, s, layer);
  keep(f, s, l->output);
  for (uint32_t k = 0; k < f->samples->count; k++) {
    run_real(f, s, layer, k);
    memcpy(s->real[l->output] + k * n, real_tensor(f->real_run, l->output), n * sizeof(float));
    run_codes(f, s, layer, k);
    for (size_t i = 0; i < n; i++)
      s->codes[l->output][k * n + i] = (uint8_t)int_tensor(s->run, l->output)[i];
  }
  for (uint32_t t = 0; t < f->net->tensor_count; t++) {
    if (s->last[t] == layer)
      drop(s, (int)t);
  }
}

static void repair(struct flow *f) {
  uint32_t tensors = f->net->tensor_count;
  struct side_by_side s = {.real = memory_new(tensors, sizeof *s.real),
                           .codes = memory_new(tensors, sizeof *s.codes),
                           .last = memory_new(tensors, sizeof *s.last),
                           .run = int_new(f->net)};
  for (uint32_t i = 0; i < f->net->layer_count; i++) {
    const struct net_layer *l = &f->net->layers[i];
    s.last[l->output] = i;
    for (uint32_t k = 0; k < l->input_count; k++)
      s.last[l->inputs[k]] = i;
  }
  keep_inputs(f, &s);
  for (uint32_t i = 0; i < f->net->layer_count; i++)
    repair_layer(f, &s, i);
  for (uint32_t t = 0; t < tensors; t++)
    drop(&s, (int)t);
  int_free(s.run);
  free(s.real);
  free(s.codes);
  free(s.last);
}

// ---------------------------------------------------------------------------- all

static bool is_possible(const struct real_net *real, const struct quantize_samples *samples,
                        struct net_error *error) {
  if (real->net->input_count == 1 && samples->count)
    return true;
  error->status = EX_USAGE;
  return net_fail(error, "%u inputs and %u samples; one input and at least one sample are needed",
                  real->net->input_count, samples->count);
}

static bool work(struct flow *f, struct quantized *quantized, struct net_error *error) {
  const struct net *from = f->real->net;
  quantized->net = f->net = net_new(from->name);
  quantized->numbers = f->numbers = memory_new(from->layer_count, sizeof *f->numbers);
  quantized->ranges = f->ranges = memory_new(from->tensor_count, sizeof *f->ranges);
  f->real_run = real_run_new(f->real);
  if (f->before) {
    memcpy(f->ranges, f->before->ranges, from->tensor_count * sizeof *f->ranges);
  } else {
    see_samples(f, ranges_see);
    see_samples(f, ranges_count);
  }
  bool good = ranges_are_finite(f, error);
  if (good) {
    set_codes(f);
    add_layers(f);
    good = net_check(f->net, error);
  }
  if (good)
    repair(f);
  real_run_free(f->real_run);
  return good && net_check(f->net, error);
}

bool quantize_begin(struct real_net *real, const struct quantize_samples *samples,
                    const struct quantize_options *options, struct quantized *quantized,
                    struct net_error *error) {
  *quantized = (struct quantized){NULL};
  if (!is_possible(real, samples, error))
    return false;
  if (!options->no_equalize && (options->weight_bits < 8 || options->weight_list))
    equalize(real);
  struct flow f = {.real = real, .samples = samples, .options = options};
  return work(&f, quantized, error);
}

bool quantize_again(struct real_net *real, const struct quantize_samples *samples,
                    const struct quantize_options *options, const struct quantized *before,
                    uint32_t layer, struct quantized *quantized, struct net_error *error) {
  *quantized = (struct quantized){NULL};
  struct flow f = {
      .real = real, .samples = samples, .options = options, .before = before, .layer = layer};
  return work(&f, quantized, error);
}

static void free_numbers(struct quantized *q) {
  for (uint32_t i = 0; q->numbers && i < q->net->layer_count; i++) {
    free(q->numbers[i].scales);
    free(q->numbers[i].biases);
  }
  free(q->numbers);
  free(q->ranges);
  q->numbers = NULL, q->ranges = NULL;
}

void quantized_free(struct quantized *q) {
  free_numbers(q);
  net_free(q->net);
  q->net = NULL;
}

struct net *quantize_end(struct quantized *q, const struct quantize_options *options) {
  struct net *net = q->net;
  for (uint32_t i = 0; options->scheme == BITS_THRESHOLDS && i < net->layer_count; i++) {
    if (q->numbers[i].scales && !net_output(net, &net->layers[i])->is_signed)
      quantize_to_thresholds(net, &net->layers[i]);
  }
  free_numbers(q);
  q->net = NULL;
  return net;
}

struct net *quantize(struct real_net *real, const struct quantize_samples *samples,
                     const struct quantize_options *options, struct net_error *error) {
  struct quantized q;
  struct net *net = NULL;
  if (quantize_begin(real, samples, options, &q, error))
    net = quantize_end(&q, options);
  quantized_free(&q);
  return net;
}
