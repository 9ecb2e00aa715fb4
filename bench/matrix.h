// bench/matrix.h: a table of a suite: its cases by row and column.
#ifndef BENCH_MATRIX_H
#define BENCH_MATRIX_H

#include "bench/pool.h"
#include "bench/report.h"

enum { MATRIX_ROWS = 64, MATRIX_COLUMNS = 32 };

struct matrix {
  const struct bench_table_spec *spec;
  const char *row[MATRIX_ROWS], *column[MATRIX_COLUMNS];
  unsigned rows, columns;
  const struct bench_run *cell[MATRIX_ROWS][MATRIX_COLUMNS]; // NULL: no such case
  struct pool pool;
};

// Rows and columns in the order of the suite; what is beyond the largest size is left out. To be
// freed.
void matrix_read(struct matrix *m, const struct bench_report *report,
                 const struct bench_suite *suite, const struct bench_table_spec *spec);
void matrix_free(struct matrix *m);

// Cycles (or milliseconds) over those of the base; 0 if there is no base, or either run has none.
double matrix_latency(const struct matrix *m, unsigned row, unsigned column);
// The figure of a cell, as the table says. 0: none.
double matrix_value(const struct matrix *m, unsigned row, unsigned column);
// Whether it is the best of its column, in a table that compares its rows.
bool matrix_is_best(const struct matrix *m, unsigned row, unsigned column);
// The figure over the best of what it is compared with: its column, if the table compares its rows,
// else its row. 0 to 1.
double matrix_share(const struct matrix *m, unsigned row, unsigned column);

#endif
