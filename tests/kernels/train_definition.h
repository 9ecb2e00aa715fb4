// tests/kernels/train_definition.h: a training operator beside its definition, written once more in
// double precision with plain loops.
#ifndef TESTS_TRAIN_DEFINITION_H
#define TESTS_TRAIN_DEFINITION_H

#include <check.h>
#include <stdint.h>

// An operator: outputs of all that it reads, which stands in one array.
typedef void definition(double *out, const double *in);

enum { DEFINITION_MOST = 1200, DEFINITION_SCRATCH = 16384 };

// What the operator reads and writes, in floats.
extern struct definition_space {
  float in[DEFINITION_MOST], out[DEFINITION_MOST], grad[DEFINITION_MOST], out_grad[DEFINITION_MOST];
  float scratch[DEFINITION_SCRATCH];
} definition_space;

// Distinct numbers below size, some 0.01 and more from zero and from each other in small ranges.
void definition_fill(float *to, uint32_t count, uint32_t seed, double size);

// Fills in and out_grad; out, grad and scratch are NaN.
void definition_begin(uint32_t inputs, uint32_t outputs);

void definition_equal(const char *what, uint32_t i, double got, double want, double tolerance);

// The outputs are those of f.
void definition_outputs_match(const char *what, definition *f, uint32_t inputs, uint32_t outputs);

// Of inputs begin to end: the sum of out_grad * outputs moves by grad (central differences).
void definition_gradients_match(const char *what, definition *f, uint32_t inputs, uint32_t outputs,
                                uint32_t begin, uint32_t end);

// Both, for all inputs.
void definition_matches(const char *what, definition *f, uint32_t inputs, uint32_t outputs);

#define OK(call) ck_assert_int_eq((call), KERNEL_OK)

TCase *define_windows_case(void);
TCase *define_elements_case(void);
TCase *define_planes_case(void);
TCase *define_sequences_case(void);
TCase *define_refusals_case(void);

#endif
