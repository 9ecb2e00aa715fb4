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

void train_net_vector_fw(const struct train_net *net, const struct train_net_layer *l,
                         const struct train_net_place *at) {
  uint32_t n = l->out_c, m = l->in_c;
  struct places p;
  places_of(&p, net->l1, n, m);
  if (rt_core_id() == 0) {
    unsigned open = rt_dma_open();
    bring(p.weights, l->weights, n * m);
    bring(p.in, at->in, m);
    bring(p.bias, l->bias, n);
    rt_dma_wait(open);
  }
  rt_barrier();
  for (uint32_t row = rt_core_id(); row < n; row += rt_core_count()) {
    const float *w = p.weights + row * m;
    float sum = 0;
    for (uint32_t i = 0; i < m; i++)
      sum = __builtin_fmaf(w[i], p.in[i], sum);
    p.out[row] = l->bias ? sum + p.bias[row] : sum;
    if (l->relu)
      train_gate_relu(p.out + row, 1, 1, 0);
  }
  rt_barrier();
  if (rt_core_id() == 0)
    rt_dma_wait(rt_dma_out(l->out, p.out, 4 * n));
  rt_barrier();
}

// `factor` not 0: of gradients that are added to the weights, and go nowhere.
static void gradients(const struct places *p, const struct train_net_place *at, uint32_t n,
                      uint32_t m, float factor) {
  struct rt_range mine = rt_share(m);
  for (uint32_t column = mine.begin; column < mine.end; column++) {
    float x = p->in[column], sum = 0;
    const float *w = p->weights + column;
    float *to = p->weights_grad + column;
    for (uint32_t row = 0; row < n; row++, w += m, to += m) {
      float grad = __builtin_fmaf(p->out[row], x, 0);
      *to = factor != 0 ? __builtin_fmaf(factor, grad, *w) : grad;
      sum = __builtin_fmaf(p->out[row], *w, sum);
    }
    p->in_grad[column] = sum;
  }
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
  rt_barrier();
  if (at->stepped)
    *at->stepped = true;
}
