// deploy/quant/fake.c: the parameters, and what they stand for.
#include "fake.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "quantize_layer.h"

enum { KERNEL_MOST = 15, SIZE_MOST = 4095 };

// ---------------------------------------------------------------------------- what can be learned

static bool has_backward(const struct net *net, const struct net_layer *l) {
  const struct net_tensor *in = net_input(net, l, 0), *out = net_output(net, l);
  if (l->kind != NET_CONV && l->kind != NET_DEPTHWISE)
    return true;
  return l->dilation_h == 1 && l->dilation_w == 1 && l->kernel_h <= KERNEL_MOST &&
         l->kernel_w <= KERNEL_MOST && l->stride_h <= KERNEL_MOST && l->stride_w <= KERNEL_MOST &&
         l->pad_top < l->kernel_h && l->pad_bottom < l->kernel_h && l->pad_left < l->kernel_w &&
         l->pad_right < l->kernel_w && in->h <= SIZE_MOST && in->w <= SIZE_MOST &&
         in->c <= SIZE_MOST && out->c <= SIZE_MOST;
}

static bool check(const struct net *net, struct net_error *error) {
  for (uint32_t i = 0; i < net->layer_count; i++) {
    if (has_backward(net, &net->layers[i]))
      continue;
    error->status = EX_UNAVAILABLE;
    return net_fail(error,
                    "layer '%.100s' cannot be retrained: kernels and strides up to %d without "
                    "dilation, smaller paddings, and up to %d channels are supported",
                    net->layers[i].name, KERNEL_MOST, SIZE_MOST);
  }
  return true;
}

// ---------------------------------------------------------------------------- weights

static int low_of(const struct net_layer *l) {
  return -(1 << (l->weight_bits - 1));
}

// Weights per unit of the parameter: steps of learning are parts of a layer's range, not of a code.
static float grain_of(const struct net_layer *l) {
  return (float)(1 << (l->weight_bits - 1)) / 8;
}

static void set_order(const struct net *net, const struct net_layer *l, struct fake_layer *f) {
  const struct net_tensor *in = net_input(net, l, 0);
  bool linear = l->kind == NET_LINEAR;
  size_t window = linear ? (size_t)in->h * in->w : (size_t)l->kernel_h * l->kernel_w;
  size_t width = f->taps / window;
  f->order = memory_new(l->weight_count, sizeof *f->order);
  for (size_t i = 0; i < l->weight_count; i++) {
    size_t c = i % width, k = i / width % window;
    f->order[i] = (uint32_t)(i / f->taps * f->taps + c * window + k);
  }
}

// The weight of the real network, as near as the code lets it be: at the start the integers are
// those that the quantizer chose.
static void start_weights(struct fake *fake, uint32_t number) {
  const struct net_layer *l = &fake->net->layers[number];
  struct fake_layer *f = &fake->layers[number];
  float *to = fake->parameters + f->weights;
  for (size_t i = 0; i < l->weight_count; i++) {
    float code = l->weights[i], w = fake->real->layers[number].weights[i] / f->first[i / f->taps];
    w = fminf(fmaxf(w, code - 0.49F), code + 0.49F);
    to[f->order[i]] = w / grain_of(l);
  }
}

static void new_layer(struct fake *fake, uint32_t number, const struct quantize_numbers *from) {
  const struct net_layer *l = &fake->real->net->layers[number];
  struct fake_layer *f = &fake->layers[number];
  f->filters = net_output(fake->net, l)->c;
  f->scales = net_kappa_count(fake->net, &fake->net->layers[number]);
  f->taps = l->weight_count / f->filters;
  f->first = memory_copy(from->scales, f->filters, sizeof *f->first);
  f->unit = memory_new(f->filters, sizeof *f->unit);
  f->bias0 = memory_new(f->filters, sizeof *f->bias0);
  f->bias_now = memory_new(f->filters, sizeof *f->bias_now);
  f->rounded = memory_new(l->weight_count, sizeof *f->rounded);
  for (uint32_t i = 0; i < f->filters; i++) {
    f->bias0[i] = (float)from->biases[i];
    f->unit[i] = (float)net_output(fake->net, l)->scale;
  }
  set_order(fake->net, l, f);
}

