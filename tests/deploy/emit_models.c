// tests/deploy/emit_models.c: trained networks on the machine, as their users deploy them: every
// tensor equal to the interpreter's, in all of the memory and in little of it.
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deploy/memory.h"

Suite *emit_models_suite(void);

#define DATA      "tests/data/networks/"
#define REFERENCE "../shared/reference/networks/"

enum { KWS_INPUT = 490 };

// `pulpsim-deploy ARGUMENTS` in a folder of the tests; % in the arguments is that folder. Its exit
// status, and what it printed.
static int deploy(const char *arguments, char *text, size_t size) {
  char *command = memory_format("%s/pulpsim-deploy ", TEST_BUILD_DIR);
  for (const char *at = arguments; *at; at += strcspn(at + 1, "%") + 1) {
    bool place = *at == '%';
    int length = (int)strcspn(at + 1, "%") + 1;
    char *longer =
        place ? memory_format("%s%s/tests%.*s", command, TEST_BUILD_DIR, length - 1, at + 1)
              : memory_format("%s%.*s", command, length, at);
    free(command);
    command = longer;
  }
  char *with_errors = memory_format("%s 2>&1", command);
  FILE *f = popen(with_errors, "r"); // NOLINT(cert-env33-c)
  ck_assert_ptr_nonnull(f);
  size_t used = fread(text, 1, size - 1, f);
  text[used] = 0;
  free(command);
  free(with_errors);
  return WEXITSTATUS(pclose(f));
}

static void succeeds(const char *arguments) {
  char text[16384];
  int status = deploy(arguments, text, sizeof text);
  ck_assert_msg(status == 0, "%s: status %d: %s", arguments, status, text);
}

START_TEST(trained_networks_equal_the_interpreter) {
  succeeds(DATA "kws_int8.tflite --check --tiles estimate -o %/emit_kws --l1 16k --l2 128k");
}
END_TEST

// Bits of weights and activations, and schemes.
START_TEST(quantized_networks_equal_the_interpreter) {
  static const char *const options[] = {"--weights 4 --activations 4 --per-layer",
                                        "--weights 2 --activations 4 --scheme thresholds"};
  static const char *const sizes[] = {" --l1 16k --l2 128k", ""};
  char *quantize = memory_format("quantize deploy/models/fashion.onnx --scale 255 --samples 32 "
                                 "--calibrate " DATA
                                 "fashion-train-images-idx3-ubyte.gz %s -o %%/emit_fashion%d.int",
                                 options[_i], _i);
  char *check = memory_format(
      "%%/emit_fashion%d.int --check --tiles estimate -o %%/emit_fashion%d%s", _i, _i, sizes[_i]);
  succeeds(quantize);
  succeeds(check);
  free(quantize);
  free(check);
}
END_TEST

START_TEST(bits_that_fit_a_device_run) {
  succeeds("fit mobilenet_v1:64:0.25 --read-only 250k --read-write 20k -o %/emit_mixed.int");
  succeeds("%/emit_mixed.int --check --tiles estimate -o %/emit_mixed");
}
END_TEST

START_TEST(an_input_runs_on_the_machine) {
  char *path = memory_format("%s/tests/emit_kws.bin", TEST_BUILD_DIR), text[16384];
  uint8_t bytes[KWS_INPUT];
  FILE *from = fopen(DATA "kws_48.bin", "rb"), *to = fopen(path, "wb");
  ck_assert(from && to);
  ck_assert_int_eq(fgetc(from), 5); // the label
  ck_assert_uint_eq(fread(bytes, 1, KWS_INPUT, from), KWS_INPUT);
  ck_assert_uint_eq(fwrite(bytes, 1, KWS_INPUT, to), KWS_INPUT);
  fclose(from);
  fclose(to);
  ck_assert_int_eq(
      deploy("run " DATA "kws_int8.tflite --on sim --input %/emit_kws.bin", text, sizeof text), 0);
  ck_assert_msg(strstr(text, "MAC/clk") && strstr(text, "largest"), "it said: %s", text);
  ck_assert_int_eq(
      deploy("run " DATA "kws_int8.tflite --on moon --input %/emit_kws.bin", text, sizeof text),
      64);
  ck_assert_int_eq(
      deploy("run deploy/models/fashion.onnx --on sim --input %/emit_kws.bin", text, sizeof text),
      69);
  ck_assert_int_eq(deploy("run " DATA "kws_int8.tflite --on sim --kernels / --input %/emit_kws.bin",
                          text, sizeof text),
                   66);
  remove(path);
  free(path);
}
END_TEST

