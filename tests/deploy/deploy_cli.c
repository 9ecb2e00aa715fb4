// tests/deploy/deploy_cli.c: the program `pulpsim-deploy` as its users call it.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deploy/cli/root.h"
#include "tests/observe/tool.h"

Suite *deploy_cli_suite(void);

#define DEPLOY TEST_BUILD_DIR "/pulpsim-deploy"
#define KWS    "tests/data/networks/kws_int8.tflite"
#define FULL   "../shared/reference/networks/mlperf-tiny/"
#define PYTHON "python3 -c \""

static void expect(int status, const char *sentence, const char *command) {
  int got;
  const char *said = tool(&got, DEPLOY " %s", command);
  ck_assert_msg(got == status && strstr(said, sentence) != NULL,
                "'%s' ended with %d and said '%s', not %d, '%s'", command, got, said, status,
                sentence);
}

// ---------------------------------------------------------------------------- run

// What both readers say is said once. The last byte is the operator set's.
START_TEST(one_reason_is_said_once) {
  int status;
  const char *dir = tool_directory();
  tool(NULL,
       "cd %s && head -c -1 $OLDPWD/tests/data/networks/relu6.onnx > later.onnx && "
       "printf '\\030' >> later.onnx",
       dir);
  const char *said = tool(&status, DEPLOY " info %s/later.onnx", dir);
  const char *why = strstr(said, "operator set 24 is not supported");
  ck_assert_msg(status == 69 && why && !strstr(why + 1, "operator set 24"), "%d %s", status, said);
}
END_TEST

// The 48 inputs as files of their own, and a list of them.
static const char *keyword_list(void) {
  static char path[200];
  snprintf(path, sizeof path, "%s/kws/list.tsv", tool_directory());
  tool(NULL,
       PYTHON "import os\nd = '%s/kws'\nos.makedirs(d, exist_ok=True)\n"
              "data = open('tests/data/networks/kws_48.bin', 'rb').read()\n"
              "with open(d + '/list.tsv', 'w') as rows:\n"
              "  for i in range(48):\n"
              "    one = data[i * 491:(i + 1) * 491]\n"
              "    open('%%s/%%d.bin' %% (d, i), 'wb').write(one[1:])\n"
              "    rows.write('%%d.bin\\t%%d\\n' %% (i, one[0]))\"",
       tool_directory());
  return path;
}

START_TEST(classify_counts) {
  const char *said = tool(NULL, DEPLOY " run " KWS " --classify %s", keyword_list());
  size_t inputs, right;
  double accuracy;
  ck_assert_int_eq(sscanf(said, "{\"inputs\": %zu, \"right\": %zu, \"accuracy\": %lf}", &inputs,
                          &right, &accuracy),
                   3);
  ck_assert_uint_eq(inputs, 48);
  ck_assert_double_eq_tol(accuracy, (double)right / 48, 1e-6);
  ck_assert_double_ge(accuracy, 43. / 48 - 1e-6);
}
END_TEST

START_TEST(the_given_inputs_are_recognized) {
  if (access(FULL "kws-inputs.tar.xz", R_OK) != 0)
    return;
  const char *dir = tool_directory();
  const char *said = tool(NULL,
                          "mkdir -p %s/full && tar -xJf " FULL "kws-inputs.tar.xz -C %s/full && "
                          "find %s/full -type f | sed 's/.*_\\([0-9]*\\)\\.[a-z]*$/&\\t\\1/' > "
                          "%s/full.tsv && " DEPLOY " run " FULL "kws_ref_model.tflite --classify "
                          "%s/full.tsv",
                          dir, dir, dir, dir, dir);
  double accuracy = 0;
  ck_assert_int_eq(sscanf(strstr(said, "\"acc"), "\"accuracy\": %lf", &accuracy), 1);
  ck_assert_ptr_nonnull(strstr(said, "\"inputs\": 500,"));
  ck_assert_double_ge(accuracy, 0.9);
}
END_TEST

START_TEST(other_models_run) {
  if (access(FULL "vww_96_int8.tflite", R_OK) != 0)
    return;
  const char *dir = tool_directory();
  tool(NULL, "head -c 27648 /dev/zero > %s/vww.bin; head -c 640 /dev/zero > %s/ad.bin", dir, dir);
  ck_assert_ptr_nonnull(strstr(
      tool(NULL, DEPLOY " run " FULL "vww_96_int8.tflite --input %s/vww.bin", dir), "1 x 1 x 2"));
  ck_assert_ptr_nonnull(strstr(
      tool(NULL, DEPLOY " run " FULL "ad01_int8.tflite --input %s/ad.bin", dir), "1 x 1 x 640"));
}
END_TEST

