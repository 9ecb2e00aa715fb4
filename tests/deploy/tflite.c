// tests/deploy/tflite.c: the reader of TensorFlow Lite's models and their lowering to integers.
//
// tflite_models.py writes a model of each operator with random weights, an input, and the output
// that it computes from the definitions: all codes are to be equal. Damaged files are refused or
// read, and nothing else.
#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "deploy/host/int_run.h"
#include "deploy/memory.h"
#include "deploy/read/tflite_lower.h"
#include "net_random.h"

Suite *tflite_suite(void);

enum { SEEDS = 8, KWS_INPUT = 490, KWS_INPUTS = 48 };

static uint8_t *contents(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s cannot be opened", path);
  uint8_t *bytes = memory_new(1 << 20, 1);
  *size = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  return bytes;
}

static struct net *lowered(const char *name, const uint8_t *bytes, size_t size,
                           struct net_error *error) {
  struct tflite_model *model = tflite_parse(name, bytes, size, error);
  struct net *net = model ? tflite_lower(name, model, error) : NULL;
  tflite_free(model);
  return net;
}

static struct real_net *lowered_real(const char *name, const uint8_t *bytes, size_t size,
                                     struct net_error *error) {
  struct tflite_model *model = tflite_parse(name, bytes, size, error);
  struct real_net *real = model ? tflite_lower_real(name, model, error) : NULL;
  tflite_free(model);
  return real;
}

// ---------------------------------------------------------------------------- generated models

static void put_inputs(const struct net *net, const struct int_run *run, const uint8_t *bytes) {
  for (uint32_t i = 0; i < net->input_count; i++) {
    bool is_signed = net->tensors[net->inputs[i]].is_signed;
    for (size_t k = 0; k < int_elements(run, net->inputs[i]); k++, bytes++)
      int_tensor(run, net->inputs[i])[k] = is_signed ? (int8_t)*bytes : *bytes;
  }
}

// BASE.tflite, BASE.in, BASE.out: removed once they are read.
struct files {
  const char *base;
  uint8_t *bytes[3];
  size_t sizes[3];
};

static struct files take_files(const char *base) {
  static const char *const suffixes[] = {"tflite", "in", "out"};
  struct files f = {.base = base};
  for (int i = 0; i < 3; i++) {
    char *path = memory_format("%s.%s", base, suffixes[i]);
    f.bytes[i] = contents(path, &f.sizes[i]);
    remove(path);
    free(path);
  }
  return f;
}

static void compare_codes(const struct files *f) {
  struct net_error error = {.text = ""};
  struct net *net = lowered(f->base, f->bytes[0], f->sizes[0], &error);
  ck_assert_msg(net != NULL, "%s", error.text);
  struct int_run *run = int_new(net);
  put_inputs(net, run, f->bytes[1]);
  ck_assert_msg(int_execute(run, &error), "%s", error.text);
  ck_assert_uint_eq(int_elements(run, net->outputs[0]), f->sizes[2]);
  for (size_t i = 0; i < f->sizes[2]; i++) {
    uint8_t got = (uint8_t)int_tensor(run, net->outputs[0])[i];
    ck_assert_msg(got == f->bytes[2][i], "%s: element %zu is %d, not %d", f->base, i, got,
                  f->bytes[2][i]);
  }
  int_free(run);
  net_free(net);
}

static void compare_reals(const struct files *f) {
  struct net_error error = {.text = ""};
  struct real_net *real = lowered_real(f->base, f->bytes[0], f->sizes[0], &error);
  ck_assert_msg(real != NULL, "%s", error.text);
  struct real_run *run = real_run_new(real);
  memcpy(real_tensor(run, real->net->inputs[0]), f->bytes[1], f->sizes[1]);
  real_execute(run);
  const float *expected = (const float *)(const void *)f->bytes[2];
  ck_assert_uint_eq(real_elements(run, real->net->outputs[0]) * sizeof *expected, f->sizes[2]);
  for (size_t i = 0; i < f->sizes[2] / sizeof *expected; i++)
    ck_assert_float_eq_tol(real_tensor(run, real->net->outputs[0])[i], expected[i], 1e-5F);
  real_run_free(run);
  real_free(real);
}

