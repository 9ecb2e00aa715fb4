// deploy/quant/real_run.c: the interpreter of real numbers.
//
// A convolution is im2col by rows of output pixels; each pixel's taps, one after the other, are
// multiplied into the sums of all filters, which compilers turn into vectors.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "real.h"

struct real_run {
  const struct real_net *real;
  float **values;  // per tensor
  float **weights; // per layer: [taps][filters] of each group; depthwise [taps][c]
  float *columns;  // im2col of one pixel
};

static size_t elements(const struct net_tensor *t) {
  return (size_t)t->h * t->w * t->c;
}

static size_t taps_of(const struct net_layer *l, uint32_t filters) {
  return l->weight_count / filters;
}

void real_reload(struct real_run *run, uint32_t number) {
  const struct net *net = run->real->net;
  const struct net_layer *l = &net->layers[number];
  if (!net_has_weights(l->kind))
    return;
  uint32_t filters = net_output(net, l)->c;
  uint32_t groups = l->kind == NET_CONV ? l->groups : 1, width = filters / groups;
  size_t taps = taps_of(l, filters);
  const float *from = run->real->layers[number].weights;
  for (uint32_t f = 0; f < filters; f++) {
    for (size_t t = 0; t < taps; t++)
      run->weights[number][(f / width * taps + t) * width + f % width] = from[f * taps + t];
  }
}

struct real_run *real_run_new(const struct real_net *real) {
  const struct net *net = real->net;
  struct real_run *run = memory_new(1, sizeof *run);
  run->real = real;
  run->values = memory_new(net->tensor_count, sizeof *run->values);
  run->weights = memory_new(net->layer_count, sizeof *run->weights);
  for (uint32_t i = 0; i < net->tensor_count; i++)
    run->values[i] = memory_new(elements(&net->tensors[i]), sizeof **run->values);
  size_t most = 0;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    if (!net_has_weights(l->kind))
      continue;
    run->weights[i] = memory_new(l->weight_count, sizeof **run->weights);
    real_reload(run, i);
    size_t taps = taps_of(l, net_output(net, l)->c);
    most = taps > most ? taps : most;
  }
  run->columns = memory_new(most, sizeof *run->columns);
  return run;
}

void real_run_free(struct real_run *run) {
  if (!run)
    return;
  for (uint32_t i = 0; i < run->real->net->tensor_count; i++)
    free(run->values[i]);
  for (uint32_t i = 0; i < run->real->net->layer_count; i++)
    free(run->weights[i]);
  free(run->values);
  free(run->weights);
  free(run->columns);
  free(run);
}

float *real_tensor(const struct real_run *run, int number) {
  return run->values[number];
}

size_t real_elements(const struct real_run *run, int number) {
  return elements(&run->real->net->tensors[number]);
}

size_t real_largest(const struct real_run *run, int number) {
  const float *values = real_tensor(run, number);
  size_t best = 0;
  for (size_t i = 1; i < real_elements(run, number); i++)
    best = values[i] > values[best] ? i : best;
  return best;
}

// One layer at work.
struct work {
  const struct net_layer *l;
  const struct real_layer *numbers;
  const struct net_tensor *in, *out;
  const float *x, *weights;
  float *y, *columns;
  const struct real_run *run;
};

static const float *pixel_at(const struct work *w, int64_t y, int64_t x) {
  if (y < 0 || y >= w->in->h || x < 0 || x >= w->in->w)
    return NULL;
  return w->x + ((size_t)y * w->in->w + (size_t)x) * w->in->c;
}

static void clip_all(const struct work *w) {
  size_t count = elements(w->out);
  float low = w->numbers->low, high = w->numbers->high;
  bool plain = w->numbers->function == REAL_IDENTITY; // the clip alone, as compilers like it
  for (size_t i = 0; plain && i < count; i++)
    w->y[i] = w->y[i] < low ? low : w->y[i] > high ? high : w->y[i];
  for (size_t i = 0; !plain && i < count; i++)
    w->y[i] = real_applied(w->numbers, w->y[i]);
}

