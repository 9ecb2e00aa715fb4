// kernels/train/train_net_vector.c: see train_net_vector.h.
#include "train_net_vector.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "kernels/train/train_gate.h"

enum { WEIGHTS = 1024, PLACES = 6 };

// In L1; places begin at 8 bytes, the DMA's fast way.
struct places {
  float *weights, *in, *bias, *out; // out: or its gradient, which is that of the bias, too
  float *weights_grad, *in_grad;
};

static float *take(float **next, uint32_t floats) {
  float *at = *next;
  *next += (floats + 1) / 2 * 2;
  return at;
}

static void places_of(struct places *p, float *l1, uint32_t n, uint32_t m) {
  float *next = l1;
  p->weights = take(&next, n * m);
  p->weights_grad = take(&next, n * m);
  p->in = take(&next, m);
  p->in_grad = take(&next, m);
  p->bias = take(&next, n);
  p->out = take(&next, n);
}

bool train_net_vector_fits(uint32_t l1_bytes, const struct train_net_layer *l) {
  uint32_t n = l->out_c, m = l->in_c;
  return (uint32_t)l->out_h * l->out_w == 1 && n * m <= WEIGHTS &&
         4 * (2 * (n * m + m + n) + PLACES) <= l1_bytes;
}

static void bring(float *to, const float *from, uint32_t floats) {
  if (from)
    rt_dma_also_in(to, from, 4 * floats);
}
static void send(float *to, const float *from, uint32_t floats) {
  if (to)
    rt_dma_also_out(to, from, 4 * floats);
}

// Four at a time, so that no load is waited for; one behind the other.
static inline float dot(const float *w, const float *x, uint32_t count) {
  float sum = 0;
  for (const float *fours = x + (count & ~3u); x < fours; w += 4, x += 4) {
    float a = w[0], b = w[1], c = w[2], d = w[3], e = x[0], f = x[1], g = x[2], h = x[3];
    sum = __builtin_fmaf(a, e, sum);
    sum = __builtin_fmaf(b, f, sum);
    sum = __builtin_fmaf(c, g, sum);
    sum = __builtin_fmaf(d, h, sum);
  }
  for (uint32_t i = 0; i < count % 4; i++)
    sum = __builtin_fmaf(w[i], x[i], sum);
  return sum;
}

void train_net_vector_fw(const struct train_net *net, const struct train_net_layer *l,
                         const struct train_net_place *at) {
  uint32_t n = l->out_c, m = l->in_c;
  struct places p;
  places_of(&p, net->l1, n, m);
  rt_barrier();
  if (rt_core_id() == 0) {
    unsigned open = rt_dma_open();
    bring(p.weights, l->weights, n * m);
    bring(p.in, at->in, m);
    bring(p.bias, l->bias, n);
    rt_dma_wait(open);
  }
  rt_barrier();
  for (uint32_t row = rt_core_id(); row < n; row += rt_core_count()) {
    float sum = dot(p.weights + row * m, p.in, m);
    p.out[row] = l->bias ? sum + p.bias[row] : sum;
    if (l->relu)
      train_gate_relu(p.out + row, 1, 1, 0);
  }
  rt_barrier();
  if (rt_core_id() == 0)
    rt_dma_wait(rt_dma_out(l->out, p.out, 4 * n));
}

// Columns `at` and `at + apart`. `factor` not +0: of gradients that are added to the weights, and
// go nowhere.
static inline void two_columns(const struct places *p, uint32_t at, uint32_t apart, uint32_t n,
                               uint32_t m, float factor) {
  float x = p->in[at], y = p->in[at + apart], sum = 0, other = 0;
  const float *w = p->weights + at, *grad = p->out, *end = grad + n;
  for (float *to = p->weights_grad + at; grad < end; grad++, w += m, to += m) {
    float g = *grad, a = w[0], b = w[apart];
    float first = __builtin_fmaf(g, x, 0), second = __builtin_fmaf(g, y, 0);
    sum = __builtin_fmaf(g, a, sum);
    other = __builtin_fmaf(g, b, other);
    if (train_net_is_step(factor)) {
      first = __builtin_fmaf(factor, first, a);
      second = __builtin_fmaf(factor, second, b);
    }
    to[0] = first;
    to[apart] = second;
  }
  p->in_grad[at] = sum;
  p->in_grad[at + apart] = other;
}

static void gradients(const struct places *p, const struct train_net_place *at, uint32_t n,
                      uint32_t m, float factor) {
  struct rt_range mine = rt_share(m);
  for (uint32_t column = mine.begin; column < mine.end; column += 2)
    two_columns(p, column, column + 1 < mine.end, n, m, factor); // the last one may be both
  if (at->gated && mine.begin < mine.end)
    train_gate_grad(p->in_grad + mine.begin, p->in + mine.begin, 1, mine.end - mine.begin, 0);
}

// New biases, in the place of what are their gradients.
static void step_bias(const struct places *p, uint32_t n, float factor) {
  for (uint32_t i = 0; i < n; i++)
    p->out[i] = __builtin_fmaf(factor, p->out[i], p->bias[i]);
}

void train_net_vector_bw(const struct train_net *net, const struct train_net_layer *l,
                         const struct train_net_place *at) {
  uint32_t n = l->out_c, m = l->in_c;
  float factor = at->stepped ? -net->rate : 0;
  struct places p;
  places_of(&p, net->l1, n, m);
  rt_barrier();
  if (rt_core_id() == 0) {
    unsigned open = rt_dma_open();
    bring(p.weights, l->weights, n * m);
    bring(p.in, at->in, m);
    bring(p.out, at->out_grad, n);
    if (at->stepped)
      bring(p.bias, l->bias, n);
    rt_dma_wait(open);
  }
  rt_barrier();
  gradients(&p, at, n, m, factor);
  rt_barrier();
  if (rt_core_id() == 0) {
    unsigned open = rt_dma_open();
    send(at->stepped ? l->weights : at->weights_grad, p.weights_grad, n * m);
    send(at->in_grad, p.in_grad, m);
    if (at->stepped && l->bias)
      step_bias(&p, n, factor);
    send(at->stepped ? l->bias : at->bias_grad, p.out, n);
    rt_dma_wait(open);
  }
  if (at->stepped)
    *at->stepped = true;
}