// ONNX's quantized forms, on codes that go round from pixel to pixel: what ONNX Runtime 1.30 gives
// for them. The first has its input channel by channel, and so the file.
START_TEST(quantized_onnx_runs_on_the_machine) {
  static const struct {
    const char *model, *codes;
  } cases[] = {{"qoperator.onnx", "\n  222 16 231 255 0\n"},
               {"qdq.onnx", "\n  -17 -128 -115 23 127\n"}};
  char *path = memory_format("%s/tests/emit_codes%d.bin", TEST_BUILD_DIR, _i), text[16384];
  char *arguments =
      memory_format("run " DATA "%s --on sim --input %%/emit_codes%d.bin", cases[_i].model, _i);
  FILE *to = fopen(path, "wb");
  ck_assert_ptr_nonnull(to);
  for (int i = 0; i < 3 * 12 * 12; i++)
    fputc((_i ? i : i % 144 * 3 + i / 144) * 37 % 256, to);
  fclose(to);
  int status = deploy(arguments, text, sizeof text);
  ck_assert_msg(status == 0 && strstr(text, cases[_i].codes) && strstr(text, "MAC/clk"), "%d: %s",
                status, text);
  remove(path);
  free(path);
  free(arguments);
}
END_TEST

// The published networks, where they are; all of them with EMIT_NETS in the environment. In little
// memory, where linear layers come in parts, and PenguiNet's activations in stripes.
START_TEST(published_networks_equal_the_interpreter) {
  static const char *const cases[] = {
      "mlperf-tiny/ad01_int8.tflite --l1 16k --l2 128k", "mlperf-tiny/ad01_int8.tflite",
      "mlperf-tiny/vww_96_int8.tflite", "mlperf-tiny/vww_96_int8.tflite --l1 16k --l2 128k",
      "mlperf-tiny/kws_ref_model.tflite --l1 16k --l2 128k"};
  if (access(REFERENCE, R_OK) != 0 || (_i > 0 && !getenv("EMIT_NETS")))
    return;
  char *command =
      memory_format(REFERENCE "%s --check --tiles estimate -o %%/emit_published", cases[_i]);
  succeeds(command);
  free(command);
}
END_TEST

START_TEST(the_pulp_tools_networks_equal_the_interpreter) {
  static const char *const cases[][2] = {
      {"nemo-Residual_connection_test_1", "Residual_connection_test_1/model_int.onnx"},
      {"nemo-NAS_Frontnet", "NAS_Frontnet/Frontnet.onnx"},
      {"nemo-PenguiNet_32", "PenguiNet_32/model_int.onnx"},
      {"quantlab-DVS_CNN_9inputs", "DVS_CNN_9inputs/dvs_cnn_cnn_ql_integerized.onnx"}};
  if (access(REFERENCE, R_OK) != 0 || !getenv("EMIT_NETS"))
    return;
  char *unpack = memory_format("mkdir -p %s/tests/dory && tar -xJf " REFERENCE "dory/%s.tar.xz "
                               "-C %s/tests/dory",
                               TEST_BUILD_DIR, cases[_i][0], TEST_BUILD_DIR);
  char *command = memory_format("%%/dory/%s --check --tiles estimate -o %%/emit_pulp --l1 16k "
                                "--l2 128k",
                                cases[_i][1]);
  ck_assert_int_eq(system(unpack), 0); // NOLINT(cert-env33-c)
  succeeds(command);
  free(unpack);
  free(command);
}
END_TEST

Suite *emit_models_suite(void) {
  Suite *suite = suite_create("emit_models");
  TCase *tc = tcase_create("emit_models");
  tcase_set_timeout(tc, 240);
  tcase_add_test(tc, trained_networks_equal_the_interpreter);
  tcase_add_loop_test(tc, quantized_networks_equal_the_interpreter, 0, 2);
  tcase_add_test(tc, bits_that_fit_a_device_run);
  tcase_add_test(tc, an_input_runs_on_the_machine);
  tcase_add_loop_test(tc, quantized_onnx_runs_on_the_machine, 0, 2);
  tcase_add_loop_test(tc, published_networks_equal_the_interpreter, 0, 5);
  tcase_add_loop_test(tc, the_pulp_tools_networks_equal_the_interpreter, 0, 4);
  suite_add_tcase(suite, tc);
  return suite;
}
