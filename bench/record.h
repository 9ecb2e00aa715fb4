// bench/record.h: a result as JSON, in the cache and in reports.
#ifndef BENCH_RECORD_H
#define BENCH_RECORD_H

#include "bench/case.h"
#include "bench/tree.h"

// Members only, without the braces, so that a report can add its own.
void record_write(FILE *out, const struct bench_result *result);

// False when members are missing; the tree's error says which file.
bool record_read(struct tree *tree, node *map, struct bench_result *result);

#endif
