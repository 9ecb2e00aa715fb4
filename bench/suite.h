// bench/suite.h: suites of measurements, bench/suites/*.yml. The format is docs/reports.md.
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/layer.h"
#include "bench/pool.h"

enum { BENCH_MAX_CORES = 16 };

// What a published figure counts, and what is measured to stand beside it.
enum bench_metric {
  METRIC_MAC_PER_CLOCK, // useful MACs per cycle
  METRIC_CYCLES,
  METRIC_SPEEDUP,     // cycles on one core over cycles on `cores`
  METRIC_RELATIVE,    // MACs per cycle over those of the case `to` on `to_cores`
  METRIC_UTILIZATION, // executed MACs per core and cycle over what a core could do
  METRIC_MS,          // milliseconds at `mhz`
  METRIC_FRAMES,      // per second at `mhz`
  METRIC_MJ,          // millijoules at `mhz`, if it took `mw` all the time
  METRIC_BYTES,       // of code and constants, as the program's file has them
  METRICS
};
const char *bench_metric_name(enum bench_metric metric); // as in the files
const char *bench_metric_title(enum bench_metric metric);

// What a figure counts, in which run.
struct bench_measure {
  enum bench_metric metric;
  unsigned cores; // of the run that it stands beside
  const char *to; // RELATIVE: name of the case in the same suite
  unsigned to_cores;
  double mhz, mw; // MS, FRAMES, MJ: clock of the cluster, power
};

struct bench_published {
  struct bench_measure measure;
  double value;
  const char *platform; // board, simulator, RTL
  const char *machine;  // the configuration that stands for it; "": none does
  const char *scope;    // what it counts, where that is not what a case counts; "" if it is
  const char *source;
  const char *note; // or ""
};

// What the project wants to reach: at least `bar`, better `goal`.
struct bench_target {
  struct bench_measure measure;
  double bar, goal; // 0: none
};

// A key of a map and its value.
struct bench_pair {
  const char *key, *value;
};

enum bench_type { TYPE_NONE, TYPE_INT, TYPE_F32, TYPE_F16 };

struct bench_case {
  const char *name;
  const char *program; // of kernels/bench/list.txt; "": a network
  const char *network; // of pulpsim-deploy, a name or a file; "": a program
  const char *deploy;  // that tool's options
  const char *chip;    // it is built for, as KMACHINE of kernels/kernels.mk; "": as all
  const char *machine;
  const char *region; // "": the first with declared MACs; of a network, layers: "pw*"
  const char *scope;  // what is counted, if not one kernel on data in L1; "" if it is
  const char *layer;  // as layer.h; "" if none
  const char *note;   // or ""
  enum bench_type type;
  unsigned bits[3];
  struct layer shape; // zero without `layer`
  double limit;       // MAC/clk per core by the issue slots of the inner loop; 0: not stated
  unsigned core_count[8];
  unsigned core_counts;
  struct bench_pair *set, *data; // configuration keys; the program's variables
  size_t set_count, data_count;
  struct bench_published *published;
  size_t published_count;
  struct bench_target *targets;
  size_t target_count;
  const char *table, *row, *column; // its place in one of the suite's tables; "" if none
};

// What the cells of a table show.
enum bench_show { SHOW_MAC_PER_CLOCK, SHOW_CYCLES, SHOW_LATENCY, SHOW_MS, SHOWS };

// Many cases of one kind as a table. Where a case runs on several numbers of cores, each is a
// column.
struct bench_table_spec {
  const char *name, *about;
  const char *rows, *columns;         // what they are
  const char *base_row, *base_column; // that the others are compared with; "" if none
  enum bench_show show; // LATENCY: cycles over those of the base; MS: of the clock set
  bool fold;            // the single runs are of no interest beside the table
  bool chart;           // speed over the columns as lines; needs a base column
};

struct bench_suite {
  const char *id; // the file's name without .yml
  const char *title, *about;
  struct bench_case *cases;
  size_t case_count;
  struct bench_table_spec *tables;
  size_t table_count;
  struct pool pool;
};

// False with one sentence in `error`. To be freed either way.
bool bench_suite_read(struct bench_suite *suite, const char *path, char *error, size_t error_size);
void bench_suite_free(struct bench_suite *suite);

// By its name; NULL if there is none.
const struct bench_table_spec *bench_suite_table(const struct bench_suite *suite, const char *name);

#endif
