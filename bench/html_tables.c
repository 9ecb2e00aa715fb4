// bench/html_tables.c: the tables of one line per figure, or per run.
#include <string.h>

#include "bench/chart.h"
#include "bench/groups.h"
#include "bench/html.h"
#include "bench/measure.h"
#include "sim/summary.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *figure_text(char text[64], const struct bench_measure *m, double value) {
  if (value <= 0)
    return "";
  if (measure_is_whole(m))
    summary_number((uint64_t)(value + 0.5), text);
  else
    snprintf(text, 64, measure_format(m), value);
  return text;
}

static void figure_cell(FILE *out, const char *label, const struct bench_measure *m, double value) {
  char text[64];
  fprintf(out, "<td%s data-l=\"%s\" data-v=\"%.9g\">%s</td>", value > 0 ? "" : " class=\"empty\"",
          label, value > 0 ? value : -1, figure_text(text, m, value));
}

static void measured_cell(FILE *out, const struct bench_measure *m, double value,
                          const struct bench_run *run) {
  char text[64];
  fprintf(out, "<td data-l=\"here\" data-v=\"%.9g\">%s", value, figure_text(text, m, value));
  html_mark(out, run);
  fputs("</td>", out);
}

// What is counted: "MAC/clk", "relative speed to: CASE".
static void measure_cell(FILE *out, const struct bench_measure *m) {
  char text[512];
  html_cell(out, "figure", *m->to ? "t src" : "t unit", measure_title(m, text, sizeof text));
}

// In place of what was measured. `columns` are left empty behind it.
static void absent_cells(FILE *out, const struct bench_run *run, unsigned columns) {
  const char *why = !run                        ? "not measured on these cores"
                    : run->status == RUN_OK     ? "cannot be said"
                    : run->status == RUN_FAILED ? "failed"
                                                : run_status_name(run->status);
  html_cell(out, "here", run && run->status == RUN_FAILED ? "failed" : "absent", why);
  for (unsigned i = 0; i < columns; i++)
    fputs("<td class=\"empty\" data-v=\"-1\"></td>", out);
}

// ---------------------------------------------------------------- against the targets

// A short word beside the figure, which says more when it is touched.
static void apart_mark(FILE *out, const char *apart) {
  fprintf(out, " <em class=\"apart\" title=\"");
  html_text(out, apart);
  fprintf(out, "\">%s</em>",
          strncmp(apart, "other scope", 11) == 0 ? "other scope" : "other machine");
}

static void published_beside(FILE *out, const struct bench_case *c, const struct bench_measure *m) {
  char text[64], apart[512];
  bool any = false;
  fputs("<td data-l=\"published\" data-v=\"", out);
  double first = -1;
  for (size_t i = 0; i < c->published_count && first < 0; i++) {
    if (measure_same(&c->published[i].measure, m))
      first = c->published[i].value;
  }
  fprintf(out, "%.9g\"%s>", first, first < 0 ? " class=\"empty\"" : "");
  for (size_t i = 0; i < c->published_count; i++) {
    const struct bench_published *p = &c->published[i];
    if (!measure_same(&p->measure, m))
      continue;
    fprintf(out, any ? " <small title=\"" : "<span title=\"");
    html_text(out, p->platform);
    fputs("; ", out);
    html_text(out, p->source);
    fprintf(out, any ? "\">(%s)</small>" : "\">%s</span>", figure_text(text, m, p->value));
    if (*published_apart(c, p, apart, sizeof apart))
      apart_mark(out, apart);
    any = true;
  }
  fputs("</td>", out);
}

// The issue limit in the unit of the figure; 0: none.
static double limit_of(const struct bench_run *run, const struct bench_measure *m) {
  double limit = run_limit(run);
  if (m->metric == METRIC_CYCLES)
    return limit > 0 ? (double)run->result.useful_macs / limit : 0;
  return m->metric == METRIC_MAC_PER_CLOCK ? limit : 0;
}

