// bench/report_html.c: the report as one HTML file without anything outside it: tables that sort,
// with pictures in their cells, readable on a phone (rows become cards), in print and in the dark.
#include <string.h>

#include "bench/chart.h"
#include "bench/html.h"
#include "bench/measure.h"
#include "sim/pulpsim.h"

static const char style[] =
#include "report_css.inc"
    ;
static const char script[] =
#include "report_js.inc"
    ;

static void tile(FILE *out, unsigned long count, const char *class, const char *what) {
  fprintf(out, "<div class=\"%s\"><b>%lu</b>%s</div>", class, count, what);
}

struct tally {
  unsigned long figures, beside, alike, passed, targets, bars, goals, absent;
};

static void count_figures(struct tally *t, const struct bench_report *report,
                          const struct bench_run *run) {
  for (size_t j = 0; j < run->c->published_count; j++) {
    const struct bench_published *p = &run->c->published[j];
    if (p->measure.cores != run->cores)
      continue;
    double ratio = measured_ratio(&p->measure, p->value, run_measured(report, run, &p->measure));
    t->figures++;
    t->beside += ratio > 0;
    bool alike = ratio > 0 && published_is_alike(run->c, p);
    t->alike += alike;
    t->passed += alike && ratio >= 1;
  }
  for (size_t j = 0; j < run->c->target_count; j++) {
    const struct bench_target *g = &run->c->targets[j];
    if (g->measure.cores != run->cores)
      continue;
    enum reached reached = target_reached(g, run_measured(report, run, &g->measure));
    t->targets++;
    t->bars += reached >= REACHED_BAR;
    t->goals += reached == REACHED_GOAL;
  }
}

static void tiles(FILE *out, const struct bench_report *report) {
  struct tally t = {0};
  for (size_t i = 0; i < report->run_count; i++) {
    t.absent += report->runs[i].status == RUN_ABSENT;
    count_figures(&t, report, &report->runs[i]);
  }
  unsigned failed = bench_report_failures(report);
  fputs("<div class=\"tiles\">", out);
  tile(out, report->run_count, "", "runs");
  tile(out, failed, failed ? "bad" : "", "failed");
  if (t.absent)
    tile(out, t.absent, "", "not yet available");
  tile(out, t.figures, "", "published figures");
  tile(out, t.beside, "", "measured beside them");
  tile(out, t.alike, "", "of them of the same scope and machine");
  tile(out, t.passed, "", "of these reached or passed");
  if (t.targets) {
    tile(out, t.targets, "", "targets");
    tile(out, t.bars, "", "first bars reached");
    tile(out, t.goals, "", "goals reached");
  }
  fputs("</div>\n", out);
}

static void suite(FILE *out, const struct bench_report *report, const struct bench_suite *s) {
  fprintf(out, "<section><h2 id=\"%s\">", s->id);
  html_text(out, s->title);
  fputs("</h2>\n<p>", out);
  html_text(out, s->about);
  fputs("</p>\n", out);
  html_targets(out, report, s);
  html_published(out, report, s);
  html_matrices(out, report, s);
  chart_roofline(out, report, s);
  html_runs(out, report, s);
  fputs("</section>\n", out);
}

bool report_html(FILE *out, const struct bench_report *report) {
  char citation[ORIGIN_CITATION];
  fprintf(out,
          "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
          "name=\"viewport\" content=\"width=device-width,initial-scale=1\"><meta "
          "name=\"color-scheme\" content=\"light dark\"><title>pulpsim: benchmark "
          "report</title><style>%s</style></head><body>\n<h1>Benchmark report</h1>\n"
          "<p>What the kernels of pulpsim " PULPSIM_VERSION
          " reach on simulated PULP clusters, beside what was published, and where the cycles "
          "went. Everything but the published figures, the targets and the issue limits is "
          "measured or computed from shapes; <a href=\"#method\">how to read it</a>.</p>\n",
          style);
  tiles(out, report);
  fputs("<nav>", out);
  for (size_t i = 0; i < report->suite_count; i++) {
    fprintf(out, "<a href=\"#%s\">", report->suites[i].id);
    html_text(out, report->suites[i].title);
    fputs("</a>", out);
  }
  if (report->fronts.count)
    fputs("<a href=\"#fronts\">Accuracy, bytes, cycles</a>", out);
  fputs("<a href=\"#method\">How to read it</a></nav>\n", out);
  html_overview(out, report);
  for (size_t i = 0; i < report->suite_count; i++)
    suite(out, report, &report->suites[i]);
  if (report->fronts.count)
    html_fronts(out, &report->fronts);
  html_method(out, report);
  fprintf(out,
          "<footer>Made by <code>make bench</code> with pulpsim " PULPSIM_VERSION
          ", commit %s, on %s, at %s; the same figures as data: <code>report.json</code>, "
          "<code>report.csv</code>. Programs by <code>",
          report->origin.commit, report->origin.host, report->origin.date);
  html_text(out, *report->origin.compiler ? report->origin.compiler : "one that they do not name");
  fputs("</code>. To cite: ", out);
  html_text(out, origin_citation(&report->origin, citation));
  fprintf(out, "</footer>\n<script>%s</script></body></html>\n", script);
  return !ferror(out);
}
