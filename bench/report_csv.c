// bench/report_csv.c: one line per run, for spreadsheets. A published figure in MAC/clk stands in
// the line of its number of cores; the others are in the JSON.
#include <inttypes.h>
#include <string.h>

#include "bench/mark.h"
#include "bench/measure.h"
#include "bench/report.h"

static void text(FILE *out, const char *value) {
  fputc('"', out);
  for (; *value; value++) {
    if (*value == '"')
      fputc('"', out);
    fputc(*value == '\n' ? ' ' : *value, out);
  }
  fputs("\",", out);
}

static void figure(FILE *out, double value) {
  if (value > 0)
    fprintf(out, "%.6g", value);
  fputc(',', out);
}

static void counter(FILE *out, const struct bench_run *run, uint64_t value) {
  if (run->status == RUN_OK)
    fprintf(out, "%" PRIu64, value);
  fputc(',', out);
}

static void settings(FILE *out, const struct bench_case *c) {
  fputc('"', out);
  for (size_t i = 0; i < c->set_count; i++)
    fprintf(out, "%s%s=%s", i ? " " : "", c->set[i].key, c->set[i].value);
  fputs("\",", out);
}

static void published(FILE *out, const struct bench_run *run) {
  for (size_t i = 0; i < run->c->published_count; i++) {
    const struct bench_published *p = &run->c->published[i];
    if (p->measure.metric != METRIC_MAC_PER_CLOCK || p->measure.cores != run->cores)
      continue;
    figure(out, p->value);
    figure(out, measured_ratio(&p->measure, p->value, run_mac_per_clock(run)));
    char apart[512];
    text(out, published_apart(run->c, p, apart, sizeof apart));
    text(out, p->platform);
    text(out, p->source);
    return;
  }
  fputs(",,,,,", out);
}

static void line(FILE *out, const struct bench_report *report, const struct bench_run *run) {
  const struct bench_result *r = &run->result;
  char unverified[UNVERIFIED_TEXT];
  text(out, run->suite->id);
  text(out, run->c->name);
  text(out, run->c->program);
  text(out, run->c->machine);
  settings(out, run->c);
  fprintf(out, "%u,", run->cores);
  text(out, run_status_name(run->status));
  counter(out, run, r->cycles);
  counter(out, run, r->useful_macs);
  counter(out, run, r->sum.macs);
  counter(out, run, r->sum.instructions);
  figure(out, run_mac_per_clock(run));
  published(out, run);
  figure(out, run_speedup(report, run));
  figure(out, run_ipc(run));
  figure(out, run_peak(run));
  figure(out, run_utilization(run));
  figure(out, run_intensity(run));
  figure(out, run_roof(run));
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++)
    counter(out, run, r->sum.stalls[i]);
  text(out, run_unverified(run, unverified));
  text(out, r->message);
}

bool report_csv(FILE *out, const struct bench_report *report) {
  fputs("suite,case,program,machine,settings,cores,status,cycles,useful_macs,executed_macs,"
        "instructions,mac_per_clock,published,ratio,differs,platform,source,speedup,ipc,peak,"
        "utilization,"
        "mac_per_byte,roof",
        out);
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++)
    fprintf(out, ",%s", pulpsim_cause_name(i));
  fputs(",unverified,message,\n", out);
  for (size_t i = 0; i < report->run_count; i++) {
    line(out, report, &report->runs[i]);
    fputc('\n', out);
  }
  return !ferror(out);
}
