// tests/deploy/train_emit.c: programs that train networks, written by pulpsim-tune, compiled and
// run: they learn, the same on one core and on eight; what cannot be trained is said.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deploy/tune/train_plan.h"
#include "sim/pulpsim.h"

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

START_TEST(others_than_chains_are_refused) {
  struct train_plan plan;
  struct net_error error = {.text = ""};
  ck_assert(!train_plan_read(&plan, "resnet", &options, &error) && error.text[0]);
  ck_assert(!train_plan_read(&plan, "autoencoder", &options, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "640 outputs"));
  ck_assert(!train_plan_read(&plan, "no-such-network", &options, &error) && error.text[0]);
  ck_assert(!train_plan_read(&plan, "tests/data/networks/relu6.onnx", &options, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "only ReLU is trained"));
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

static void run(const char *name, unsigned cores, char *text) {
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
  pulpsim_free(sim);
}

static long loss(const char *text, int step) {
  char line[40];
  snprintf(line, sizeof line, "step %d: loss ", step);
  const char *at = strstr(text, line);
  ck_assert_msg(at != NULL, "no step %d: %s", step, text);
  return strtol(at + strlen(line), NULL, 10);
}

START_TEST(programs_learn_the_same_on_any_cores) {
  const struct written *p = &programs[_i];
  char one[1000], eight[1000];
  if (access(TEST_BUILD_DIR "/kernels/libkernels.a", R_OK) != 0)
    return;
  command("mkdir -p " PLACE " && " TEST_BUILD_DIR
          "/pulpsim-tune network --train --untuned --emit " PLACE "/%s.c %s",
          p->name, p->arguments);
  command("riscv64-unknown-elf-gcc -march=rv32imfc_zicsr -mabi=ilp32f "
          "-std=gnu17 -O2 -ffreestanding -Wall -Wextra -Werror -I. -I" TEST_BUILD_DIR "/gen "
          "-Wl,--defsym=rt_stack_size=1696 -Wl,--defsym=rt_l2_size=0x1f8000 -nostdlib -static "
          "-Wl,-T,kernels/rt/link.ld -Wl,--gc-sections -o " PLACE "/%1$s.elf " PLACE
          "/%1$s.c " TEST_BUILD_DIR "/kernels/libkernels.a "
          "$(riscv64-unknown-elf-gcc -march=rv32imf -mabi=ilp32f -print-libgcc-file-name)%2$s",
          p->name, "");
  run(p->name, 1, one);
  run(p->name, 8, eight);
  ck_assert_str_eq(one, eight);
  ck_assert_msg(loss(one, 4) + loss(one, 5) < loss(one, 0) + loss(one, 1), "%s", one);
}
END_TEST

Suite *train_emit_suite(void) {
  Suite *suite = suite_create("train_emit");
  TCase *tests = tcase_create("train_emit");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, ds_cnn_is_read_whole);
  tcase_add_test(tests, others_than_chains_are_refused);
  tcase_add_loop_test(tests, programs_learn_the_same_on_any_cores, 0,
                      sizeof programs / sizeof *programs);
  suite_add_tcase(suite, tests);
  return suite;
}
