// bench/report_md.c: the report for a code host: tables only.
#include <stdlib.h>
#include <string.h>

#include "bench/groups.h"
#include "bench/mark.h"
#include "bench/matrix.h"
#include "bench/measure.h"
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

static void marked(FILE *out, double value, const char *format, const char *mark) {
  char text[64] = "-";
  if (value > 0) {
    snprintf(text, sizeof text - sizeof UNVERIFIED_MARK, format, value);
    strcat(text, mark);
  }
  cell(out, text);
}

static void figure(FILE *out, double value, const char *format) {
  marked(out, value, format, "");
}

static void measure_cell(FILE *out, const struct bench_measure *m) {
  char title[512];
  cell(out, measure_title(m, title, sizeof title));
}

// What was measured, or why not.
static void here_cell(FILE *out, const struct bench_run *run, const struct bench_measure *m,
                      double value) {
  if (run && run->status == RUN_OK)
    marked(out, value, measure_format(m), run_mark(run));
  else
    cell(out, run ? run_status_name(run->status) : "not measured on these cores");
}

// ---------------------------------------------------------------- against the targets

static void target_line(FILE *out, const struct bench_report *report, const struct bench_suite *s,
                        const struct bench_case *c, const struct bench_target *t) {
  char text[256] = "";
  const struct bench_run *run = bench_report_find(report, s, c->name, t->measure.cores);
  double value = run_measured(report, run, &t->measure);
  bool macs = value > 0 && t->measure.metric == METRIC_MAC_PER_CLOCK;
  fputc('|', out);
  cell(out, c->name);
  fprintf(out, " %u |", t->measure.cores);
  measure_cell(out, &t->measure);
  for (size_t i = 0; i < c->published_count; i++) {
    const struct bench_published *p = &c->published[i];
    size_t used = strlen(text);
    if (measure_same(&p->measure, &t->measure))
      snprintf(text + used, sizeof text - used, used ? " (%.9g%s)" : "%.9g%s", p->value,
               published_is_alike(c, p) ? "" : ", not alike");
  }
  cell(out, *text ? text : "-");
  figure(out, t->bar, "%g");
  figure(out, t->goal, "%g");
  here_cell(out, run, &t->measure, value);
  cell(out, reached_name(target_reached(t, value)));
  figure(out, macs ? run_limit(run) : 0, "%.2f");
  figure(out, macs ? run_peak(run) : 0, "%g");
  *text = '\0';
  if (value > 0)
    bench_group_losses(&run->result.sum, 3, text, sizeof text);
  cell(out, *text ? text : "-");
  fputc('\n', out);
}

static void target_table(FILE *out, const struct bench_report *report,
                         const struct bench_suite *s) {
  bool any = false;
  for (size_t i = 0; i < s->case_count; i++) {
    for (size_t j = 0; j < s->cases[i].target_count; j++) {
      if (!any)
        fputs("\n| kernel | cores | figure | published | first bar | goal | here | reached | issue "
              "limit | peak | lost to |\n"
              "|---|---:|---|---:|---:|---:|---:|---|---:|---:|---|\n",
              out);
      any = true;
      target_line(out, report, s, &s->cases[i], &s->cases[i].targets[j]);
    }
  }
}

// ---------------------------------------------------------------- beside the published figures

static void published_line(FILE *out, const struct bench_report *report,
                           const struct bench_suite *s, const struct bench_case *c,
                           const struct bench_published *p) {
  char text[512];
  const struct bench_run *run = bench_report_find(report, s, c->name, p->measure.cores);
  double value = run_measured(report, run, &p->measure);
  fputc('|', out);
  cell(out, c->name);
  fprintf(out, " %u |", p->measure.cores);
  measure_cell(out, &p->measure);
  fprintf(out, " %.9g |", p->value);
  here_cell(out, run, &p->measure, value);
  figure(out, measured_ratio(&p->measure, p->value, value), "%.2f");
  cell(out, *published_apart(c, p, text, sizeof text) ? text : "-");
  cell(out, p->platform);
  snprintf(text, sizeof text, *p->note ? "%s; %s" : "%s", p->source, p->note);
  cell(out, text);
  fputc('\n', out);
}

