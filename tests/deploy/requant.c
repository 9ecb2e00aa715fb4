// tests/deploy/requant.c: requantizations in 32 bits, unsigned codes: each layer of a network, on
// the inputs that it has in the network as it was, gives the same codes, or one more or less.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/host/int_run.h"
#include "deploy/memory.h"
#include "deploy/quant/requant.h"
#include "net_random.h"
#include "tests/observe/tool.h"
#include "tests/often.h"

Suite *requant_suite(void);

#define DEPLOY TEST_BUILD_DIR "/pulpsim-deploy"
#define KWS    "tests/data/networks/kws_int8.tflite"

enum { HALF = 128, LAYERS = 8 };

// The tensor that it was; tables at the ends have one of their own, named after it.
static int tensor_before(const struct net *before, const struct net *net, int tensor) {
  size_t length = strcspn(net->tensors[tensor].name, "/");
  for (uint32_t i = 0; i < before->tensor_count && tensor >= (int)before->tensor_count; i++)
    if (strlen(before->tensors[i].name) == length &&
        strncmp(before->tensors[i].name, net->tensors[tensor].name, length) == 0)
      return (int)i;
  ck_assert_int_lt(tensor, (int)before->tensor_count);
  return tensor;
}

static int32_t offset_of(const struct net *before, const struct net *net, int tensor) {
  const struct net_tensor *was = &before->tensors[tensor_before(before, net, tensor)];
  return was->is_signed && !net->tensors[tensor].is_signed ? HALF : 0;
}

struct pair {
  const struct net *before, *net;
  struct int_run *was, *run;
  uint32_t changed, same; // layers whose codes may differ by one; others
};

static void give_inputs(const struct pair *p, const struct net_layer *l) {
  for (uint32_t k = 0; k < l->input_count; k++) {
    int from = tensor_before(p->before, p->net, l->inputs[k]);
    int32_t offset = offset_of(p->before, p->net, l->inputs[k]);
    for (size_t i = 0; i < int_elements(p->run, l->inputs[k]); i++)
      int_tensor(p->run, l->inputs[k])[i] = int_tensor(p->was, from)[i] + offset;
  }
}

static bool may_differ(const struct pair *p, const struct net_layer *l) {
  bool pool = l->kind == NET_AVGPOOL && l->requant.kind == NET_DIVIDE;
  bool other = offset_of(p->before, p->net, l->output) != 0;
  return (pool && other) || (net_has_weights(l->kind) && l->requant.kind == NET_NORM);
}

static void compare_layer(struct pair *p, uint32_t number) {
  const struct net_layer *l = &p->net->layers[number];
  int from = tensor_before(p->before, p->net, l->output);
  int32_t offset = offset_of(p->before, p->net, l->output);
  int most = may_differ(p, l);
  give_inputs(p, l);
  int_execute_layer(p->run, number);
  for (size_t i = 0; i < int_elements(p->run, l->output); i++) {
    int32_t difference = int_tensor(p->run, l->output)[i] - offset - int_tensor(p->was, from)[i];
    check_often(abs(difference) <= most, "layer %s (%s, requant %d), element %zu: %d more", l->name,
                net_kind_name(l->kind), l->requant.kind, i, difference);
  }
  *(most ? &p->changed : &p->same) += 1;
}

static void compare(struct pair *p, struct draw *draw) {
  struct net_error error = {.text = ""};
  for (uint32_t i = 0; i < p->before->input_count; i++) {
    int tensor = p->before->inputs[i];
    for (size_t k = 0; k < int_elements(p->was, tensor); k++)
      int_tensor(p->was, tensor)[k] = draw_code(draw, &p->before->tensors[tensor]);
  }
  ck_assert_msg(int_execute(p->was, &error), "%s", error.text);
  for (uint32_t i = 0; i < p->net->layer_count; i++)
    compare_layer(p, i);
}

static void compare_seed(uint64_t seed, struct pair *total, struct requant_count *all) {
  struct net_error error = {.text = ""};
  struct draw draw = {seed + 1};
  struct net *before = net_random(seed, LAYERS), *net = net_random(seed, LAYERS);
  struct requant_count count = requant(net);
  ck_assert_msg(net_check(net, &error), "seed %d: %s", (int)seed, error.text);
  struct pair p = {.before = before, .net = net, .was = int_new(before), .run = int_new(net)};
  compare(&p, &draw);
  total->changed += p.changed, total->same += p.same;
  all->changed += count.changed, all->kept += count.kept, all->unsigned_now += count.unsigned_now;
  int_free(p.was);
  int_free(p.run);
  net_free(before);
  net_free(net);
}

START_TEST(layers_differ_by_one_code) {
  struct pair total = {.before = NULL};
  struct requant_count all = {0, 0, 0};
  for (uint64_t seed = 1; seed <= 2000; seed++)
    compare_seed(seed, &total, &all);
  ck_assert_uint_gt(all.changed, 40);
  ck_assert_uint_gt(all.unsigned_now, 40);
  ck_assert_uint_gt(total.changed, 40);
  ck_assert_uint_gt(total.same, 2000);
}
END_TEST

