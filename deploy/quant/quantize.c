// deploy/quant/quantize.c: the way from a real network and inputs to an integer one.
//
//   ranges    the real network meets all inputs: each tensor's range, and with it its codes
//   rounding  each layer in integers, weights rounded one by one
//   repair    layer by layer, both networks side by side (repair.h)
#include "quantize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "equalize.h"
#include "flow.h"
#include "quantize_layer.h"
#include "repair.h"

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
    struct net_layer layer = quantize_layer(f->real, i, f->net, o, bits, &f->numbers[i]);
    net_add_layer(f->net, &layer);
  }
  f->net->inputs = memory_copy(from->inputs, from->input_count, sizeof(int));
  f->net->outputs = memory_copy(from->outputs, from->output_count, sizeof(int));
  f->net->input_count = from->input_count, f->net->output_count = from->output_count;
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

bool flow_begin(struct flow *f, struct net_error *error) {
  const struct quantize_options *options = f->options;
  if (!is_possible(f->real, f->samples, error))
    return false;
  if (!options->no_equalize && (options->weight_bits < 8 || options->weight_list))
    equalize(f->real);
  f->real_run = real_run_new(f->real);
  f->ranges = memory_new(f->real->net->tensor_count, sizeof *f->ranges);
  see_samples(f, ranges_see);
  see_samples(f, ranges_count);
  return true;
}

bool flow_round(struct flow *f, struct quantized *quantized, struct net_error *error) {
  f->net = quantized->net = net_new(f->real->net->name);
  f->numbers = quantized->numbers =
      memory_new(f->real->net->layer_count, sizeof *quantized->numbers);
  set_codes(f);
  add_layers(f);
  return net_check(f->net, error);
}

void flow_end(struct flow *f) {
  if (f->real_run)
    real_run_free(f->real_run);
  free(f->ranges);
}

bool quantize_begin(struct real_net *real, const struct quantize_samples *samples,
                    const struct quantize_options *options, struct quantized *quantized,
                    struct net_error *error) {
  struct flow f = {.real = real, .samples = samples, .options = options};
  *quantized = (struct quantized){NULL, NULL};
  bool good = flow_begin(&f, error) && flow_round(&f, quantized, error);
  if (good)
    repair(&f);
  flow_end(&f);
  return good && net_check(quantized->net, error);
}

static void free_numbers(struct quantized *q) {
  for (uint32_t i = 0; q->numbers && i < q->net->layer_count; i++) {
    free(q->numbers[i].scales);
    free(q->numbers[i].biases);
  }
  free(q->numbers);
  q->numbers = NULL;
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
