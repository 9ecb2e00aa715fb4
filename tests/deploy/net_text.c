// tests/deploy/net_text.c: networks as text: what is written reads back to the same; what is
// mistaken is refused with its line.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/net/net_base64.h"
#include "net_random.h"

Suite *net_text_suite(void);

// The text of a network; freed by the caller.
static char *text_of(const struct net *net) {
  static char *text; // gcc 12 takes an automatic one for dangling
  static size_t size;
  FILE *out = open_memstream(&text, &size);
  net_write(net, out);
  fclose(out);
  return text;
}

static struct net *read_text(const char *text, struct net_error *error) {
  char path[] = "/tmp/net_text_XXXXXX";
  int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  FILE *file = fdopen(fd, "w");
  fputs(text, file);
  fclose(file);
  struct net *net = net_read(path, error);
  remove(path);
  return net;
}

static void compare_bytes(const void *a, const void *b, size_t size) {
  ck_assert_int_eq(!a, !b);
  if (a)
    ck_assert_mem_eq(a, b, size);
}

static void compare_layers(const struct net *net, const struct net_layer *a,
                           const struct net_layer *b) {
  size_t kappas = net_kappa_count(net, a), steps = (1u << net_output(net, a)->bits % 32) - 1;
  ck_assert_str_eq(a->name, b->name);
  compare_bytes(a->inputs, b->inputs, a->input_count * sizeof *a->inputs);
  compare_bytes(&a->output, &b->output, sizeof a->output);
  compare_bytes(&a->kernel_h, &b->kernel_h, 10);
  compare_bytes(a->weights, b->weights, a->weight_count);
  compare_bytes(a->weight_zero, b->weight_zero,
                2 * (a->weight_zero_per_channel ? net_output(net, a)->c : 1u));
  compare_bytes(a->scaled, b->scaled, a->scaled ? a->input_count * sizeof *a->scaled : 0);
  compare_bytes(a->table, b->table, (size_t)1 << net_input(net, a, 0)->bits);
  compare_bytes(a->requant.kappa, b->requant.kappa, 4 * kappas);
  compare_bytes(a->requant.shifts, b->requant.shifts, kappas);
  compare_bytes(a->requant.lambda, b->requant.lambda, 8 * (size_t)net_lambda_count(net, a));
  compare_bytes(a->requant.thresholds, b->requant.thresholds, 4 * kappas * steps);
}

START_TEST(text_reads_back_to_the_same) {
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct net_error error = {.text = ""};
    struct net *net = net_random(seed, 4);
    char *text = text_of(net);
    struct net *again = read_text(text, &error);
    ck_assert_msg(again != NULL, "net %d: %s", (int)seed, error.text);
    for (uint32_t i = 0; i < net->layer_count; i++)
      compare_layers(net, &net->layers[i], &again->layers[i]);
    char *second = text_of(again);
    ck_assert_str_eq(text, second);
    free(second);
    free(text);
    net_free(again);
    net_free(net);
  }
}
END_TEST

static const struct mistake {
  const char *from, *to, *sentence;
} mistakes[] = {
    {"format: 1", "format: 2", ":1: '2' should be a whole number in 1..1"},
    {"format: 1", "format: [", "did not find expected"},
    {"bits: 8", "bits: 7", "has 7 bits; 8, 4, 2 and 32 are supported"},
    {"bits: 8, ", "", "'bits' is missing"},
    {"kind: conv", "kind: cone", "'cone' is no known kind"},
    {"  inputs: [0]", "  inputs: [9]", "should be a whole number in 0..1"},
    {"  inputs: [0]", "  inputs: []", "at least one input"},
    {"weights: |\n    ", "weights: |\n    *", "should be 9 bytes in base64"},
    {"kernel: [1, 1]", "kernel: [1, 1, 1]", "there should be 2 numbers"},
    {"pad: [0, 0, 0, 0]", "pad: [0, 1, 0, 0]", "the output's height is 2, but"},
    {"pad_value: 0", "pad_value: 0, pad_value: 0", "'pad_value' stands twice"},
    {"wide: false", "wide: no", "'no' should be true or false"},
    {"clip: [0, 255]", "clip: [0, 256]", "clips to 0..256; 'out' takes 0..255"},
    {"kappa: [3]", "kappa: [3, 4]", "'kappa' should be a list of 1 numbers"},
    {"kappa: [3]", "kapa: [3]", "unknown key 'kapa'"},
    {"scale: 0.5", "scale: nan", "should be a number"},
    {"output: 1", "output: 0", "writes 'in', which is there already"},
};

