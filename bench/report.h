// bench/report.h: all results of some suites, and the figures made from them.
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "bench/case.h"
#include "bench/fronts.h"
#include "bench/list.h"
#include "bench/origin.h"
#include "bench/suite.h"

enum run_status {
  RUN_WAITING,
  RUN_OK,
  RUN_FAILED,
  RUN_ABSENT, // the program is not in the list of programs
};
const char *run_status_name(enum run_status status);

struct bench_run {
  const struct bench_suite *suite;
  const struct bench_case *c;
  unsigned cores;
  enum run_status status;
  bool cached;  // taken from an earlier run
  uint64_t key; // hash of everything that decides the result
  struct bench_result result;
};

struct bench_report {
  struct bench_suite *suites;
  size_t suite_count;
  struct bench_run *runs; // in the order of the suites, their cases, their numbers of cores
  size_t run_count;
  struct fronts fronts; // of quantized networks; may be none
  struct bench_origin origin;
};

// Reads the suites `names` (all of them if there are none) of a directory and lists their runs. The
// suite `fronts` is the file of that name (fronts.h); of all it is one if it is there. False with
// one sentence in `error`. To be freed either way.
bool bench_report_read(struct bench_report *report, const char *directory, const char *fronts,
                       char *const *names, size_t name_count, char *error, size_t error_size);
void bench_report_free(struct bench_report *report);

const struct bench_run *bench_report_find(const struct bench_report *report,
                                          const struct bench_suite *suite, const char *name,
                                          unsigned cores);

// Figures of one run; 0: it has none.
double run_mac_per_clock(const struct bench_run *run);
double run_speedup(const struct bench_report *report, const struct bench_run *run);
double run_limit(const struct bench_run *run); // MAC/clk by the issue slots, all cores
double run_ipc(const struct bench_run *run);   // per core
double run_peak(const struct bench_run *run);  // MAC/clk that the machine could do on this type
double run_utilization(const struct bench_run *run); // executed MACs over the peak's
double run_intensity(const struct bench_run *run);   // useful MACs per byte of the layer's tensors
double run_roof(const struct bench_run *run); // MAC/clk when every tensor passes the L2 port once

enum reached { REACHED_NOT_SAID, REACHED_NOTHING, REACHED_BAR, REACHED_GOAL };
enum reached target_reached(const struct bench_target *target, double measured);
const char *reached_name(enum reached reached);

unsigned bench_report_failures(const struct bench_report *report);

// The four forms. False when writing failed.
bool report_json(FILE *out, const struct bench_report *report);
bool report_csv(FILE *out, const struct bench_report *report);
bool report_markdown(FILE *out, const struct bench_report *report);
bool report_html(FILE *out, const struct bench_report *report);

#endif
