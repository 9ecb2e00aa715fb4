// tests/deploy/finite.c: numbers that are none, and infinite ones, in models and inputs: refused in
// a sentence, as they would spoil codes without a word.
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "deploy/quant/quantize.h"
#include "deploy/read/load.h"
#include "deploy/read/sample.h"
#include "tests/observe/tool.h"

Suite *finite_suite(void);

#define DEPLOY TEST_BUILD_DIR "/pulpsim-deploy"
#define KWS    "tests/data/networks/kws_int8.tflite"

enum { ELEMENTS = 490 };

static struct real_net *keywords(void) {
  struct net_error error = {.text = ""};
  struct real_net *real = load_real(KWS, NULL, &error);
  ck_assert_msg(real != NULL, "%s", error.text);
  return real;
}

static void expect_not_finite(struct real_net *real) {
  struct net_error error = {.text = ""};
  ck_assert(!real_check(real, &error));
  ck_assert_msg(error.status == EX_DATAERR && strstr(error.text, "not finite numbers"), "%d %s",
                error.status, error.text);
}

START_TEST(weights_and_biases) {
  struct net_error error = {.text = ""};
  struct real_net *real = keywords();
  struct real_layer *layer = &real->layers[2];
  ck_assert_msg(real_check(real, &error), "%s", error.text);
  float *places[] = {&layer->weights[5], &layer->bias[1]};
  for (int i = 0; i < 2; i++) {
    float before = *places[i];
    *places[i] = i ? INFINITY : NAN;
    expect_not_finite(real);
    *places[i] = before;
  }
  real_free(real);
}
END_TEST

// Finite weights and inputs whose product is none.
START_TEST(results) {
  struct net_error error = {.text = ""};
  struct real_net *real = keywords();
  float *values = memory_new(ELEMENTS, sizeof *values);
  for (int i = 0; i < ELEMENTS; i++)
    values[i] = 1e38F;
  struct quantize_samples samples = {&values, NULL, 1};
  struct quantize_options options = {.weight_bits = 8, .activation_bits = 8};
  real->layers[0].weights[0] = 1e30F;
  ck_assert_ptr_null(quantize(real, &samples, &options, &error));
  ck_assert_msg(error.status == EX_DATAERR && strstr(error.text, "leaves the range of floats"),
                "%d %s", error.status, error.text);
  free(values);
  real_free(real);
}
END_TEST

// An infinite number has a code, the outermost.
START_TEST(codes_of_inputs) {
  struct net_error error = {.text = ""};
  double value = INFINITY;
  struct sample sample = {
      .kind = SAMPLE_REALS, .rank = 1, .dims = {1}, .count = 1, .values = &value};
  struct net_tensor tensor = {.name = "x", .h = 1, .w = 1, .c = 1, .bits = 8, .scale = 1};
  int32_t code;
  ck_assert(sample_codes(&sample, &tensor, &code, &error) && code == 255);
  value = NAN;
  ck_assert(!sample_codes(&sample, &tensor, &code, &error));
  ck_assert_msg(error.status == EX_DATAERR && strstr(error.text, "nan, which is no code"), "%d %s",
                error.status, error.text);
}
END_TEST

START_TEST(calibration) {
  static const char *const cases[] = {"nan", "inf", "1e300"};
  const char *dir = tool_directory();
  for (int i = 0; i < 3; i++) {
    int status;
    const char *said =
        tool(&status,
             "mkdir -p %s/in && python3 -c \"import struct; open('%s/in/x.npy', 'wb').write("
             "b'\\x93NUMPY\\x01\\x00' + struct.pack('<H', 118) + b\\\"{'descr': '<f8', "
             "'fortran_order': False, 'shape': (490,), }\\\".ljust(117) + b'\\n' + "
             "struct.pack('<490d', *[float('%s')] * 490))\" && " DEPLOY " quantize " KWS
             " --calibrate %s/in -o %s/x.int",
             dir, dir, cases[i], dir, dir);
    ck_assert_msg(status == EX_DATAERR && strstr(said, "and no finite float"), "%s: %d %s",
                  cases[i], status, said);
  }
}
END_TEST

Suite *finite_suite(void) {
  Suite *s = suite_create("finite");
  TCase *c = tcase_create("finite");
  tcase_add_test(c, weights_and_biases);
  tcase_add_test(c, results);
  tcase_add_test(c, codes_of_inputs);
  tcase_add_test(c, calibration);
  suite_add_tcase(s, c);
  return s;
}
