// bench/report_html.c: the report as one HTML file without anything outside it: tables that sort,
// with pictures in their cells, readable on a phone (rows become cards) and in print.
#include <string.h>

#include "bench/chart.h"
#include "bench/groups.h"
#include "bench/report.h"
#include "sim/summary.h"

static const char style[] =
    ":root{--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--back:#fff;--card:#f6f8fa;--good:#3a7d44;"
    "--bad:#c8442e;--link:#2f6db3}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9198a1;--line:#3d444d;"
    "--back:#0d1117;--card:#151b23;--good:#5fae6b;--bad:#e8735e;--link:#79b0e8}}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;max-width:76rem;padding:1rem;font:15px/1.5 system-ui,sans-serif;"
    "color:var(--ink);background:var(--back)}"
    "h1{font-size:1.6rem;margin:.2rem 0}h2{font-size:1.25rem;margin:2.5rem 0 .3rem;"
    "border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:1.5rem 0 .4rem}"
    "p{max-width:48rem;margin:.5rem 0}a{color:var(--link)}nav a{margin-right:1rem}"
    ".tiles{display:flex;flex-wrap:wrap;gap:.6rem;margin:1rem 0}"
    ".tiles div{background:var(--card);border:1px solid var(--line);border-radius:6px;"
    "padding:.4rem .9rem}.tiles b{display:block;font-size:1.3rem}"
    "table{border-collapse:collapse;width:100%;font-size:.85rem;font-variant-numeric:tabular-nums}"
    "th,td{padding:.28rem .45rem;border-bottom:1px solid var(--line);text-align:right;"
    "vertical-align:top;white-space:nowrap}td.t{white-space:normal;overflow-wrap:anywhere}th{"
    "background:var(--card);vertical-align:bottom;"
    "cursor:pointer;user-select:none}th[aria-sort=ascending]::after{content:' \\25b2'}"
    "th[aria-sort=descending]::after{content:' \\25bc'}"
    "td.t,th.t{text-align:left}td.src{color:var(--soft);font-size:.78rem;min-width:12rem}"
    ".bar,.stack{width:100%;min-width:7rem;height:.8rem;display:block;margin-top:.25rem}"
    ".stack{min-width:9rem}.better{fill:var(--good)}.worse{fill:var(--bad)}"
    ".mark{stroke:var(--ink);stroke-width:1.5;vector-effect:non-scaling-stroke}"
    ".up{color:var(--good);font-weight:600}.down{color:var(--bad);font-weight:600}"
    ".failed{color:var(--bad)}.absent{color:var(--soft);font-style:italic}"
    "figure{margin:1rem 0;max-width:46rem}figcaption{color:var(--soft);font-size:.82rem}"
    ".roofline{width:100%;height:auto;font:11px sans-serif}.roofline text{fill:var(--soft)}"
    ".grid{stroke:var(--line)}.roof{fill:none;stroke:var(--ink);stroke-width:1.5}"
    ".dot{fill:var(--link);fill-opacity:.75;stroke:var(--back)}"
    ".key span{display:inline-block;margin-right:.9rem;font-size:.8rem;white-space:nowrap}"
    ".key i{display:inline-block;width:.8rem;height:.8rem;margin-right:.3rem;"
    "vertical-align:-.1rem;print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    "@media(max-width:46rem){thead{display:none}table,tbody{display:block}"
    "tr{display:block;border:1px solid var(--line);border-radius:6px;margin:.6rem 0;"
    "padding:.3rem .5rem}td{display:flex;justify-content:space-between;gap:1rem;border:0;"
    "padding:.1rem .2rem;text-align:right!important}td::before{content:attr(data-l);"
    "color:var(--soft);text-align:left;flex:none}td:first-child{font-weight:600}"
    "td:first-child::before,td.empty{display:none}td.src{min-width:0}.bar,.stack{width:60%}}"
    "@media print{body{max-width:none;padding:0;font-size:10px}nav{display:none}"
    "tr,figure{break-inside:avoid}h2,h3{break-after:avoid}thead{display:table-header-group}"
    "svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}}";

static const char script[] =
    "document.querySelectorAll('th').forEach(function(th){th.tabIndex=0;"
    "function sort(){var table=th.closest('table'),body=table.tBodies[0],"
    "column=Array.prototype.indexOf.call(th.parentNode.children,th),"
    "down=th.getAttribute('aria-sort')==='descending';"
    "function value(row){var c=row.cells[column];"
    "return c.dataset.v!==undefined?+c.dataset.v:c.textContent;}"
    "var rows=Array.prototype.slice.call(body.rows);"
    "rows.sort(function(a,b){var x=value(a),y=value(b),"
    "r=typeof x==='number'&&typeof y==='number'?x-y:String(x).localeCompare(String(y));"
    "return down?r:-r;});"
    "table.querySelectorAll('th').forEach(function(o){o.removeAttribute('aria-sort');});"
    "th.setAttribute('aria-sort',down?'ascending':'descending');"
    "rows.forEach(function(row){body.appendChild(row);});}"
    "th.addEventListener('click',sort);"
    "th.addEventListener('keydown',function(e){if(e.key==='Enter')sort();});});";

static void text_cell(FILE *out, const char *label, const char *class, const char *text) {
  fprintf(out, "<td class=\"%s%s\" data-l=\"%s\">", class, *text ? "" : " empty", label);
  chart_text(out, text);
  fputs("</td>", out);
}

static void number_cell(FILE *out, const char *label, double value, int digits) {
  if (value > 0)
    fprintf(out, "<td data-l=\"%s\" data-v=\"%.9g\">%.*f</td>", label, value, digits, value);
  else
    fprintf(out, "<td class=\"empty\" data-l=\"%s\" data-v=\"-1\"></td>", label);
}

static void head(FILE *out, const char *const *titles, size_t count) {
  fputs("<table><thead><tr>", out);
  for (size_t i = 0; i < count; i++) // a leading '.' marks a column of text
    fprintf(out, "<th%s>%s</th>", *titles[i] == '.' ? " class=\"t\"" : "",
            titles[i] + (*titles[i] == '.'));
  fputs("</tr></thead><tbody>\n", out);
}

// ---------------------------------------------------------------- against the published figures

static void ratio_cells(FILE *out, const struct bench_run *run, const struct bench_published *p,
                        double measured) {
  double ratio = published_ratio(p, measured);
  if (!run || run->status != RUN_OK || ratio <= 0) {
    const char *why = run ? run_status_name(run->status) : "not measured on these cores";
    text_cell(out, "here", run && run->status == RUN_FAILED ? "t failed" : "t absent",
              run && run->status == RUN_OK ? "cannot be said" : why);
    fputs("<td class=\"empty\" data-v=\"-1\"></td><td class=\"empty\" data-v=\"-1\"></td>", out);
    return;
  }
  number_cell(out, "here", measured, p->metric == METRIC_CYCLES ? 0 : 2);
  fprintf(out, "<td class=\"%s\" data-l=\"ratio\" data-v=\"%.9g\">%.2f</td>",
          ratio >= 1 ? "up" : "down", ratio, ratio);
  fprintf(out, "<td data-l=\"published = mark\" data-v=\"%.9g\">", ratio);
  chart_ratio(out, ratio);
  fputs("</td>", out);
}

static void published_row(FILE *out, const struct bench_report *report, const struct bench_suite *s,
                          const struct bench_case *c, const struct bench_published *p) {
  char text[512];
  const struct bench_run *run = bench_report_find(report, s, c->name, p->cores);
  fputs("<tr>", out);
  text_cell(out, "kernel", "t", c->name);
  number_cell(out, "cores", p->cores, 0);
  snprintf(text, sizeof text, *p->to ? "%s to: %s" : "%s", bench_metric_title(p->metric), p->to);
  text_cell(out, "figure", "t", text);
  fprintf(out, "<td data-l=\"published\" data-v=\"%g\">%g</td>", p->value, p->value);
  ratio_cells(out, run, p, run ? published_measured(report, run, p) : 0);
  text_cell(out, "platform", "t", p->platform);
  snprintf(text, sizeof text, *p->note ? "%s; %s" : "%s", p->source, p->note);
  text_cell(out, "source", "t src", text);
  fputs("</tr>\n", out);
}

static void published_table(FILE *out, const struct bench_report *report,
                            const struct bench_suite *s) {
  static const char *const titles[] = {".kernel",           "cores",     ".figure",
                                       "published",         "here",      "ratio",
                                       ".published = mark", ".platform", ".source"};
  bool any = false;
  for (size_t i = 0; i < s->case_count; i++) {
    for (size_t j = 0; j < s->cases[i].published_count; j++) {
      if (!any) {
        fputs("<h3>Beside the published figures</h3>\n", out);
        head(out, titles, sizeof titles / sizeof *titles);
      }
      any = true;
      published_row(out, report, s, &s->cases[i], &s->cases[i].published[j]);
    }
  }
  if (any)
    fputs("</tbody></table>\n", out);
}

// ---------------------------------------------------------------- all runs

static void run_row(FILE *out, const struct bench_report *report, const struct bench_run *run) {
  char text[SUMMARY_NUMBER_SIZE];
  double peak = run_peak(run), reached = run_mac_per_clock(run);
  fputs("<tr>", out);
  text_cell(out, "kernel", "t", run->c->name);
  number_cell(out, "cores", run->cores, 0);
  if (run->status != RUN_OK) {
    fprintf(out, "<td class=\"%s\" colspan=\"9\" data-v=\"-1\" data-l=\"%s\">",
            run->status == RUN_FAILED ? "t failed" : "t absent", run_status_name(run->status));
    chart_text(out, run->status == RUN_FAILED ? run->result.message
                                              : "no such program in kernels/bench/list.txt");
    fputs("</td></tr>\n", out);
    return;
  }
  fprintf(out, "<td data-l=\"cycles\" data-v=\"%g\">%s</td>", (double)run->result.cycles,
          summary_number(run->result.cycles, text));
  number_cell(out, "MAC/clk", reached, 2);
  number_cell(out, "issue limit", run->c->limit * run->cores, 2);
  number_cell(out, "% of peak", peak > 0 ? 100 * reached / peak : 0, 0);
  number_cell(out, "MAC/byte", run_intensity(run), 2);
  number_cell(out, "L2 roof", run_roof(run), 1);
  number_cell(out, "speed-up", run_speedup(report, run), 2);
  number_cell(out, "IPC", run_ipc(run), 2);
  fprintf(out, "<td data-l=\"cycles by cause\" data-v=\"%.4f\">",
          (double)run->result.sum.stalls[0] / (double)run->result.sum.cycles);
  chart_stalls(out, run);
  fputs("</td></tr>\n", out);
}

static void run_table(FILE *out, const struct bench_report *report, const struct bench_suite *s) {
  static const char *const titles[] = {".kernel",     "cores",     "cycles",          "MAC/clk",
                                       "issue limit", "% of peak", "MAC/byte",        "L2 roof",
                                       "speed-up",    "IPC",       ".cycles by cause"};
  fputs("<h3>All runs</h3>\n<p class=\"key\">", out);
  for (unsigned g = 0; g < BENCH_GROUPS; g++)
    fprintf(out, "<span title=\"%s\"><i style=\"background:%s\"></i>%s</span>",
            bench_groups[g].meaning, bench_groups[g].colour, bench_groups[g].title);
  fputs("</p>\n", out);
  head(out, titles, sizeof titles / sizeof *titles);
  for (size_t i = 0; i < report->run_count; i++) {
    if (report->runs[i].suite == s)
      run_row(out, report, &report->runs[i]);
  }
  fputs("</tbody></table>\n", out);
}

// ---------------------------------------------------------------- the page

static void tile(FILE *out, unsigned long count, const char *what) {
  fprintf(out, "<div><b>%lu</b>%s</div>", count, what);
}

static void tiles(FILE *out, const struct bench_report *report) {
  unsigned long figures = 0, beside = 0, reached = 0, absent = 0;
  for (size_t i = 0; i < report->run_count; i++) {
    const struct bench_run *run = &report->runs[i];
    absent += run->status == RUN_ABSENT;
    for (size_t j = 0; j < run->c->published_count; j++) {
      const struct bench_published *p = &run->c->published[j];
      double ratio = published_ratio(p, published_measured(report, run, p));
      if (p->cores != run->cores)
        continue;
      figures++;
      beside += ratio > 0;
      reached += ratio >= 1;
    }
  }
  fputs("<div class=\"tiles\">", out);
  tile(out, report->run_count, "runs");
  tile(out, bench_report_failures(report), "failed");
  tile(out, absent, "not yet available");
  tile(out, figures, "published figures");
  tile(out, beside, "measured beside them");
  tile(out, reached, "reached or passed");
  fputs("</div>\n", out);
}

bool report_html(FILE *out, const struct bench_report *report) {
  fprintf(
      out,
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>pulpsim: benchmark "
      "report</title><style>%s</style></head><body>\n<h1>Benchmark report</h1>\n"
      "<p>What the kernels reach on the simulated machines, beside what was published. MAC/clk "
      "counts "
      "useful MACs, by the layer's shape. Ratio: above 1 is better here. Issue limit: what the "
      "inner loop's instructions allow. L2 roof: what could be reached if every tensor passed "
      "the port between L1 and L2 once. Speed-up: against one core of the same machine. "
      "Simulator " PULPSIM_VERSION ". Click a column's title to sort.</p>\n",
      style);
  tiles(out, report);
  fputs("<nav>", out);
  for (size_t i = 0; i < report->suite_count; i++) {
    fprintf(out, "<a href=\"#%s\">", report->suites[i].id);
    chart_text(out, report->suites[i].title);
    fputs("</a>", out);
  }
  fputs("</nav>\n", out);
  for (size_t i = 0; i < report->suite_count; i++) {
    const struct bench_suite *s = &report->suites[i];
    fprintf(out, "<section><h2 id=\"%s\">", s->id);
    chart_text(out, s->title);
    fputs("</h2>\n<p>", out);
    chart_text(out, s->about);
    fputs("</p>\n", out);
    published_table(out, report, s);
    chart_roofline(out, report, s);
    run_table(out, report, s);
    fputs("</section>\n", out);
  }
  fprintf(out, "<script>%s</script></body></html>\n", script);
  return !ferror(out);
}
