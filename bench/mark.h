// bench/mark.h: marks behind the figures of runs that depend on what is unverified of a machine.
#ifndef BENCH_MARK_H
#define BENCH_MARK_H

#include "bench/report.h"
#include "bench/unverified.h"

// The keys that the run's figure depends on, unless its case sets them: "a, b"; "" if there are
// none.
const char *run_unverified(const struct bench_run *run, char text[UNVERIFIED_TEXT]);

// The mark of cycles of the quantized networks.
const char *fronts_mark(void);

// UNVERIFIED_MARK, or "".
const char *run_mark(const struct bench_run *run);

#endif