// All tensors of a run, and one of them given back as an input: NumPy's files say the same as raw.
START_TEST(dumped_tensors_read_back) {
  const char *dir = tool_directory();
  keyword_list();
  tool(NULL, DEPLOY " run " KWS " --input %s/kws/3.bin --dump %s/a", dir, dir);
  tool(NULL, DEPLOY " run " KWS " --input %s/a/000_input_1.npy --dump %s/b", dir, dir);
  tool(NULL, "diff -r %s/a %s/b", dir, dir);
  tool(NULL, "test $(ls %s/a | wc -l) = 12 && test $(ls -l %s/a/001_* | awk '{print $5}') = 8128",
       dir, dir);
}
END_TEST

// Raw files are as the model has its input, here floats, channel by channel (first and third) or
// pixel by pixel: whole graphs, their integers, and what a .npy file with a shape says are equal.
START_TEST(raw_inputs_are_as_the_model_has_them) {
  static const struct {
    const char *name, *shape;
  } models[] = {{"real", "1, 3, 12, 16"}, {"qdq", "1, 12, 12, 3"}, {"qoperator", "1, 3, 12, 12"}};
  const char *dir = tool_directory(), *name = models[_i].name;
  tool(NULL,
       PYTHON "import struct\n"
              "n = 1\nfor d in (%s): n *= d\n"
              "x = struct.pack('<%%df' %% n, *((i * 37 %% 101 - 50) / 40 for i in range(n)))\n"
              "open('%s/x.bin', 'wb').write(x)\n"
              "h = '{\\'descr\\': \\'<f4\\', \\'fortran_order\\': False, "
              "\\'shape\\': (%s), }'.ljust(117) + chr(10)\n"
              "open('%s/x.npy', 'wb').write(b'\\x93NUMPY\\x01\\x00' + struct.pack('<H', "
              "len(h)) + h.encode() + x)\"",
       models[_i].shape, dir, models[_i].shape, dir);
  tool(NULL,
       "cd %s && rm -rf set && mkdir set && cp x.bin set && D=$OLDPWD/" DEPLOY
       " && M=$OLDPWD/tests/data/networks/%s.onnx && $D run $M --input x.bin > raw && "
       "$D run $M --input x.npy > npy && cmp raw npy && test -s raw",
       dir, name);
  if (_i == 0) // its range follows from the raw file
    tool(NULL,
         "cd %s && D=$OLDPWD/" DEPLOY " && $D quantize $OLDPWD/tests/data/networks/real.onnx "
         "--calibrate set -o x.int && grep -q 'planes: true' x.int && "
         "$D run x.int --input x.bin > raw && $D run x.int --input x.npy > npy && cmp raw npy",
         dir);
}
END_TEST

// They are read several times over; what lies beside a file is not there.
START_TEST(models_come_through_pipes) {
  static const struct {
    const char *command, *sentence;
  } rows[] = {
      {"cat $M | $D info -", "9_avgpool"},
      {"cat $M | $D info /dev/fd/3 3<&0", "9_avgpool"},
      {"$D requant $M -o - 2>/dev/null | $D info /dev/stdin", "9_avgpool"},
      {"cat $F | $D info -", "in floats"},
      {"cat $F | $T network - --train --emit - --untuned", "4294848 MACs"},
      {"cat $M | $D run - --input $W/one.bin", "1 x 1 x 12, largest 76 at 11"},
      {"cat $W/one.bin | $D run $M --input -", "1 x 1 x 12, largest 76 at 11"},
      {"echo $W/one.bin 1 | $D run $M --classify -", "{\"inputs\": 1, \"right\": "},
      {"cat $W/model.onnx | $D info - || test $? = 69", "beside the model, whose place is not"},
      {"mkfifo $W/pipe; timeout 9 $D info $W/pipe || test $? = 66", "/pipe: no file; of pipes"},
      {"timeout 9 $D run $M --input $W/pipe || test $? = 66", "/pipe: no file; of pipes"},
      {"timeout 9 $D run $M --classify /dev/zero || test $? = 66", "/dev/zero: no file; of pipes"},
      {"$D run $M --input $W || test $? = 66", ": a directory"},
  };
  const char *dir = tool_directory();
  tool(NULL,
       "head -c 490 tests/data/networks/kws_48.bin >%s/one.bin; "
       "python3 tests/deploy/onnx_models.py nemo 2 %s weights.bin",
       dir, dir);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *said = tool(
        NULL, "D=" DEPLOY "; T=" PULPSIM "-tune; M=" KWS "; F=deploy/models/fashion.onnx; W=%s; %s",
        dir, rows[i].command);
    ck_assert_msg(strstr(said, rows[i].sentence) != NULL, "%s: %s", rows[i].command, said);
  }
}
END_TEST

