// tests/deploy/family.c: networks by name: their published sizes, and that no layer goes dead.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/family/family.h"
#include "deploy/family/mixed.h"
#include "deploy/host/int_run.h"

Suite *family_suite(void);

// MACs in units of 10,000, rounded, as published; weights where the source states them.
static const struct {
  const char *name;
  uint32_t layers;
  uint64_t macs, weights;
} members[] = {
    {"mobilenet_v1:128:1.0", 29, 18640, 4209088}, // 186.40 M (Burrello et al., table 4)
    {"mobilenet_v1:192:0.5", 29, 10997, 0},       // 109.97 M
    {"mobilenet_v1:128:0.25", 29, 1357, 0},       // 13.57 M
    {"mobilenet_v2:128:1.0", 64, 9907, 0},        // 99.07 M
    {"vww", 29, 749, 0},                          // MLPerf Tiny: 7.49 M
    {"ds_cnn", 11, 266, 0},                       // 2,656,768
    {"resnet8", 14, 1250, 0},                     // 12.50 M
    {"autoencoder", 10, 26, 264192},              // 264,192
};

START_TEST(sizes_are_the_published_ones) {
  struct net_error error = {.text = ""};
  struct net *net = family_build(members[_i].name, &error);
  uint64_t macs = 0, weights = 0;
  ck_assert_msg(net != NULL, "%s", error.text);
  ck_assert_msg(net_check(net, &error), "%s", error.text);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    macs += net_macs(net, &net->layers[i]);
    weights += net_weight_bytes(net, &net->layers[i]);
  }
  ck_assert_uint_eq(net->layer_count, members[_i].layers);
  ck_assert_uint_eq((macs + 5000) / 10000, members[_i].macs);
  if (members[_i].weights)
    ck_assert_uint_eq(weights, members[_i].weights);
  net_free(net);
}
END_TEST

// Codes that are at neither end of the range.
static size_t between(const int32_t *values, size_t count, int32_t low, int32_t high) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++)
    found += values[i] > low && values[i] < high;
  return found;
}

START_TEST(activations_stay_alive) {
  static const char *const names[] = {"mobilenet_v1:32:0.25", "mobilenet_v2:32:0.25", "ds_cnn",
                                      "resnet8", "autoencoder"};
  struct net_error error = {.text = ""};
  struct net *net = family_build(names[_i], &error);
  ck_assert_msg(net != NULL, "%s", error.text);
  struct int_run *run = int_new(net);
  int32_t *in = int_tensor(run, net->inputs[0]);
  for (size_t i = 0; i < int_elements(run, net->inputs[0]); i++)
    in[i] = (int32_t)((uint32_t)i * 2654435761u >> 24);
  ck_assert(int_execute(run, &error));
  for (uint32_t i = 0; i < net->layer_count; i++) {
    int tensor = net->layers[i].output;
    if (net->tensors[tensor].bits != 8)
      continue;
    size_t count = int_elements(run, tensor),
           alive = between(int_tensor(run, tensor), count, 0, 255);
    ck_assert_msg(alive * 4 >= count, "%s, %s: %zu of %zu values are between 0 and 255", names[_i],
                  net->layers[i].name, alive, count);
  }
  int_free(run);
  net_free(net);
}
END_TEST

// Bits that nobody would choose; pools keep theirs.
static void draw_bits(const struct net *net, uint8_t *weights, uint8_t *tensors) {
  static const uint8_t choices[] = {4, 8, 4, 2, 8};
  memset(tensors, 8, net->tensor_count);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    weights[i] = net_has_weights(l->kind) ? choices[i % 5] : 0;
    tensors[l->output] = l->kind == NET_AVGPOOL ? tensors[l->inputs[0]] : i % 3 ? 8 : 4;
  }
}

// Codes with fewer bits are those with 8, less their low ones: one beside at most, where weights
// have all theirs.
START_TEST(mixed_bits_keep_activations_alive) {
  static const char *const names[] = {"mobilenet_v1:32:0.25", "mobilenet_v2:32:0.25", "ds_cnn"};
  enum { LAYERS_MOST = 100 };
  uint8_t weights[LAYERS_MOST], tensors[LAYERS_MOST];
  struct net_error error = {.text = ""};
  struct net *net = family_build(names[_i], &error), *whole = family_build(names[_i], &error);
  ck_assert(net && whole && net->tensor_count <= LAYERS_MOST);
  draw_bits(net, weights, tensors);
  weights[0] = 8;
  family_mix(net, weights, tensors);
  ck_assert_msg(net_check(net, &error), "%s", error.text);
  struct int_run *run = int_new(net), *first = int_new(whole);
  for (size_t i = 0; i < int_elements(run, net->inputs[0]); i++)
    int_tensor(run, net->inputs[0])[i] = int_tensor(first, net->inputs[0])[i] =
        (int32_t)((uint32_t)i * 2654435761u >> 24);
  ck_assert(int_execute(run, &error) && int_execute(first, &error));
  int output = net->layers[0].output;
  for (size_t i = 0; i < int_elements(run, output); i++)
    ck_assert_int_le(abs(int_tensor(run, output)[i] - (int_tensor(first, output)[i] >> 4)), 1);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_tensor *t = net_output(net, &net->layers[i]);
    size_t count = int_elements(run, net->layers[i].output);
    if (t->bits < 32)
      ck_assert_msg(4 * between(int_tensor(run, net->layers[i].output), count, 0,
                                (int32_t)((1U << t->bits) - 1)) >=
                        count,
                    "%s, %s: most values are at an end of the range", names[_i],
                    net->layers[i].name);
  }
  int_free(run);
  int_free(first);
  net_free(net);
  net_free(whole);
}
END_TEST

START_TEST(names_that_are_none_are_refused) {
  static const char *const names[] = {"mobilenet_v1",
                                      "mobilenet_v1:100:1.0",
                                      "mobilenet_v2:128:2",
                                      "mobilenet_v1:128:1.0:",
                                      "mobilenet_v1:128:1x",
                                      "vww:1",
                                      "lenet"};
  struct net_error error = {.text = ""};
  ck_assert_ptr_null(family_build(names[_i], &error));
  ck_assert_ptr_nonnull(strstr(error.text, names[_i]));
  ck_assert_int_eq(error.status, 64);
}
END_TEST

Suite *family_suite(void) {
  Suite *suite = suite_create("family");
  TCase *tc = tcase_create("family");
  tcase_add_loop_test(tc, sizes_are_the_published_ones, 0, (int)(sizeof members / sizeof *members));
  tcase_add_loop_test(tc, activations_stay_alive, 0, 5);
  tcase_add_loop_test(tc, mixed_bits_keep_activations_alive, 0, 3);
  tcase_add_loop_test(tc, names_that_are_none_are_refused, 0, 7);
  suite_add_tcase(suite, tc);
  return suite;
}