static void begin_sums(const struct work *w, float *sums, uint32_t first, uint32_t count) {
  for (uint32_t f = 0; f < count; f++)
    sums[f] = w->numbers->bias ? w->numbers->bias[first + f] : 0;
}

enum { BLOCK = 16 }; // filters whose sums are in registers

static void add_block(const float *x, const float *weights, float *sums, size_t taps,
                      uint32_t filters) {
  float sum[BLOCK];
  memcpy(sum, sums, sizeof sum);
  for (size_t t = 0; t < taps; t++) {
    for (uint32_t f = 0; f < BLOCK; f++)
      sum[f] += x[t] * weights[t * filters + f];
  }
  memcpy(sums, sum, sizeof sum);
}

static void add_products(const float *x, const float *weights, float *sums, size_t taps,
                         uint32_t filters) {
  uint32_t first = 0;
  for (; first + BLOCK <= filters; first += BLOCK)
    add_block(x, weights + first, sums + first, taps, filters);
  for (size_t t = 0; t < taps; t++) {
    for (uint32_t f = first; f < filters; f++)
      sums[f] += x[t] * weights[t * filters + f];
  }
}

static void gather(const struct work *w, uint32_t y0, uint32_t x0, size_t first, size_t count) {
  float *to = w->columns;
  int64_t y = (int64_t)y0 * w->l->stride_h - w->l->pad_top;
  for (uint32_t i = 0; i < w->l->kernel_h; i++, y += w->l->dilation_h) {
    int64_t x = (int64_t)x0 * w->l->stride_w - w->l->pad_left;
    for (uint32_t j = 0; j < w->l->kernel_w; j++, x += w->l->dilation_w, to += count) {
      const float *pixel = pixel_at(w, y, x);
      if (pixel)
        memcpy(to, pixel + first, count * sizeof *to);
      else
        memset(to, 0, count * sizeof *to);
    }
  }
}

static void convolution(const struct work *w) {
  uint32_t groups = w->l->groups, filters = w->out->c / groups, width = w->in->c / groups;
  size_t taps = taps_of(w->l, w->out->c);
  float *sums = w->y;
  for (uint32_t y = 0; y < w->out->h; y++) {
    for (uint32_t x = 0; x < w->out->w; x++) {
      for (uint32_t g = 0; g < groups; g++, sums += filters) {
        gather(w, y, x, (size_t)g * width, width);
        begin_sums(w, sums, g * filters, filters);
        add_products(w->columns, w->weights + g * taps * filters, sums, taps, filters);
      }
    }
  }
  clip_all(w);
}

static void depthwise_pixel(const struct work *w, uint32_t y0, uint32_t x0, float *restrict sums) {
  const float *weights = w->weights;
  int64_t y = (int64_t)y0 * w->l->stride_h - w->l->pad_top;
  for (uint32_t i = 0; i < w->l->kernel_h; i++, y += w->l->dilation_h) {
    int64_t x = (int64_t)x0 * w->l->stride_w - w->l->pad_left;
    for (uint32_t j = 0; j < w->l->kernel_w; j++, x += w->l->dilation_w, weights += w->out->c) {
      const float *pixel = pixel_at(w, y, x);
      for (uint32_t c = 0; pixel && c < w->out->c; c++)
        sums[c] += pixel[c] * weights[c];
    }
  }
}

static void depthwise(const struct work *w) {
  float *sums = w->y;
  for (uint32_t y = 0; y < w->out->h; y++) {
    for (uint32_t x = 0; x < w->out->w; x++, sums += w->out->c) {
      begin_sums(w, sums, 0, w->out->c);
      depthwise_pixel(w, y, x, sums);
    }
  }
  clip_all(w);
}

static void linear(const struct work *w) {
  begin_sums(w, w->y, 0, w->out->c);
  add_products(w->x, w->weights, w->y, elements(w->in), w->out->c);
  clip_all(w);
}

// ---------------------------------------------------------------------------- pools

