// tests/hostile/hostile.c: the simulator on a bad heap, with tiny limits (memory.c, limit.h): the
// same results as ever while memory lasts, and one sentence when it does not.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/observe/tool.h"

#ifdef PULPSIM_TINY // make HOSTILE=1 check
#define HOSTILE PULPSIM
#else
#define HOSTILE TEST_BUILD_DIR "/hostile/pulpsim"
#endif
#define HELLO KERNEL("hello")

// %s: the scratch directory.
static const char *const commands[] = {
    "-q --stats %s/x.json " HELLO,
    "-q --trace log=%s/x.log " HELLO,
    "-q --trace spike=%s/x.spike.gz " HELLO,
    "-q --trace konata=%s/x.konata " HELLO,
    "-q --trace perfetto=%s/x.perfetto " HELLO,
    "-q --trace vcd=%s/x.vcd " HELLO,
    "-q --trace rvfi=%s/x.rvfi.zst " HELLO,
    "-q --profile %s/x.prof --annotate " HELLO,
    "-q --flame %s/x.flame " HELLO,
    "-q --check --engine=plain " HELLO " && : %s",
    "config --list && : %s",
    "disasm " HELLO " && : %s",
    "isa p.lw && : %s",
};
enum { COMMANDS = sizeof commands / sizeof *commands, POINTS = 12 };

// Runs a command with `environment` set; its output, to be freed.
static char *run(int *status, const char *environment, const char *command) {
  char text[512];
  const char *dir = tool_directory();
  int n = snprintf(text, sizeof text, "%s " HOSTILE " ", environment);
  snprintf(text + n, sizeof text - (size_t)n, command, dir);
  char *output = strdup(tool(status, "%s 2>&1", text));
  ck_assert_ptr_nonnull(output);
  return output;
}

static unsigned long count_allocations(const char *command, char **output) {
  char path[128], environment[160];
  int status;
  snprintf(path, sizeof path, "%s/count", tool_directory());
  snprintf(environment, sizeof environment, "HOSTILE_COUNT=%s", path);
  *output = run(&status, environment, command);
  ck_assert_msg(status == 0, "%s: status %d: %.300s", command, status, *output);
  char *text = tool_file(path);
  ck_assert_ptr_nonnull(text);
  unsigned long count = strtoul(text, NULL, 10);
  free(text);
  return count;
}

// Nothing was lost, or a sentence says what is wrong, with the status that goes with it.
static void fail_at(const char *command, unsigned long n, const char *more, const char *usual) {
  char environment[64];
  int status;
  snprintf(environment, sizeof environment, "HOSTILE_FAIL=%lu%s", n, more);
  char *output = run(&status, environment, command);
  bool stated = status == 65 || status == 70 || status == 73 || status == 78;
  if (status == 0)
    ck_assert_msg(strcmp(output, usual) == 0, "%s %s: another output:\n%.300s", environment,
                  command, output);
  else
    ck_assert_msg(stated && strstr(output, "memory"), "%s %s: status %d: %.300s", environment,
                  command, status, output);
  free(output);
}

// Some of the allocations; all with HOSTILE_ALL=1 (make check-hostile).
START_TEST(an_allocation_fails) {
  const char *command = commands[_i];
  char *usual;
  unsigned long count = count_allocations(command, &usual);
  unsigned long stride = getenv("HOSTILE_ALL") || count < POINTS ? 1 : count / POINTS;
  ck_assert_uint_gt(count, 0);
  for (unsigned long n = 1; n <= count; n += stride) {
    fail_at(command, n, "", usual);
    if ((n - 1) / stride % 3 == 0)
      fail_at(command, n, "+", usual);
  }
  free(usual);
}
END_TEST

START_TEST(poison_and_tiny_limits_change_nothing) {
  static const char *const programs[] = {HELLO, KERNEL("mm_f32_2x4"), KERNEL("nn_maxpool"),
                                         KERNEL("vec_axpy")};
  char *wanted = strdup(tool(NULL, PULPSIM " -q --stats - %s", programs[_i]));
  const char *got = tool(NULL, HOSTILE " -q --stats - %s", programs[_i]);
  ck_assert_msg(strcmp(got, wanted) == 0, "%s:\n%.300s\nusually:\n%.300s", programs[_i], got,
                wanted);
  free(wanted);
}
END_TEST

Suite *hostile_suite(void);
Suite *hostile_suite(void) {
  Suite *s = suite_create("hostile");
  TCase *c = tcase_create("hostile");
  tcase_set_timeout(c, getenv("HOSTILE_ALL") ? 3600 : 180);
  tcase_add_loop_test(c, an_allocation_fails, 0, COMMANDS);
  tcase_add_loop_test(c, poison_and_tiny_limits_change_nothing, 0, 4);
  suite_add_tcase(s, c);
  return s;
}