static int compare_directory(const char *path, void (*compare)(const struct files *)) {
  int count = 0;
  DIR *directory = opendir(path);
  ck_assert_ptr_nonnull(directory);
  for (struct dirent *entry; (entry = readdir(directory));) {
    char *suffix = strstr(entry->d_name, ".tflite");
    if (!suffix)
      continue;
    char *base = memory_format("%s/%.*s", path, (int)(suffix - entry->d_name), entry->d_name);
    struct files files = take_files(base);
    compare(&files);
    for (int i = 0; i < 3; i++)
      free(files.bytes[i]);
    free(base);
    count++;
  }
  closedir(directory);
  return count;
}

START_TEST(generated_models_give_what_is_defined) {
  char path[] = "/tmp/tflite_XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(path));
  char *command = memory_format("python3 tests/deploy/tflite_models.py %s %d", path, _i);
  ck_assert_int_eq(system(command), 0); // NOLINT(concurrency-mt-unsafe)
  free(command);
  ck_assert_int_eq(compare_directory(path, compare_codes), 208);
  rmdir(path);
}
END_TEST

START_TEST(generated_floats_give_what_is_defined) {
  char path[] = "/tmp/tflite_XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(path));
  char *command = memory_format("python3 tests/deploy/tflite_models.py %s %d floats", path, _i);
  ck_assert_int_eq(system(command), 0); // NOLINT(concurrency-mt-unsafe)
  free(command);
  ck_assert_int_eq(compare_directory(path, compare_reals), 12);
  rmdir(path);
}
END_TEST

// ---------------------------------------------------------------------------- keyword spotting

static size_t largest(const int32_t *values, size_t count) {
  size_t best = 0;
  for (size_t i = 1; i < count; i++)
    best = values[i] > values[best] ? i : best;
  return best;
}

START_TEST(keyword_spotting_recognizes) {
  size_t model_size, inputs_size, right = 0;
  struct net_error error = {.text = ""};
  uint8_t *model = contents("tests/data/networks/kws_int8.tflite", &model_size);
  uint8_t *inputs = contents("tests/data/networks/kws_48.bin", &inputs_size);
  ck_assert_uint_eq(inputs_size, (KWS_INPUT + 1) * (size_t)KWS_INPUTS);
  struct net *net = lowered("kws", model, model_size, &error);
  ck_assert_msg(net != NULL, "%s", error.text);
  struct int_run *run = int_new(net);
  for (size_t i = 0; i < KWS_INPUTS; i++) {
    const uint8_t *one = inputs + i * (KWS_INPUT + 1);
    put_inputs(net, run, one + 1);
    ck_assert(int_execute(run, &error));
    right += largest(int_tensor(run, net->outputs[0]), int_elements(run, net->outputs[0])) == *one;
  }
  ck_assert_uint_ge(right, KWS_INPUTS * 9 / 10);
  uint64_t macs = 0;
  for (uint32_t i = 0; i < net->layer_count; i++)
    macs += net_macs(net, &net->layers[i]);
  ck_assert_uint_eq(macs, 2656768);
  int_free(run);
  net_free(net);
  free(model);
  free(inputs);
}
END_TEST

// ---------------------------------------------------------------------------- damage

// A byte of the first kilobyte and of the end, where the tables stand, is another.
START_TEST(damaged_files_are_read_or_refused) {
  size_t size;
  uint8_t *model = contents("tests/data/networks/kws_int8.tflite", &size);
  struct draw draw = {(uint64_t)_i + 1};
  int refused = 0;
  for (int i = 0; i < 300; i++) {
    uint8_t *wrong = memory_copy(model, size, 1);
    for (int k = 0; k < 3; k++)
      wrong[draw_within(&draw, 0, 1) ? draw_within(&draw, 8, 1023)
                                     : draw_within(&draw, (int64_t)size - 20000,
                                                   (int64_t)size - 1)] = (uint8_t)draw_bits(&draw);
    struct net_error error = {.text = ""};
    struct net *net = lowered("wrong", wrong, size, &error);
    ck_assert_int_eq(net == NULL, *error.text != 0);
    if (!net)
      ck_assert(error.status == EX_DATAERR || error.status == EX_UNAVAILABLE);
    refused += !net;
    net_free(net);
    free(wrong);
  }
  ck_assert_int_gt(refused, 10);
  free(model);
}
END_TEST

