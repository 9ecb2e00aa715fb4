// bench/html.h: the parts of the HTML report.
#ifndef BENCH_HTML_H
#define BENCH_HTML_H

#include "bench/report.h"

// Text with the characters that HTML and SVG reserve replaced.
void html_text(FILE *out, const char *text);

// A cell of a table. `label` names it where rows are shown as cards (on a phone); `class` may hold
// several. An empty text, or a value of 0 or less, leaves the cell empty.
void html_cell(FILE *out, const char *label, const char *class, const char *text);
void html_number(FILE *out, const char *label, double value, int digits);

// The head of a table; a leading '.' marks a column of text.
void html_head(FILE *out, const char *class, const char *const *titles, size_t count);

// The tables of one suite: against its targets, beside the published figures, by row and column,
// single runs. Nothing is written where there is nothing to show.
void html_targets(FILE *out, const struct bench_report *report, const struct bench_suite *suite);
void html_published(FILE *out, const struct bench_report *report, const struct bench_suite *suite);
// Behind a figure that depends on what is unverified of its machine: a mark that says so.
void html_mark(FILE *out, const struct bench_run *run);
void html_mark_keys(FILE *out, const char *machine, const char *keys); // none, if these are ""
void html_matrices(FILE *out, const struct bench_report *report, const struct bench_suite *suite);
void html_runs(FILE *out, const struct bench_report *report, const struct bench_suite *suite);

// The networks of fronts.h.
void html_fronts(FILE *out, const struct fronts *fronts);

// What stands before the suites and behind them.
void html_overview(FILE *out, const struct bench_report *report);
void html_method(FILE *out, const struct bench_report *report);

#endif