// A grey picture of 49 x 10: pixels become codes, less 128; scaled, they are quantized.
START_TEST(pictures_are_inputs) {
  const char *dir = tool_directory();
  tool(NULL,
       PYTHON "import struct, zlib\n"
              "p = bytes(i %% 256 for i in range(490))\n"
              "open('%s/p.pgm', 'wb').write(b'P5 # 49 x 10\\n10 49 255\\n' + p)\n"
              "def chunk(k, d):\n"
              "  return struct.pack('>I', len(d)) + k + d + struct.pack('>I', zlib.crc32(k + d))\n"
              "rows = b''.join(b'\\0' + p[i:i + 10] for i in range(0, 490, 10))\n"
              "open('%s/p.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR',\n"
              "  struct.pack('>IIBBBBB', 10, 49, 8, 0, 0, 0, 0)) +\n"
              "  chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))\n"
              "open('%s/p.bin', 'wb').write(bytes((x - 128) & 255 for x in p))\"",
       dir, dir, dir);
  for (int i = 0; i < 3; i++) {
    static const char *const suffixes[] = {"bin", "pgm", "png"};
    tool(NULL, DEPLOY " run " KWS " --input %s/p.%s > %s/said%d", dir, suffixes[i], dir, i);
    tool(NULL, "cmp %s/said0 %s/said%d", dir, dir, i);
  }
  // the input's scale is 0.58470290899276733, its zero 83: -127 + 83 for a pixel of 26
  tool(NULL, DEPLOY " run " KWS " --input %s/p.pgm --mean 100 --scale 1 --dump %s/scaled", dir,
       dir);
  tool(NULL,
       "test $(tail -c 490 %s/scaled/000_input_1.npy | od -An -td1 -v | tr -s ' \\n' ' ' | "
       "cut -d' ' -f28) = -44",
       dir);
}
END_TEST

START_TEST(mistakes_have_a_sentence_and_a_status) {
  const char *dir = tool_directory();
  tool(NULL,
       "printf 'x.bin 1\\n' > %s/missing.tsv; printf '# file, label\\nx\\n' > %s/rows.tsv; "
       "head -c 489 /dev/zero > %s/short.bin; printf nothing > %s/no.tflite",
       dir, dir, dir, dir);
  expect(64, "give a command", "");
  expect(64, "no command 'walk'", "walk");
  expect(64, "did you mean 'pulpsim-deploy quantize'?", "quantise x");
  expect(64, "give one model and -o DIR", "ds_cnn");
  expect(0, "pulpsim-deploy " PULPSIM_VERSION "\n", "--version");
  expect(64, "give one model", "run");
  expect(64, "one of --input, --classify", "run " KWS);
  expect(64, "choose rgb, bgr or grey", "run " KWS " --channels cmyk --input x");
  expect(64, "pixels are divided by it", "run " KWS " --scale 0 --input x");
  expect(66, "/nonexistent: No such file", "run /nonexistent --input x");
  expect(64, "mobilenet_v9:1:1: no network of that name; there are", "info mobilenet_v9:1:1");
  expect(66, "x.bin: No such file", "run " KWS " --input x.bin");
  char command[300];
  snprintf(command, sizeof command, "run %s/no.tflite --input x", dir);
  expect(65, "neither an ONNX or TensorFlow Lite", command);
  snprintf(command, sizeof command, "run " KWS " --input %s/short.bin", dir);
  expect(65, "489 elements, but the input is 49 x 10 x 1", command);
  snprintf(command, sizeof command, "run " KWS " --classify %s/missing.tsv", dir);
  expect(66, "x.bin: No such file", command);
  snprintf(command, sizeof command, "run " KWS " --classify %s/rows.tsv", dir);
  expect(65, "rows.tsv:2: not a file and a label", command);
  tool(NULL, "printf '# one\\nkws/3.bin  0  # label\\n\\nkws/4.bin\\t1 \\r\\n' > %s/said.tsv", dir);
  keyword_list();
  snprintf(command, sizeof command, "run " KWS " --classify %s/said.tsv", dir);
  expect(0, "{\"inputs\": 2,", command);
  snprintf(command, sizeof command, "run " KWS " --input %s/kws/3.bin --dump /proc/no", dir);
  keyword_list();
  expect(73, "/proc/no", command);
}
END_TEST

// ---------------------------------------------------------------------------- fit

