// bench/groups.h: related causes share a column, a colour.
#ifndef BENCH_GROUPS_H
#define BENCH_GROUPS_H

#include <stddef.h>

#include "sim/pulpsim.h"

enum { BENCH_GROUPS = 10 };

struct bench_group {
  const char *title, *meaning, *colour;
  const char *causes[4]; // the last group takes what is in none
};
extern const struct bench_group bench_groups[BENCH_GROUPS];

// Parts of the cores' cycles, which add up to 1; all 0 if there are no cycles.
void bench_group_shares(const struct pulpsim_counts *counts, double share[BENCH_GROUPS]);

// The largest parts that were not spent issuing, at most `count` of them: "fetch 3.4 %, bank 1.3
// %".
void bench_group_losses(const struct pulpsim_counts *counts, unsigned count, char *text,
                        size_t size);

#endif
