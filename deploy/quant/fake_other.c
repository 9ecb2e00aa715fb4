// deploy/quant/fake_other.c: layers without weights. A pool's gradient goes to all of the window,
// or to its first largest pixel; that of a function by its derivative.
#include <math.h>
#include <string.h>

#include "fake_run.h"

static size_t plane_of(const struct net_tensor *t) {
  return (size_t)t->h * t->w;
}

static size_t elements(const struct net_tensor *t) {
  return plane_of(t) * t->c;
}

// ---------------------------------------------------------------------------- pools

// The pixels of a plane that a window covers.
struct window {
  uint32_t top, bottom, left, right; // rows top..bottom - 1
};

static uint32_t bounded(int64_t x, uint32_t most) {
  return x < 0 ? 0 : x > most ? most : (uint32_t)x;
}

static struct window window_at(const struct fake_work *w, size_t pixel) {
  const struct net_layer *l = w->layer;
  int64_t y = (int64_t)(pixel / w->out->w) * l->stride_h - l->pad_top;
  int64_t x = (int64_t)(pixel % w->out->w) * l->stride_w - l->pad_left;
  return (struct window){bounded(y, w->in->h), bounded(y + l->kernel_h, w->in->h),
                         bounded(x, w->in->w), bounded(x + l->kernel_w, w->in->w)};
}

static float divisor_of(const struct fake_work *w, const struct window *at) {
  uint32_t pixels = (at->bottom - at->top) * (at->right - at->left);
  uint32_t whole = (uint32_t)w->layer->kernel_h * w->layer->kernel_w;
  return (float)(w->numbers->count_padding ? whole : pixels);
}

static float mean_of(const struct fake_work *w, const struct window *at, const float *plane) {
  float sum = 0;
  for (uint32_t y = at->top; y < at->bottom; y++) {
    for (uint32_t x = at->left; x < at->right; x++)
      sum += plane[y * w->in->w + x];
  }
  return sum / divisor_of(w, at);
}

static uint32_t largest_of(const struct fake_work *w, const struct window *at, const float *plane) {
  uint32_t best = at->top * w->in->w + at->left;
  for (uint32_t y = at->top; y < at->bottom; y++) {
    for (uint32_t x = at->left; x < at->right; x++)
      best = plane[y * w->in->w + x] > plane[best] ? y * w->in->w + x : best;
  }
  return best;
}

// What integers add to a mean (quantize_layer.c). One that divides is a part of so many pixels,
// rounded to nearest, and halves go up: a quarter of that part takes them there, whatever
// floats make of them. Otherwise what rounds to nearest is a whole sum.
static float rounding_of(const struct fake_work *w) {
  const struct fake *fake = w->run->fake;
  int in = w->layer->inputs[0], out = w->layer->output;
  if (w->layer->kind != NET_AVGPOOL)
    return 0;
  const struct net_layer *integers = &fake->net->layers[w->layer - fake->real->net->layers];
  double one = (double)fake->scale[in] / (w->layer->kernel_h * w->layer->kernel_w);
  if (integers->requant.kind == NET_DIVIDE)
    return (float)(one / 4);
  double half = 0.5 * (double)fake->scale[out] / one;
  return (float)((round(half) - half) * one);
}

static void pool(const struct fake_work *w, float *out) {
  size_t in_plane = plane_of(w->in), out_plane = plane_of(w->out);
  float rounding = rounding_of(w);
  for (size_t i = 0; i < elements(w->out); i++) {
    const float *plane = fake_input(w, 0) + i / out_plane * in_plane;
    struct window at = window_at(w, i % out_plane);
    out[i] = w->layer->kind == NET_MAXPOOL ? plane[largest_of(w, &at, plane)]
                                           : mean_of(w, &at, plane) + rounding;
  }
}

static void pool_back(const struct fake_work *w, const float *grad, float *in_grad) {
  size_t in_plane = plane_of(w->in), out_plane = plane_of(w->out);
  memset(in_grad, 0, elements(w->in) * sizeof *in_grad);
  for (size_t i = 0; i < elements(w->out); i++) {
    const float *plane = fake_input(w, 0) + i / out_plane * in_plane;
    float *to = in_grad + i / out_plane * in_plane;
    struct window at = window_at(w, i % out_plane);
    if (w->layer->kind == NET_MAXPOOL) {
      to[largest_of(w, &at, plane)] += grad[i];
      continue;
    }
    float part = grad[i] / divisor_of(w, &at);
    for (uint32_t y = at.top; y < at.bottom; y++) {
      for (uint32_t x = at.left; x < at.right; x++)
        to[y * w->in->w + x] += part;
    }
  }
}

// ---------------------------------------------------------------------------- functions

