// deploy/quant/fake_run.c: tensors and their quantizers.
#include "fake_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"

static const struct fake_weighted any = {fake_weighted_scratch, fake_weighted_forward,
                                         fake_weighted_backward};

#ifdef FAKE_AVX2 // deploy.mk
#include "isa/host_cpu.h"

size_t fake_weighted_scratch_avx2(const struct fake_work *work);
void fake_weighted_forward_avx2(const struct fake_work *work, float *out);
void fake_weighted_backward_avx2(const struct fake_work *work, const float *out_grad,
                                 float *in_grad);

static const struct fake_weighted newer = {fake_weighted_scratch_avx2, fake_weighted_forward_avx2,
                                           fake_weighted_backward_avx2};

static const struct fake_weighted *for_host(void) {
  return host_cpu_has_avx2() ? &newer : &any;
}
#else
static const struct fake_weighted *for_host(void) {
  return &any;
}
#endif

static size_t elements(const struct net_tensor *t) {
  return (size_t)t->h * t->w * t->c;
}

struct fake_work fake_work_of(const struct fake_run *run, uint32_t layer) {
  const struct net *net = run->fake->real->net;
  const struct net_layer *l = &net->layers[layer];
  return (struct fake_work){.layer = l,
                            .numbers = &run->fake->real->layers[layer],
                            .weights = &run->fake->layers[layer],
                            .in = net_input(net, l, 0),
                            .out = net_output(net, l),
                            .run = run};
}

const float *fake_input(const struct fake_work *w, uint32_t i) {
  return w->run->value[w->layer->inputs[i]];
}

const struct net_tensor *fake_input_tensor(const struct fake_work *w, uint32_t i) {
  return net_input(w->run->fake->real->net, w->layer, i);
}

struct fake_run *fake_run_new(const struct fake *fake) {
  const struct net *net = fake->real->net;
  struct fake_run *run = memory_new(1, sizeof *run);
  size_t most = 0, scratch = 0;
  run->fake = fake, run->weighted = for_host();
  run->value = memory_new(net->tensor_count, sizeof *run->value);
  run->before = memory_new(net->tensor_count, sizeof *run->before);
  run->grad = memory_new(net->tensor_count, sizeof *run->grad);
  for (uint32_t t = 0; t < net->tensor_count; t++) {
    size_t n = elements(&net->tensors[t]);
    run->value[t] = memory_new(n, sizeof(float));
    run->before[t] = memory_new(n, sizeof(float));
    run->grad[t] = memory_new(n, sizeof(float));
    most = n > most ? n : most;
  }
  for (uint32_t i = 0; i < net->layer_count; i++) {
    struct fake_work work = fake_work_of(run, i);
    size_t bytes = work.weights->filters ? run->weighted->scratch(&work) : 0;
    scratch = bytes > scratch ? bytes : scratch;
  }
  run->turned = memory_new(most, sizeof(float));
  run->grad_in = memory_new(most, sizeof(float));
  run->scratch = memory_new(scratch, 1);
  run->gradients = memory_new(fake->parts[FAKE_PARTS], sizeof(float));
  return run;
}

void fake_run_free(struct fake_run *run) {
  if (!run)
    return;
  for (uint32_t t = 0; t < run->fake->net->tensor_count; t++) {
    free(run->value[t]);
    free(run->before[t]);
    free(run->grad[t]);
  }
  free(run->value);
  free(run->before);
  free(run->grad);
  free(run->turned);
  free(run->grad_in);
  free(run->scratch);
  free(run->gradients);
  free(run);
}

float *fake_gradients(const struct fake_run *run) {
  return run->gradients;
}

// ---------------------------------------------------------------------------- quantizers

// The numbers of a tensor's codes: scale * (q - zero), q in first..last.
struct grid {
  float scale, first, last; // first, last: less the zero
};

static struct grid grid_of(const struct fake *fake, int number) {
  const struct net_tensor *t = &fake->net->tensors[number];
  float least = t->is_signed ? -(float)(1 << (t->bits - 1)) : 0;
  float first = least - (float)t->zero;
  return (struct grid){fake->scale[number], first, first + (float)((1 << t->bits) - 1)};
}

// In doubles, as tables and inputs are coded: what lies between two codes goes the same way.
static float on_grid(const struct grid *g, float x) {
  float q = (float)floor((double)x / (double)g->scale + 0.5);
  return g->scale * fminf(fmaxf(q, g->first), g->last);
}

