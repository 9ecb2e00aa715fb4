// deploy/quant/compare.c
#include "compare.h"

#include <math.h>
#include <string.h>

#include "deploy/host/int_run.h"
#include "fake.h"

struct three {
  const struct net *net;
  struct real_run *real;
  struct fake *fake;
  struct fake_run *run;
  struct int_run *integers;
};

static int32_t code_of(const struct net_tensor *t, double x) {
  int32_t least = t->is_signed ? -(1 << (t->bits - 1)) : 0, most = least + (1 << t->bits) - 1;
  double q = floor(x / t->scale + 0.5) + t->zero;
  return (int32_t)fmin(fmax(q, least), most);
}

static void execute(const struct three *t, const float *values) {
  int input = t->net->inputs[0];
  size_t n = int_elements(t->integers, input);
  memcpy(real_tensor(t->real, input), values, n * sizeof *values);
  real_execute(t->real);
  fake_forward(t->run, values);
  for (size_t i = 0; i < n; i++)
    int_tensor(t->integers, input)[i] = code_of(&t->net->tensors[input], (double)values[i]);
  int_execute(t->integers, NULL);
}

static size_t largest(const float *values, size_t count) {
  size_t best = 0;
  for (size_t i = 1; i < count; i++)
    best = values[i] > values[best] ? i : best;
  return best;
}

static void count(const struct three *t, size_t label, struct compared *c) {
  int output = t->net->outputs[0];
  const float *fake = fake_output(t->run);
  size_t n = int_elements(t->integers, output), same = 0;
  size_t by_fake = largest(fake, n), by_integer = int_largest(t->integers, output);
  for (size_t i = 0; i < n; i++)
    same +=
        code_of(&t->net->tensors[output], (double)fake[i]) == int_tensor(t->integers, output)[i];
  c->inputs++;
  c->real += real_largest(t->real, output) == label;
  c->fake += by_fake == label;
  c->integer += by_integer == label;
  c->same_class += by_fake == by_integer;
  c->same_code += (double)same / (double)n;
}

bool compare(const struct real_net *real, const struct quantized *q,
             const struct quantize_samples *samples, struct compared *c, struct net_error *error) {
  *c = (struct compared){.inputs = 0};
  struct three t = {.net = q->net, .fake = fake_new(real, q->net, q->numbers, error)};
  if (!t.fake)
    return false;
  t.real = real_run_new(real);
  t.run = fake_run_new(t.fake);
  t.integers = int_new(q->net);
  for (uint32_t i = 0; i < samples->count; i++) {
    execute(&t, samples->values[i]);
    count(&t, (size_t)samples->labels[i], c);
  }
  c->same_code /= c->inputs ? c->inputs : 1;
  int_free(t.integers);
  fake_run_free(t.run);
  fake_free(t.fake);
  real_run_free(t.real);
  return true;
}
