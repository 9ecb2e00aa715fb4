// sim/summary.h: a run's results for a human: aligned text, from the same structure as the JSON.
#ifndef PULPSIM_SUMMARY_H
#define PULPSIM_SUMMARY_H

#include "sim/stats_json.h"

// `colour`: the output is a terminal and its user wants colour.
void summary_print(FILE *out, const struct pulpsim_stats *stats, const struct run_end *end,
                   bool colour);

// Sum over the cores of a region or of the whole run.
struct pulpsim_counts summary_sum(const struct pulpsim_counts *counts, unsigned cores);

// "1234567" -> "1,234,567"
enum { SUMMARY_NUMBER_SIZE = 32 };
const char *summary_number(uint64_t value, char text[SUMMARY_NUMBER_SIZE]);

#endif
