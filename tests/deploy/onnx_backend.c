// tests/deploy/onnx_backend.c: ONNX's own conformance data (Debian's libonnx-testdata): a model,
// its inputs and the outputs it must give, for every operator and for small graphs.
//
// Each is passed, refused with a sentence that names the node, or wrong: none may be wrong. Left
// out are cases whose files have another type than their model says (bfloat16 stored as uint16).
// Results agree as in ONNX's test runner: type and shape equal, |got - expected| <= 1e-7 + 1e-3 *
// |expected|.
#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deploy/memory.h"
#include "deploy/op/op.h"
#include "deploy/read/load.h"
#include "deploy/read/onnx.h"
#include "tests/observe/tool.h"

Suite *onnx_backend_suite(void);

#define DATA "/usr/share/libonnx-testdata/data"

// Operators that networks for this machine are made of.
static const char *const needed[] = {"Add",
                                     "AveragePool",
                                     "BatchNormalization",
                                     "Cast",
                                     "Clip",
                                     "Concat",
                                     "Constant",
                                     "Conv",
                                     "ConvInteger",
                                     "ConvTranspose",
                                     "DequantizeLinear",
                                     "Div",
                                     "Dropout",
                                     "Flatten",
                                     "Floor",
                                     "Gather",
                                     "Gemm",
                                     "GlobalAveragePool",
                                     "GlobalMaxPool",
                                     "HardSigmoid",
                                     "HardSwish",
                                     "Identity",
                                     "LeakyRelu",
                                     "LogSoftmax",
                                     "MatMul",
                                     "MatMulInteger",
                                     "MaxPool",
                                     "Mul",
                                     "Pad",
                                     "QLinearConv",
                                     "QLinearMatMul",
                                     "QuantizeLinear",
                                     "ReduceMean",
                                     "Relu",
                                     "Reshape",
                                     "Resize",
                                     "Shape",
                                     "Sigmoid",
                                     "Slice",
                                     "Softmax",
                                     "Squeeze",
                                     "Sub",
                                     "Tanh",
                                     "Transpose",
                                     "Unsqueeze",
                                     "Upsample"};
enum { NEEDED = sizeof needed / sizeof *needed };

enum outcome { PASSED, REFUSED, WRONG, UNUSABLE, OUTCOMES };

struct tally {
  int outcomes[OUTCOMES], needed[2]; // needed: all, passed
  char first_wrong[400];
};

static uint8_t *contents(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = memory_new(*size, 1);
  *size = fread(bytes, 1, *size, file);
  fclose(file);
  return bytes;
}

// 1: read; 0: there is none; -1: not a tensor of numbers.
static int tensor(const char *set, const char *kind, uint32_t i, struct array *to) {
  char path[600];
  size_t size;
  struct net_error error = {.text = ""};
  snprintf(path, sizeof path, "%s/%s_%u.pb", set, kind, i);
  uint8_t *bytes = contents(path, &size);
  if (!bytes)
    return 0;
  bool good = onnx_parse_tensor(bytes, size, to, &error) && to->data;
  free(bytes);
  return good ? 1 : -1;
}

static bool near(double got, double expected) {
  if (isnan(expected) || isinf(expected))
    return isnan(expected) ? isnan(got) : got == expected;
  return fabs(got - expected) <= 1e-7 + 1e-3 * fabs(expected);
}

static bool agrees(const struct array *got, const struct array *expected) {
  if (got->type != expected->type || !array_same_shape(got, expected))
    return false;
  bool real = array_type_is_float(got->type);
  for (size_t i = 0; i < array_count(got); i++)
    if (real ? !near(array_get(got, i), array_get(expected, i))
             : array_get_int(got, i) != array_get_int(expected, i))
      return false;
  return true;
}

static enum outcome compare(const struct graph *graph, const struct op_run *run, const char *set,
                            struct net_error *error) {
  for (uint32_t i = 0; i < graph->output_count; i++) {
    struct array expected;
    int found = tensor(set, "output", i, &expected);
    if (found < 0) {
      snprintf(error->text, sizeof error->text, "node 'of output %u': no tensor of numbers", i);
      return REFUSED;
    }
    const struct array *got = op_run_get(run, graph->outputs[i]);
    bool good = found && got->data && agrees(got, &expected);
    if (found && got->type == ARRAY_BF16 && expected.type == ARRAY_U16) {
      array_clear(&expected);
      return UNUSABLE;
    }
    if (found)
      array_clear(&expected);
    if (!good) {
      snprintf(error->text, sizeof error->text, "output %u differs", i);
      return WRONG;
    }
  }
  return PASSED;
}

