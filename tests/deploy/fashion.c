// tests/deploy/fashion.c: the project's own network on images of Fashion-MNIST: 300 to calibrate
// with, 300 others to count (tests/data/networks).
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/observe/tool.h"

Suite *fashion_suite(void);

#define DEPLOY   TEST_BUILD_DIR "/pulpsim-deploy"
#define MODEL    "deploy/models/fashion.onnx"
#define DATA     "tests/data/networks/fashion-"
#define IMAGES   "-images-idx3-ubyte.gz --scale 255"
#define QUANTIZE DEPLOY " quantize " MODEL " --samples 40 --calibrate " DATA "train" IMAGES
#define ALL      "/usr/share/datasets/fashion-mnist/t10k"

static int right_of(const char *said) {
  const char *at = strstr(said, "\"right\": ");
  ck_assert_msg(at != NULL, "%s", said);
  return atoi(at + strlen("\"right\": "));
}

START_TEST(floats_are_counted) {
  ck_assert_int_eq(right_of(tool(NULL, DEPLOY " run " MODEL " --classify " DATA "t10k" IMAGES)),
                   282);
}
END_TEST

// What deploy/models/README.md says of it.
START_TEST(the_trainer_counts_the_same) {
  if (access(ALL "-images-idx3-ubyte.gz", R_OK) == 0)
    ck_assert_int_eq(right_of(tool(NULL, DEPLOY " run " MODEL " --classify " ALL IMAGES)), 9138);
}
END_TEST

START_TEST(integers_keep_the_accuracy) {
  static const struct {
    const char *bits;
    int least;
  } rows[] = {{"", 278}, {"--weights 4", 277}, {"--weights 4 --activations 4", 264}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tool(NULL, QUANTIZE " %s -o %s/net.int", rows[i].bits, tool_directory());
    int right = right_of(
        tool(NULL, DEPLOY " run %s/net.int --classify " DATA "t10k" IMAGES, tool_directory()));
    ck_assert_msg(right >= rows[i].least, "'%s': %d of 300", rows[i].bits, right);
  }
}
END_TEST

// Learning with few bits; the integers are what was learned.
START_TEST(retraining_by_command) {
  const char *said = tool(NULL,
                          QUANTIZE " --weights 2 --activations 4 --retrain " DATA
                                   "train-images-idx3-ubyte.gz --retrain-samples 100 --epochs 1 "
                                   "--compare " DATA "t10k-images-idx3-ubyte.gz -o %s/net.int",
                          tool_directory());
  ck_assert_ptr_nonnull(strstr(said, "epoch 1 of 1: "));
  int inputs, floats, fake, integer, same;
  ck_assert_int_eq(sscanf(strstr(said, "{"),
                          "{\"inputs\": %d, \"float\": %d, \"fake_quantized\": %d, "
                          "\"integer\": %d, \"same_class\": %d",
                          &inputs, &floats, &fake, &integer, &same),
                   5);
  ck_assert_int_eq(inputs, 300);
  ck_assert_int_eq(floats, 282);
  ck_assert_int_ge(integer, 240);
  ck_assert_int_ge(same, 299);
}
END_TEST

// `quantize` with what `fit` printed into fit.json.
#define LISTS                                                                                      \
  "list() { sed -n \"s/.*$1\\\": \\[\\(.*\\)\\],*/\\1/p\" %s/fit.json; } && " QUANTIZE " --plain " \
  "--weights \"$(list weight_bits)\" --activations \"$(list output_bits)\" -o %s/fit.int"

static unsigned fitted(const char *key) {
  char path[300];
  unsigned value = 0;
  snprintf(path, sizeof path, "%s/fit.json", tool_directory());
  char *json = tool_file(path), *at = strstr(json, key);
  ck_assert_msg(at && sscanf(at + strlen(key), "\": %u", &value) == 1, "%s: %s", key, json);
  free(json);
  return value;
}

