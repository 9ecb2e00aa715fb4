// bench/table.c: the table of `make run`: reach, speed-up, and where the cycles went.
#include "bench/table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "bench/groups.h"
#include "bench/unverified.h"
#include "sim/terminal.h"

enum { WIDE = 131 }; // columns of the table with all causes

// On a narrow terminal only the largest causes are named.
static bool is_narrow(FILE *out) {
  int columns = terminal_columns(out);
  return columns > 0 && columns < WIDE;
}

void bench_table_head(FILE *out) {
  fprintf(out, "%-17s %5s %11s  %8s", "kernel", "cores", "cycles", "MAC/clk");
  if (is_narrow(out)) {
    fprintf(out, " %5s %8s  lost to\n", "IPC", "speed-up");
    return;
  }
  fprintf(out, " %8s %5s %8s ", "executed", "IPC", "speed-up");
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

static void print_causes(FILE *out, const struct pulpsim_counts *sum) {
  double share[BENCH_GROUPS];
  bench_group_shares(sum, share);
  for (unsigned g = 0; g < BENCH_GROUPS; g++) {
    if (share[g] > 0)
      fprintf(out, " %5.1f", 100 * share[g]);
    else
      fprintf(out, " %5s", "-");
  }
}

// Programs of 16-bit floats are called so (kernels/bench/list.txt).
static bool has_halves(const char *name) {
  return strstr(name, "f16") != NULL;
}

bool bench_table_row(FILE *out, const struct bench_program *program, unsigned cores,
                     const struct bench_result *r, uint64_t single) {
  char losses[64], keys[UNVERIFIED_TEXT];
  bool narrow = is_narrow(out);
  fprintf(out, "%-17s %5u", program->name, cores);
  if (!r->ok) {
    fprintf(out, " FAILED: %s\n", r->message);
    return false;
  }
  bool marked =
      *unverified_keys(program->machine, &r->sum, has_halves(program->name) ? OF_HALVES : 0, keys);
  fprintf(out, " %11" PRIu64 "%s", r->cycles, marked ? UNVERIFIED_MARK : " ");
  print_ratio(out, 8, r->useful_macs, r->cycles);
  if (!narrow)
    print_ratio(out, 8, r->sum.macs, r->cycles);
  print_ratio(out, 5, r->sum.instructions, r->sum.cycles);
  print_ratio(out, 8, single, r->cycles);
  fputc(' ', out);
  if (narrow) {
    bench_group_losses(&r->sum, 2, losses, sizeof losses);
    fprintf(out, " %s", losses);
  } else {
    print_causes(out, &r->sum);
  }
  fputc('\n', out);
  return marked;
}

void bench_table_foot(FILE *out, const char *marked) {
  char keys[UNVERIFIED_TEXT];
  fputs("\nAll outputs were checked against the C references. MAC/clk: useful, by the\n"
        "layer's shape; IPC: per core. Then percent of the cores' cycles: issue,\n"
        "load-use, L1 bank conflicts, L2 and peripherals, fetch, branches and jumps,\n"
        "float units, barriers and sleep, DMA. Beside published figures: `make bench`.\n",
        out);
  if (*marked)
    fprintf(out, UNVERIFIED_MARK " depends on what is unverified of %s: %s\n", marked,
            unverified_keys(marked, NULL, OF_HALVES, keys));
}
