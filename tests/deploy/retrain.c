// tests/deploy/retrain.c: fake-quantized networks: their forward pass is the integers', their
// backward pass its derivative, and learning by it brings a network in few bits nearer to the real
// one.
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/host/int_run.h"
#include "deploy/memory.h"
#include "deploy/quant/fake_run.h"
#include "deploy/quant/retrain.h"
#include "deploy/read/load.h"
#include "net_random.h"

Suite *retrain_suite(void);

// Random weights, a layer of each kind, squeeze-excite and hard swish among them.
#define MODEL "tests/data/networks/real.onnx"

enum { SAMPLES = 48 };

static struct real_net *load_model(void) {
  struct net_error error = {.text = ""};
  struct real_net *real = load_real(MODEL, &(struct tidy_shape){0, 0, 0}, &error);
  ck_assert_msg(real != NULL, "%s", error.text);
  return real;
}

static size_t elements(const struct real_net *real, int tensor) {
  const struct net_tensor *t = &real->net->tensors[tensor];
  return (size_t)t->h * t->w * t->c;
}

static float drawn(struct draw *draw) {
  return (float)draw_within(draw, -1000000, 1000000) / 1e6F;
}

static struct quantize_samples samples_of(const struct real_net *real, uint32_t count) {
  struct draw draw = {5};
  struct quantize_samples s = {memory_new(count, sizeof *s.values), NULL, count};
  size_t n = elements(real, real->net->inputs[0]);
  for (uint32_t i = 0; i < count; i++) {
    s.values[i] = memory_new(n, sizeof(float));
    for (size_t k = 0; k < n; k++)
      s.values[i][k] = drawn(&draw);
  }
  return s;
}

static void free_samples(struct quantize_samples *s) {
  for (uint32_t i = 0; i < s->count; i++)
    free(s->values[i]);
  free(s->values);
  free(s->labels);
}

static struct quantized quantized_of(struct real_net *real, const struct quantize_samples *s,
                                     const struct quantize_options *options) {
  struct net_error error = {.text = ""};
  struct quantized q;
  ck_assert_msg(quantize_begin(real, s, options, &q, &error), "%s", error.text);
  return q;
}

static void put_sample(const struct net *net, const struct int_run *codes, const float *values) {
  const struct net_tensor *in = &net->tensors[net->inputs[0]];
  for (size_t k = 0; k < int_elements(codes, net->inputs[0]); k++) {
    double code = floor((double)values[k] / in->scale + 0.5) + in->zero;
    int_tensor(codes, net->inputs[0])[k] = (int32_t)fmin(fmax(code, 0), 255);
  }
}

// ---------------------------------------------------------------------------- forward

// Codes of all tensors, and those of them that are the same.
static void count_codes(const struct fake_run *run, const struct int_run *codes,
                        const struct net *net, size_t *all, size_t *same) {
  for (uint32_t t = 0; t < net->tensor_count; t++) {
    const struct net_tensor *x = &net->tensors[t];
    size_t plane = (size_t)x->h * x->w;
    for (size_t i = 0; i < plane * x->c; i++) {
      float value = run->value[t][i % x->c * plane + i / x->c];
      long code = lrint((double)value / x->scale) + x->zero;
      *same += code == int_tensor(codes, (int)t)[i];
    }
    *all += plane * x->c;
  }
}

static void check_codes(const struct quantize_options *options) {
  struct real_net *real = load_model();
  struct quantize_samples s = samples_of(real, SAMPLES);
  struct quantized q = quantized_of(real, &s, options);
  struct net_error error = {.text = ""};
  struct fake *fake = fake_new(real, q.net, q.numbers, &error);
  struct fake_run *run = fake_run_new(fake);
  struct int_run *codes = int_new(q.net);
  size_t all = 0, same = 0;
  for (int i = 0; i < SAMPLES; i++) {
    put_sample(q.net, codes, s.values[i]);
    int_execute(codes, NULL);
    fake_forward(run, s.values[i]);
    count_codes(run, codes, q.net, &all, &same);
  }
  ck_assert_msg((double)same > 0.98 * (double)all, "W%u A%u: %zu of %zu codes",
                options->weight_bits, options->activation_bits, same, all);
  int_free(codes);
  fake_run_free(run);
  fake_free(fake);
  quantized_free(&q);
  free_samples(&s);
  real_free(real);
}

START_TEST(fake_quantized_tensors_are_the_integers) {
  static const uint8_t bits[3] = {8, 4, 2};
  for (int row = 0; row < 18; row++)
    check_codes(&(struct quantize_options){.weight_bits = bits[row % 3],
                                           .activation_bits = bits[row / 3 % 3],
                                           .per_layer = row >= 9,
                                           .scheme = BITS_FOLDED});
}
END_TEST