static float pooled(const struct work *w, uint32_t y0, uint32_t x0, uint32_t c) {
  float sum = 0, most = -INFINITY;
  uint32_t pixels = 0;
  for (uint32_t i = 0; i < w->l->kernel_h; i++) {
    for (uint32_t j = 0; j < w->l->kernel_w; j++) {
      const float *pixel = pixel_at(w, (int64_t)y0 * w->l->stride_h + i - w->l->pad_top,
                                    (int64_t)x0 * w->l->stride_w + j - w->l->pad_left);
      if (!pixel)
        continue;
      sum += pixel[c], pixels++;
      most = fmaxf(most, pixel[c]);
    }
  }
  if (w->l->kind == NET_MAXPOOL)
    return most;
  uint32_t whole = (uint32_t)w->l->kernel_h * w->l->kernel_w;
  return sum / (float)(w->numbers->count_padding ? whole : pixels);
}

static void pool(const struct work *w) {
  float *at = w->y;
  for (uint32_t y = 0; y < w->out->h; y++) {
    for (uint32_t x = 0; x < w->out->w; x++) {
      for (uint32_t c = 0; c < w->out->c; c++)
        *at++ = pooled(w, y, x, c);
    }
  }
  clip_all(w);
}

// ---------------------------------------------------------------------------- element by element

static const float *input(const struct work *w, uint32_t i) {
  return w->run->values[w->l->inputs[i]];
}

static float summed(const struct work *w, size_t i) {
  float sum = 0;
  for (uint32_t k = 0; k < w->l->input_count; k++)
    sum += input(w, k)[i];
  return sum;
}

static float joined(const struct work *w, size_t pixel, uint32_t c) {
  const struct net *net = w->run->real->net;
  uint32_t k = 0;
  while (c >= net_input(net, w->l, k)->c)
    c -= net_input(net, w->l, k++)->c;
  return input(w, k)[pixel * net_input(net, w->l, k)->c + c];
}

static float repeated(const struct work *w, size_t pixel, uint32_t c) {
  size_t y = pixel / w->out->w, x = pixel % w->out->w;
  if (y % w->l->dilation_h || x % w->l->dilation_w)
    return 0;
  return w->x[(y / w->l->stride_h * w->in->w + x / w->l->stride_w) * w->in->c + c];
}

static float value_of(const struct work *w, size_t pixel, uint32_t c) {
  size_t i = pixel * w->out->c + c;
  const struct net *net = w->run->real->net;
  switch (w->l->kind) {
  case NET_ADD:
    return summed(w, i);
  case NET_MULTIPLY:
    return w->x[i] * input(w, 1)[elements(net_input(net, w->l, 1)) == w->out->c ? c : i];
  case NET_CONCAT:
    return joined(w, pixel, c);
  case NET_RESIZE:
    return repeated(w, pixel, c);
  default:
    return w->x[i];
  }
}

static void elementwise(const struct work *w) {
  size_t pixels = (size_t)w->out->h * w->out->w;
  for (size_t p = 0; p < pixels; p++) {
    for (uint32_t c = 0; c < w->out->c; c++)
      w->y[p * w->out->c + c] = value_of(w, p, c);
  }
  clip_all(w);
}

void real_execute_layer(struct real_run *run, uint32_t number) {
  static void (*const execute[NET_KINDS])(const struct work *) = {
      [NET_CONV] = convolution,     [NET_DEPTHWISE] = depthwise, [NET_LINEAR] = linear,
      [NET_MAXPOOL] = pool,         [NET_AVGPOOL] = pool,        [NET_ADD] = elementwise,
      [NET_MULTIPLY] = elementwise, [NET_CONCAT] = elementwise,  [NET_TABLE] = elementwise,
      [NET_RESIZE] = elementwise};
  const struct net *net = run->real->net;
  const struct net_layer *l = &net->layers[number];
  execute[l->kind](&(struct work){.l = l,
                                  .numbers = &run->real->layers[number],
                                  .in = net_input(net, l, 0),
                                  .out = net_output(net, l),
                                  .x = run->values[l->inputs[0]],
                                  .weights = run->weights[number],
                                  .y = run->values[l->output],
                                  .columns = run->columns,
                                  .run = run});
}

void real_execute(struct real_run *run) {
  for (uint32_t i = 0; i < run->real->net->layer_count; i++)
    real_execute_layer(run, i);
}
