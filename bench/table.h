// bench/table.h: results as lines of a table in the terminal.
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "bench/case.h"
#include "bench/list.h"

void bench_table_head(FILE *out);

// `single`: cycles of the same program on one core; 0 if it did not run there. Cycles that depend
// on what is unverified of the machine are marked. Returns whether they are.
bool bench_table_row(FILE *out, const struct bench_program *program, unsigned cores,
                     const struct bench_result *result, uint64_t single);

// `marked`: machine whose figures are marked, "" if none is.
void bench_table_foot(FILE *out, const char *marked);

#endif
