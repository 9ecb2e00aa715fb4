// bench/measure.h: what a published figure or a target counts, and the same of a run.
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench/report.h"

// "MAC/clk", "mJ at 100 MHz, 51 mW", "speed relative to CASE, 8 cores".
const char *measure_title(const struct bench_measure *measure, char *text, size_t size);
bool measure_is_whole(const struct bench_measure *measure); // written without decimals
// For printf, of such a value.
const char *measure_format(const struct bench_measure *measure);
// Whether two count the same, in the same run.
bool measure_same(const struct bench_measure *a, const struct bench_measure *b);

// What `measure` counts; 0 if it cannot be said: the run failed, or is not there.
double run_measured(const struct bench_report *report, const struct bench_run *run,
                    const struct bench_measure *measure);
// Measured over a figure (of what is better low, the inverse): above 1 is better here. 0 if either
// is.
double measured_ratio(const struct bench_measure *measure, double figure, double measured);

// How a figure differs from what the case counts: "other scope: ...; other machine: ..."; "" if it
// does not. Ratios to such figures say something, but not which of two systems is faster.
const char *published_apart(const struct bench_case *c, const struct bench_published *p, char *text,
                            size_t size);
bool published_is_alike(const struct bench_case *c, const struct bench_published *p);

#endif
