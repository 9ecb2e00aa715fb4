// tests/deploy/train_emit.c: programs that train networks, written by pulpsim-tune, compiled and
// run: they learn, the same on one core and on eight; what cannot be trained is said.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deploy/tune/train_again.h"
#include "deploy/tune/train_memory.h"
#include "sim/pulpsim.h"
#include "tests/observe/tool.h"

Suite *train_emit_suite(void);

#define PLACE TEST_BUILD_DIR "/tests/train"

static const struct train_plan_options options = {8, 48000, 0, false, TRAIN_F32};

START_TEST(ds_cnn_is_read_whole) {
  struct train_plan plan;
  struct net_error error = {.text = ""};
  ck_assert_msg(train_plan_read(&plan, "ds_cnn", &options, &error), "%s", error.text);
  ck_assert(plan.turned && plan.random);
  ck_assert_uint_eq(plan.count, 12);
  ck_assert_uint_eq(train_plan_macs(&plan), 7650304); // MLPerf Tiny's, without the first ig
  ck_assert_uint_eq(plan.layers[1].weight_count, 2560);
  ck_assert(!train_plan_has_ig(&plan, 1) && train_plan_has_ig(&plan, 2));
  train_plan_free(&plan);
}
END_TEST

// The fewest cycles by which outputs free so many elements: of all sets without neighbours.
static uint64_t fewest_cycles(const struct train_plan *plan, uint64_t wanted) {
  uint64_t least = UINT64_MAX;
  for (uint32_t set = 0; set < 1u << (plan->count - 1); set++) {
    uint64_t freed = 0, cycles = 0, place = 0;
    bool above = false;
    for (uint32_t i = plan->count - 1; !(set & set >> 1) && i-- > 0;) {
      if (!(set >> i & 1))
        continue;
      uint64_t out = train_plan_out(plan, i);
      freed += out;
      place = out > place ? out : place;
      cycles += above ? train_again_forward(plan, i) : 0;
      above = true;
    }
    if (freed >= wanted + place && cycles < least)
      least = cycles;
  }
  return least;
}

// Less and less room in L2: nothing is done without need, and outputs go before weights.
START_TEST(memory_is_made_as_needed) {
  struct train_plan plan;
  struct net_error error = {.text = ""};
  struct train_memory m;
  struct train_memory_options o = {.batch = 1, .l2_bytes = 1 << 20};
  ck_assert(train_plan_read(&plan, "ds_cnn", &options, &error));
  ck_assert(train_memory_choose(&m, &plan, &o, &error));
  ck_assert(!m.at_once && m.slots == 0 && m.again_cycles == 0);
  o.l2_bytes = (uint32_t)m.l2_bytes - 8;
  ck_assert(train_memory_choose(&m, &plan, &o, &error));
  ck_assert(m.at_once && m.slots == 0 && m.again_cycles == 0);
  uint32_t all = (uint32_t)m.l2_bytes;
  for (uint32_t less = 8; less < 130000; less += 20000) {
    o.l2_bytes = all - less;
    ck_assert_msg(train_memory_choose(&m, &plan, &o, &error), "%u less", less);
    ck_assert(m.l2_bytes <= o.l2_bytes && m.slots == 0 && m.shared > 0);
    uint64_t least = fewest_cycles(&plan, (less + 3) / 4);
    ck_assert_msg(m.again_cycles == least, "%u less: %lu cycles, not %lu", less,
                  (unsigned long)m.again_cycles, (unsigned long)least);
  }
  o.l2_bytes = all - 150000;
  ck_assert(train_memory_choose(&m, &plan, &o, &error));
  ck_assert(m.l2_bytes <= o.l2_bytes && m.slots > 0);
  o.l2_bytes = all / 4;
  ck_assert(!train_memory_choose(&m, &plan, &o, &error));
  ck_assert_ptr_nonnull(strstr(error.text, " bytes of L2, which has "));
  train_plan_free(&plan);
}
END_TEST

START_TEST(others_than_chains_are_refused) {
  struct train_plan plan;
  struct net_error error = {.text = ""};
  ck_assert(!train_plan_read(&plan, "resnet", &options, &error) && error.text[0]);
  ck_assert(!train_plan_read(&plan, "autoencoder", &options, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "640 outputs"));
  ck_assert(!train_plan_read(&plan, "no-such-network", &options, &error) && error.text[0]);
  ck_assert(!train_plan_read(&plan, "tests/data/networks/relu6.onnx", &options, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "only ReLU is trained"));
  const struct train_plan_options little = {8, 6144, 0, false, TRAIN_F32};
  ck_assert(!train_plan_read(&plan, "tests/data/networks/mean.onnx", &little, &error));
  ck_assert_msg(strstr(error.text, "GlobalAveragePool_6: two planes do not fit"), "%s", error.text);
  const struct train_plan_options fewer = {4, 6144, 0, false, TRAIN_F32};
  ck_assert(train_plan_read(&plan, "tests/data/networks/mean.onnx", &fewer, &error));
  train_plan_free(&plan);
  const struct train_plan_options half = {8, 48000, 0, false, TRAIN_FP16};
  ck_assert(!train_plan_read(&plan, "deploy/models/fashion.onnx", &half, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "what 8 cores want of it in 16 bits does not fit"));
}
END_TEST

