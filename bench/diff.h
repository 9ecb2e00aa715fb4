// bench/diff.h: what changed between two JSON reports.
#ifndef BENCH_DIFF_H
#define BENCH_DIFF_H

#include <stdio.h>

enum diff_end {
  DIFF_NONE = 0,     // nothing is slower than the threshold allows
  DIFF_WORSE = 1,    // something is, or fails now, or is gone
  DIFF_BAD_FILE = 65 // not reports
};

// `percent`: how many more cycles are allowed.
enum diff_end bench_diff(FILE *out, const char *before, const char *after, double percent);

#endif
