// tests/kernels/train_definitions.c: every training operator against its definition (named: the
// operator of PyTorch or ONNX it follows), hyper-parameters off their defaults.
#include "kernels/train_definition.h"

#include <check.h>
#include <math.h>

Suite *train_definitions_suite(void);

struct definition_space definition_space;
static float *const in = definition_space.in;
static float *const out = definition_space.out;
static float *const grad = definition_space.grad;
static float *const out_grad = definition_space.out_grad;
static double x[DEFINITION_MOST], y[DEFINITION_MOST], near_y[DEFINITION_MOST];

void definition_fill(float *to, uint32_t count, uint32_t seed, double size) {
  for (uint32_t i = 0; i < count; i++)
    to[i] = (float)((((double)((i * 37 + seed * 11) % 101) - 50) + 0.25) / 50 * size);
}

void definition_begin(uint32_t inputs, uint32_t outputs) {
  ck_assert(inputs <= DEFINITION_MOST && outputs <= DEFINITION_MOST);
  definition_fill(in, inputs, 3, 0.9);
  definition_fill(out_grad, outputs, 8, 0.7);
  for (uint32_t i = 0; i < DEFINITION_MOST; i++)
    out[i] = grad[i] = NAN;
  for (uint32_t i = 0; i < DEFINITION_SCRATCH; i++)
    definition_space.scratch[i] = NAN;
}

void definition_equal(const char *what, uint32_t i, double got, double want, double tolerance) {
  ck_assert_msg(fabs(got - want) <= tolerance * (1 + fabs(want)), "%s[%u] = %g, expected %g", what,
                i, got, want);
}

void definition_outputs_match(const char *what, definition *f, uint32_t inputs, uint32_t outputs) {
  for (uint32_t i = 0; i < inputs; i++)
    x[i] = (double)in[i];
  f(y, x);
  for (uint32_t i = 0; i < outputs; i++)
    definition_equal(what, i, (double)out[i], y[i], 4e-6);
}

void definition_gradients_match(const char *what, definition *f, uint32_t inputs, uint32_t outputs,
                                uint32_t begin, uint32_t end) {
  const double h = 1e-5;
  for (uint32_t i = 0; i < inputs; i++)
    x[i] = (double)in[i];
  for (uint32_t i = begin; i < end; i++) {
    double middle = x[i], want = 0;
    x[i] = middle + h;
    f(y, x);
    x[i] = middle - h;
    f(near_y, x);
    x[i] = middle;
    for (uint32_t o = 0; o < outputs; o++)
      want += (double)out_grad[o] * (y[o] - near_y[o]) / (2 * h);
    definition_equal(what, i, (double)grad[i], want, 2e-5);
  }
}

void definition_matches(const char *what, definition *f, uint32_t inputs, uint32_t outputs) {
  definition_outputs_match(what, f, inputs, outputs);
  definition_gradients_match(what, f, inputs, outputs, 0, inputs);
}

Suite *train_definitions_suite(void) {
  Suite *suite = suite_create("train_definitions");
  suite_add_tcase(suite, define_windows_case());
  suite_add_tcase(suite, define_elements_case());
  suite_add_tcase(suite, define_planes_case());
  suite_add_tcase(suite, define_sequences_case());
  suite_add_tcase(suite, define_refusals_case());
  return suite;
}
