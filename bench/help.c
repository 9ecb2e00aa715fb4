// bench/help.c
#include "bench/help.h"

void bench_help(FILE *out) {
  fputs(
      "Usage: pulpsim-bench run    [OPTION...] [PROGRAM...]\n"
      "       pulpsim-bench report [OPTION...] [SUITE...]\n"
      "       pulpsim-bench diff   [OPTION...] BEFORE.json AFTER.json\n"
      "       pulpsim-bench speed  [OPTION...]\n"
      "Measures kernels on simulated PULP clusters.\n"
      "\n"
      " run: a table of what the programs reach, one after the other\n"
      "  -k, --kernels=DIR      where they are, with their list.txt (default: build/kernels)\n"
      "\n"
      " report: runs suites beside published figures; report.md, .html, .json, .csv\n"
      "  -k, --kernels=DIR      as above\n"
      "  -d, --suites=DIR       where SUITE.yml are (default: bench/suites); all, if none is "
      "named\n"
      "  -o, --output=DIR       for the reports, and the cache of results (default: build/bench)\n"
      "  -j, --jobs=N           runs at a time (default: as many as processors)\n"
      "  -t, --timeout=SECONDS  for each run (default: 300)\n"
      "  -f, --fresh            measure again what the cache holds\n"
      "\n"
      " diff: what changed between two reports\n"
      "  -p, --percent=P        more cycles that are allowed (default: 1)\n"
      "\n"
      " speed: how fast the simulator itself is\n"
      "  -k, --kernels=DIR      as above\n"
      "  -w, --workloads=FILE   what it runs (default: bench/speed.yml)\n"
      "  -n, --runs=N           of which the median is taken (default: 7)\n"
      "  -o, --output=FILE      the figures as JSON\n"
      "\n"
      "  -?, --help             this text\n"
      "  -V, --version          the version\n"
      "\n"
      "Exit status: 0; 1 a run failed, or something got slower; 64 usage, 65 a file, 73\n"
      "a report could not be written. Formats: docs/reports.md.\n",
      out);
}
