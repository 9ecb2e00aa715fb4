// tests/sim/deps.c: tests/deps.sh, on machines that lack everything or nothing.
//
// The script runs with a PATH of its own that holds stand-ins: `apt-get` and `sudo` write
// down how they were called, `id` says who is asking.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char dir[] = "/tmp/pulpsim-deps-XXXXXX";
static char text[8192];

static void script(const char *name, const char *body) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fprintf(f, "#!/bin/sh\n%s\n", body);
  fclose(f);
  ck_assert_int_eq(chmod(path, 0755), 0);
}

// Runs the script; `text` becomes its output, then what apt-get was asked.
static int run(const char *groups) {
  char command[512];
  snprintf(command, sizeof command,
           "LOG=%s/log; export LOG; : >$LOG; PATH=%s /bin/sh tests/deps.sh %s >%s/out 2>&1; s=$?; "
           "cat $LOG >>%s/out; exit $s",
           dir, dir, groups, dir, dir);
  int status = system(command);
  snprintf(command, sizeof command, "%s/out", dir);
  FILE *f = fopen(command, "r");
  ck_assert_ptr_nonnull(f);
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  fclose(f);
  ck_assert(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void setup(void) {
  strcpy(dir + strlen(dir) - 6, "XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(dir));
  script("apt-get", "echo \"apt-get $*\" >>$LOG");
  script("id", "echo 0");
}

static void teardown(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", dir);
  ck_assert_int_eq(system(command), 0);
}

static void says(const char *part) {
  ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in: %s", part, text);
}

START_TEST(what_is_missing_is_installed) {
  ck_assert_int_eq(run("build gnu"), 0);
  says("apt-get update -qq\n");
  says("apt-get install -y -qq --no-install-recommends gcc ");
  says(" libelf-dev ");
  says(" gcc-riscv64-unknown-elf\n");
  ck_assert_ptr_null(strstr(text, "clang-19")); // only for the llvm toolchain
  ck_assert_int_eq(run("llvm"), 0);
  says(" clang-19 lld-19\n");
}
END_TEST

START_TEST(nothing_missing_means_no_apt) {
  script("riscv64-unknown-elf-gcc", "");
  ck_assert_int_eq(run("gnu"), 0);
  ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(users_go_through_sudo) {
  script("id", "echo 1000");
  script("sudo", "echo \"sudo $*\" >>$LOG");
  ck_assert_int_eq(run("gnu"), 0);
  says("sudo apt-get update -qq\n");
  says("sudo apt-get install -y -qq --no-install-recommends gcc-riscv64-unknown-elf\n");
}
END_TEST

START_TEST(users_without_sudo_are_told) {
  script("id", "echo 1000");
  ck_assert_int_eq(run("gnu"), 1);
  says("not root and no sudo; ask an administrator to run: apt-get install "
       "gcc-riscv64-unknown-elf\n");
  ck_assert_ptr_null(strstr(text, "apt-get update"));
}
END_TEST

START_TEST(failures_are_told) {
  script("apt-get", "exit 100");
  ck_assert_int_eq(run("gnu"), 1);
  says("apt-get failed");
  char path[128];
  snprintf(path, sizeof path, "%s/apt-get", dir);
  remove(path);
  ck_assert_int_eq(run("gnu"), 1);
  says("no apt-get here");
}
END_TEST

Suite *deps_suite(void);
Suite *deps_suite(void) {
  Suite *suite = suite_create("deps");
  TCase *tc = tcase_create("deps");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, what_is_missing_is_installed);
  tcase_add_test(tc, nothing_missing_means_no_apt);
  tcase_add_test(tc, users_go_through_sudo);
  tcase_add_test(tc, users_without_sudo_are_told);
  tcase_add_test(tc, failures_are_told);
  suite_add_tcase(suite, tc);
  return suite;
}
