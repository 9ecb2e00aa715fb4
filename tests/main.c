// tests/main.c: runs every suite, several at a time, and adds up the results.
//
// usage: check [-j JOBS] [-l] [SUITE...]
//
// The list of suites is made by the Makefile from the files tests/*/NAME.c that define
// NAME_suite(). Each suite runs in a process of its own, so a crash costs that suite only;
// the closing line has the form that Check prints for one runner.
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/number.h"

#define SUITE(name) Suite *name##_suite(void);
#include "suites.inc"
#undef SUITE

static const struct suite_entry {
  const char *name;
  Suite *(*make)(void);
} suites[] = {
#define SUITE(name) {#name, name##_suite},
#include "suites.inc"
#undef SUITE
    {NULL, NULL}, // end of the list, which may be empty
};

enum { MAX_JOBS = 64, TEXT_LIMIT = 4000 };

// What a suite's process tells its parent.
struct result {
  int checks;
  int failures;
  int errors;
};

struct job {
  pid_t pid;
  const struct suite_entry *suite;
  FILE *result; // one struct result, then the text of what failed
  double started;
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Runs in the child: result and failure texts go to `out`.
static void run_suite(const struct suite_entry *entry, FILE *out) {
  SRunner *runner = srunner_create(entry->make());
  srunner_run_all(runner, CK_SILENT);
  int count = srunner_ntests_run(runner);
  TestResult **all = srunner_results(runner);
  struct result sum = {.checks = count};
  for (int i = 0; i < count; i++) {
    sum.failures += tr_rtype(all[i]) == CK_FAILURE;
    sum.errors += tr_rtype(all[i]) == CK_ERROR;
  }
  fwrite(&sum, sizeof sum, 1, out);
  for (int i = 0; i < count; i++) {
    if (tr_rtype(all[i]) != CK_PASS)
      fprintf(out, "    %s:%d: %s: %.*s\n", tr_lfile(all[i]), tr_lno(all[i]), tr_tcname(all[i]),
              TEXT_LIMIT, tr_msg(all[i]));
  }
  free(all);
  srunner_free(runner);
}

// A make that a test runs is not to look for the tokens of the one that runs the tests: where these
// came from, there are our files of results now.
static void forget_jobserver(void) {
  const char *flags = getenv("MAKEFLAGS");
  char *rest = flags ? strdup(flags) : NULL, *from;
  while (rest && (from = strstr(rest, " --jobserver-"))) {
    size_t length = 1 + strcspn(from + 1, " ");
    memmove(from, from + length, strlen(from + length) + 1);
  }
  if (rest)
    setenv("MAKEFLAGS", rest, 1);
  free(rest);
}

static bool start(struct job *job, const struct suite_entry *entry) {
  *job = (struct job){.suite = entry, .result = tmpfile(), .started = now()};
  if (!job->result) {
    perror("check: tmpfile");
    return false;
  }
  fflush(NULL);
  job->pid = fork();
  if (job->pid < 0) {
    perror("check: fork");
    fclose(job->result);
    return false;
  }
  if (job->pid == 0) {
    run_suite(entry, job->result);
    fflush(NULL);
    _exit(0);
  }
  return true;
}

// Reads what a finished suite left, prints one line for it and its failures, adds it up.
static void finish(struct job *job, int status, struct result *total) {
  struct result r = {0};
  rewind(job->result);
  bool complete = fread(&r, sizeof r, 1, job->result) == 1;
  if (!complete || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    r.errors++;
  bool bad = r.failures || r.errors;
  printf("  %s %-24s %5d checks %7.1f s\n", bad ? "FAIL" : "ok  ", job->suite->name, r.checks,
         now() - job->started);
  if (!complete)
    printf("    the suite's process ended early (wait status 0x%x)\n", (unsigned)status);
  char line[TEXT_LIMIT];
  while (complete && fgets(line, sizeof line, job->result))
    fputs(line, stdout);
  fflush(stdout);
  fclose(job->result);
  job->pid = 0;
  total->checks += r.checks;
  total->failures += r.failures;
  total->errors += r.errors;
}

static void wait_for_one(struct job *jobs, int count, struct result *total) {
  int status;
  pid_t pid = wait(&status);
  for (int i = 0; pid > 0 && i < count; i++) {
    if (jobs[i].pid == pid)
      finish(&jobs[i], status, total);
  }
}

static bool wanted(const char *name, char **names, int count) {
  for (int i = 0; i < count; i++) {
    if (strcmp(name, names[i]) == 0)
      return true;
  }
  return count == 0;
}

static struct result run_all(int limit, char **names, int name_count) {
  struct job jobs[MAX_JOBS] = {0};
  struct result total = {0};
  int running = 0;
  for (const struct suite_entry *s = suites; s->name; s++) {
    if (!wanted(s->name, names, name_count))
      continue;
    if (running == limit) {
      wait_for_one(jobs, limit, &total);
      running--;
    }
    struct job *slot = jobs;
    while (slot->pid != 0)
      slot++;
    if (start(slot, s))
      running++;
    else
      total.errors++;
  }
  for (; running > 0; running--)
    wait_for_one(jobs, limit, &total);
  return total;
}

static bool known(const char *name) {
  for (const struct suite_entry *s = suites; s->name; s++) {
    if (strcmp(s->name, name) == 0)
      return true;
  }
  return false;
}

int main(int argc, char **argv) {
  forget_jobserver();
  int limit = 1;
  for (int option; (option = getopt(argc, argv, "j:l")) != -1;) {
    if (option == 'l') {
      for (const struct suite_entry *s = suites; s->name; s++)
        puts(s->name);
      return EXIT_SUCCESS;
    }
    if (option != 'j')
      return 2;
    uint64_t jobs;
    if (!number_parse(optarg, 0, &jobs) || jobs == 0) {
      fprintf(stderr, "check: -j takes a number from 1 on, not '%s'\n", optarg);
      return 2;
    }
    limit = jobs < MAX_JOBS ? (int)jobs : MAX_JOBS;
  }
  for (int i = optind; i < argc; i++) {
    if (!known(argv[i])) {
      fprintf(stderr, "check: no suite '%s'; -l lists them\n", argv[i]);
      return 2;
    }
  }
  struct result r = run_all(limit, argv + optind, argc - optind);
  int bad = r.failures + r.errors;
  int percent = r.checks ? (bad < r.checks ? 100 * (r.checks - bad) / r.checks : 0) : 0;
  printf("%d%%: Checks: %d, Failures: %d, Errors: %d\n", percent, r.checks, r.failures, r.errors);
  return bad || r.checks == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
