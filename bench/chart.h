// bench/chart.h: pictures as inline SVG.
#ifndef BENCH_CHART_H
#define BENCH_CHART_H

#include "bench/matrix.h"
#include "bench/report.h"

// Pictures in a cell of a table.
//
// `ratio` on a logarithmic scale from 1/2 to 4, the mark at 1: the published figure.
void chart_ratio(FILE *out, double ratio);
// The measured figure as a bar on a band that ends at the issue limit (0: none), with marks for
// what was published, the first bar and the goal.
void chart_target(FILE *out, const struct bench_case *c, const struct bench_target *target,
                  double measured, double limit);
// Parts of the cores' cycles, stacked, in the colours of bench/groups.h.
void chart_stalls(FILE *out, const struct bench_run *run);

// Position of a ratio on a logarithmic scale, 0 to 100, where it is cut.
double chart_ratio_place(double ratio, double low, double high);

// Speed relative to the base over the columns, a line for each row. Nothing for a table without a
// base column.
void chart_lines(FILE *out, const struct matrix *m);

// MAC/clk over MAC/byte, both logarithmic: the suite's runs on its largest number of cores, the
// machine's peaks, the slope of the port between L1 and L2. Nothing if no run has a shape. Cases of
// folded tables are left out.
void chart_roofline(FILE *out, const struct bench_report *report, const struct bench_suite *suite);

#endif
