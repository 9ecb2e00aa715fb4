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
  METRICS
};
const char *bench_metric_name(enum bench_metric metric); // as in the files
const char *bench_metric_title(enum bench_metric metric);

struct bench_published {
  enum bench_metric metric;
  double value;
  unsigned cores; // of the run that it stands beside
  const char *to; // RELATIVE: name of the case in the same suite
  unsigned to_cores;
  const char *platform; // board, simulator, RTL
  const char *source;
  const char *note; // or ""
};

// A key of a map and its value.
struct bench_pair {
  const char *key, *value;
};

enum bench_type { TYPE_NONE, TYPE_INT, TYPE_F32, TYPE_F16 };

struct bench_case {
  const char *name;
  const char *program; // of kernels/bench/list.txt
  const char *machine;
  const char *layer; // as layer.h; "" if none
  const char *note;  // or ""
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
};

struct bench_suite {
  const char *id; // the file's name without .yml
  const char *title, *about;
  struct bench_case *cases;
  size_t case_count;
  struct pool pool;
};

// False with one sentence in `error`. To be freed either way.
bool bench_suite_read(struct bench_suite *suite, const char *path, char *error, size_t error_size);
void bench_suite_free(struct bench_suite *suite);

// By its name; NULL if there is none.
const struct bench_case *bench_suite_find(const struct bench_suite *suite, const char *name);

#endif