static void published_table(FILE *out, const struct bench_report *report,
                            const struct bench_suite *s) {
  bool any = false;
  for (size_t i = 0; i < s->case_count; i++) {
    for (size_t j = 0; j < s->cases[i].published_count; j++) {
      if (!any)
        fputs("\n| kernel | cores | figure | published | here | ratio | differs | platform | "
              "source |\n"
              "|---|---:|---|---:|---:|---:|---|---|---|\n",
              out);
      any = true;
      published_line(out, report, s, &s->cases[i], &s->cases[i].published[j]);
    }
  }
}

// ---------------------------------------------------------------- by row and column

static void matrix_cell(FILE *out, const struct matrix *m, unsigned row, unsigned column) {
  char text[64];
  const struct bench_run *run = m->cell[row][column];
  double value = matrix_value(m, row, column), latency = matrix_latency(m, row, column);
  const char *best = matrix_is_best(m, row, column) ? "**" : "";
  if (value > 0) {
    snprintf(text, sizeof text, m->spec->show == SHOW_CYCLES ? "%s%.0f%s" : "%s%.2f%s", best, value,
             best);
    if (m->spec->show != SHOW_LATENCY && latency > 0)
      snprintf(text + strlen(text), sizeof text - strlen(text), " (%.2f ×)", 1 / latency);
    strcat(text, run_mark(run));
    cell(out, text);
  } else {
    cell(out, run && run->status != RUN_OK ? run_status_name(run->status) : "-");
  }
}

static void matrix_table(FILE *out, const struct bench_report *report, const struct bench_suite *s,
                         const struct bench_table_spec *spec) {
  static const char *const what[] = {
      "Useful MAC/clk (speed over the base).", "Cycles (speed over the base).",
      "Cycles over those of the base: lower is better.", "Milliseconds (speed over the base)."};
  struct matrix m;
  matrix_read(&m, report, s, spec);
  fprintf(out, "\n### %s\n\n%s%s%s\n\n|", spec->name, spec->about, *spec->about ? " " : "",
          what[spec->show]);
  cell(out, spec->rows);
  for (unsigned c = 0; c < m.columns; c++)
    cell(out, m.column[c]);
  fputs("\n|---|", out);
  for (unsigned c = 0; c < m.columns; c++)
    fputs("---:|", out);
  fputc('\n', out);
  for (unsigned r = 0; r < m.rows; r++) {
    fputc('|', out);
    cell(out, m.row[r]);
    for (unsigned c = 0; c < m.columns; c++)
      matrix_cell(out, &m, r, c);
    fputc('\n', out);
  }
  matrix_free(&m);
}

// ---------------------------------------------------------------- single runs

static void largest_losses(FILE *out, const struct bench_run *run) {
  char text[256];
  bench_group_losses(&run->result.sum, 3, text, sizeof text);
  cell(out, *text ? text : "-");
}

static void run_line(FILE *out, const struct bench_report *report, const struct bench_run *run) {
  char text[SUMMARY_NUMBER_SIZE + sizeof UNVERIFIED_MARK];
  double peak = run_peak(run), reached = run_mac_per_clock(run);
  fputc('|', out);
  cell(out, run->c->name);
  fprintf(out, " %u |", run->cores);
  if (run->status != RUN_OK) {
    cell(out, run_status_name(run->status));
    fputs(" - | - | - | - | - | - | - |", out);
    cell(out, run->status == RUN_FAILED ? run->result.message : "-");
  } else {
    summary_number(run->result.cycles, text);
    cell(out, strcat(text, run_mark(run)));
    figure(out, reached, "%.2f");
    figure(out, run_limit(run), "%.2f");
    figure(out, peak > 0 ? 100 * reached / peak : 0, "%.0f %%");
    figure(out, run_roof(run), "%.1f");
    figure(out, run_speedup(report, run), "%.2f");
    figure(out, run_ipc(run), "%.2f");
    figure(out, 100.0 * (double)run->result.sum.stalls[0] / (double)run->result.sum.cycles, "%.1f");
    largest_losses(out, run);
  }
  fputc('\n', out);
}

static void run_table(FILE *out, const struct bench_report *report, const struct bench_suite *s) {
  size_t count = 0, folded = 0;
  for (size_t i = 0; i < report->run_count; i++) {
    const struct bench_run *run = &report->runs[i];
    const struct bench_table_spec *table = bench_suite_table(s, run->c->table);
    if (run->suite != s)
      continue;
    if (table && table->fold) {
      folded++;
      continue;
    }
    if (!count++)
      fputs("\n### Single runs\n\n| kernel | cores | cycles | MAC/clk | issue limit | of peak | L2 "
            "roof | speed-up | IPC | issue, % | lost to |\n"
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n",
            out);
    run_line(out, report, run);
  }
  if (folded)
    fprintf(out, "\n%zu runs of the tables above are in report.json and report.csv.\n", folded);
}