static void target_row(FILE *out, const struct bench_report *report, const struct bench_suite *s,
                       const struct bench_case *c, const struct bench_target *t) {
  static const char *const classes[] = {"absent", "below", "reached", "goal"};
  const struct bench_run *run = bench_report_find(report, s, c->name, t->measure.cores);
  double measured = run_measured(report, run, &t->measure);
  enum reached reached = target_reached(t, measured);
  char text[256];
  fputs("<tr>", out);
  html_cell(out, "kernel", "t name", c->name);
  html_number(out, "cores", t->measure.cores, 0);
  measure_cell(out, &t->measure);
  published_beside(out, c, &t->measure);
  figure_cell(out, "first bar", &t->measure, t->bar);
  figure_cell(out, "goal", &t->measure, t->goal);
  if (reached == REACHED_NOT_SAID) {
    absent_cells(out, run, 5);
  } else {
    measured_cell(out, &t->measure, measured, run);
    html_cell(out, "reached", classes[reached], reached_name(reached));
    double limit = limit_of(run, &t->measure);
    double peak = t->measure.metric == METRIC_MAC_PER_CLOCK ? run_peak(run) : 0;
    figure_cell(out, "issue limit", &t->measure, limit);
    html_number(out, "peak", peak, 0);
    fprintf(out, "<td class=\"picture\" data-l=\"\" data-v=\"%.9g\">",
            measured_ratio(&t->measure, t->bar, measured));
    chart_target(out, c, t, measured, limit);
    fputs("</td>", out);
    bench_group_losses(&run->result.sum, 3, text, sizeof text);
    html_cell(out, "lost to", "t src", text);
  }
  fputs("</tr>\n", out);
}

void html_targets(FILE *out, const struct bench_report *report, const struct bench_suite *s) {
  static const char *const titles[] = {".kernel",     "cores", ".figure", "published",
                                       "first bar",   "goal",  "here",    "reached",
                                       "issue limit", "peak",  ".",       ".lost to"};
  bool any = false;
  for (size_t i = 0; i < s->case_count; i++) {
    for (size_t j = 0; j < s->cases[i].target_count; j++) {
      if (!any) {
        fputs("<h3>Against the targets</h3>\n<p class=\"key\"><span><i style=\"background:"
              "var(--bar)\"></i>here</span><span><i style=\"background:var(--band)\"></i>issue "
              "limit</span><span><i class=\"line\" style=\"background:var(--ink)\"></i>published"
              "</span><span><i class=\"line\" style=\"background:var(--warn)\"></i>first bar</span>"
              "<span><i class=\"line\" style=\"background:var(--good)\"></i>goal</span></p>\n",
              out);
        html_head(out, "cards", titles, COUNT(titles));
      }
      any = true;
      target_row(out, report, s, &s->cases[i], &s->cases[i].targets[j]);
    }
  }
  if (any)
    fputs("</tbody></table></div>\n", out);
}

// ---------------------------------------------------------------- beside the published figures

static void published_row(FILE *out, const struct bench_report *report, const struct bench_suite *s,
                          const struct bench_case *c, const struct bench_published *p) {
  char text[512], apart[512];
  const struct bench_run *run = bench_report_find(report, s, c->name, p->measure.cores);
  double measured = run_measured(report, run, &p->measure);
  bool alike = !*published_apart(c, p, apart, sizeof apart);
  double ratio = measured_ratio(&p->measure, p->value, measured);
  fputs("<tr>", out);
  html_cell(out, "kernel", "t name", c->name);
  html_number(out, "cores", p->measure.cores, 0);
  measure_cell(out, &p->measure);
  figure_cell(out, "published", &p->measure, p->value);
  if (ratio <= 0) {
    absent_cells(out, run, 2);
  } else {
    measured_cell(out, &p->measure, measured, run);
    fprintf(out, "<td class=\"%s\" data-l=\"ratio\" data-v=\"%.9g\">%.2f</td>",
            !alike       ? "apart"
            : ratio >= 1 ? "up"
                         : "down",
            ratio, ratio);
    fprintf(out, "<td class=\"picture\" data-l=\"\" data-v=\"%.9g\">", ratio);
    chart_ratio(out, ratio);
    fputs("</td>", out);
  }
  html_cell(out, "differs", "t apart", apart);
  html_cell(out, "platform", "t", p->platform);
  snprintf(text, sizeof text, *p->note ? "%s; %s" : "%s", p->source, p->note);
  html_cell(out, "source", "t src", text);
  fputs("</tr>\n", out);
}