// Files may have 512 bytes here.
START_TEST(an_older_picture_stays_until_there_is_a_new_one) {
  int status;
  const char *dir = tool_directory();
  const char *said =
      tool(&status,
           "echo old > %s/p.svg; trap '' XFSZ; ulimit -f 1; " DEPLOY " info " KWS " --svg %s/p.svg",
           dir, dir);
  ck_assert_msg(status == 73 && strstr(said, "p.svg: cannot be written"), "%d %s", status, said);
  ck_assert_str_eq(tool(NULL, "cat %s/p.svg; ls %s | grep -c part; true", dir, dir), "old\n0\n");
}
END_TEST

// As `pulpsim --stats -`: nothing else is there.
START_TEST(results_go_to_stdout) {
  static const struct {
    const char *command, *first;
  } rows[] = {{"info " KWS " --svg -", "<svg "},
              {"fit ds_cnn --read-only 64k --read-write 64k --svg -", "<svg "},
              {"fit ds_cnn --read-only 64k --read-write 64k -o -", "format: 1"},
              {"requant " KWS " -o -", "format: 1"}};
  const char *dir = tool_directory();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *said = tool(NULL, DEPLOY " %s 2>%s/table", rows[i].command, dir);
    ck_assert_msg(strncmp(said, rows[i].first, strlen(rows[i].first)) == 0, "%s: %.200s",
                  rows[i].command, said);
    tool(NULL, "grep layer %s/table && test ! -e -", dir);
  }
  expect(64, "--json and --svg - both go to stdout: name a file for one of them",
         "fit ds_cnn --read-only 64k --read-write 64k --json --svg -");
  expect(64, "--json - and --timeline - both go to stdout",
         "ds_cnn -o /nowhere --json - --timeline -");
  expect(64, "-o -: a folder, which stdout is not", "ds_cnn -o -");
  expect(64, "--dump -: a folder", "run ds_cnn --input x --dump -");
  expect(73, "-: cannot be written: No space left", "info " KWS " --svg - 2>&1 >/dev/full");
  expect(73, "stdout cannot be written: Bad file", "info " KWS " --svg - 2>&1 >&-");
  expect(73, "/nowhere/x.svg: No such file", "info no_such_model --svg /nowhere/x.svg");
}
END_TEST

START_TEST(fit_prints_bits) {
  const char *dir = tool_directory();
  tool(NULL,
       DEPLOY " fit " KWS " --read-only 16k --read-write 14k --per-channel --json --svg "
              "%s/fit.svg > %s/fit.json",
       dir, dir);
  tool(NULL,
       PYTHON "import json\nr = json.load(open('%s/fit.json'))\n"
              "assert len(r['output_bits']) == len(r['weight_bits']) == 10\n"
              "assert r['read_only_bytes'] <= 16384 and r['peak_bytes'] <= 14336\n"
              "assert set(r['output_bits'] + r['weight_bits']) <= {2, 4, 8}\n"
              "assert r['peak_bytes'] == 12000, r\n" // 8,000 elements with 8, and with 4 bits
              "import xml.dom.minidom\nxml.dom.minidom.parse('%s/fit.svg')\"",
       dir, dir);
  expect(0, "of 16384 bytes", "fit " KWS " --read-only 16k --read-write 14336");
  expect(80, "more than the 1024 of read-only memory",
         "fit " KWS " --read-only 1k --read-write 14k --json");
  expect(80, "more than the 1024 of read-write memory",
         "fit " KWS " --read-only 1M --read-write 1k");
  expect(64, "as 524288, 512k or 2M", "fit " KWS " --read-only 2X --read-write 1k");
  expect(64, "icn, folded or thresholds", "fit " KWS " --scheme none");
  expect(64, "give --read-only and --read-write", "fit " KWS " --read-only 2M");
  expect(64, "one factor for a layer",
         "fit " KWS " --read-only 2M --read-write 1M --per-channel --scheme folded");
  expect(0, "per layer, folded", "fit " KWS " --read-only 2M --read-write 1M --scheme folded");
  expect(64, "one factor for a layer",
         "quantize " KWS " --calibrate /tmp -o /tmp/none.int --scheme folded --per-channel");
  expect(64, "--max-cycles needs --calibrate",
         "fit " KWS " --read-only 2M --read-write 1M --max-cycles 600000");
  expect(64, "--max-cycles 5x: give a number",
         "fit " KWS " --read-only 2M --read-write 1M --max-cycles 5x");
  expect(64, "--samples 4x: give 1 to 999999",
         "fit " KWS " --read-only 2M --read-write 1M --samples 4x");
  expect(64, "has no trained weights",
         "fit mobilenet_v1:224:1.0 --read-only 2M --read-write 1M --calibrate /tmp");
  expect(73, "/nonexistent/a.svg",
         "fit " KWS " --read-only 2M --read-write 1M --json --svg "
         "/nonexistent/a.svg");
}
END_TEST

