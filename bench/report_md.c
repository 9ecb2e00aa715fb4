// bench/report_md.c: the report for a code host: tables only.
#include <stdlib.h>
#include <string.h>

#include "bench/groups.h"
#include "bench/report.h"
#include "sim/summary.h"

// Cells must not end early.
static void cell(FILE *out, const char *text) {
  fputc(' ', out);
  for (; *text; text++) {
    if (*text == '|')
      fputc('\\', out);
    fputc(*text == '\n' ? ' ' : *text, out);
  }
  fputs(" |", out);
}

static void figure(FILE *out, double value, const char *format) {
  char text[64] = "-";
  if (value > 0)
    snprintf(text, sizeof text, format, value);
  cell(out, text);
}

static void measured(FILE *out, const struct bench_run *run, const struct bench_published *p,
                     double value) {
  const char *format = p->metric == METRIC_CYCLES ? "%.0f" : "%.2f";
  if (run && run->status == RUN_OK) {
    figure(out, value, format);
    figure(out, published_ratio(p, value), "%.2f");
  } else {
    cell(out, run ? run_status_name(run->status) : "not measured on these cores");
    cell(out, "-");
  }
}

static void published_line(FILE *out, const struct bench_report *report,
                           const struct bench_suite *s, const struct bench_case *c,
                           const struct bench_published *p) {
  char title[256];
  const struct bench_run *run = bench_report_find(report, s, c->name, p->cores);
  snprintf(title, sizeof title, *p->to ? "%s to: %s" : "%s", bench_metric_title(p->metric), p->to);
  fputc('|', out);
  cell(out, c->name);
  fprintf(out, " %u |", p->cores);
  cell(out, title);
  fprintf(out, " %g |", p->value);
  measured(out, run, p, run ? published_measured(report, run, p) : 0);
  cell(out, p->platform);
  snprintf(title, sizeof title, *p->note ? "%s; %s" : "%s", p->source, p->note);
  cell(out, title);
  fputc('\n', out);
}

static void published_table(FILE *out, const struct bench_report *report,
                            const struct bench_suite *s) {
  bool any = false;
  for (size_t i = 0; i < s->case_count; i++) {
    for (size_t j = 0; j < s->cases[i].published_count; j++) {
      if (!any)
        fputs("\n| kernel | cores | figure | published | here | ratio | platform | source |\n"
              "|---|---:|---|---:|---:|---:|---|---|\n",
              out);
      any = true;
      published_line(out, report, s, &s->cases[i], &s->cases[i].published[j]);
    }
  }
}

static void largest_losses(FILE *out, const struct bench_run *run) {
  double share[BENCH_GROUPS];
  char text[256] = "";
  bench_group_shares(&run->result.sum, share);
  for (unsigned n = 0; n < 3; n++) {
    unsigned best = 0; // issue is no loss
    for (unsigned g = 1; g < BENCH_GROUPS; g++)
      best = share[g] >= 0.0005 && (!best || share[g] > share[best]) ? g : best;
    if (!best)
      break;
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %.1f", n ? ", " : "",
             bench_groups[best].title, 100 * share[best]);
    share[best] = 0;
  }
  cell(out, *text ? text : "-");
}

static void run_line(FILE *out, const struct bench_report *report, const struct bench_run *run) {
  char text[SUMMARY_NUMBER_SIZE];
  double peak = run_peak(run), reached = run_mac_per_clock(run);
  fputc('|', out);
  cell(out, run->c->name);
  fprintf(out, " %u |", run->cores);
  if (run->status != RUN_OK) {
    cell(out, run_status_name(run->status));
    fputs(" - | - | - | - | - | - | - |", out);
    cell(out, run->status == RUN_FAILED ? run->result.message : "-");
  } else {
    cell(out, summary_number(run->result.cycles, text));
    figure(out, reached, "%.2f");
    figure(out, run->c->limit * run->cores, "%.2f");
    figure(out, peak > 0 ? 100 * reached / peak : 0, "%.0f %%");
    figure(out, run_roof(run), "%.1f");
    figure(out, run_speedup(report, run), "%.2f");
    figure(out, run_ipc(run), "%.2f");
    figure(out, 100.0 * (double)run->result.sum.stalls[0] / (double)run->result.sum.cycles, "%.1f");
    largest_losses(out, run);
  }
  fputc('\n', out);
}

static void suite(FILE *out, const struct bench_report *report, const struct bench_suite *s) {
  fprintf(out, "\n## %s\n\n%s\n", s->title, s->about);
  published_table(out, report, s);
  fputs("\n| kernel | cores | cycles | MAC/clk | issue limit | of peak | L2 roof | speed-up | IPC "
        "| issue, % | lost to, % |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n",
        out);
  for (size_t i = 0; i < report->run_count; i++) {
    if (report->runs[i].suite == s)
      run_line(out, report, &report->runs[i]);
  }
}

bool report_markdown(FILE *out, const struct bench_report *report) {
  fputs("# Benchmark report\n\n"
        "MAC/clk counts useful MACs, by the layer's shape, per cycle of the cluster. Ratio: above "
        "1 is "
        "better here than published. Issue limit: what the inner loop's instructions allow. "
        "L2 roof: what could be reached if every tensor passed the port between L1 and L2 once. "
        "Speed-up: against one core of the same machine. The last columns are parts of the cores' "
        "cycles.\n",
        out);
  for (size_t i = 0; i < report->suite_count; i++)
    suite(out, report, &report->suites[i]);
  return !ferror(out);
}
