// bench/runner.c: a pool of processes. A child leaves its result in the cache, so whatever was
// finished when the user interrupts is there the next time.
#include "bench/runner.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/cache.h"
#include "bench/network.h"
#include "sim/terminal.h"

enum { MAX_JOBS = 256, MAX_CYCLES = 1000000000 };
enum { NETWORK_TIME = 4 }; // tiles are measured, and C is compiled, before anything runs

struct runner {
  struct bench_report *report;
  const struct runner_options *options;
  struct bench_list programs;
  pid_t child[MAX_JOBS];
  struct bench_run *of[MAX_JOBS]; // what child i runs; NULL: none
  size_t done, cached, failed;
  bool terminal;
  double started;
};

static bool is_listed(const struct runner *r, const char *program) {
  for (size_t i = 0; i < r->programs.count; i++) {
    if (strcmp(r->programs.program[i].name, program) == 0)
      return true;
  }
  return false;
}

void bench_program(const struct bench_run *run, const char *kernels, char *elf, size_t size) {
  const char *dash = *run->c->chip ? "-" : "";
  snprintf(elf, size, "%s%s%s/%s.elf", kernels, dash, run->c->chip, run->c->program);
}

static struct bench_job job_of(const struct runner *r, const struct bench_run *run, char *elf,
                               size_t elf_size) {
  bench_program(run, r->options->kernels, elf, elf_size);
  return (struct bench_job){.elf = elf,
                            .machine = run->c->machine,
                            .network = run->c->network,
                            .deploy = run->c->deploy,
                            .region = run->c->region,
                            .cores = run->cores,
                            .set = run->c->set,
                            .set_count = run->c->set_count,
                            .data = run->c->data,
                            .data_count = run->c->data_count,
                            .max_cycles = MAX_CYCLES,
                            .seconds = NETWORK_TIME * r->options->seconds};
}

static void show_progress(struct runner *r, const struct bench_run *run) {
  size_t all = r->report->run_count;
  if (r->terminal) {
    fprintf(stderr, "\r\033[K[%zu/%zu] %zu failed, %.0f s  %s: %s, %u core%s", r->done, all,
            r->failed, bench_seconds() - r->started, run->suite->id, run->c->name, run->cores,
            run->cores == 1 ? "" : "s");
    if (r->done == all)
      fputc('\n', stderr);
  } else if (r->done * 4 / all != (r->done - 1) * 4 / all) { // in a log: four lines
    fprintf(stderr, "[%zu/%zu] %zu failed, %.0f s\n", r->done, all, r->failed,
            bench_seconds() - r->started);
  }
}

static void finish(struct runner *r, struct bench_run *run, enum run_status status) {
  run->status = status;
  run->result.ok = status == RUN_OK;
  r->done++;
  r->failed += status == RUN_FAILED;
  show_progress(r, run);
}

static void fail(struct runner *r, struct bench_run *run, const char *message) {
  snprintf(run->result.message, sizeof run->result.message, "%s", message);
  finish(r, run, RUN_FAILED);
}

// The program states its MACs; the suite states the shape. They must agree. Of a region that states
// none, as a first call, they are the shape's.
static void judge(struct runner *r, struct bench_run *run) {
  struct bench_result *result = &run->result;
  uint64_t stated = result->entries ? result->useful_macs / result->entries : 0;
  char text[256];
  if (stated == 0)
    result->useful_macs = run->c->shape.macs * result->entries;
  if (!result->ok) {
    finish(r, run, RUN_FAILED);
  } else if (run->c->shape.macs && stated && stated != run->c->shape.macs) {
    snprintf(text, sizeof text,
             "the program states %" PRIu64 " MACs, but '%s' has %" PRIu64 ": correct the suite",
             stated, run->c->layer, run->c->shape.macs);
    fail(r, run, text);
  } else {
    finish(r, run, RUN_OK);
  }
}