static enum outcome run_set(const struct graph *graph, const char *set, struct net_error *error) {
  struct op_run *run = op_run_new(graph);
  enum outcome outcome = PASSED;
  for (uint32_t i = 0; i < graph->input_count && outcome == PASSED; i++) {
    struct array input;
    enum array_type said = graph->values[graph->inputs[i]].array.type;
    if (tensor(set, "input", i, &input) != 1) {
      outcome = REFUSED;
      continue;
    }
    op_run_set(run, graph->inputs[i], &input);
    outcome = said == ARRAY_BF16 && input.type == ARRAY_U16 ? UNUSABLE : PASSED;
  }
  if (outcome == REFUSED)
    snprintf(error->text, sizeof error->text, "node 'of an input': no tensor of numbers");
  else if (outcome == PASSED)
    outcome = op_run_execute(run, error) ? compare(graph, run, set, error) : REFUSED;
  op_run_free(run);
  return outcome;
}

static bool is_needed(const struct graph *graph) {
  for (uint32_t i = 0; i < graph->node_count; i++) {
    bool known = false;
    for (int k = 0; k < NEEDED; k++)
      known |= strcmp(graph->nodes[i].op, needed[k]) == 0;
    if (!known)
      return false;
  }
  return graph->node_count > 0;
}

static enum outcome run_case(const char *dir, bool *counts, struct net_error *error) {
  char path[500];
  size_t size = 0;
  snprintf(path, sizeof path, "%s/model.onnx", dir);
  uint8_t *bytes = contents(path, &size);
  ck_assert_msg(bytes != NULL, "%s", path);
  struct graph *graph = onnx_parse(bytes, size, NULL, error);
  free(bytes);
  *counts = graph && is_needed(graph);
  if (!graph)
    return REFUSED;
  enum outcome outcome = PASSED;
  for (int i = 0; outcome == PASSED; i++) {
    snprintf(path, sizeof path, "%s/test_data_set_%d", dir, i);
    if (access(path, R_OK) != 0) {
      ck_assert_msg(i > 0, "%s: no data", dir);
      break;
    }
    outcome = run_set(graph, path, error);
  }
  graph_free(graph);
  return outcome;
}

// It names node and operator, and says what is supported in its place. Data that are no tensors of
// numbers are this suite's to refuse.
static void check_refusal(const char *dir, const struct net_error *error) {
  const char *text = error->text;
  if (strstr(text, "no tensor of numbers"))
    return;
  ck_assert_msg(error->status == 69 && strncmp(text, "node '", 6) == 0 && strstr(text, "' (") &&
                    strstr(text, "): ") && strstr(text, "supported"),
                "%s: %d '%s'", dir, error->status, text);
  ck_assert_msg(strstr(text, " are") || strstr(text, " is;") || strstr(text, ", is") ||
                    strstr(text, " is supported"),
                "%s: '%s' says nothing that is supported", dir, text);
}

// Lists what was not passed with BACKEND_LIST set.
static void take(struct tally *tally, const char *dir) {
  struct net_error error = {.text = ""};
  bool counts;
  enum outcome outcome = run_case(dir, &counts, &error);
  tally->outcomes[outcome]++;
  counts &= outcome != UNUSABLE;
  tally->needed[0] += counts;
  tally->needed[1] += counts && outcome == PASSED;
  if (outcome != PASSED && getenv("BACKEND_LIST"))
    printf("%s%s %s: %s\n", counts ? "* " : "", outcome == WRONG ? "WRONG" : "refused", dir,
           error.text);
  if (outcome == WRONG && !*tally->first_wrong)
    snprintf(tally->first_wrong, sizeof tally->first_wrong, "%.200s: %.150s", dir, error.text);
  if (outcome == REFUSED)
    check_refusal(dir, &error);
}

static struct tally all_of(const char *folder) {
  struct tally tally = {.first_wrong = ""};
  DIR *list = opendir(folder);
  ck_assert(list != NULL);
  for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
    char dir[400];
    snprintf(dir, sizeof dir, "%s/%.200s", folder, entry->d_name);
    if (*entry->d_name != '.')
      take(&tally, dir);
  }
  closedir(list);
  return tally;
}

static const struct {
  const char *folder;
  int passed; // at least
} folders[] = {{DATA "/node", 600},
               {DATA "/simple", 5},
               {DATA "/pytorch-operator", 30},
               {DATA "/pytorch-converted", 75}};
