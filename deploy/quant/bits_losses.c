// deploy/quant/bits_losses.c: what fewer bits of one tensor cost.
//
// Every other sample calibrates, the rest judge: few samples can be met exactly by rounding.h even
// with few bits, and then cost nothing.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bits_program.h"
#include "deploy/host/int_run.h"
#include "deploy/memory.h"
#include "spread.h"

// The networks that are compared.
struct measure {
  struct real_net *real;
  const struct bits_problem *p;
  struct quantize_samples fitted, judged;
  struct quantize_options options;
  uint8_t *weights, *outputs; // lists of layers with weights
  float **expected;           // per sample that judges: the real network's output
  struct quantized base;      // all in 8 bits
  struct piece *pieces;
};

static size_t output_elements(const struct measure *m) {
  const struct net *net = m->real->net;
  const struct net_tensor *t = &net->tensors[net->outputs[0]];
  return (size_t)t->h * t->w * t->c;
}

// A single one does both.
static void deal(struct measure *m, const struct quantize_samples *samples) {
  m->fitted.values = memory_new(samples->count, sizeof *m->fitted.values);
  m->judged.values = memory_new(samples->count, sizeof *m->judged.values);
  for (uint32_t i = 0; i < samples->count; i++) {
    if (i % 2 == 0)
      m->fitted.values[m->fitted.count++] = samples->values[i];
    if (i % 2 == 1 || samples->count == 1)
      m->judged.values[m->judged.count++] = samples->values[i];
  }
}

static void expect(struct measure *m) {
  struct real_run *run = real_run_new(m->real);
  const struct net *net = m->real->net;
  size_t n = output_elements(m);
  m->expected = memory_new(m->judged.count, sizeof *m->expected);
  for (uint32_t i = 0; i < m->judged.count; i++) {
    memcpy(real_tensor(run, net->inputs[0]), m->judged.values[i],
           real_elements(run, net->inputs[0]) * sizeof(float));
    real_execute(run);
    m->expected[i] = memory_copy(real_tensor(run, net->outputs[0]), n, sizeof(float));
  }
  real_run_free(run);
}

static void put_codes(const struct net_tensor *t, const float *values, int32_t *codes, size_t n) {
  int32_t least = t->is_signed ? -128 : 0;
  for (size_t i = 0; i < n; i++) {
    double x = (double)values[i] / t->scale + t->zero + 0.5;
    codes[i] = x < least ? least : x > least + 255 ? least + 255 : (int32_t)(x - least) + least;
  }
}

// Squared error of the outputs over the squares of the real ones.
static double error_of(const struct measure *m, const struct net *net) {
  struct int_run *run = int_new(net);
  const struct net_tensor *out = &net->tensors[net->outputs[0]];
  size_t n = output_elements(m);
  double error = 0, size = 1e-30;
  for (uint32_t i = 0; i < m->judged.count; i++) {
    put_codes(&net->tensors[net->inputs[0]], m->judged.values[i], int_tensor(run, net->inputs[0]),
              int_elements(run, net->inputs[0]));
    int_execute(run, NULL);
    for (size_t k = 0; k < n; k++) {
      double real = (double)m->expected[i][k];
      double got = out->scale * (int_tensor(run, net->outputs[0])[k] - out->zero);
      error += (got - real) * (got - real), size += real * real;
    }
  }
  int_free(run);
  return error / size;
}

// A tensor with fewer bits.
struct piece {
  uint32_t layer;
  uint8_t *bits; // its place in a list
  double *loss;
  int choice;
};

// All pieces, tensor by tensor; `to` may be NULL.
static uint32_t list_pieces(const struct measure *m, const struct bits_losses *losses,
                            struct piece *to) {
  uint32_t count = 0;
  for (uint32_t i = 0, at = 0; i < m->p->layer_count; i++) {
    const struct bits_layer *l = &m->p->layers[i];
    for (int k = 1; l->weights && k < BITS_CHOICES; k++, count++) {
      if (to)
        to[count] = (struct piece){i, &m->weights[at], &losses->weights[i][k], k};
    }
    for (int k = 1; l->weights && !m->p->fixed[l->y.group] && k < BITS_CHOICES; k++, count++) {
      if (to)
        to[count] = (struct piece){i, &m->outputs[at], &losses->groups[l->y.group][k], k};
    }
    at += l->weights > 0;
  }
  return count;
}

static bool measure_piece(void *context, uint32_t number, void *result, struct net_error *error) {
  const struct measure *m = context;
  const struct piece *piece = &m->pieces[number];
  struct quantized q;
  *piece->bits = (uint8_t)(8 >> piece->choice);
  bool good = quantize_again(m->real, &m->fitted, &m->options, &m->base, piece->layer, &q, error);
  *piece->bits = 8;
  if (good)
    *(double *)result = error_of(m, q.net);
  quantized_free(&q);
  return good;
}

// Over what 8 bits cost; fewer bits never cost less.
static void set_losses(const struct measure *m, uint32_t count, const double *errors) {
  double base = error_of(m, m->base.net);
  for (uint32_t i = 0; i < count; i++) {
    double *loss = m->pieces[i].loss;
    *loss = fmax(errors[i] - base, loss[-1]); // loss[-1]: of twice the bits
  }
}

static bool measure_all(struct measure *m, const struct bits_losses *losses,
                        struct net_error *error) {
  uint32_t count = list_pieces(m, losses, NULL);
  m->pieces = memory_new(count, sizeof *m->pieces);
  list_pieces(m, losses, m->pieces);
  double *errors = spread(&(struct spread){count, sizeof *errors, measure_piece, m}, 0, error);
  bool good = errors != NULL;
  if (good)
    set_losses(m, count, errors);
  free(m->pieces);
  free(errors);
  return good;
}

bool bits_losses_measure(struct real_net *real, const struct bits_problem *p,
                         const struct quantize_samples *samples,
                         const struct quantize_options *options, struct bits_losses *losses,
                         struct net_error *error) {
  struct measure m = {.real = real, .p = p, .options = *options};
  m.weights = memory_new(p->layer_count, 1), m.outputs = memory_new(p->layer_count, 1);
  memset(m.weights, 8, p->layer_count);
  memset(m.outputs, 8, p->layer_count);
  m.options.weight_bits = m.options.activation_bits = 8;
  m.options.weight_list = m.weights, m.options.output_list = m.outputs;
  m.options.list_count = p->layer_count;
  losses->weights = memory_new(p->layer_count, sizeof *losses->weights);
  losses->groups = memory_new(p->group_count, sizeof *losses->groups);
  deal(&m, samples);
  expect(&m);
  bool good =
      quantize_begin(real, &m.fitted, &m.options, &m.base, error) && measure_all(&m, losses, error);
  for (uint32_t i = 0; i < m.judged.count; i++)
    free(m.expected[i]);
  quantized_free(&m.base);
  free(m.expected);
  free(m.fitted.values);
  free(m.judged.values);
  free(m.weights);
  free(m.outputs);
  return good;
}

void bits_losses_free(struct bits_losses *losses) {
  free(losses->weights);
  free(losses->groups);
}