void html_published(FILE *out, const struct bench_report *report, const struct bench_suite *s) {
  static const char *const titles[] = {".kernel",   "cores",  ".figure",          "published",
                                       "here",      "ratio",  ".mark: published", ".differs",
                                       ".platform", ".source"};
  bool any = false;
  for (size_t i = 0; i < s->case_count; i++) {
    for (size_t j = 0; j < s->cases[i].published_count; j++) {
      if (!any) {
        fputs("<h3>Beside the published figures</h3>\n", out);
        html_head(out, "cards", titles, COUNT(titles));
      }
      any = true;
      published_row(out, report, s, &s->cases[i], &s->cases[i].published[j]);
    }
  }
  if (any)
    fputs("</tbody></table></div>\n", out);
}

// ---------------------------------------------------------------- single runs

static void run_row(FILE *out, const struct bench_report *report, const struct bench_run *run) {
  char text[SUMMARY_NUMBER_SIZE];
  double peak = run_peak(run), reached = run_mac_per_clock(run);
  fputs("<tr>", out);
  html_cell(out, "kernel", "t name", run->c->name);
  html_number(out, "cores", run->cores, 0);
  if (run->status != RUN_OK) {
    fprintf(out, "<td class=\"%s\" colspan=\"9\" data-v=\"-1\" data-l=\"%s\">",
            run->status == RUN_FAILED ? "t failed" : "t absent", run_status_name(run->status));
    html_text(out, run->status == RUN_FAILED ? run->result.message
                                             : "no such program in kernels/bench/list.txt");
    fputs("</td></tr>\n", out);
    return;
  }
  fprintf(out, "<td data-l=\"cycles\" data-v=\"%g\">%s", (double)run->result.cycles,
          summary_number(run->result.cycles, text));
  html_mark(out, run);
  fputs("</td>", out);
  html_number(out, "MAC/clk", reached, 2);
  html_number(out, "issue limit", run_limit(run), 2);
  html_number(out, "% of peak", peak > 0 ? 100 * reached / peak : 0, 0);
  html_number(out, "MAC/byte", run_intensity(run), 2);
  html_number(out, "L2 roof", run_roof(run), 1);
  html_number(out, "speed-up", run_speedup(report, run), 2);
  html_number(out, "IPC", run_ipc(run), 2);
  fprintf(out, "<td class=\"picture\" data-l=\"\" data-v=\"%.4f\">",
          (double)run->result.sum.stalls[0] / (double)run->result.sum.cycles);
  chart_stalls(out, run);
  fputs("</td></tr>\n", out);
}

static bool is_folded(const struct bench_suite *s, const struct bench_case *c) {
  const struct bench_table_spec *table = bench_suite_table(s, c->table);
  return table && table->fold;
}

static void run_table(FILE *out, const struct bench_report *report, const struct bench_suite *s,
                      bool folded) {
  static const char *const titles[] = {".kernel",     "cores",     "cycles",          "MAC/clk",
                                       "issue limit", "% of peak", "MAC/byte",        "L2 roof",
                                       "speed-up",    "IPC",       ".cycles by cause"};
  size_t count = 0;
  for (size_t i = 0; i < report->run_count; i++) {
    const struct bench_run *run = &report->runs[i];
    if (run->suite != s || is_folded(s, run->c) != folded)
      continue;
    if (!count++) {
      fputs(folded ? "<details><summary>Single runs of the tables</summary>\n<p class=\"key\">"
                   : "<h3>Single runs</h3>\n<p class=\"key\">",
            out);
      for (unsigned g = 0; g < BENCH_GROUPS; g++)
        fprintf(out, "<span title=\"%s\"><i style=\"background:%s\"></i>%s</span>",
                bench_groups[g].meaning, bench_groups[g].colour, bench_groups[g].title);
      fputs("</p>\n", out);
      html_head(out, "cards", titles, COUNT(titles));
    }
    run_row(out, report, run);
  }
  if (count)
    fputs(folded ? "</tbody></table></div></details>\n" : "</tbody></table></div>\n", out);
}

void html_runs(FILE *out, const struct bench_report *report, const struct bench_suite *s) {
  run_table(out, report, s, false);
  run_table(out, report, s, true);
}
