// sim/summary.c: the table of cores, the table of regions, and how the run ended.
#include "sim/summary.h"

#include <inttypes.h>
#include <string.h>

#include "sim/terminal.h"

// Columns of causes: only those that reach a tenth of a percent in some row.
struct columns {
  unsigned count;
  unsigned cause[PULPSIM_CAUSES];
  int terminal; // columns of one too narrow for them, which gets each row's largest causes; else 0
};

// What stands in front of the causes, in a row of a core and of a region. A narrow terminal's
// regions come without entries and executed MACs.
enum { CORE_FRONT = 47, REGION_FRONT = 70, REGION_FRONT_NARROW = 52 };

struct style {
  const char *bold, *faint, *warn, *plain;
};

static struct style style_of(bool colour) {
  return colour ? (struct style){"\033[1m", "\033[2m", "\033[31m", "\033[0m"}
                : (struct style){"", "", "", ""};
}

const char *summary_number(uint64_t value, char text[SUMMARY_NUMBER_SIZE]) {
  char digits[24];
  int n = snprintf(digits, sizeof digits, "%" PRIu64, value);
  char *p = text;
  for (int i = 0; i < n; i++) {
    if (i > 0 && (n - i) % 3 == 0)
      *p++ = ',';
    *p++ = digits[i];
  }
  *p = '\0';
  return text;
}

struct pulpsim_counts summary_sum(const struct pulpsim_counts *counts, unsigned cores) {
  struct pulpsim_counts sum = {0};
  for (unsigned i = 0; i < cores; i++) {
    sum.cycles += counts[i].cycles;
    sum.instructions += counts[i].instructions;
    sum.macs += counts[i].macs;
    for (unsigned k = 0; k < PULPSIM_CAUSES; k++)
      sum.stalls[k] += counts[i].stalls[k];
  }
  return sum;
}

static double ratio(uint64_t a, uint64_t b) {
  return b ? (double)a / (double)b : 0;
}

static void mark_columns(bool *seen, const struct pulpsim_counts *c) {
  for (unsigned k = 0; k < PULPSIM_CAUSES; k++)
    seen[k] |= c->stalls[k] * 1000 >= c->cycles && c->stalls[k] > 0;
}

static int width_of(unsigned cause) {
  int length = (int)strlen(pulpsim_cause_name(cause));
  return length < 5 ? 5 : length;
}

// Its columns, if these are too few; else 0.
static int narrow_terminal(FILE *out, const struct columns *columns, bool regions) {
  int wide = regions ? REGION_FRONT : CORE_FRONT;
  for (unsigned i = 0; i < columns->count; i++)
    wide += 2 + width_of(columns->cause[i]);
  int there = terminal_columns(out);
  return there < wide ? there : 0;
}

static struct columns choose_columns(FILE *out, const struct pulpsim_stats *s) {
  bool seen[PULPSIM_CAUSES] = {true};
  struct columns columns = {0};
  for (unsigned i = 0; i < s->core_count; i++)
    mark_columns(seen, &s->core[i].total);
  for (size_t r = 0; r < s->region_count; r++) {
    struct pulpsim_counts sum = summary_sum(s->region[r].core, s->core_count);
    mark_columns(seen, &sum);
  }
  for (unsigned k = 0; k < PULPSIM_CAUSES; k++) {
    if (seen[k])
      columns.cause[columns.count++] = k;
  }
  columns.terminal = narrow_terminal(out, &columns, s->region_count > 0);
  return columns;
}

static void print_heads(FILE *out, const struct columns *columns) {
  if (columns->terminal)
    fputs("  lost to", out);
  for (unsigned i = 0; i < columns->count && !columns->terminal; i++)
    fprintf(out, "  %*s", width_of(columns->cause[i]), pulpsim_cause_name(columns->cause[i]));
  fputc('\n', out);
}

// The largest causes but issue, as many as fit, one at least.
static void print_losses(FILE *out, int room, const struct pulpsim_counts *c) {
  bool told[PULPSIM_CAUSES] = {true};
  for (bool first = true;; first = false) {
    unsigned best = 0;
    for (unsigned k = 1; k < PULPSIM_CAUSES; k++)
      best = !told[k] && c->stalls[k] > (best ? c->stalls[best] : 0) ? k : best;
    char text[40];
    int length = snprintf(text, sizeof text, "%s %s %.1f", first ? " " : ",",
                          pulpsim_cause_name(best), 100 * ratio(c->stalls[best], c->cycles));
    if (!best || c->stalls[best] * 1000 < c->cycles || (!first && length > room))
      break;
    fputs(text, out);
    room -= length;
    told[best] = true;
  }
  fputc('\n', out);
}

// `front`: what the row has so far, in columns.
static void print_shares(FILE *out, const struct columns *columns, int front,
                         const struct pulpsim_counts *c) {
  if (columns->terminal) {
    print_losses(out, columns->terminal - front, c);
    return;
  }
  for (unsigned i = 0; i < columns->count; i++) {
    unsigned cause = columns->cause[i];
    int width = width_of(cause);
    if (c->stalls[cause])
      fprintf(out, "  %*.1f", width, 100 * ratio(c->stalls[cause], c->cycles));
    else
      fprintf(out, "  %*s", width, "-");
  }
  fputc('\n', out);
}

