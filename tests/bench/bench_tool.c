// tests/bench/bench_tool.c
#include "bench/bench_tool.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

char bench_output[400000];
static char dir[32];

void bench_setup(void) {
  strcpy(dir, "/tmp/pulpsim-bench-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(dir));
}

void bench_teardown(void) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", dir);
  if (system(command) != 0)
    fprintf(stderr, "%s stays behind\n", dir);
}

int bench_run(const char *part) {
  char command[8192], here[512], build[1024];
  ck_assert_ptr_nonnull(getcwd(here, sizeof here));
  snprintf(build, sizeof build, "%s%s%s", *TEST_BUILD_DIR == '/' ? "" : here,
           *TEST_BUILD_DIR == '/' ? "" : "/", TEST_BUILD_DIR);
  snprintf(command, sizeof command,
           "BENCH=%s/pulpsim-bench PULPSIM=%s/pulpsim KERNELS=%s/kernels ROOT=%s; cd %s && { %s; } "
           "2>&1",
           build, build, build, here, dir, part);
  FILE *f = popen(command, "r");
  ck_assert_ptr_nonnull(f);
  size_t n = fread(bench_output, 1, sizeof bench_output - 1, f);
  bench_output[n] = '\0';
  int status = pclose(f);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void bench_save(const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fputs(text, f);
  fclose(f);
}

void bench_load(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "r");
  ck_assert_msg(f != NULL, "%s is missing", path);
  size_t n = fread(bench_output, 1, sizeof bench_output - 1, f);
  bench_output[n] = '\0';
  fclose(f);
}

void bench_says(const char *text) {
  ck_assert_msg(strstr(bench_output, text) != NULL, "'%s' expected in: %.3000s", text,
                bench_output);
}