static const struct written {
  const char *name, *arguments;
} programs[] = {
    {"ds_cnn", "ds_cnn --rate 0.05"},
    {"fashion", "deploy/models/fashion.onnx --learn 2 --batch 2 --rate 0.02"},
    {"autoencoder", "autoencoder --loss mse --rate 0.2"},
    {"ds_cnn_f16", "ds_cnn --rate 0.05 --type fp16"},
    {"ds_cnn_bf16", "ds_cnn --rate 0.05 --type bf16 --loss-scale 4"},
    {"autoencoder_far", "autoencoder --loss mse --rate 0.2 --batch 2"}, // L2 has no room
    {"autoencoder_f16", "autoencoder --loss mse --rate 0.2 --type fp16"},
};

static void command(const char *format, const char *name, const char *arguments) {
  char text[1000];
  snprintf(text, sizeof text, format, name, arguments);
  ck_assert_msg(system(text) == 0, "%s", text); // NOLINT(cert-env33-c)
}

static void keep(void *user, int fd, const char *bytes, size_t count) {
  char *text = user;
  size_t used = strlen(text);
  (void)fd;
  for (size_t i = 0; i < count && used < 999; i++)
    text[used++] = bytes[i];
  text[used] = '\0';
}

// What a run leaves.
struct left {
  char text[1000];
  float *weights; // if wanted, `count` of them, from `symbol` on
  const char *symbol;
  uint32_t count;
};

static void keep_weights(struct pulpsim *sim, struct left *left) {
  uint32_t address;
  left->weights = malloc(left->count * sizeof *left->weights);
  ck_assert_ptr_nonnull(left->weights);
  ck_assert(pulpsim_symbol(sim, left->symbol, &address));
  ck_assert(pulpsim_read(sim, address, left->weights, left->count * sizeof *left->weights));
}

static void run(const char *name, unsigned cores, struct left *left) {
  char *text = left->text;
  struct pulpsim_error error = {""};
  char line[200];
  struct pulpsim_config *config = pulpsim_config_new("trainlib", &error);
  ck_assert_ptr_nonnull(config);
  snprintf(line, sizeof line, "cluster.cores=%u", cores);
  ck_assert(pulpsim_config_set(config, line, &error));
  struct pulpsim *sim = pulpsim_new(config, &error);
  pulpsim_config_free(config);
  text[0] = '\0';
  pulpsim_on_output(sim, keep, text);
  snprintf(line, sizeof line, PLACE "/%s.elf", name);
  ck_assert_msg(pulpsim_load(sim, line, &error), "%s", error.text);
  ck_assert_int_eq(pulpsim_run(sim, 400 * 1000 * 1000), PULPSIM_EXITED);
  ck_assert_msg(pulpsim_exit_status(sim) == 0, "%s: status %d: %s", name, pulpsim_exit_status(sim),
                text);
  if (left->symbol)
    keep_weights(sim, left);
  pulpsim_free(sim);
}

static long loss(const char *text, int step) {
  char line[40];
  snprintf(line, sizeof line, "step %d: loss ", step);
  const char *at = strstr(text, line);
  ck_assert_msg(at != NULL, "no step %d: %s", step, text);
  return strtol(at + strlen(line), NULL, 10);
}

// The program `name` by these arguments, compiled, of so many steps.
static void build(const char *name, const char *arguments, unsigned steps) {
  char with[40];
  snprintf(with, sizeof with, " -DTRAIN_STEPS=%u", steps);
  command("mkdir -p " PLACE " && " TEST_BUILD_DIR
          "/pulpsim-tune network --train --untuned --emit " PLACE "/%s.c %s > /dev/null",
          name, arguments);
  command("riscv64-unknown-elf-gcc -march=rv32imfc_zicsr -mabi=ilp32f "
          "-std=gnu17 -O2 -ffreestanding -Wall -Wextra -Werror -I. -I" TEST_BUILD_DIR "/gen "
          "-Wl,--defsym=rt_stack_size=1696 -Wl,--defsym=rt_l2_size=0x1f8000 -nostdlib -static "
          "-Wl,-T,kernels/rt/link.ld -Wl,--gc-sections -o " PLACE "/%1$s.elf " PLACE
          "/%1$s.c " TEST_BUILD_DIR "/kernels/libkernels.a "
          "$(riscv64-unknown-elf-gcc -march=rv32imf -mabi=ilp32f -print-libgcc-file-name)%2$s",
          name, with);
}

