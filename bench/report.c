// bench/report.c: the list of runs, and figures made from results.
#include "bench/report.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure.h"

const char *run_status_name(enum run_status status) {
  static const char *const names[] = {"waiting", "ok", "failed", "not yet available"};
  return names[status];
}

static int is_suite(const struct dirent *entry) {
  const char *dot = strrchr(entry->d_name, '.');
  return dot && dot != entry->d_name && strcmp(dot, ".yml") == 0;
}

static bool add_suite(struct bench_report *report, const char *path, char *error,
                      size_t error_size) {
  struct bench_suite *more =
      realloc(report->suites, (report->suite_count + 1) * sizeof *report->suites);
  if (!more) {
    snprintf(error, error_size, "out of memory");
    return false;
  }
  report->suites = more;
  return bench_suite_read(&more[report->suite_count++], path, error, error_size);
}

static bool add_directory(struct bench_report *report, const char *directory, char *error,
                          size_t error_size) {
  char path[1024];
  struct dirent **entries;
  int count = scandir(directory, &entries, is_suite, alphasort);
  if (count <= 0)
    snprintf(error, error_size, "%s: there are no suites (*.yml) here", directory);
  bool ok = count > 0;
  for (int i = 0; i < count; i++) {
    snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
    ok = ok && add_suite(report, path, error, error_size);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
  return ok;
}

static bool list_runs(struct bench_report *report) {
  size_t count = 0;
  for (size_t i = 0; i < report->suite_count; i++) {
    for (size_t j = 0; j < report->suites[i].case_count; j++)
      count += report->suites[i].cases[j].core_counts;
  }
  report->runs = calloc(count ? count : 1, sizeof *report->runs);
  for (size_t i = 0; report->runs && i < report->suite_count; i++) {
    const struct bench_suite *s = &report->suites[i];
    for (size_t j = 0; j < s->case_count; j++) {
      for (unsigned k = 0; k < s->cases[j].core_counts; k++)
        report->runs[report->run_count++] =
            (struct bench_run){.suite = s, .c = &s->cases[j], .cores = s->cases[j].core_count[k]};
    }
  }
  return report->runs != NULL;
}

bool bench_report_read(struct bench_report *report, const char *directory, const char *fronts,
                       char *const *names, size_t name_count, char *error, size_t error_size) {
  char path[1024];
  bool ok = true, with_fronts = !name_count && access(fronts, R_OK) == 0;
  *report = (struct bench_report){.suites = NULL};
  if (!name_count)
    ok = add_directory(report, directory, error, error_size);
  for (size_t i = 0; ok && i < name_count; i++) {
    if (strcmp(names[i], "fronts") == 0) {
      with_fronts = true;
      continue;
    }
    bool file = strchr(names[i], '/') || strstr(names[i], ".yml");
    snprintf(path, sizeof path, file ? "%.0s%s" : "%s/%s.yml", directory, names[i]);
    ok = add_suite(report, path, error, error_size);
  }
  if (ok && with_fronts)
    ok = fronts_read(&report->fronts, fronts, error, error_size);
  if (ok && report->suite_count && !list_runs(report)) {
    snprintf(error, error_size, "out of memory");
    ok = false;
  }
  return ok;
}

void bench_report_free(struct bench_report *report) {
  for (size_t i = 0; i < report->suite_count; i++)
    bench_suite_free(&report->suites[i]);
  free(report->suites);
  free(report->runs);
  fronts_free(&report->fronts);
}

const struct bench_run *bench_report_find(const struct bench_report *report,
                                          const struct bench_suite *suite, const char *name,
                                          unsigned cores) {
  for (size_t i = 0; i < report->run_count; i++) {
    const struct bench_run *run = &report->runs[i];
    if (run->suite == suite && run->cores == cores && strcmp(run->c->name, name) == 0)
      return run;
  }
  return NULL;
}

static double quotient(double a, double b) {
  return a > 0 && b > 0 ? a / b : 0;
}

double run_mac_per_clock(const struct bench_run *run) {
  if (run->status != RUN_OK)
    return 0;
  return quotient((double)run->result.useful_macs, (double)run->result.cycles);
}

double run_speedup(const struct bench_report *report, const struct bench_run *run) {
  const struct bench_run *one = bench_report_find(report, run->suite, run->c->name, 1);
  if (!one || one->status != RUN_OK || run->status != RUN_OK)
    return 0;
  return quotient((double)one->result.cycles, (double)run->result.cycles);
}

// A limit that is passed is none: the kernel is another than the one it was counted for.
double run_limit(const struct bench_run *run) {
  double limit = run->c->limit * run->cores;
  return run_mac_per_clock(run) <= limit ? limit : 0;
}

double run_ipc(const struct bench_run *run) {
  if (run->status != RUN_OK)
    return 0;
  return quotient((double)run->result.sum.instructions, (double)run->result.sum.cycles);
}

// Integer lanes: 8-bit SIMD; narrower ones only with XpulpNN, by the wider operand.
double run_peak(const struct bench_run *run) {
  const struct bench_machine *m = &run->result.machine;
  unsigned widest = run->c->bits[0] > run->c->bits[1] ? run->c->bits[0] : run->c->bits[1];
  switch (run->c->type) {
  case TYPE_F32:
    return m->fpus;
  case TYPE_F16:
    return 2.0 * m->fpus;
  case TYPE_INT:
    if (widest < 8 && !m->xpulpnn)
      widest = 8;
    return widest ? 32.0 / widest * m->cores : 0;
  case TYPE_NONE:
    break;
  }
  return 0;
}

double run_utilization(const struct bench_run *run) {
  if (run->status != RUN_OK)
    return 0;
  return quotient((double)run->result.sum.macs,
                  run_peak(run) * quotient((double)run->result.sum.cycles, run->cores));
}

double run_intensity(const struct bench_run *run) {
  return quotient((double)run->c->shape.macs, run->c->shape.bytes);
}

double run_roof(const struct bench_run *run) {
  double port = run_intensity(run) * run->result.machine.port_bytes, peak = run_peak(run);
  return port > 0 && port < peak ? port : peak;
}

enum reached target_reached(const struct bench_target *t, double measured) {
  if (measured <= 0)
    return REACHED_NOT_SAID;
  if (t->goal > 0 && measured_ratio(&t->measure, t->goal, measured) >= 1)
    return REACHED_GOAL;
  return measured_ratio(&t->measure, t->bar, measured) >= 1 ? REACHED_BAR : REACHED_NOTHING;
}

const char *reached_name(enum reached reached) {
  static const char *const names[] = {"-", "below", "bar", "goal"};
  return names[reached];
}

unsigned bench_report_failures(const struct bench_report *report) {
  unsigned failures = 0;
  for (size_t i = 0; i < report->run_count; i++)
    failures += report->runs[i].status == RUN_FAILED;
  return failures;
}