// The integers' codes of layer i's inputs.
static void put_inputs(const struct fake_work *w, const struct net *net,
                       const struct int_run *codes) {
  for (uint32_t k = 0; k < w->layer->input_count; k++) {
    int t = w->layer->inputs[k];
    const struct net_tensor *x = &net->tensors[t];
    size_t plane = (size_t)x->h * x->w;
    for (size_t i = 0; i < plane * x->c; i++)
      w->run->value[t][i % x->c * plane + i / x->c] =
          w->run->fake->scale[t] * (float)(int_tensor(codes, t)[i] - x->zero);
  }
}

// A layer's results that have another code than the integers'.
static size_t others(const struct fake_work *w, const struct net *net,
                     const struct int_run *codes) {
  int t = w->layer->output;
  const struct net_tensor *y = &net->tensors[t];
  size_t plane = (size_t)y->h * y->w, count = 0;
  float *out = w->run->before[t];
  fake_other_forward(w, out);
  for (size_t i = 0; i < plane * y->c; i++) {
    double code = floor((double)out[i % y->c * plane + i / y->c] / y->scale + 0.5) + y->zero;
    count += (int32_t)fmin(fmax(code, 0), (1 << y->bits) - 1) != int_tensor(codes, t)[i];
  }
  return count;
}

// A mean of an even number of codes is often a half: floats must not toss a coin there.
START_TEST(means_round_as_the_integers) {
  struct real_net *real = load_model();
  struct quantize_samples s = samples_of(real, SAMPLES);
  struct quantized q =
      quantized_of(real, &s, &(struct quantize_options){.weight_bits = 8, .activation_bits = 8});
  struct net_error error = {.text = ""};
  struct fake *fake = fake_new(real, q.net, q.numbers, &error);
  struct fake_run *run = fake_run_new(fake);
  struct int_run *codes = int_new(q.net);
  uint32_t pools = 0;
  for (int i = 0; i < SAMPLES; i++) {
    put_sample(q.net, codes, s.values[i]);
    int_execute(codes, NULL);
    for (uint32_t k = 0; k < q.net->layer_count; k++) {
      struct fake_work w = fake_work_of(run, k);
      if (w.layer->kind != NET_AVGPOOL)
        continue;
      put_inputs(&w, q.net, codes);
      ck_assert_uint_eq(others(&w, q.net, codes), 0);
      pools++;
    }
  }
  ck_assert_uint_ge(pools, SAMPLES);
  int_free(codes);
  fake_run_free(run);
  fake_free(fake);
  quantized_free(&q);
  free_samples(&s);
  real_free(real);
}
END_TEST

// ---------------------------------------------------------------------------- backward

static double dot(const float *a, const float *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += (double)a[i] * (double)b[i];
  return sum;
}

static void forward(const struct fake_work *work, float *out) {
  if (work->weights->filters)
    fake_weighted_forward(work, out);
  else
    fake_other_forward(work, out);
}

// The derivative of sum(grad * layer(x)) along `direction` of one input, by differences.
static double slope(const struct fake_work *work, float *x, const float *direction,
                    const float *grad, float *out) {
  size_t n = elements(work->run->fake->real, work->layer->output);
  size_t inputs = elements(work->run->fake->real, work->layer->inputs[0]);
  double sides[2];
  float step = 1e-3F;
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < inputs; i++)
      x[i] += (side ? 2 : -1) * step * direction[i];
    forward(work, out);
    sides[side] = dot(grad, out, n);
  }
  for (size_t i = 0; i < inputs; i++)
    x[i] -= step * direction[i];
  return (sides[1] - sides[0]) / (2 * (double)step);
}