// ---------------------------------------------------------------------------- places

static void place_weights(struct fake *fake) {
  const struct net *net = fake->real->net;
  uint32_t sizes[FAKE_PARTS] = {0};
  for (uint32_t i = 0; i < net->layer_count; i++) {
    struct fake_layer *f = &fake->layers[i];
    f->weights = sizes[FAKE_WEIGHTS], f->bias = sizes[FAKE_BIASES];
    f->scale = sizes[FAKE_WEIGHT_SCALES];
    sizes[FAKE_WEIGHTS] += (uint32_t)(f->filters * f->taps);
    sizes[FAKE_BIASES] += f->filters, sizes[FAKE_WEIGHT_SCALES] += f->scales;
  }
  for (uint32_t t = 0; t < net->tensor_count; t++) {
    if (fake->places[t] != UINT32_MAX)
      fake->places[t] = sizes[FAKE_SCALES]++;
  }
  for (int part = 0; part < FAKE_PARTS; part++)
    fake->parts[part + 1] = fake->parts[part] + sizes[part];
  for (uint32_t i = 0; i < net->layer_count; i++) {
    fake->layers[i].bias += fake->parts[FAKE_BIASES];
    fake->layers[i].scale += fake->parts[FAKE_WEIGHT_SCALES];
  }
  for (uint32_t t = 0; t < net->tensor_count; t++)
    fake->places[t] += fake->places[t] != UINT32_MAX ? fake->parts[FAKE_SCALES] : 0;
}

// Which tensors' scales learn: what a layer computes, not what it hands on; inputs are given, and
// outputs are compared with what is asked of them.
static void choose_scales(struct fake *fake) {
  const struct net *net = fake->real->net;
  fake->owner = memory_new(net->tensor_count, sizeof *fake->owner);
  fake->places = memory_new(net->tensor_count, sizeof *fake->places);
  for (uint32_t t = 0; t < net->tensor_count; t++)
    fake->owner[t] = t, fake->places[t] = UINT32_MAX;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    if (quantize_keeps_codes(fake->real, i, fake->net))
      fake->owner[l->output] = fake->owner[l->inputs[0]];
    else
      fake->places[l->output] = 0;
  }
  for (uint32_t i = 0; i < net->output_count; i++)
    fake->places[net->outputs[i]] = UINT32_MAX;
}

struct fake *fake_new(const struct real_net *real, const struct net *net,
                      const struct quantize_numbers *numbers, struct net_error *error) {
  if (!check(real->net, error))
    return NULL;
  struct fake *fake = memory_new(1, sizeof *fake);
  fake->real = real, fake->net = net;
  fake->layers = memory_new(net->layer_count, sizeof *fake->layers);
  fake->scale = memory_new(net->tensor_count, sizeof *fake->scale);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    if (numbers[i].scales)
      new_layer(fake, i, &numbers[i]);
  }
  choose_scales(fake);
  place_weights(fake);
  fake->parameters = memory_new(fake->parts[FAKE_PARTS], sizeof *fake->parameters);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    if (numbers[i].scales)
      start_weights(fake, i);
  }
  fake_prepare(fake);
  return fake;
}

void fake_free(struct fake *fake) {
  if (!fake)
    return;
  for (uint32_t i = 0; i < fake->net->layer_count; i++) {
    struct fake_layer *f = &fake->layers[i];
    free(f->first);
    free(f->unit);
    free(f->bias0);
    free(f->bias_now);
    free(f->rounded);
    free(f->order);
  }
  free(fake->layers);
  free(fake->owner);
  free(fake->places);
  free(fake->scale);
  free(fake->parameters);
  free(fake);
}

// ---------------------------------------------------------------------------- forward

