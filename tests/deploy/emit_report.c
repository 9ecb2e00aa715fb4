// tests/deploy/emit_report.c: what a network's report says: causes, time and energy, memory; on
// machines with other clocks and memories, whose results are the interpreter's as well.
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "deploy/memory.h"

Suite *emit_report_suite(void);

static char text[65536]; // of the last command

// Runs a shell command in which $D stands for the program with a folder to write to, and $J for a
// file. Returns its exit status.
static int shell(const char *command) {
  char *all =
      memory_format("D='%s/pulpsim-deploy --cache %s/tests/tiles -o %s/tests/emit_report'; "
                    "J=%s/tests/emit_report.json; export J; { %s; } 2>&1",
                    TEST_BUILD_DIR, TEST_BUILD_DIR, TEST_BUILD_DIR, TEST_BUILD_DIR, command);
  FILE *f = popen(all, "r"); // NOLINT(cert-env33-c)
  ck_assert_ptr_nonnull(f);
  size_t used = fread(text, 1, sizeof text - 1, f);
  text[used] = 0;
  free(all);
  return WEXITSTATUS(pclose(f));
}

static void runs(const char *command) {
  int status = shell(command);
  ck_assert_msg(status == 0, "%s: status %d: %.3000s", command, status, text);
}

// Behind `"key": ` for the first time.
static double number(const char *key) {
  char *name = memory_format("\"%s\": ", key), *at = strstr(text, name);
  ck_assert_msg(at != NULL, "no %s in %.300s", name, text);
  double value = strtod(at + strlen(name), NULL);
  free(name);
  return value;
}

START_TEST(causes_are_whole) {
  runs("$D ds_cnn --tiles estimate --run --json $J && cat $J");
  unsigned found = 0;
  for (char *at = text; (at = strstr(at, "\"causes\": {")) != NULL; found++) {
    double sum = 0;
    for (at += 11; *at != '}'; at += strspn(at, ", ")) {
      at = strstr(at, "\": ") + 3;
      sum += strtod(at, &at);
    }
    ck_assert_double_eq_tol(sum, 1, 2e-4);
  }
  ck_assert_uint_eq(found, 12); // eleven layers, and all
  double issue = number("issue");
  ck_assert(issue > 0.4 && issue < 0.9);
}
END_TEST

// As the comments of configs/gap8.yml say; what is set is what was asked for.
START_TEST(unverified_values_are_marked) {
  runs("$D ds_cnn --tiles estimate --run --json $J && cat $J");
  ck_assert_ptr_nonnull(strstr(text, "† depends on what is unverified of gap8: cluster.tcdm."));
  ck_assert_ptr_nonnull(strstr(text, "\"unverified\": \"cluster.tcdm.arbiter, "));
  ck_assert_ptr_null(strstr(text, "l3.clock_mhz")); // a deployed network's own
  runs("$D ds_cnn --tiles estimate --run --json $J --set cluster.tcdm.arbiter=xbar "
       "--set cluster.icache.model=hier --set cluster.icache.refill_latency=15 "
       "--set cluster.dma.memory_latency=15 --set l2.latency=15 && cat $J");
  ck_assert_ptr_null(strstr(text, "†"));
  ck_assert_ptr_null(strstr(text, "unverified"));
}
END_TEST

START_TEST(time_and_energy) {
  runs("$D ds_cnn --tiles estimate --run --mhz 200 --mw 10 --json $J; cat $J");
  double cycles = number("cycles"), ms = number("ms"), mj = number("mj");
  ck_assert_double_eq_tol(ms, cycles / 200e3, 1e-4 * ms);
  ck_assert_double_eq_tol(mj, ms * 10 / 1e3, 1e-4 * mj);
  ck_assert_ptr_nonnull(strstr(text, "\"power\": \"as given\""));
  ck_assert_ptr_nonnull(strstr(text, "mJ at 10 mW"));
  runs("$D ds_cnn --tiles estimate --run --point gap8-260 --json $J; cat $J");
  ck_assert_double_eq(number("mhz"), 260);
  ck_assert_double_eq_tol(number("mj"), number("ms") * 262.2 / 1e3, 1e-4 * number("mj"));
  ck_assert_ptr_nonnull(strstr(text, "\"power\": \"published\""));
  ck_assert_ptr_nonnull(strstr(text, "a published average power of GAP8, 262.2 mW"));
}
END_TEST

START_TEST(memories_are_told) {
  runs("$D resnet8 --tiles estimate --run --json $J && cat $J");
  double least = number("activations_least"), program = number("program");
  ck_assert(number("activations") >= least && number("with_weights") >= number("activations"));
  ck_assert(program > 10000 && program < 65536);
  double most = 0;
  for (char *at = text; (at = strstr(at, "\"l2_activation_bytes\": ")) != NULL;)
    most = fmax(most, strtod(at += 23, NULL));
  ck_assert_double_eq(most, least);
}
END_TEST