static void print_end(FILE *out, const struct pulpsim_stats *s, const struct run_end *end,
                      const struct style *style) {
  char number[SUMMARY_NUMBER_SIZE];
  fprintf(out, "%s%s, %u core%s", style->bold, s->machine, s->core_count,
          s->core_count == 1 ? "" : "s");
  if (s->idle_cores)
    fprintf(out, ", %u more never started", s->idle_cores);
  fputs(": ", out);
  if (end->state == PULPSIM_EXITED)
    fprintf(out, "exit status %d", end->status);
  else
    fprintf(out, "%s%s", style->warn, run_end_name(end));
  fprintf(out, " after %s cycles%s\n", summary_number(s->cycles, number), style->plain);
  if (end->reason && *end->reason)
    fprintf(out, "%s%s%s\n", style->warn, end->reason, style->plain);
}

static void print_core(FILE *out, const char *name, const struct pulpsim_counts *c,
                       const struct columns *columns) {
  fprintf(out, "%6s %12" PRIu64 " %12" PRIu64 " %5.2f %8.2f", name, c->cycles, c->instructions,
          ratio(c->instructions, c->cycles), ratio(c->macs, c->cycles));
  print_shares(out, columns, CORE_FRONT, c);
}

static void print_cores(FILE *out, const struct pulpsim_stats *s, const struct columns *columns,
                        const struct style *style) {
  struct pulpsim_counts all = {0};
  fprintf(out, "\n%s%6s %12s %12s %5s %8s", style->faint, "core", "cycles", "instructions", "IPC",
          "executed");
  print_heads(out, columns);
  fputs(style->plain, out);
  for (unsigned i = 0; i < s->core_count; i++) {
    char name[16];
    snprintf(name, sizeof name, "%u", i);
    print_core(out, name, &s->core[i].total, columns);
    struct pulpsim_counts pair[2] = {all, s->core[i].total};
    all = summary_sum(pair, 2);
  }
  if (s->core_count > 1) {
    fprintf(out, "%6s %12s %12" PRIu64 " %5.2f %8.2f", "all", "", all.instructions,
            ratio(all.instructions, s->cycles), ratio(all.macs, s->cycles));
    print_shares(out, columns, CORE_FRONT, &all);
  }
}

// A region's name comes from the guest: what a terminal might act on is shown as '?'.
static const char *clean_name(const struct pulpsim_region *r, char text[25]) {
  size_t n = 0;
  for (; n < 24 && r->name[n]; n++)
    text[n] = r->name[n] >= ' ' && r->name[n] < 0x7f ? r->name[n] : '?';
  text[n] = '\0';
  return text;
}

static void print_region(FILE *out, const struct pulpsim_region *r, unsigned cores,
                         const struct columns *columns) {
  struct pulpsim_counts sum = summary_sum(r->core, cores);
  char useful[16] = "-", name[25];
  if (r->useful_macs && !r->open)
    snprintf(useful, sizeof useful, "%.2f", ratio(r->useful_macs * r->entries, r->cycles));
  fprintf(out, "%-24s", clean_name(r, name));
  if (!columns->terminal)
    fprintf(out, " %8" PRIu64, r->entries);
  fprintf(out, " %12" PRIu64 " %5.2f %8s", r->cycles, ratio(sum.instructions, r->cycles), useful);
  if (!columns->terminal)
    fprintf(out, " %8.2f", ratio(sum.macs, r->cycles));
  print_shares(out, columns, REGION_FRONT_NARROW, &sum);
}

static void print_regions(FILE *out, const struct pulpsim_stats *s, const struct columns *columns,
                          const struct style *style) {
  bool all = !columns->terminal;
  if (s->region_count == 0)
    return;
  fprintf(out, "\n%s%-24s%s %12s %5s %8s%s", style->faint, "region", all ? "  entries" : "",
          "cycles", "IPC", "MAC/clk", all ? " executed" : "");
  print_heads(out, columns);
  fputs(style->plain, out);
  for (size_t i = 0; i < s->region_count; i++)
    print_region(out, &s->region[i], s->core_count, columns);
}

static void print_open_regions(FILE *out, const struct pulpsim_stats *s) {
  char name[25];
  for (size_t i = 0; i < s->region_count; i++)
    if (s->region[i].open)
      fprintf(out, "Region %s has not been left by all cores: figures so far.\n",
              clean_name(&s->region[i], name));
}

// The last core is the fabric controller if its cluster is not the first core's (mhartid[10:5]).
static void print_controller(FILE *out, const struct pulpsim_stats *s) {
  unsigned last = s->core_count ? s->core_count - 1 : 0;
  if (last && s->core[last].hartid >> 5 != s->core[0].hartid >> 5)
    fprintf(out, "Core %u is the fabric controller, which starts the program (soc.boot).\n", last);
}

// The fabric controller's, if it has a clock of its own.
static void print_other_clocks(FILE *out, const struct pulpsim_stats *s) {
  for (unsigned i = 1; i < s->core_count; i++)
    if (s->core[i].clock_mhz != s->core[0].clock_mhz)
      fprintf(out, "Core %u counts cycles of its own clock, %u MHz beside %u MHz.\n", i,
              s->core[i].clock_mhz, s->core[0].clock_mhz);
}

void summary_print(FILE *out, const struct pulpsim_stats *stats, const struct run_end *end,
                   bool colour) {
  struct style style = style_of(colour);
  struct columns columns = choose_columns(out, stats);
  print_end(out, stats, end, &style);
  print_cores(out, stats, &columns, &style);
  print_regions(out, stats, &columns, &style);
  fprintf(out, "%sCauses in percent of the cores' cycles. MAC/clk: useful MACs; executed: all.%s\n",
          style.faint, style.plain);
  print_open_regions(out, stats);
  print_controller(out, stats);
  print_other_clocks(out, stats);
}
