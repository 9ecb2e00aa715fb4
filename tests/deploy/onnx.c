// tests/deploy/onnx.c: the reader of ONNX files, and networks of the PULP tools against the outputs
// that stand beside them.
//
// onnx_models.py writes random networks in each dialect, with inputs and every layer's output from
// the definitions; the published ones are read where they are.
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/observe/tool.h"

Suite *onnx_suite(void);

#define DEPLOY    TEST_BUILD_DIR "/pulpsim-deploy"
#define PUBLISHED "../shared/reference/networks/dory/"

static const char *const dialects[] = {"nemo", "quantlab", "deeploy"};
enum { DIALECTS = 3, SEEDS = 5 };

static const char *golden(int *status, const char *dialect, int seed, const char *spoil) {
  const char *dir = tool_directory();
  return tool(status,
              "rm -rf %s/net && mkdir %s/net && python3 tests/deploy/onnx_models.py %s %d %s/net "
              "&& cd %s/net && { %s; } && cd - >/dev/null && " DEPLOY
              " run %s/net/model.onnx --golden %s/net",
              dir, dir, dialect, seed, dir, dir, spoil, dir, dir);
}

START_TEST(every_layer_is_equal) {
  int status;
  const char *said = golden(&status, dialects[_i % DIALECTS], _i / DIALECTS, "true");
  ck_assert_msg(status == 0 && strstr(said, " layers equal, 1 inputs, 0 files"), "%s %d: %s",
                dialects[_i % DIALECTS], _i / DIALECTS, said);
}
END_TEST

static const struct {
  const char *spoil, *sentence;
  int status;
} spoilt[] = {
    {"sed -i '3s/.*/300.000,/' out_layer2.txt", "out_layer2.txt: layer 'Conv_", 1},
    {"sed -i '$d' out_layer1.txt", "out_layer1.txt: ", 1},
    {"rm out_layer0.txt", "out_layer0.txt: missing: layer 'Conv_0'", 1},
    {"cp out_layer0.txt out_layer17.txt", "out_layer17.txt: surplus", 1},
    {"rm out_layer*.txt", "0 of ", 1},
    {"rm input.txt", "input.txt: No such file", 66},
    {"echo word >> input.txt", "not a whole number", 65},
    {"echo 1 >> input.txt", "values; the network's input has", 65},
    {"sed -i '2s/.*/300/' input.txt", "300", 65},
    {"truncate -s 600 model.onnx", "not an ONNX model", 65},
    {"sed -i 's/Conv/Lstm/' model.onnx", "(Lstm): Lstm is not supported", 69},
    {"sed -i 's/constant/reflect_/' model.onnx", "attribute mode: constant", 69},
};
enum { SPOILT = sizeof spoilt / sizeof *spoilt };

START_TEST(what_differs_is_said) {
  int status;
  const char *said = golden(&status, "nemo", 3, spoilt[_i].spoil);
  ck_assert_msg(status == spoilt[_i].status && strstr(said, spoilt[_i].sentence),
                "%s: %d, '%s', not %d, '%s'", spoilt[_i].spoil, status, said, spoilt[_i].status,
                spoilt[_i].sentence);
}
END_TEST

// Weights in a file beside the model; nothing outside the model's directory is opened.
START_TEST(external_data_is_read) {
  static const struct {
    const char *location, *spoil, *sentence;
    int status;
  } cases[] = {{"weights.bin", "true", " layers equal, 1 inputs, 0 files", 0},
               {"sub/../weights.bin", "mkdir sub", "in the model's directory are read", 65},
               {"../weights.bin", "cp weights.bin ..", "in the model's directory are read", 65},
               {"/etc/passwd", "true", "in the model's directory are read", 65},
               {"link", "ln -s /etc/passwd link", "in the model's directory are read", 65},
               {"sub", "mkdir sub", "no file", 66},
               {"weights.bin", "rm weights.bin", "weights.bin: No such file", 66},
               {"weights.bin", "truncate -s -4 weights.bin", "has not the", 65}};
  const char *dir = tool_directory();
  int status;
  const char *said = tool(
      &status,
      "rm -rf %s/net && mkdir %s/net && python3 tests/deploy/onnx_models.py nemo 2 %s/net %s "
      "&& cd %s/net && %s && cd - >/dev/null && " DEPLOY " run %s/net/model.onnx --golden %s/net",
      dir, dir, dir, cases[_i].location, dir, cases[_i].spoil, dir, dir);
  ck_assert_msg(status == cases[_i].status && strstr(said, cases[_i].sentence), "%s, %s: %d, '%s'",
                cases[_i].location, cases[_i].spoil, status, said);
}
END_TEST