// Slower memory than the cluster, or a faster one; more L1 than GAP8 has; and what DORY's
// heuristics are worth.
START_TEST(other_machines_compute_the_same) {
  static const char *const options[] = {
      "--tiles dory --set soc.cluster_clock_mhz=260",
      "--tiles dory --set soc.cluster_clock_mhz=25 --set soc.soc_clock_mhz=250",
      "--tiles estimate --set l3.clock_mhz=20",
      "--tiles estimate --l1 400k --l2 4M",
      "--tiles dory --without rows,filters",
      "--tiles dory --without im2col,rows,columns,filters",
  };
  char *command = memory_format("$D mobilenet_v1:64:0.25 --check %s", options[_i]);
  runs(command);
  free(command);
}
END_TEST

START_TEST(other_places_compute_the_same) {
  static const char *const places[] = {"exact", "lowest", "stack"};
  char *command = memory_format("$D resnet8 --tiles estimate --check --places %s", places[_i]);
  runs(command);
  free(command);
  ck_assert_ptr_nonnull(strstr(text, "(at least 32768)"));
  ck_assert((strstr(text, "L2: 32768 bytes") == NULL) == (_i == 2)); // stacks take more
}
END_TEST

// What the DMA brings or takes in rows begins with its words, wherever some tile does so:
// deploy/emit/tiles.c says why.
START_TEST(rows_begin_with_words) {
  runs("$D mobilenet_v1:128:0.25 --tiles dory && sed -n 's/.*\\.tile_c = "
       "\\([0-9]*\\),.*/\\1/p' " TEST_BUILD_DIR
       "/tests/emit_report/net.c | awk '{ n++; odd += $1 % 8 != 0 } END { print "
       "n \" layers, \" odd + 0 \" odd\" }'");
  ck_assert_msg(strstr(text, "29 layers, 0 odd") != NULL, "%s", text);
}
END_TEST

START_TEST(timelines) {
  runs("$D resnet8 --tiles estimate --l1 20k --l2 128k --timeline $J.svg --timeline $J.events "
       "--json $J && "
       "python3 tests/deploy/timeline.py $J.events $J.svg $J");
  ck_assert_ptr_nonnull(strstr(text, "seen"));
  ck_assert_int_eq(shell("$D ds_cnn --tiles estimate --timeline /nowhere/t.svg"), 73);
}
END_TEST

START_TEST(mistakes) {
  static const struct {
    const char *options, *sentence;
  } rows[] = {{"--mhz 0", "--mhz 0:"},
              {"--mhz x", "--mhz x:"},
              {"--mw -1", "--mw -1:"},
              {"--point gap9", "--point gap9:"},
              {"--without cols", "--without cols:"},
              {"--set clock", "--set clock:"},
              {"--mw 10 --run", "--mw takes a --mhz"},
              {"--without ''", "--without :"},
              {"--set a=1,b=2", "--set a=1,b=2:"},
              {"--without rows", "--without takes --tiles dory"},
              {"--l1 1025k", "--l1 1025k:"},
              {"--run --set cluster.cores=9", "cluster.cores: the program has stacks for 8 cores"},
              {"--run --config none", "no configuration is called 'none'"}};
  ck_assert_uint_lt((size_t)_i, sizeof rows / sizeof *rows);
  char *command = memory_format("$D ds_cnn --tiles estimate %s 2>&1", rows[_i].options);
  ck_assert_int_eq(shell(command), 64);
  ck_assert_msg(strstr(text, rows[_i].sentence) != NULL, "%s", text);
  free(command);
}
END_TEST

// Settings are the machine's own matter: it says what is wrong, and nothing has run.
START_TEST(settings_that_do_not_exist) {
  int status = shell("$D ds_cnn --tiles estimate --run --set cluster.speed=9");
  ck_assert_msg(status == 64 && strstr(text, "cluster.speed") != NULL, "status %d: %s", status,
                text);
}
END_TEST

START_TEST(a_report_needs_no_other_option) {
  ck_assert_int_eq(shell("$D ds_cnn --tiles estimate --json $J && grep -c cycles $J"), 0);
  ck_assert_int_eq(shell("rm -rf ${J}_new; $D ds_cnn -o ${J}_new --tiles estimate --json "
                         "${J}_new/report && rm -r ${J}_new"),
                   0);
  ck_assert_int_eq(shell("$D ds_cnn --tiles estimate --json - 2>$J"), 0);
  ck_assert_int_eq(strncmp(text, "{\"cycles\": ", 10), 0);
  ck_assert_int_eq(shell("grep -c '^all ' $J"), 0); // the table
}
END_TEST

Suite *emit_report_suite(void) {
  Suite *suite = suite_create("emit_report");
  TCase *tc = tcase_create("emit_report");
  tcase_set_timeout(tc, 120);
  tcase_add_test(tc, causes_are_whole);
  tcase_add_test(tc, unverified_values_are_marked);
  tcase_add_test(tc, time_and_energy);
  tcase_add_test(tc, memories_are_told);
  tcase_add_loop_test(tc, other_machines_compute_the_same, 0, 6);
  tcase_add_loop_test(tc, other_places_compute_the_same, 0, 3);
  tcase_add_test(tc, rows_begin_with_words);
  tcase_add_test(tc, timelines);
  tcase_add_loop_test(tc, mistakes, 0, 13);
  tcase_add_test(tc, a_report_needs_no_other_option);
  tcase_add_test(tc, settings_that_do_not_exist);
  suite_add_tcase(suite, tc);
  return suite;
}