static float clipped(const struct real_layer *l, float x) {
  return x < l->low ? l->low : x > l->high ? l->high : x;
}

static void quantize_tensor(const struct fake_run *run, const struct net_layer *l,
                            const struct real_layer *numbers) {
  int t = l->output;
  struct grid grid = grid_of(run->fake, t);
  size_t n = elements(&run->fake->net->tensors[t]);
  for (size_t i = 0; i < n; i++)
    run->value[t][i] = on_grid(&grid, clipped(numbers, run->before[t][i]));
}

// The gradient of what came before; that of the scale (its logarithm) is returned.
static float quantizer_back(const struct fake_run *run, const struct net_layer *l,
                            const struct real_layer *numbers) {
  int t = l->output;
  struct grid grid = grid_of(run->fake, t);
  size_t n = elements(&run->fake->net->tensors[t]);
  float sum = 0, low = (grid.first - 0.5F) * grid.scale, high = (grid.last + 0.5F) * grid.scale;
  for (size_t i = 0; i < n; i++) {
    float before = run->before[t][i], x = clipped(numbers, before), *g = &run->grad[t][i];
    bool inside = x > low && x < high;
    sum += *g * (run->value[t][i] - (inside ? x : 0));
    if (!inside || before <= numbers->low || before >= numbers->high)
      *g = 0;
  }
  return sum;
}

// ---------------------------------------------------------------------------- forward

static void turn(const struct net_tensor *t, const float *hwc, float *chw) {
  size_t pixels = (size_t)t->h * t->w;
  for (size_t i = 0; i < pixels * t->c; i++)
    chw[i % t->c * pixels + i / t->c] = hwc[i];
}

void fake_forward(struct fake_run *run, const float *input) {
  const struct net *net = run->fake->real->net;
  int first = net->inputs[0];
  struct grid grid = grid_of(run->fake, first);
  turn(&net->tensors[first], input, run->value[first]);
  for (size_t i = 0; i < elements(&net->tensors[first]); i++)
    run->value[first][i] = on_grid(&grid, run->value[first][i]);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    struct fake_work work = fake_work_of(run, i);
    float *out = run->before[work.layer->output];
    if (work.weights->filters)
      run->weighted->forward(&work, out);
    else
      fake_other_forward(&work, out);
    quantize_tensor(run, work.layer, work.numbers);
  }
}

const float *fake_output(const struct fake_run *run) {
  const struct net *net = run->fake->real->net;
  const struct net_tensor *t = &net->tensors[net->outputs[0]];
  size_t pixels = (size_t)t->h * t->w;
  for (size_t i = 0; i < pixels * t->c; i++)
    run->turned[i] = run->value[net->outputs[0]][i % t->c * pixels + i / t->c];
  return run->turned;
}

// ---------------------------------------------------------------------------- backward

static void back_to_input(const struct fake_run *run, const struct fake_work *work, uint32_t i) {
  float *to = run->grad[work->layer->inputs[i]];
  fake_other_backward(work, run->grad[work->layer->output], i, run->grad_in);
  size_t n = elements(fake_input_tensor(work, i));
  for (size_t e = 0; e < n; e++)
    to[e] += run->grad_in[e];
}

static void back_through(const struct fake_run *run, const struct fake_work *work) {
  int in = work->layer->inputs[0];
  bool is_input = in == run->fake->net->inputs[0];
  if (!work->weights->filters) {
    for (uint32_t i = 0; i < work->layer->input_count; i++)
      back_to_input(run, work, i);
    return;
  }
  run->weighted->backward(work, run->grad[work->layer->output], is_input ? NULL : run->grad_in);
  for (size_t e = 0; !is_input && e < elements(work->in); e++)
    run->grad[in][e] += run->grad_in[e];
}

void fake_backward(struct fake_run *run, const float *output_grad) {
  const struct fake *fake = run->fake;
  const struct net *net = fake->real->net;
  for (uint32_t t = 0; t < net->tensor_count; t++)
    memset(run->grad[t], 0, elements(&net->tensors[t]) * sizeof(float));
  turn(&net->tensors[net->outputs[0]], output_grad, run->grad[net->outputs[0]]);
  for (uint32_t i = net->layer_count; i-- > 0;) {
    struct fake_work work = fake_work_of(run, i);
    float scale_grad = quantizer_back(run, work.layer, work.numbers);
    uint32_t place = fake->places[fake->owner[work.layer->output]];
    if (place != UINT32_MAX)
      run->gradients[place] += scale_grad;
    back_through(run, &work);
  }
}