// Bytes of weights and parameters, but for zero points (3 a layer), that `fit` counts with one
// scale a layer are those that `quantize` makes; and they fit.
START_TEST(fitted_bytes_are_the_network_s) {
  const char *dir = tool_directory();
  tool(NULL,
       DEPLOY " fit " MODEL
              " --read-only 20k --read-write 16k --per-layer --json > %s/fit.json && " LISTS
              " --per-layer",
       dir, dir, dir);
  unsigned counted = fitted("read_only_bytes"), weights, parameters;
  const char *said = strstr(tool(NULL, DEPLOY " info %s/fit.int", dir), "MACs, ");
  ck_assert_int_eq(
      sscanf(said, "MACs, %u bytes of weights, %u of normalization", &weights, &parameters), 2);
  ck_assert_uint_le(counted, 20 << 10);
  ck_assert_uint_eq(counted, weights + parameters + 3 * 12);
}
END_TEST

// Cycles that `fit` counts, of layers with uniform bits, are nearly those of the mixed network.
START_TEST(fitted_cycles_are_nearly_the_network_s) {
  const char *dir = tool_directory();
  tool(NULL,
       DEPLOY " fit " MODEL " --read-only 20k --read-write 14k --per-channel --max-cycles 530000 "
              "--samples 8 --calibrate " DATA "train" IMAGES " --json > %s/fit.json && " LISTS
              " && " DEPLOY " %s/fit.int -o %s/fit --tiles estimate --run --json %s/run.json",
       dir, dir, dir, dir, dir, dir);
  char path[300];
  snprintf(path, sizeof path, "%s/run.json", dir);
  char *json = tool_file(path);
  double counted = fitted("cycles"), taken = atof(strstr(json, "\"cycles\": ") + 10);
  free(json);
  ck_assert_double_le(counted, 530000);
  ck_assert_msg(fabs(taken / counted - 1) < 0.04, "%.0f counted, %.0f taken", counted, taken);
}
END_TEST

static void expect(int status, const char *sentence, const char *data) {
  int got;
  const char *said = tool(&got, DEPLOY " run " MODEL " --classify %s/%s", tool_directory(), data);
  ck_assert_msg(got == status && strstr(said, sentence), "%s: %d, %s", data, got, said);
}

// Images without their labels, damaged ones, of another size, and files that are none.
START_TEST(damaged_sets_are_refused) {
  const char *dir = tool_directory();
  tool(NULL,
       "cd %s && printf '\\0\\0\\10\\3\\0\\0\\0\\1\\0\\0\\0\\1\\0\\0\\0\\1x' > a-images-idx3 && "
       "cp a-images-idx3 b-images-idx3 && cp a-images-idx3 c-images-idx3 && "
       "printf '\\0\\0\\10\\1\\0\\0\\0\\2xx' > b-labels-idx1 && "
       "printf '\\0\\0\\10\\1\\0\\0\\0\\1x' > c-labels-idx1 && head -c 16 c-images-idx3 > "
       "d-images-idx3 && printf nothing > e-images-idx3 && mkdir -p files && touch files/a.bin && "
       "printf '\\0\\0\\10\\3\\377\\377\\377\\377\\0\\0\\1\\0\\0\\0\\1\\0' > f-images-idx3",
       dir);
  expect(66, "a-labels-idx1: No such file", "a-images-idx3");
  expect(65, "has not a label for every image", "b-images-idx3");
  expect(65, "c-images-idx3: 1 elements, but the input is 28 x 28 x 1", "c-images-idx3");
  expect(65, "ends too early", "d-images-idx3");
  expect(65, "not an IDX file of bytes", "e-images-idx3");
  expect(65, "empty, or larger than 256 MiB", "f-images-idx3");
  expect(65, "no labels; give a list", "files");
  expect(66, "nowhere: No such file", "nowhere");
}
END_TEST

Suite *fashion_suite(void) {
  Suite *suite = suite_create("fashion");
  TCase *tc = tcase_create("fashion");
  tcase_set_timeout(tc, 600);
  tcase_add_test(tc, floats_are_counted);
  tcase_add_test(tc, the_trainer_counts_the_same);
  tcase_add_test(tc, integers_keep_the_accuracy);
  tcase_add_test(tc, retraining_by_command);
  tcase_add_test(tc, fitted_bytes_are_the_network_s);
  tcase_add_test(tc, fitted_cycles_are_nearly_the_network_s);
  tcase_add_test(tc, damaged_sets_are_refused);
  suite_add_tcase(suite, tc);
  return suite;
}