START_TEST(published_networks_are_equal) {
  static const char *const nets[] = {"nemo-PenguiNet_32", "nemo-NAS_Frontnet",
                                     "nemo-Residual_connection_test_1", "quantlab-DVS_CNN_9inputs"};
  const char *dir = tool_directory();
  char file[200];
  snprintf(file, sizeof file, PUBLISHED "%s.tar.xz", nets[_i]);
  if (access(file, R_OK) != 0)
    return;
  int status;
  const char *said = tool(&status,
                          "rm -rf %s/dory && mkdir %s/dory && tar -xJf %s -C %s/dory && "
                          "d=$(dirname %s/dory/*/*.onnx) && " DEPLOY " run $d/*.onnx --golden $d",
                          dir, dir, file, dir, dir);
  ck_assert_msg(status == 0 && strstr(said, "0 files of surplus"), "%s: %s", nets[_i], said);
}
END_TEST

START_TEST(info_lists_layers_and_refuses) {
  int status;
  golden(&status, "nemo", 3, "true");
  const char *dir = tool_directory();
  const char *said = tool(&status, DEPLOY " info %s/net/model.onnx --svg %s/net/a.svg", dir, dir);
  ck_assert_msg(status == 0 && strstr(said, "depthwise") && strstr(said, " MACs, "), "%s", said);
  tool(NULL, "python3 -c \"import xml.dom.minidom as m; m.parse('%s/net/a.svg')\"", dir);
  tool(NULL, "sed -i 's/Gemm/Gamm/' %s/net/model.onnx", dir);
  said = tool(&status, DEPLOY " info %s/net/model.onnx", dir);
  ck_assert_msg(status == 69 && strstr(said, "(Gamm)"), "%d %s", status, said);
}
END_TEST

// Whether inputs are signed, the file does not say: numbers below 0 or an option do, of raw files.
// With fractions, the same file is a network in floats.
START_TEST(inputs_say_their_type) {
  int status;
  const char *dir = tool_directory();
  golden(&status, "quantlab", 1, "true");
  tool(NULL,
       "cd %s/net && D=$OLDPWD/" DEPLOY " && $D run model.onnx --input input.npy > npy && "
       "$D run model.onnx --input input.bin --input-type int8 > raw && cmp npy raw && "
       "last=$(ls out_layer*.txt | sort | tail -1) && "
       "grep -v '#' $last | tr -d ',' | awk '{ printf \" %%d\", $1 } END { print \"\" }' > want && "
       "tail -1 npy | sed 's/^ //' | cmp - want",
       dir);
  const char *said =
      tool(&status, DEPLOY " run %s/net/model.onnx --input %s/net/input.bin --input-type int4", dir,
           dir);
  ck_assert_msg(status == 64 && strstr(said, "int8 and uint8 are supported"), "%d %s", status,
                said);
  said = tool(&status,
              "python3 -c \"d = bytearray(open('%s/net/input.npy', 'rb').read()); d[128:132] = "
              "b'\\0\\0\\0\\x3f'; open('%s/net/half.npy', 'wb').write(d)\" && " DEPLOY
              " run %s/net/model.onnx --input %s/net/half.npy",
              dir, dir, dir, dir);
  ck_assert_msg(status == 0 && strstr(said, ": float32 1x5"), "%d %s", status, said);
  said = tool(&status,
              DEPLOY " run tests/data/networks/kws_int8.tflite --input %s/net/input.bin "
                     "--input-type uint8",
              dir);
  ck_assert_msg(status == 64 && strstr(said, "is signed"), "%d %s", status, said);
}
END_TEST

// A network in floats whose input stands channels last takes pictures and arrays as they are, and
// no others.
START_TEST(channels_stand_as_the_file_has_them) {
  int status;
  const char *dir = tool_directory();
  tool(NULL,
       "rm -rf %s/net && mkdir %s/net && python3 tests/deploy/onnx_models.py last 1 %s/net && cd "
       "%s/net && D=$OLDPWD/" DEPLOY " && $D run model.onnx --input p.ppm --mean 0 > a && "
       "$D run model.onnx --input p.npy > b && cmp a b && "
       "python3 -c \"d = open('p.ppm', 'rb').read()[11:]; print('', *('%%.7g' %% (d[3 * i] / 2 + "
       "d[3 * i + 1] * 1.25 - d[3 * i + 2] * .75) for i in range(16)), '...')\" > want && "
       "tail -1 a | sed 's/^ //' | cmp - want",
       dir, dir, dir, dir);
  const char *said =
      tool(&status, DEPLOY " run %s/net/model.onnx --input %s/net/wrong.npy", dir, dir);
  ck_assert_msg(status == 65 && strstr(said, "another shape"), "%d %s", status, said);
}
END_TEST

Suite *onnx_suite(void) {
  Suite *suite = suite_create("onnx");
  TCase *tc = tcase_create("onnx");
  tcase_set_timeout(tc, 60);
  tcase_add_loop_test(tc, every_layer_is_equal, 0, DIALECTS * SEEDS);
  tcase_add_loop_test(tc, what_differs_is_said, 0, SPOILT);
  tcase_add_loop_test(tc, external_data_is_read, 0, 8);
  tcase_add_loop_test(tc, published_networks_are_equal, 0, 4);
  tcase_add_test(tc, inputs_say_their_type);
  tcase_add_test(tc, channels_stand_as_the_file_has_them);
  tcase_add_test(tc, info_lists_layers_and_refuses);
  suite_add_tcase(suite, tc);
  return suite;
}
