// bench/report_json.c: the report for programs, schema "pulpsim-bench/1" (docs/reports.md).
#include "bench/json.h"
#include "bench/mark.h"
#include "bench/measure.h"
#include "bench/record.h"
#include "bench/report.h"

static void write_string(FILE *out, const char *name, const char *text) {
  fprintf(out, "\"%s\": ", name);
  json_string(out, text);
  fputs(", ", out);
}

static void write_figure(FILE *out, const char *name, double value) {
  if (value > 0)
    fprintf(out, ", \"%s\": %.6g", name, value);
}

static void write_run(FILE *out, const struct bench_report *report, const struct bench_run *run) {
  char unverified[UNVERIFIED_TEXT];
  fprintf(out, "      {\"cores\": %u, \"status\": \"%s\", ", run->cores,
          run_status_name(run->status));
  record_write(out, &run->result);
  write_figure(out, "mac_per_clock", run_mac_per_clock(run));
  write_figure(out, "speedup", run_speedup(report, run));
  write_figure(out, "ipc", run_ipc(run));
  write_figure(out, "utilization", run_utilization(run));
  if (run->status == RUN_OK) {
    write_figure(out, "peak", run_peak(run));
    write_figure(out, "roof", run_roof(run));
  }
  write_figure(out, "intensity", run_intensity(run));
  if (*run_unverified(run, unverified))
    fprintf(out, ", \"unverified\": \"%s\"", unverified);
  fputc('}', out);
}

static void write_measure(FILE *out, const struct bench_measure *m) {
  write_string(out, "metric", bench_metric_name(m->metric));
  if (*m->to)
    write_string(out, "to", m->to);
  if (m->mhz > 0)
    fprintf(out, "\"mhz\": %g, ", m->mhz);
  if (m->mw > 0)
    fprintf(out, "\"mw\": %g, ", m->mw);
  fprintf(out, "\"cores\": %u", m->cores);
}

static void write_published(FILE *out, const struct bench_report *report,
                            const struct bench_suite *suite, const struct bench_case *c,
                            const struct bench_published *p) {
  char apart[512];
  const struct bench_run *run = bench_report_find(report, suite, c->name, p->measure.cores);
  double measured = run_measured(report, run, &p->measure);
  fputs("      {", out);
  write_string(out, "platform", p->platform);
  write_string(out, "source", p->source);
  write_string(out, "note", p->note);
  write_string(out, "differs", published_apart(c, p, apart, sizeof apart));
  write_measure(out, &p->measure);
  write_figure(out, "value", p->value);
  write_figure(out, "measured", measured);
  write_figure(out, "ratio", measured_ratio(&p->measure, p->value, measured));
  fputc('}', out);
}

static void write_target(FILE *out, const struct bench_report *report, const struct bench_run *run,
                         const struct bench_target *t) {
  double measured = run_measured(report, run, &t->measure);
  fputs("      {", out);
  write_measure(out, &t->measure);
  write_figure(out, "bar", t->bar);
  write_figure(out, "goal", t->goal);
  write_figure(out, "measured", measured);
  fprintf(out, ", \"reached\": \"%s\"}", reached_name(target_reached(t, measured)));
}

static void write_pairs(FILE *out, const char *name, const struct bench_pair *pairs, size_t count) {
  fprintf(out, "\"%s\": {", name);
  for (size_t i = 0; i < count; i++) {
    fputs(i ? ", " : "", out);
    json_string(out, pairs[i].key);
    fputs(": ", out);
    json_string(out, pairs[i].value);
  }
  fputs("}, ", out);
}

static void write_case(FILE *out, const struct bench_report *report,
                       const struct bench_suite *suite, const struct bench_case *c) {
  fputs("    {", out);
  write_string(out, "name", c->name);
  write_string(out, "program", c->program);
  write_string(out, "machine", c->machine);
  write_string(out, "layer", c->layer);
  write_string(out, "note", c->note);
  write_pairs(out, "set", c->set, c->set_count);
  write_pairs(out, "data", c->data, c->data_count);
  if (*c->table) {
    write_string(out, "table", c->table);
    write_string(out, "row", c->row);
    write_string(out, "column", c->column);
  }
  if (c->limit > 0)
    fprintf(out, "\"limit\": %g, ", c->limit);
  fputs("\"runs\": [\n", out);
  for (unsigned i = 0; i < c->core_counts; i++) {
    write_run(out, report, bench_report_find(report, suite, c->name, c->core_count[i]));
    fputs(i + 1 < c->core_counts ? ",\n" : "\n    ], \"published\": [", out);
  }
  for (size_t i = 0; i < c->published_count; i++) {
    fputs(i ? ",\n" : "\n", out);
    write_published(out, report, suite, c, &c->published[i]);
  }
  fputs("], \"targets\": [", out);
  for (size_t i = 0; i < c->target_count; i++) {
    fputs(i ? ",\n" : "\n", out);
    write_target(out, report,
                 bench_report_find(report, suite, c->name, c->targets[i].measure.cores),
                 &c->targets[i]);
  }
  fputs("]}", out);
}

static void write_fronts(FILE *out, const struct fronts *fronts) {
  fputs("], \"fronts\": [\n", out);
  for (size_t i = 0; i < fronts->count; i++) {
    const struct front_point *p = &fronts->points[i];
    fputs("  {", out);
    write_string(out, "network", p->network);
    write_string(out, "assignment", p->how);
    write_string(out, "scales", p->per_channel ? "channel" : "layer");
    fprintf(out,
            "\"right\": %u, \"inputs\": %u, \"bytes\": %lu, \"peak\": %lu, \"cycles\": %lu}%s\n",
            p->right, p->inputs, p->bytes, p->peak, p->cycles, i + 1 < fronts->count ? "," : "");
  }
}

bool report_json(FILE *out, const struct bench_report *report) {
  fputs("{\"schema\": \"pulpsim-bench/1\", \"simulator\": \"" PULPSIM_VERSION "\", ", out);
  write_string(out, "commit", report->origin.commit);
  write_string(out, "compiler", report->origin.compiler);
  fputs("\"suites\": [\n", out);
  for (size_t i = 0; i < report->suite_count; i++) {
    const struct bench_suite *s = &report->suites[i];
    fputs("  {", out);
    write_string(out, "id", s->id);
    write_string(out, "title", s->title);
    write_string(out, "about", s->about);
    fputs("\"cases\": [\n", out);
    for (size_t j = 0; j < s->case_count; j++) {
      write_case(out, report, s, &s->cases[j]);
      fputs(j + 1 < s->case_count ? ",\n" : "\n", out);
    }
    fputs(i + 1 < report->suite_count ? "  ]},\n" : "  ]}\n", out);
  }
  if (report->fronts.count)
    write_fronts(out, &report->fronts);
  fputs("]}\n", out);
  return !ferror(out);
}
