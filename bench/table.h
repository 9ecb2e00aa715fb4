// bench/table.h: results as lines of a table in the terminal.
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "bench/case.h"

void bench_table_head(FILE *out);

// `single`: cycles of the same program on one core; 0 if it did not run there.
void bench_table_row(FILE *out, const char *name, unsigned cores, const struct bench_result *result,
                     uint64_t single);
void bench_table_foot(FILE *out);

#endif