// A filter's scale, over the first one.
static float growth_of(const struct fake *fake, const struct fake_layer *f, uint32_t filter) {
  return expf(fake->parameters[f->scale + (f->scales > 1 ? filter : 0)]);
}

static float code_of(float x, float low) {
  return fminf(fmaxf(floorf(x + 0.5F), low), -low - 1);
}

// The bias that the integers have: in whole sums, or quarters, with what rounds the code to
// nearest.
static float whole_bias(const struct fake *fake, const struct net_layer *l, float scale,
                        float bias) {
  double sum = (double)fake->scale[l->inputs[0]] * (double)scale / (1 << l->requant.shift);
  double half = 0.5 * (double)fake->scale[l->output] / sum;
  return (float)((round((double)bias / sum + half) - half) * sum);
}

static void prepare_layer(struct fake *fake, uint32_t number) {
  const struct net_layer *l = &fake->net->layers[number];
  struct fake_layer *f = &fake->layers[number];
  float low = (float)low_of(l), grain = grain_of(l);
  for (uint32_t filter = 0; filter < f->filters; filter++) {
    float growth = growth_of(fake, f, filter), scale = f->first[filter] * growth;
    for (size_t i = filter * f->taps; i < (filter + 1) * f->taps; i++)
      f->rounded[i] = scale * code_of(fake->parameters[f->weights + i] * grain / growth, low);
    float bias = f->bias0[filter] + f->unit[filter] * fake->parameters[f->bias + filter];
    f->bias_now[filter] = whole_bias(fake, l, scale, bias);
  }
}

void fake_prepare(struct fake *fake) {
  const struct net *net = fake->net;
  for (uint32_t t = 0; t < net->tensor_count; t++) {
    uint32_t owner = fake->owner[t], place = fake->places[owner];
    float growth = place == UINT32_MAX ? 1 : expf(fake->parameters[place]);
    fake->scale[t] = (float)net->tensors[owner].scale * growth;
  }
  for (uint32_t i = 0; i < net->layer_count; i++) {
    if (fake->layers[i].filters)
      prepare_layer(fake, i);
  }
}

void fake_codes(const struct fake *fake, uint32_t number, int8_t *codes, float *scales,
                double *biases) {
  const struct net_layer *l = &fake->net->layers[number];
  const struct fake_layer *f = &fake->layers[number];
  for (uint32_t filter = 0; filter < f->filters; filter++) {
    scales[filter] = f->first[filter] * growth_of(fake, f, filter);
    biases[filter] = (double)f->bias_now[filter];
  }
  for (size_t i = 0; i < l->weight_count; i++)
    codes[i] = (int8_t)lrintf(f->rounded[f->order[i]] / scales[i / f->taps]);
}

// ---------------------------------------------------------------------------- backward

static void finish_layer(const struct fake *fake, uint32_t number, float *gradients) {
  const struct net_layer *l = &fake->net->layers[number];
  const struct fake_layer *f = &fake->layers[number];
  float low = (float)low_of(l), grain = grain_of(l);
  for (uint32_t filter = 0; filter < f->filters; filter++) {
    float growth = growth_of(fake, f, filter), scale = f->first[filter] * growth, sum = 0;
    for (size_t i = filter * f->taps; i < (filter + 1) * f->taps; i++) {
      float x = fake->parameters[f->weights + i] * grain / growth;
      bool inside = x > low - 0.5F && x < -low - 0.5F;
      float *g = &gradients[f->weights + i];
      sum += *g * (f->rounded[i] - (inside ? scale * x : 0));
      *g = inside ? *g * f->first[filter] * grain : 0;
    }
    gradients[f->scale + (f->scales > 1 ? filter : 0)] += sum;
    gradients[f->bias + filter] *= f->unit[filter];
  }
}

void fake_finish(const struct fake *fake, float *gradients) {
  for (uint32_t i = 0; i < fake->net->layer_count; i++) {
    if (fake->layers[i].filters)
      finish_layer(fake, i, gradients);
  }
}