enum { FOLDERS = sizeof folders / sizeof *folders };

START_TEST(none_is_wrong) {
  if (access(folders[_i].folder, R_OK) != 0)
    return;
  struct tally t = all_of(folders[_i].folder);
  if (getenv("BACKEND_LIST"))
    printf("%s: %d passed, %d refused, %d wrong; of needed operators %d of %d\n",
           folders[_i].folder, t.outcomes[PASSED], t.outcomes[REFUSED], t.outcomes[WRONG],
           t.needed[1], t.needed[0]);
  ck_assert_msg(t.outcomes[WRONG] == 0, "%d wrong: %s", t.outcomes[WRONG], t.first_wrong);
  ck_assert_int_ge(t.outcomes[PASSED], folders[_i].passed);
  ck_assert_msg(t.needed[1] * 100 >= t.needed[0] * 95, "needed operators: %d of %d", t.needed[1],
                t.needed[0]);
}
END_TEST

// ---------------------------------------------------------------------------- two interpreters

#define MODEL "deploy/models/fashion.onnx"

// The network layer by layer, batch normalization folded, and the file's operators.
START_TEST(operators_give_what_layers_give) {
  struct net_error error = {.text = ""};
  struct tidy_shape options = {0, 0, 0};
  struct real_net *real = load_real(MODEL, &options, &error);
  struct graph *graph = load_graph(MODEL, &options, &error);
  ck_assert_msg(real && graph, "%s", error.text);
  struct real_run *layers = real_run_new(real);
  struct op_run *operators = op_run_new(graph);
  struct array x = graph->values[graph->inputs[0]].array;
  x.data = NULL;
  array_allocate(&x);
  for (size_t i = 0; i < array_count(&x); i++) { // one channel: the order is the same
    array_set(&x, i, (double)(i * 37 % 256) / 255);
    real_tensor(layers, real->net->inputs[0])[i] = (float)array_get(&x, i);
  }
  op_run_set(operators, graph->inputs[0], &x);
  real_execute(layers);
  ck_assert_msg(op_run_execute(operators, &error), "%s", error.text);
  const struct array *got = op_run_get(operators, graph->outputs[0]);
  const float *expected = real_tensor(layers, real->net->outputs[0]);
  ck_assert_uint_eq(array_count(got), 10);
  for (size_t i = 0; i < 10; i++)
    ck_assert_double_eq_tol(array_get(got, i), (double)expected[i], 1e-4);
  op_run_free(operators);
  real_run_free(layers);
  graph_free(graph);
  real_free(real);
}
END_TEST

START_TEST(tensors_are_written) {
  int status;
  const char *dir = tool_directory();
  const char *said = tool(&status,
                          "head -c 3136 /dev/zero >%s/x.bin && " TEST_BUILD_DIR
                          "/pulpsim-deploy run " MODEL " --input %s/x.bin --dump %s/out && python3 "
                          "-c \"import numpy,glob; a=[numpy.load(f) for f in sorted(glob.glob("
                          "'%s/out/*.npy'))]; print(len(a) > 20, a[-1].dtype)\"",
                          dir, dir, dir, dir);
  if (system("python3 -c 'import numpy' 2>/dev/null") != 0) // NOLINT(cert-env33-c)
    return;
  ck_assert_msg(status == 0 && strstr(said, "float32 1x10, largest ") && strstr(said, "True "),
                "%s", said);
}
END_TEST

START_TEST(short_inputs_are_refused) {
  int status;
  const char *dir = tool_directory();
  const char *said =
      tool(&status,
           "echo 1 >%s/y.bin && " TEST_BUILD_DIR "/pulpsim-deploy run " MODEL " --input %s/y.bin",
           dir, dir);
  ck_assert_msg(status == 65 && strstr(said, "y.bin"), "%d %s", status, said);
}
END_TEST

Suite *onnx_backend_suite(void) {
  Suite *suite = suite_create("onnx_backend");
  TCase *tc = tcase_create("onnx_backend");
  tcase_set_timeout(tc, 60);
  tcase_add_loop_test(tc, none_is_wrong, 0, FOLDERS);
  tcase_add_test(tc, operators_give_what_layers_give);
  tcase_add_test(tc, tensors_are_written);
  tcase_add_test(tc, short_inputs_are_refused);
  suite_add_tcase(suite, tc);
  return suite;
}