START_TEST(gradients_are_derivatives) {
  struct real_net *real = load_model();
  struct quantize_samples s = samples_of(real, SAMPLES);
  struct quantize_options options = {.weight_bits = 8, .activation_bits = 8};
  struct quantized q = quantized_of(real, &s, &options);
  struct net_error error = {.text = ""};
  struct fake *fake = fake_new(real, q.net, q.numbers, &error);
  struct fake_run *run = fake_run_new(fake);
  struct draw draw = {9};
  uint32_t kinds[NET_KINDS] = {0};
  for (uint32_t i = 0; i < real->net->layer_count; i++) {
    struct fake_work work = fake_work_of(run, i);
    size_t n = elements(real, work.layer->inputs[0]), outputs = elements(real, work.layer->output);
    float *x = run->value[work.layer->inputs[0]], *in_grad = memory_new(n, sizeof(float));
    float *direction = memory_new(n, sizeof(float)), *grad = memory_new(outputs, sizeof(float));
    float *out = memory_new(outputs, sizeof(float));
    for (uint32_t k = 0; k < work.layer->input_count; k++) {
      for (size_t e = 0; e < elements(real, work.layer->inputs[k]); e++)
        run->value[work.layer->inputs[k]][e] = 2 * drawn(&draw);
    }
    for (size_t e = 0; e < n; e++)
      direction[e] = drawn(&draw);
    for (size_t e = 0; e < outputs; e++)
      grad[e] = drawn(&draw);
    double expected = slope(&work, x, direction, grad, out);
    if (work.weights->filters)
      fake_weighted_backward(&work, grad, in_grad);
    else
      fake_other_backward(&work, grad, 0, in_grad);
    double got = dot(in_grad, direction, n);
    ck_assert_msg(fabs(got - expected) < 0.02 * (fabs(expected) + sqrt(dot(in_grad, in_grad, n))),
                  "layer %u, '%s': %g, by differences %g", i, work.layer->name, got, expected);
    kinds[work.layer->kind]++;
    free(in_grad);
    free(direction);
    free(grad);
    free(out);
  }
  ck_assert(kinds[NET_CONV] && kinds[NET_DEPTHWISE] && kinds[NET_LINEAR] && kinds[NET_ADD] &&
            kinds[NET_MULTIPLY] && kinds[NET_CONCAT] && kinds[NET_TABLE] && kinds[NET_AVGPOOL] &&
            kinds[NET_MAXPOOL]);
  fake_run_free(run);
  fake_free(fake);
  quantized_free(&q);
  free_samples(&s);
  real_free(real);
}
END_TEST

// ---------------------------------------------------------------------------- learning

// Mean squared distance of the integers' outputs from the real ones.
static double distance_of(const struct real_net *real, const struct net *net,
                          const struct quantize_samples *s) {
  struct real_run *floats = real_run_new(real);
  struct int_run *codes = int_new(net);
  int input = net->inputs[0], output = net->outputs[0];
  const struct net_tensor *out = &net->tensors[output];
  double sum = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    memcpy(real_tensor(floats, input), s->values[i], real_elements(floats, input) * sizeof(float));
    real_execute(floats);
    put_sample(net, codes, s->values[i]);
    int_execute(codes, NULL);
    for (size_t k = 0; k < int_elements(codes, output); k++)
      sum += pow(out->scale * (int_tensor(codes, output)[k] - out->zero) -
                     (double)real_tensor(floats, output)[k],
                 2);
  }
  int_free(codes);
  real_run_free(floats);
  return sum / s->count;
}

static char *text_of(const struct net *net) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  net_write(net, out);
  fclose(out);
  return text;
}

static struct net *retrained(const struct quantize_options *options, uint32_t threads,
                             double *before, double *after) {
  struct real_net *real = load_model();
  struct quantize_samples s = samples_of(real, 400), few = s;
  few.count = 16;
  struct quantized q = quantized_of(real, &few, options);
  struct retrain_options how = {.epochs = 8, .threads = threads};
  struct net_error error = {.text = ""};
  *before = distance_of(real, q.net, &s);
  ck_assert_msg(retrain(real, &q, options, &s, &how, &error), "%s", error.text);
  *after = distance_of(real, q.net, &s);
  struct net *net = quantize_end(&q, options);
  quantized_free(&q);
  free_samples(&s);
  real_free(real);
  return net;
}

START_TEST(learning_brings_integers_nearer) {
  static const struct quantize_options rows[] = {
      {.weight_bits = 4, .activation_bits = 4, .no_reconstruct = true},
      {.weight_bits = 4,
       .activation_bits = 4,
       .no_reconstruct = true,
       .per_layer = true,
       .scheme = BITS_FOLDED},
      {.weight_bits = 2, .activation_bits = 4, .no_reconstruct = true}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double before, after;
    net_free(retrained(&rows[i], 1, &before, &after));

    ck_assert_msg(after < 0.98 * before, "W%u A%u: %g, before %g", rows[i].weight_bits,
                  rows[i].activation_bits, after, before);
  }
}
END_TEST

START_TEST(threads_do_not_change_the_result) {
  struct quantize_options options = {
      .weight_bits = 4, .activation_bits = 4, .no_reconstruct = true};
  double before, after;
  struct net *one = retrained(&options, 1, &before, &after);
  struct net *three = retrained(&options, 3, &before, &after);
  char *a = text_of(one), *b = text_of(three);
  ck_assert_str_eq(a, b);
  free(a);
  free(b);
  net_free(one);
  net_free(three);
}
END_TEST

Suite *retrain_suite(void) {
  Suite *suite = suite_create("retrain");
  TCase *tc = tcase_create("retrain");
  tcase_set_timeout(tc, 600);
  tcase_add_test(tc, fake_quantized_tensors_are_the_integers);
  tcase_add_test(tc, means_round_as_the_integers);
  tcase_add_test(tc, gradients_are_derivatives);
  tcase_add_test(tc, learning_brings_integers_nearer);
  tcase_add_test(tc, threads_do_not_change_the_result);
  suite_add_tcase(suite, tc);
  return suite;
}