// Two pixels of three channels, pointwise to three.
static struct net *small_net(void) {
  struct net *net = net_new("small");
  struct net_tensor t = {.name = (char[]){"in"}, .h = 2, .w = 1, .c = 3, .bits = 8, .scale = 0.5};
  net_add_tensor(net, &t);
  t.name = (char[]){"out"}, t.scale = 0.25;
  net_add_tensor(net, &t);
  struct net_layer l = net_plain_layer(NET_CONV, strdup("only"), (int[]){0}, 1);
  l.output = 1;
  l.weights = calloc(9, 1), l.weight_count = 9;
  l.requant = (struct net_requant){.kind = NET_NORM, .high = 255, .kappa = calloc(1, 4)};
  ck_assert_ptr_nonnull(l.requant.kappa);
  l.requant.kappa[0] = 3;
  net_add_layer(net, &l);
  net->inputs = calloc(1, sizeof(int)), net->input_count = 1;
  net->outputs = calloc(1, sizeof(int)), net->output_count = 1;
  ck_assert_ptr_nonnull(net->outputs);
  net->outputs[0] = 1;
  return net;
}

START_TEST(mistakes_are_refused_with_their_line) {
  const struct mistake *m = &mistakes[_i];
  struct net *net = small_net();
  struct net_error error = {.text = ""};
  ck_assert_msg(net_check(net, &error), "%s", error.text);
  char *text = text_of(net), *at = strstr(text, m->from), *wrong = NULL;
  ck_assert_msg(at != NULL, "'%s' is not in\n%s", m->from, text);
  size_t size;
  FILE *out = open_memstream(&wrong, &size);
  fprintf(out, "%.*s%s%s", (int)(at - text), text, m->to, at + strlen(m->from));
  fclose(out);
  ck_assert_ptr_null(read_text(wrong, &error));
  ck_assert_msg(strstr(error.text, m->sentence) != NULL, "'%s' should say '%s'", error.text,
                m->sentence);
  free(wrong);
  free(text);
  net_free(net);
}
END_TEST

// RFC 4648, section 10.
START_TEST(base64_is_as_specified) {
  static const char *const texts[] = {"",         "Zg==",     "Zm8=",    "Zm9v",
                                      "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
  char *text = NULL, back[6];
  size_t size;
  FILE *out = open_memstream(&text, &size);
  net_base64_write(out, "foobar", (size_t)_i, 0);
  fclose(out);
  text[strcspn(text, "\n")] = 0;
  ck_assert_str_eq(text, texts[_i]);
  ck_assert(net_base64_read(text, strlen(text), back, (size_t)_i));
  ck_assert_mem_eq(back, "foobar", (size_t)_i);
  ck_assert(!net_base64_read(text, strlen(text), back, (size_t)_i + 1));
  free(text);
}
END_TEST

// What a file calls a tensor, and what it is called after it was written and read.
static const struct {
  const char *name, *read;
} names[] = {
    {"a \"b\" \\ c\n\x7f", "a \"b\" \\ c\n\x7f"},
    {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
    {"\xc2\x80\xc2\x85.\xe2\x80\xa8\xef\xbb\xbf\xef\xbf\xbf",
     "\xc2\x80\xc2\x85.\xe2\x80\xa8\xef\xbb\xbf\xef\xbf\xbf"},
    {"\xff.\xc3", "\xef\xbf\xbd.\xef\xbf\xbd"},               // no UTF-8
    {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                 // longer than need be
    {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, // half of a pair
};

START_TEST(names_of_any_bytes_can_be_written) {
  struct net_error error = {.text = ""};
  struct net *net = net_random(1, 2);
  free(net->tensors[0].name);
  net->tensors[0].name = strdup(names[_i].name);
  char *text = text_of(net);
  struct net *again = read_text(text, &error);
  ck_assert_msg(again != NULL, "%s", error.text);
  ck_assert_str_eq(again->tensors[0].name, names[_i].read);
  free(text);
  net_free(again);
  net_free(net);
}
END_TEST

START_TEST(a_file_that_is_not_there) {
  struct net_error error = {.text = ""};
  ck_assert_ptr_null(net_read("/nonexistent/model.int", &error));
  ck_assert_str_eq(error.text, "/nonexistent/model.int: No such file or directory");
}
END_TEST

Suite *net_text_suite(void) {
  Suite *suite = suite_create("net_text");
  TCase *tc = tcase_create("net_text");
  tcase_set_timeout(tc, 60);
  tcase_add_test(tc, text_reads_back_to_the_same);
  tcase_add_loop_test(tc, mistakes_are_refused_with_their_line, 0,
                      (int)(sizeof mistakes / sizeof *mistakes));
  tcase_add_loop_test(tc, base64_is_as_specified, 0, 7);
  tcase_add_loop_test(tc, names_of_any_bytes_can_be_written, 0,
                      (int)(sizeof names / sizeof *names));
  tcase_add_test(tc, a_file_that_is_not_there);
  suite_add_tcase(suite, tc);
  return suite;
}