static float between(const struct real_layer *l, float x) {
  const float step = 1.0F / 256;
  struct real_layer whole = *l;
  whole.low = -INFINITY, whole.high = INFINITY;
  return (real_applied(&whole, x + step) - real_applied(&whole, x - step)) / (2 * step);
}

static float slope_of(const struct real_layer *l, float x) {
  float y;
  switch (l->function) {
  case REAL_SIGMOID:
    y = 1 / (1 + expf(-x));
    return y * (1 - y);
  case REAL_TANH:
    y = tanhf(x);
    return 1 - y * y;
  case REAL_HARD_SIGMOID:
    y = l->alpha * x + l->beta;
    return y > 0 && y < 1 ? l->alpha : 0;
  case REAL_HARD_SWISH:
    return x <= -3 ? 0 : x >= 3 ? 1 : x / 3 + 0.5F;
  case REAL_LEAKY:
    return x < 0 ? l->alpha : 1;
  case REAL_IDENTITY:
    return 1;
  default: // the smooth ones
    return between(l, x);
  }
}

// ---------------------------------------------------------------------------- element by element

// The second factor's element that element i of the first meets.
static size_t partner(const struct fake_work *w, size_t i) {
  return elements(fake_input_tensor(w, 1)) == w->out->c ? i / plane_of(w->out) : i;
}

// False: it is one of those between elements, 0.
static bool source(const struct fake_work *w, size_t i, size_t *from) {
  const struct net_layer *l = w->layer;
  size_t y = i / w->out->w % w->out->h, x = i % w->out->w;
  *from = (i / plane_of(w->out) * w->in->h + y / l->stride_h) * w->in->w + x / l->stride_w;
  return y % l->dilation_h == 0 && x % l->dilation_w == 0;
}

static float added(const struct fake_work *w, size_t i) {
  float sum = 0;
  for (uint32_t k = 0; k < w->layer->input_count; k++)
    sum += fake_input(w, k)[i];
  return sum;
}

static size_t offset_of(const struct fake_work *w, uint32_t input) {
  size_t sum = 0;
  for (uint32_t k = 0; k < input; k++)
    sum += elements(fake_input_tensor(w, k));
  return sum;
}

void fake_other_forward(const struct fake_work *w, float *out) {
  enum net_kind kind = w->layer->kind;
  size_t n = elements(w->out), from;
  if (kind == NET_MAXPOOL || kind == NET_AVGPOOL) {
    pool(w, out);
    return;
  }
  for (uint32_t k = 0; kind == NET_CONCAT && k < w->layer->input_count; k++)
    memcpy(out + offset_of(w, k), fake_input(w, k),
           elements(fake_input_tensor(w, k)) * sizeof *out);
  for (size_t i = 0; kind != NET_CONCAT && i < n; i++) {
    if (kind == NET_ADD)
      out[i] = added(w, i);
    else if (kind == NET_MULTIPLY)
      out[i] = fake_input(w, 0)[i] * fake_input(w, 1)[partner(w, i)];
    else if (kind == NET_RESIZE)
      out[i] = source(w, i, &from) ? fake_input(w, 0)[from] : 0;
    else
      out[i] = real_applied(w->numbers, fake_input(w, 0)[i]);
  }
}

static void multiply_back(const struct fake_work *w, const float *grad, uint32_t input,
                          float *in_grad) {
  memset(in_grad, 0, elements(fake_input_tensor(w, input)) * sizeof *in_grad);
  for (size_t i = 0; i < elements(w->out); i++) {
    size_t other = partner(w, i);
    if (input == 0)
      in_grad[i] = grad[i] * fake_input(w, 1)[other];
    else
      in_grad[other] += grad[i] * fake_input(w, 0)[i];
  }
}

static void resize_back(const struct fake_work *w, const float *grad, float *in_grad) {
  size_t from;
  memset(in_grad, 0, elements(w->in) * sizeof *in_grad);
  for (size_t i = 0; i < elements(w->out); i++)
    if (source(w, i, &from))
      in_grad[from] += grad[i];
}

void fake_other_backward(const struct fake_work *w, const float *grad, uint32_t input,
                         float *in_grad) {
  size_t n = elements(fake_input_tensor(w, input));
  switch (w->layer->kind) {
  case NET_MAXPOOL:
  case NET_AVGPOOL:
    pool_back(w, grad, in_grad);
    break;
  case NET_MULTIPLY:
    multiply_back(w, grad, input, in_grad);
    break;
  case NET_RESIZE:
    resize_back(w, grad, in_grad);
    break;
  case NET_TABLE:
    for (size_t i = 0; i < n; i++)
      in_grad[i] = grad[i] * slope_of(w->numbers, fake_input(w, 0)[i]);
    break;
  default: // sums, and parts that are joined
    memcpy(in_grad, grad + (w->layer->kind == NET_CONCAT ? offset_of(w, input) : 0),
           n * sizeof *in_grad);
  }
}