static int add_signed(struct net *net, const char *name) {
  return net_add_tensor(
      net,
      &(struct net_tensor){
          .name = (char *)(uintptr_t)name, .h = 4, .w = 4, .c = 2, .bits = 8, .is_signed = true});
}

static struct net_layer signed_layer(enum net_kind kind, const char *name, int input, int output) {
  struct net_layer l = net_plain_layer(kind, memory_text(name), &input, 1);
  l.output = output;
  l.requant.low = -HALF, l.requant.high = HALF - 1;
  return l;
}

static void add_table(struct net *net, const char *name, int input, int output) {
  struct net_layer l = signed_layer(NET_TABLE, name, input, output);
  l.table = memory_new(256, 1);
  for (int i = 0; i < 256; i++)
    l.table[i] = (uint8_t)(i ^ 1);
  net_add_layer(net, &l);
}

// A mean between tables, which can have other codes; `padded`: pixels outside count, as 0.
static struct net *mean_between(bool padded, int32_t divisor) {
  struct net *net = net_new("mean");
  int t[4] = {add_signed(net, "a"), add_signed(net, "b"), add_signed(net, "c"),
              add_signed(net, "d")};
  net->inputs = memory_new(1, sizeof *net->inputs), net->outputs = memory_new(1, sizeof(int));
  net->inputs[0] = t[0], net->outputs[0] = t[3], net->input_count = net->output_count = 1;
  add_table(net, "first", t[0], t[1]);
  struct net_layer l = signed_layer(NET_AVGPOOL, "mean", t[1], t[2]);
  if (padded)
    l.kernel_h = l.kernel_w = 3, l.pad_top = l.pad_bottom = l.pad_left = l.pad_right = 1;
  else
    l.kernel_h = l.kernel_w = 1;
  l.requant.kind = NET_DIVIDE, l.requant.divisor = divisor, l.requant.round = true;
  net_add_layer(net, &l);
  add_table(net, "last", t[2], t[3]);
  return net;
}

// Only means of the pixels inside are the same of other codes.
START_TEST(means_keep_codes_of_which_they_are) {
  static const struct {
    bool padded;
    int32_t divisor;
    uint32_t unsigned_now; // one is that of a table at the end
  } cases[] = {{false, 1, 3}, {false, 2, 1}, {true, 0, 3}, {true, 9, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct draw draw = {i + 1};
    struct net *before = mean_between(cases[i].padded, cases[i].divisor),
               *net = mean_between(cases[i].padded, cases[i].divisor);
    ck_assert_uint_eq(requant(net).unsigned_now, cases[i].unsigned_now);
    struct pair p = {.before = before, .net = net, .was = int_new(before), .run = int_new(net)};
    compare(&p, &draw);
    int_free(p.was);
    int_free(p.run);
    net_free(before);
    net_free(net);
  }
}
END_TEST

static double cycles_of(const char *model, const char *dir) {
  const char *said = tool(NULL,
                          DEPLOY " %s -o %s/c --tiles estimate --run --check --json %s/r.json "
                                 "> /dev/null && cat %s/r.json",
                          model, dir, dir, dir);
  double cycles = 0;
  const char *at = strstr(said, "\"cycles\": ");
  ck_assert_msg(at && sscanf(at, "\"cycles\": %lf", &cycles) == 1, "%s", said);
  return cycles;
}

// Keyword spotting: what is recognized stays, and takes two thirds of the time.
START_TEST(a_file_becomes_faster) {
  char model[300];
  const char *dir = tool_directory();
  snprintf(model, sizeof model, "%s/kws.int", dir);
  const char *said = tool(NULL, DEPLOY " requant " KWS " -o %s", model);
  ck_assert_msg(strstr(said, "10 layers in 32 bits, 0 as they were") != NULL, "%s", said);
  double before = cycles_of(KWS, dir), after = cycles_of(model, dir);
  ck_assert_msg(after < before * 2 / 3, "%.0f cycles, %.0f before", after, before);
}
END_TEST

static void expect(int status, const char *sentence, const char *arguments) {
  int got;
  const char *said = tool(&got, DEPLOY " requant %s", arguments);
  ck_assert_msg(got == status && strstr(said, sentence) != NULL, "'%s' ended with %d and said '%s'",
                arguments, got, said);
}

START_TEST(mistakes_are_told) {
  expect(64, "give one model and -o", KWS);
  expect(64, "give one model and -o", "-o x");
  expect(66, "none.tflite", "none.tflite -o x");
  expect(65, "README.md", "README.md -o x");
  expect(73, "/proc/none", KWS " -o /proc/none");
  expect(73, "/dev/full", KWS " -o /dev/full");
}
END_TEST

Suite *requant_suite(void) {
  Suite *s = suite_create("requant");
  TCase *c = tcase_create("requant");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, layers_differ_by_one_code);
  tcase_add_test(c, means_keep_codes_of_which_they_are);
  tcase_add_test(c, a_file_becomes_faster);
  tcase_add_test(c, mistakes_are_told);
  suite_add_tcase(s, c);
  return s;
}