static bool no_kernels(void) {
  return access(TEST_BUILD_DIR "/kernels/libkernels.a", R_OK) != 0;
}

START_TEST(programs_learn_the_same_on_any_cores) {
  const struct written *p = &programs[_i];
  struct left one = {.symbol = NULL}, eight = {.symbol = NULL};
  if (no_kernels())
    return;
  build(p->name, p->arguments, 4);
  run(p->name, 1, &one);
  run(p->name, 8, &eight);
  ck_assert_str_eq(one.text, eight.text);
  ck_assert_msg(loss(one.text, 2) + loss(one.text, 3) < loss(one.text, 0) + loss(one.text, 1), "%s",
                one.text);
}
END_TEST

// Where things are changes nothing: `as` beside a program with all weights in L2 and all outputs
// kept.
static const struct {
  const char *name, *model, *arguments, *as;
} same[] = {
    {"far_autoencoder", "autoencoder", "--loss mse --rate 0.2", "--l3 all"},
    {"far_ds_cnn", "ds_cnn", "--rate 0.05", "--l3 all"},
    {"again_half", "ds_cnn", "--rate 0.05 --type fp16", "--again all"},
    {"again_far", "deploy/models/fashion.onnx", "--learn 3 --batch 2", "--again all --l3 all"},
};

static uint32_t floats_of(const char *model) {
  const struct train_plan_options any = {8, 48000, 0, true, TRAIN_F32};
  struct train_plan plan;
  struct net_error error = {.text = ""};
  uint32_t floats = 0;
  ck_assert_msg(train_plan_read(&plan, model, &any, &error), "%s", error.text);
  for (uint32_t i = 0; i < plan.count; i++)
    floats += train_plan_floats(&plan.layers[i]);
  train_plan_free(&plan);
  return floats;
}

START_TEST(weights_are_the_same_wherever_things_are) {
  char arguments[300], name[60];
  uint32_t floats = floats_of(same[_i].model);
  bool far = strstr(same[_i].as, "--l3") != NULL;
  struct left near = {.symbol = "train_weights", .count = floats};
  if (no_kernels())
    return;
  snprintf(name, sizeof name, "%s_not", same[_i].name);
  snprintf(arguments, sizeof arguments, "%s %s --l3 none --again none", same[_i].model,
           same[_i].arguments);
  build(name, arguments, 2);
  run(name, 8, &near);
  snprintf(arguments, sizeof arguments, "%s %s %s", same[_i].model, same[_i].arguments,
           same[_i].as);
  build(same[_i].name, arguments, 2);
  for (unsigned cores = 1; cores <= 8; cores += 7) {
    struct left there = {.symbol = far ? "train_far" : "train_weights", .count = floats};
    run(same[_i].name, cores, &there);
    ck_assert_str_eq(there.text, near.text);
    ck_assert_mem_eq(there.weights, near.weights, floats * sizeof *near.weights);
    free(there.weights);
  }
  free(near.weights);
}
END_TEST

// Channels that cores cannot share evenly, strides and padding of which no two are alike. Expected:
// losses of the same descent in doubles on the host, its gradients by differences.
START_TEST(uneven_networks_learn_as_on_the_host) {
  static const long expected[] = {756281, 1437631, 904880, 1215071, 982316, 1119210};
  if (no_kernels())
    return;
  build("uneven", "tests/data/networks/uneven.onnx --rate 0.1", 6);
  const char *text = tool(NULL, PULPSIM " -q --config trainlib --check " PLACE "/uneven.elf");
  ck_assert_msg(!strstr(text, "data race"), "%s", text);
  for (int i = 0; i < (int)(sizeof expected / sizeof *expected); i++)
    ck_assert_msg(labs(loss(text, i) - expected[i]) <= 2, "step %d: %s", i, text);
}
END_TEST

Suite *train_emit_suite(void) {
  Suite *suite = suite_create("train_emit");
  TCase *tests = tcase_create("train_emit");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, ds_cnn_is_read_whole);
  tcase_add_test(tests, memory_is_made_as_needed);
  tcase_add_test(tests, others_than_chains_are_refused);
  tcase_add_loop_test(tests, programs_learn_the_same_on_any_cores, 0,
                      sizeof programs / sizeof *programs);
  tcase_add_loop_test(tests, weights_are_the_same_wherever_things_are, 0,
                      sizeof same / sizeof *same);
  tcase_add_test(tests, uneven_networks_learn_as_on_the_host);
  suite_add_tcase(suite, tests);
  return suite;
}