START_TEST(cut_files_are_refused) {
  size_t size;
  uint8_t *model = contents("tests/data/networks/kws_int8.tflite", &size);
  for (size_t cut = 0; cut < size; cut += cut < 64 ? 1 : 997) {
    struct net_error error = {.text = ""};
    uint8_t *part = memory_copy(model, cut, 1);
    ck_assert_ptr_null(lowered("cut", part, cut, &error));
    ck_assert_str_ne(error.text, "");
    free(part);
  }
  free(model);
}
END_TEST

START_TEST(refusals_name_the_operator) {
  char path[] = "/tmp/tflite_XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(path));
  char *command = memory_format(
      "python3 tests/deploy/tflite_models.py %s 0 && cd %s && cp tanh_i8.tflite model.tmp && "
      "rm *.tflite *.in *.out",
      path, path);
  ck_assert_int_eq(system(command), 0); // NOLINT(concurrency-mt-unsafe)
  char *file = memory_format("%s/model.tmp", path);
  size_t size;
  uint8_t *model = contents(file, &size);
  struct net_error error = {.text = ""};
  uint8_t *at = memmem(model, size, &(int32_t){28}, 4); // TANH, below 127: the old field decides
  ck_assert_ptr_nonnull(at);
  for (size_t i = 8; i + 4 <= size; i++) {
    if (model[i] == 28 && !model[i + 1] && !model[i + 2] && !model[i + 3])
      model[i] = 116;
  }
  ck_assert_ptr_null(lowered("model", model, size, &error));
  ck_assert_msg(strstr(error.text, "model: operator 0 (code 116): not supported; CONV_2D, ") ==
                    error.text,
                "%s", error.text);
  ck_assert_int_eq(error.status, EX_UNAVAILABLE);
  remove(file);
  rmdir(path);
  free(model);
  free(file);
  free(command);
}
END_TEST

START_TEST(what_no_network_can_be_made_of_is_refused) {
  static const struct {
    const char *name, *sentence;
  } cases[] = {
      {"tanh", "tanh: operator 0 (CONV_2D): fused activation 4; none, RELU, "},
      {"narrow", "narrow: operator 0 (CONV_2D): weights of type int4 beside 8-bit activations; "},
      {"wide", "wide: tensor 'tensor0' of type int16; int8 and uint8 are supported"},
      {"shapes", "shapes: operator 1 (ADD): inputs of 2 x 2 x 3 and 1 x 1 x 3; equal shapes "}};
  char path[] = "/tmp/tflite_XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(path));
  char *command = memory_format("python3 tests/deploy/tflite_models.py %s 0 refused", path);
  ck_assert_int_eq(system(command), 0); // NOLINT(concurrency-mt-unsafe)
  free(command);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *file = memory_format("%s/%s.tflite", path, cases[i].name);
    size_t size;
    uint8_t *model = contents(file, &size);
    struct net_error error = {.text = ""};
    ck_assert_ptr_null(lowered(cases[i].name, model, size, &error));
    ck_assert_msg(strstr(error.text, cases[i].sentence) == error.text, "%s", error.text);
    ck_assert_int_eq(error.status, EX_UNAVAILABLE);
    remove(file);
    free(model);
    free(file);
  }
  rmdir(path);
}
END_TEST

Suite *tflite_suite(void) {
  Suite *suite = suite_create("tflite");
  TCase *tc = tcase_create("tflite");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, generated_models_give_what_is_defined, 0, SEEDS);
  tcase_add_loop_test(tc, generated_floats_give_what_is_defined, 0, 3);
  tcase_add_test(tc, keyword_spotting_recognizes);
  tcase_add_loop_test(tc, damaged_files_are_read_or_refused, 0, 4);
  tcase_add_test(tc, cut_files_are_refused);
  tcase_add_test(tc, refusals_name_the_operator);
  tcase_add_test(tc, what_no_network_can_be_made_of_is_refused);
  suite_add_tcase(suite, tc);
  return suite;
}
