// tests/deploy/emit_random.c: networks that nobody chose, into L1 and L2 of sizes that nobody
// chose: every layer's output equal to the interpreter's, or refused with the reason.
//
// EMIT_NETS in the environment is how many networks of each kind are built and run (4), EMIT_FROM
// the first one's seed (0).
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/emit/folder.h"
#include "deploy/emit/legal.h"
#include "deploy/emit/machine.h"
#include "deploy/host/int_run.h"
#include "deploy/memory.h"
#include "net_plausible.h"
#include "net_random.h"

Suite *emit_random_suite(void);

enum { NETS = 4, LEGAL_NETS = 400, LAYERS = 9, ANY_LAYERS = 4, SMALL_SEED = 0 };

typedef struct net *make_fn(uint64_t seed, uint32_t layers);

static uint32_t how_many(void) {
  const char *text = getenv("EMIT_NETS");
  long value = text ? strtol(text, NULL, 10) : 0;
  return value > 0 ? (uint32_t)value : NETS;
}

static uint32_t from(void) {
  const char *text = getenv("EMIT_FROM");
  return text ? (uint32_t)strtol(text, NULL, 10) : 0;
}

// ---------------------------------------------------------------------------- legal networks

static void execute(const struct net *net, struct int_run *run, uint64_t seed) {
  struct draw draw = {seed + 1};
  struct net_error error = {.text = ""};
  for (uint32_t k = 0; k < net->input_count; k++) {
    int32_t *values = int_tensor(run, net->inputs[k]);
    for (size_t i = 0; i < int_elements(run, net->inputs[k]); i++)
      values[i] = draw_code(&draw, &net->tensors[net->inputs[k]]);
  }
  ck_assert_msg(int_execute(run, &error), "%s", error.text);
}

// Every tensor of the network is also one of the legal one, with the same values.
static void compare_legal(make_fn *make, uint64_t seed, uint32_t layers) {
  struct net *net = make(seed, layers), *legal = legal_net(net);
  struct net_error error = {.text = ""};
  ck_assert_msg(net_check(net, &error), "seed %u: %s", (unsigned)seed, error.text);
  ck_assert_msg(net_check(legal, &error), "seed %u: %s", (unsigned)seed, error.text);
  struct int_run *a = int_new(net), *b = int_new(legal);
  execute(net, a, seed);
  execute(legal, b, seed);
  for (uint32_t i = 0; i < net->tensor_count; i++)
    ck_assert_msg(memcmp(int_tensor(a, (int)i), int_tensor(b, (int)i),
                         int_elements(a, (int)i) * sizeof(int32_t)) == 0,
                  "seed %u: tensor %s differs", (unsigned)seed, net->tensors[i].name);
  int_free(a);
  int_free(b);
  net_free(net);
  net_free(legal);
}

START_TEST(legal_networks_compute_the_same) {
  for (uint64_t seed = 0; seed < LEGAL_NETS; seed++) {
    compare_legal(net_random, seed, 3);
    compare_legal(net_plausible, seed, LAYERS);
  }
}
END_TEST

// ---------------------------------------------------------------------------- on the machine

static void run(const struct plan *plan, const struct folder *folder, unsigned seed) {
  struct net_error error = {.text = ""};
  struct machine_result result = {NULL};
  ck_assert_msg(machine_run(plan, folder->dir, folder->machine,
                            &(struct machine_images){.check = true}, &result, &error),
                "seed %u: %s", seed, error.text);
  machine_result_free(&result);
}

// Of networks, L1 and what has been seen in their plans.
struct kind {
  make_fn *make;
  uint32_t layers, l1_least, l1_most; // bytes
  uint32_t columns, parts;            // layers whose tiles are narrower; have parts of the inputs
};

static void look(const struct plan *plan, struct kind *kind) {
  for (uint32_t i = 0; i < plan->net->layer_count; i++) {
    kind->columns += plan->layers[i].tile.tiles.columns > 1;
    kind->parts += plan->layers[i].tile.tiles.parts > 1;
  }
}

// 1 if it ran, 0 if it was refused.
static uint32_t deploy(struct kind *kind, uint64_t seed) {
  struct draw draw = {seed + 1};
  struct net *net = kind->make(seed, kind->layers);
  char *dir = memory_format("%s/tests/emit_random", TEST_BUILD_DIR), *root = realpath(".", NULL);
  struct folder folder = {.dir = dir, .root = root, .machine = "gap8"};
  folder.plan =
      (struct plan_options){.l1 = (uint32_t)draw_within(&draw, kind->l1_least, kind->l1_most),
                            .l2 = (uint32_t)draw_within(&draw, 56000, 400000),
                            .code = 60 << 10};
  struct net_error error = {.text = ""};
  struct plan *plan = folder_build(net, &folder, &error);
  if (plan) {
    run(plan, &folder, (unsigned)seed);
    look(plan, kind);
  } else
    ck_assert_msg(error.text[0] && (error.status == EX_UNAVAILABLE || error.status == EX_CANTCREAT),
                  "seed %u: status %d: %s", (unsigned)seed, error.status, error.text);
  if (!plan && getenv("EMIT_NETS"))
    printf("seed %u: %s\n", (unsigned)seed, error.text);
  uint32_t ran = plan != NULL;
  plan_free(plan);
  net_free(net);
  free(dir);
  free(root);
  return ran;
}

static void deploy_all(struct kind *kind, uint64_t first) {
  uint32_t ran = 0, count = how_many();
  for (uint64_t seed = first + from(); seed < first + from() + count; seed++)
    ran += deploy(kind, seed);
  ck_assert_msg(ran * 3 >= count * 2, "%u of %u networks were refused", count - ran, count);
}

START_TEST(plausible_networks_equal_the_interpreter) {
  deploy_all(&(struct kind){net_plausible, LAYERS, 12000, 54000, 0, 0}, 0);
}
END_TEST

// L1 so small that tiles are parts of rows, and of the input's channels.
START_TEST(small_tiles_equal_the_interpreter) {
  struct kind kind = {net_plausible, LAYERS, 2500, 9000, 0, 0};
  deploy_all(&kind, SMALL_SEED);
  ck_assert_uint_gt(kind.columns, 0);
  ck_assert_uint_gt(kind.parts, 0);
}
END_TEST

START_TEST(any_networks_equal_the_interpreter) {
  deploy_all(&(struct kind){net_random, ANY_LAYERS, 12000, 54000, 0, 0}, 0);
}
END_TEST

Suite *emit_random_suite(void) {
  Suite *suite = suite_create("emit_random");
  TCase *tc = tcase_create("emit_random");
  tcase_set_timeout(tc, 60 + 12.0 * how_many());
  tcase_add_test(tc, legal_networks_compute_the_same);
  tcase_add_test(tc, plausible_networks_equal_the_interpreter);
  tcase_add_test(tc, small_tiles_equal_the_interpreter);
  tcase_add_test(tc, any_networks_equal_the_interpreter);
  suite_add_tcase(suite, tc);
  return suite;
}