static _Noreturn void child(const struct runner *r, const struct bench_run *run) {
  char elf[512];
  struct bench_job job = job_of(r, run, elf, sizeof elf);
  struct bench_result result;
  if (*job.network) {
    network_run(&result, &job, r->options->cache, r->options->fresh);
  } else {
    alarm(r->options->seconds);
    bench_case_run(&result, &job);
  }
  _exit(cache_put(r->options->cache, run->key, &result) ? 0 : 1);
}

static void reap(struct runner *r) {
  int status;
  char text[256];
  pid_t pid = wait(&status);
  for (unsigned i = 0; i < MAX_JOBS && pid > 0; i++) {
    struct bench_run *run = r->of[i];
    if (!run || r->child[i] != pid)
      continue;
    r->of[i] = NULL;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
      snprintf(text, sizeof text, "took longer than %u s", r->options->seconds);
    else if (WIFSIGNALED(status))
      snprintf(text, sizeof text, "the simulator died of signal %d", WTERMSIG(status));
    else
      snprintf(text, sizeof text, "%s: could not write the result", r->options->cache);
    if (status == 0 && cache_get(r->options->cache, run->key, &run->result))
      judge(r, run);
    else
      fail(r, run, text);
  }
}

static unsigned free_slot(struct runner *r) {
  for (;;) {
    for (unsigned i = 0; i < r->options->jobs; i++) {
      if (!r->of[i])
        return i;
    }
    reap(r);
  }
}

static void start(struct runner *r, struct bench_run *run) {
  unsigned slot = free_slot(r);
  fflush(NULL);
  r->child[slot] = fork();
  if (r->child[slot] == 0)
    child(r, run);
  if (r->child[slot] < 0)
    fail(r, run, "out of processes");
  else
    r->of[slot] = run;
}

// An earlier run of this report that has the same key: the same measurement in another suite.
static struct bench_run *twin(struct runner *r, const struct bench_run *run) {
  for (struct bench_run *other = r->report->runs; other < run; other++) {
    if (other->key == run->key && other->status != RUN_ABSENT)
      return other;
  }
  return NULL;
}

static void begin(struct runner *r, struct bench_run *run) {
  char elf[512];
  struct bench_job job = job_of(r, run, elf, sizeof elf);
  struct pulpsim_error error;
  bool network = *job.network;
  if (!network && !is_listed(r, run->c->program)) {
    finish(r, run, RUN_ABSENT);
    return;
  }
  if (!(network ? network_key : cache_key)(&job, &run->key, &error)) {
    fail(r, run, error.text);
    return;
  }
  struct bench_run *same = twin(r, run);
  if (same) {
    while (same->status == RUN_WAITING)
      reap(r);
    run->result = same->result;
    judge(r, run);
  } else if (!r->options->fresh && cache_get(r->options->cache, run->key, &run->result) &&
             run->result.ok) {
    run->cached = true;
    r->cached++;
    judge(r, run);
  } else {
    start(r, run);
  }
}

static bool make_directory(const char *path, char *error, size_t error_size) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST)
    return true;
  snprintf(error, error_size, "%s: %s", path, strerror(errno));
  return false;
}

bool bench_runner(struct bench_report *report, const struct runner_options *options, char *error,
                  size_t error_size) {
  char path[1024];
  struct runner r = {.report = report,
                     .options = options,
                     .terminal = terminal_is_able(stderr),
                     .started = bench_seconds()};
  snprintf(path, sizeof path, "%s/list.txt", options->kernels);
  bool ok = make_directory(options->cache, error, error_size) &&
            bench_list_read(&r.programs, path, error, error_size);
  for (size_t i = 0; ok && i < report->run_count; i++)
    begin(&r, &report->runs[i]);
  while (r.done < report->run_count && ok)
    reap(&r);
  if (ok)
    fprintf(stderr, "%zu runs, %zu of them known from before, %.0f s\n", report->run_count,
            r.cached, bench_seconds() - r.started);
  bench_list_free(&r.programs);
  return ok;
}
