// bench/table.c: the table of `make run`: reach, speed-up, and where the cycles went.
#include "bench/table.h"

#include <inttypes.h>

#include "bench/groups.h"

void bench_table_head(FILE *out) {
  fprintf(out, "%-16s %5s %11s %8s %8s %5s %8s ", "kernel", "cores", "cycles", "MAC/clk",
          "executed", "IPC", "speed-up");
  for (unsigned g = 0; g < BENCH_GROUPS; g++)
    fprintf(out, " %5s", bench_groups[g].title);
  fputc('\n', out);
}

static void print_ratio(FILE *out, int width, uint64_t a, uint64_t b) {
  if (a && b)
    fprintf(out, " %*.2f", width, (double)a / (double)b);
  else
    fprintf(out, " %*s", width, "-");
}

void bench_table_row(FILE *out, const char *name, unsigned cores, const struct bench_result *r,
                     uint64_t single) {
  double share[BENCH_GROUPS];
  fprintf(out, "%-16s %5u", name, cores);
  if (!r->ok) {
    fprintf(out, " FAILED: %s\n", r->message);
    return;
  }
  fprintf(out, " %11" PRIu64, r->cycles);
  print_ratio(out, 8, r->useful_macs, r->cycles);
  print_ratio(out, 8, r->sum.macs, r->cycles);
  print_ratio(out, 5, r->sum.instructions, r->sum.cycles);
  print_ratio(out, 8, single, r->cycles);
  fputc(' ', out);
  bench_group_shares(&r->sum, share);
  for (unsigned g = 0; g < BENCH_GROUPS; g++) {
    if (share[g] > 0)
      fprintf(out, " %5.1f", 100 * share[g]);
    else
      fprintf(out, " %5s", "-");
  }
  fputc('\n', out);
}

void bench_table_foot(FILE *out) {
  fputs(
      "\nAll outputs were checked against the C references. MAC/clk: useful, by the layer's shape; "
      "IPC: per core;\nthen percent of the cores' cycles: issue, load-use, L1 bank conflicts, "
      "L2 and peripherals, fetch, branches and\njumps, float units, barriers and sleep, DMA.\n",
      out);
}
