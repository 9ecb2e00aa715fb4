// tests/deploy/sweep.c: bench/mixed_mobilenets.sh, the sweep of networks with the bits that fit.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/observe/tool.h"

Suite *sweep_suite(void);

enum { NO_SLURM = 69 }; // slurm_of_one.sh

// The smallest network, in so little memory that its bits are mixed, and one that cannot fit; into
// a folder with a space in its name.
static int sweep(const char *with, const char *on) {
  int status;
  const char *dir = tool_directory();
  tool(&status,
       "mkdir -p '%s/a b' && DEPLOY=" TEST_BUILD_DIR "/pulpsim-deploy "
       "DEPLOY_OPTIONS='--tiles estimate' READ_ONLY=300k READ_WRITE=64k "
       "%s bench/mixed_mobilenets.sh --on %s -o '%s/a b/%s' 128:0.25 160:0.25 > '%s/%s'",
       dir, with, on, dir, on, dir, on);
  return status;
}

static void expect_rows(const char *on) {
  const char *said = tool(NULL, "cat '%s/%s'", tool_directory(), on);
  ck_assert_msg(strstr(said, "mobilenet_v1:128:0.25    4848888888888888888888888888 "
                             "8888888888888888888888888882") &&
                    strstr(said, "mobilenet_v1:160:0.25    failed: "),
                "%s", said);
}

static void expect_the_same(const char *on) {
  expect_rows(on);
  tool(NULL,
       "cd '%s/a b' && diff -rq -x log -x 'slurm-*' local %s && "
       "grep -q '24064 more than the 65536' %s/160_0.25/log",
       tool_directory(), on, on);
}

// As far as they are installed.
START_TEST(all_ways_give_the_same) {
  int status;
  char slurm[512];
  ck_assert_int_eq(sweep("", "local"), 1); // one does not fit
  expect_rows("local");
  tool(&status, "command -v parallel");
  if (!status) {
    ck_assert_int_eq(sweep("", "parallel"), 1);
    expect_the_same("parallel");
  }
  snprintf(slurm, sizeof slurm, "tests/deploy/slurm_of_one.sh %s/node", tool_directory());
  status = sweep(slurm, "slurm");
  if (status == NO_SLURM)
    return;
  ck_assert_int_eq(status, 1);
  expect_the_same("slurm");
}
END_TEST

START_TEST(other_ways_are_refused) {
  int status;
  const char *said =
      tool(&status, "bench/mixed_mobilenets.sh --on clouds -o %s/c 128:0.25", tool_directory());
  ck_assert_int_eq(status, 64);
  ck_assert_ptr_nonnull(strstr(said, "--on clouds: local, parallel and slurm are supported"));
}
END_TEST

Suite *sweep_suite(void) {
  Suite *s = suite_create("sweep");
  TCase *tc = tcase_create("sweep");
  tcase_set_timeout(tc, 600);
  tcase_add_test(tc, all_ways_give_the_same);
  tcase_add_test(tc, other_ways_are_refused);
  suite_add_tcase(s, tc);
  return s;
}
