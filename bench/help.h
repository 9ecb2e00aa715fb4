// bench/help.h: what `pulpsim-bench --help` prints.
#ifndef BENCH_HELP_H
#define BENCH_HELP_H

#include <stdio.h>

void bench_help(FILE *out);

#endif
