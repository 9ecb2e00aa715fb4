// bench/measure.c
#include "bench/measure.h"

#include <string.h>

static double quotient(double a, double b) {
  return a > 0 && b > 0 ? a / b : 0;
}

const char *measure_title(const struct bench_measure *m, char *text, size_t size) {
  const char *title = bench_metric_title(m->metric);
  if (*m->to)
    snprintf(text, size, "speed relative to %s, %u core%s", m->to, m->to_cores,
             m->to_cores == 1 ? "" : "s");
  else if (m->mw > 0)
    snprintf(text, size, "%s at %g MHz, %g mW", title, m->mhz, m->mw);
  else if (m->mhz > 0)
    snprintf(text, size, "%s at %g MHz", title, m->mhz);
  else
    snprintf(text, size, "%s", title);
  return text;
}

bool measure_is_whole(const struct bench_measure *m) {
  return m->metric == METRIC_CYCLES || m->metric == METRIC_BYTES;
}

const char *measure_format(const struct bench_measure *m) {
  bool point = m->metric == METRIC_MS || m->metric == METRIC_MJ; // of small layers far below 1
  return measure_is_whole(m) ? "%.0f" : point ? "%.3g" : "%.2f";
}

bool measure_same(const struct bench_measure *a, const struct bench_measure *b) {
  return a->metric == b->metric && a->cores == b->cores && strcmp(a->to, b->to) == 0 &&
         a->to_cores == b->to_cores && a->mhz == b->mhz && a->mw == b->mw;
}

// ---------------------------------------------------------------- of a run

static double relative(const struct bench_report *report, const struct bench_run *run,
                       const struct bench_measure *m) {
  const struct bench_run *to = bench_report_find(report, run->suite, m->to, m->to_cores);
  return to ? quotient(run_mac_per_clock(run), run_mac_per_clock(to)) : 0;
}

double run_measured(const struct bench_report *report, const struct bench_run *run,
                    const struct bench_measure *m) {
  if (!run || run->status != RUN_OK)
    return 0;
  double cycles = (double)run->result.cycles, ms = quotient(cycles, 1e3 * m->mhz);
  switch (m->metric) {
  case METRIC_MAC_PER_CLOCK:
    return run_mac_per_clock(run);
  case METRIC_CYCLES:
    return cycles;
  case METRIC_SPEEDUP:
    return run_speedup(report, run);
  case METRIC_UTILIZATION:
    return run_utilization(run);
  case METRIC_RELATIVE:
    return relative(report, run, m);
  case METRIC_MS:
    return ms;
  case METRIC_FRAMES:
    return quotient(1e3, ms);
  case METRIC_MJ:
    return m->mw * ms / 1e3;
  case METRIC_BYTES:
    return (double)run->result.bytes;
  case METRICS:
    break;
  }
  return 0;
}

double measured_ratio(const struct bench_measure *m, double figure, double measured) {
  bool low = m->metric == METRIC_CYCLES || m->metric == METRIC_MS || m->metric == METRIC_MJ ||
             m->metric == METRIC_BYTES;
  return low ? quotient(figure, measured) : quotient(measured, figure);
}

// ---------------------------------------------------------------- alike or not

const char *published_apart(const struct bench_case *c, const struct bench_published *p, char *text,
                            size_t size) {
  bool scope = strcmp(p->scope, c->scope) != 0, machine = strcmp(p->machine, c->machine) != 0;
  snprintf(text, size, "%s%s%s%s%s", scope ? "other scope: " : "",
           !scope      ? ""
           : *p->scope ? p->scope
                       : "one kernel, data in L1",
           scope && machine ? "; " : "", machine ? "other machine: " : "",
           machine ? p->platform : "");
  return text;
}

bool published_is_alike(const struct bench_case *c, const struct bench_published *p) {
  char text[8];
  return !*published_apart(c, p, text, sizeof text);
}