// The family by name: Rusci et al., MLSys 2020, as bits.tsv has it.
START_TEST(fit_knows_the_family) {
  const char *said =
      tool(NULL, DEPLOY " fit mobilenet_v1:224:0.75 --read-only 2M --read-write 512k "
                        "--per-channel --json");
  ck_assert_ptr_nonnull(strstr(said,
                               "\"output_bits\": [8, 4, 4, 8, 8, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, "
                               "8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8]"));
  ck_assert_ptr_nonnull(strstr(said,
                               "\"weight_bits\": [8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, "
                               "8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 4, 4]"));
  ck_assert_ptr_nonnull(strstr(said, "\"read_only_bytes\": 1990576"));
  expect(80, "no solution", "fit mobilenet_v1:224:1.0 --read-only 1M --read-write 512k");
  expect(64, "give mobilenet_v1:RESOLUTION:WIDTH",
         "fit mobilenet_v1:225:1.0 --read-only 1M --read-write 512k");
  expect(64, "give mobilenet_v1:RESOLUTION:WIDTH",
         "fit mobilenet_v1:224:0.3 --read-only 1M --read-write 512k");
}
END_TEST

// -------------------------------------------------------------------------- the kernels' folder

static void expect_root(const char *program, const char *root) {
  char name[300], want[300], found[300] = "";
  snprintf(name, sizeof name, "%s/%s", tool_directory(), program);
  snprintf(want, sizeof want, "%s/%s", tool_directory(), root);
  ck_assert_msg(root_above(name, found, sizeof found), "nothing above %s", name);
  ck_assert_str_eq(found, want);
}

START_TEST(the_root_is_above_the_program) {
  const char *dir = tool_directory();
  char found[300], small[8];
  tool(NULL,
       "for d in tree usr/lib/pulpsim; do mkdir -p %s/$d/kernels/rt; touch "
       "%s/$d/kernels/rt/link.ld; done",
       dir, dir);
  expect_root("tree/build/pulpsim-deploy", "tree");
  expect_root("tree/build/sanitize/pulpsim-deploy", "tree");
  expect_root("tree/build/sanitize/tests/check", "tree");
  expect_root("usr/bin/pulpsim-deploy", "usr/lib/pulpsim");
  ck_assert(!root_above("/usr/nowhere/bin/pulpsim-deploy", found, sizeof found));
  char name[300];
  snprintf(name, sizeof name, "%s/tree/build/pulpsim-deploy", dir);
  ck_assert(!root_above(name, small, sizeof small));
}
END_TEST

// Called by its path from a folder that is not the project's.
START_TEST(the_program_knows_its_tree) {
  char *build = realpath(TEST_BUILD_DIR, NULL), *tree = realpath(".", NULL);
  tool(NULL, "cd / && %s/pulpsim-deploy ds_cnn -o %s/net", build, tool_directory());
  tool(NULL, "grep -qx 'PULPSIM ?= %s' %s/net/Makefile", tree, tool_directory());
  free(build);
  free(tree);
}
END_TEST

Suite *deploy_cli_suite(void) {
  Suite *suite = suite_create("deploy_cli");
  TCase *tc = tcase_create("deploy_cli");
  tcase_set_timeout(tc, 60);
  tcase_add_test(tc, classify_counts);
  tcase_add_test(tc, the_given_inputs_are_recognized);
  tcase_add_test(tc, other_models_run);
  tcase_add_test(tc, dumped_tensors_read_back);
  tcase_add_loop_test(tc, raw_inputs_are_as_the_model_has_them, 0, 3);
  tcase_add_test(tc, models_come_through_pipes);
  tcase_add_test(tc, pictures_are_inputs);
  tcase_add_test(tc, mistakes_have_a_sentence_and_a_status);
  tcase_add_test(tc, an_older_picture_stays_until_there_is_a_new_one);
  tcase_add_test(tc, results_go_to_stdout);
  tcase_add_test(tc, fit_prints_bits);
  tcase_add_test(tc, one_reason_is_said_once);
  tcase_add_test(tc, fit_knows_the_family);
  tcase_add_test(tc, the_root_is_above_the_program);
  tcase_add_test(tc, the_program_knows_its_tree);
  suite_add_tcase(suite, tc);
  return suite;
}
