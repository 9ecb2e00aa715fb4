// bench/chart.h: pictures as inline SVG.
#ifndef BENCH_CHART_H
#define BENCH_CHART_H

#include "bench/report.h"

// Text with the characters that HTML and SVG reserve replaced.
void chart_text(FILE *out, const char *text);

// A bar of `ratio`, with a mark where the published figure is (1). Both in a cell of the table.
void chart_ratio(FILE *out, double ratio);

// Parts of the cores' cycles, stacked, in the colours of bench/groups.h.
void chart_stalls(FILE *out, const struct bench_run *run);

// MAC/clk over MAC/byte, both logarithmic: the suite's runs on its largest number of cores, the
// machine's peaks, the slope of the port between L1 and L2. Nothing if no run has a shape.
void chart_roofline(FILE *out, const struct bench_report *report, const struct bench_suite *suite);

#endif