static bool is_marked(const struct bench_report *report, const struct bench_suite *s, size_t i) {
  return report->runs[i].suite == s && *run_mark(&report->runs[i]);
}

// What the suite's programs on `machine` may have to do with.
static unsigned kinds_of(const struct bench_report *report, const struct bench_suite *s,
                         const char *machine) {
  unsigned of = OF_HALVES;
  for (size_t i = 0; i < report->run_count; i++) {
    const struct bench_run *run = &report->runs[i];
    if (run->suite == s && *run->c->network && strcmp(run->c->machine, machine) == 0)
      of |= OF_L3;
  }
  return of;
}

// The machines whose figures are marked, once each, with all that is unverified of them.
static void unverified(FILE *out, const struct bench_report *report, const struct bench_suite *s) {
  char text[UNVERIFIED_TEXT];
  bool any = false;
  for (size_t i = 0; i < report->run_count; i++) {
    const char *machine = report->runs[i].c->machine;
    bool known = !is_marked(report, s, i);
    for (size_t j = 0; j < i && !known; j++)
      known = is_marked(report, s, j) && strcmp(report->runs[j].c->machine, machine) == 0;
    if (known)
      continue;
    fprintf(out, any ? "; %s: %s" : "\n" UNVERIFIED_MARK " depends on what is unverified of %s: %s",
            machine, unverified_keys(machine, NULL, kinds_of(report, s, machine), text));
    any = true;
  }
  if (any)
    fputs(". Which figure on which: report.json.\n", out);
}

static void suite(FILE *out, const struct bench_report *report, const struct bench_suite *s) {
  fprintf(out, "\n## %s\n\n%s\n", s->title, s->about);
  target_table(out, report, s);
  published_table(out, report, s);
  for (size_t i = 0; i < s->table_count; i++)
    matrix_table(out, report, s, &s->tables[i]);
  run_table(out, report, s);
  unverified(out, report, s);
}

static void fronts_table(FILE *out, const struct fronts *fronts) {
  char text[UNVERIFIED_TEXT];
  fputs("\n## Accuracy, bytes, cycles of quantized networks\n\n"
        "| network | assignment | scales | right | of | bytes | peak | cycles |\n"
        "|---|---|---|---:|---:|---:|---:|---:|\n",
        out);
  for (size_t i = 0; i < fronts->count; i++) {
    const struct front_point *p = &fronts->points[i];
    fprintf(out, "| %s | %s | a %s | %u | %u | %lu | %lu | %lu%s |\n", p->network, p->how,
            p->per_channel ? "channel" : "layer", p->right, p->inputs, p->bytes, p->peak, p->cycles,
            fronts_mark());
  }
  if (*fronts_mark())
    fprintf(out, "\n" UNVERIFIED_MARK " depends on what is unverified of " FRONTS_MACHINE ": %s.\n",
            unverified_keys(FRONTS_MACHINE, NULL, OF_L3, text));
}

static void origin(FILE *out, const struct bench_origin *o) {
  char text[ORIGIN_CITATION];
  fprintf(out, "\n## Origin\n\n| | |\n|---|---|\n| date | %s |\n| host | %s |\n| commit | %s |\n",
          o->date, o->host, o->commit);
  if (*o->compiler)
    fprintf(out, "| compiler of the programs | %s |\n", o->compiler);
  fprintf(out, "| to cite | %s |\n", origin_citation(o, text));
}

bool report_markdown(FILE *out, const struct bench_report *report) {
  fputs("# Benchmark report\n\n"
        "MAC/clk counts useful MACs, by the layer's shape, per cycle of the cluster. Ratio: above "
        "1 is better here than published. Issue limit: what the inner loop's instructions allow. "
        "L2 roof: what could be reached if every tensor passed the port between L1 and L2 once. "
        "Speed-up: against one core of the same machine. Lost to: parts of the cores' cycles.\n",
        out);
  for (size_t i = 0; i < report->suite_count; i++)
    suite(out, report, &report->suites[i]);
  if (report->fronts.count)
    fronts_table(out, &report->fronts);
  origin(out, &report->origin);
  return !ferror(out);
}
