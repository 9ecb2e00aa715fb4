// tests/deploy/stripes.c: what a layer needs of L2 however it is cut into stripes.
#include "deploy/emit/stripes.h"

#include <check.h>
#include <stdlib.h>

#include "deploy/emit/legal.h"
#include "deploy/family/family.h"
#include "deploy/memory.h"

Suite *stripes_suite(void);

static const char *const networks[] = {"ds_cnn", "resnet8", "vww", "mobilenet_v1:128:0.25",
                                       "mobilenet_v2:96:0.25"};

// Of one stripe: what it reads, each tensor once.
static uint64_t input_bytes(const struct net *net, const struct net_layer *l) {
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < l->input_count; k++) {
    uint32_t same = 0;
    while (l->inputs[same] != l->inputs[k])
      same++;
    bytes += same < k ? 0 : net_tensor_bytes(net_input(net, l, k));
  }
  return bytes;
}

// Everything in L3, a row a stripe: the least that is possible. Strides and padding make some
// stripes read less than others, by a row or two of those in the middle.
START_TEST(no_stripes_need_less) {
  struct net_error error = {.text = ""};
  struct net *net = family_build(networks[_i], &error);
  ck_assert_msg(net != NULL, "%s", error.text);
  struct net *legal = legal_net(net);
  struct stripes_wish wish = {memory_new(legal->tensor_count, sizeof *wish.far),
                              memory_new(legal->layer_count, sizeof *wish.bytes),
                              memory_new(legal->layer_count, sizeof *wish.alone)};
  uint64_t *most = memory_new(legal->layer_count, sizeof *most);
  for (uint32_t t = 0; t < legal->tensor_count; t++)
    wish.far[t] = true;
  struct stripes s = stripes_new(legal, &wish);
  for (uint32_t i = 0; i < s.net->layer_count; i++) {
    uint64_t bytes = input_bytes(s.net, &s.net->layers[i]), *of = &most[s.layers[i].of];
    *of = bytes > *of ? bytes : *of;
  }
  ck_assert_uint_gt(s.net->layer_count, legal->layer_count);
  for (uint32_t i = 0; i < legal->layer_count; i++) {
    uint64_t least = stripes_least(legal, i);
    ck_assert_msg(least <= most[i] && least >= most[i] / 2, "%s: %lu bytes, a stripe has %lu",
                  legal->layers[i].name, (unsigned long)least, (unsigned long)most[i]);
  }
  stripes_free(&s);
  free(most);
  free(wish.far), free(wish.bytes), free(wish.alone);
  net_free(legal);
  net_free(net);
}
END_TEST

Suite *stripes_suite(void) {
  Suite *suite = suite_create("stripes");
  TCase *tests = tcase_create("stripes");
  tcase_add_loop_test(tests, no_stripes_need_less, 0, sizeof networks / sizeof *networks);
  suite_add_tcase(suite, tests);
  return suite;
}
