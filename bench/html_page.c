// bench/html_page.c: what stands before the suites of the HTML report, and behind them.
#include <string.h>

#include "bench/chart.h"
#include "bench/groups.h"
#include "bench/html.h"
#include "bench/mark.h"
#include "bench/measure.h"
#include "sim/config.h"

// ---------------------------------------------------------------- all published figures

static const double LOW = 0.4, HIGH = 16;

static void scale_lines(FILE *out, bool names) {
  static const struct {
    double ratio;
    const char *name;
  } marks[] = {{0.5, "1/2"}, {1, "published"}, {2, "2 ×"}, {4, "4 ×"}, {8, "8 ×"}};
  for (unsigned i = 0; i < sizeof marks / sizeof *marks; i++) {
    double place = chart_ratio_place(marks[i].ratio, LOW, HIGH);
    if (names)
      fprintf(out, "<u style=\"left:%.1f%%\">%s</u>", place, marks[i].name);
    else
      fprintf(out, "<b%s style=\"left:%.1f%%\"></b>",
              strcmp(marks[i].name, "published") ? "" : " class=\"one\"", place);
  }
}

static unsigned dots(FILE *out, const struct bench_report *report, const struct bench_suite *s) {
  unsigned count = 0;
  for (size_t i = 0; i < s->case_count; i++) {
    const struct bench_case *c = &s->cases[i];
    for (size_t j = 0; j < c->published_count; j++) {
      const struct bench_published *p = &c->published[j];
      const struct bench_run *run = bench_report_find(report, s, c->name, p->measure.cores);
      double ratio = measured_ratio(&p->measure, p->value, run_measured(report, run, &p->measure));
      if (ratio <= 0)
        continue;
      if (!count++) {
        fputs("<span>", out);
        html_text(out, s->title);
        fputs("</span><div>", out);
        scale_lines(out, false);
      }
      char apart[512];
      bool alike = !*published_apart(c, p, apart, sizeof apart);
      fprintf(out, "<i class=\"%s%s\" style=\"left:%.1f%%\" title=\"",
              ratio >= 1 ? "better" : "worse", alike ? "" : " apart",
              chart_ratio_place(ratio, LOW, HIGH));
      html_text(out, c->name);
      fprintf(out, ": %.2f of the published figure%s", ratio, alike ? "" : "; ");
      html_text(out, apart);
      fputs("\"></i>", out);
    }
  }
  if (count)
    fputs("</div>\n", out);
  return count;
}

void html_overview(FILE *out, const struct bench_report *report) {
  unsigned count = 0;
  for (size_t i = 0; i < report->suite_count; i++) {
    for (size_t j = 0; j < report->suites[i].case_count; j++)
      count += report->suites[i].cases[j].published_count > 0;
  }
  if (!count)
    return;
  fputs("<h3>Measured here over published, one dot per figure</h3>\n<p class=\"note\">Hollow: a "
        "figure of another scope (an average, transfers included) or of another machine; touch it "
        "for what differs.</p>\n<div class=\"strip\">",
        out);
  for (size_t i = 0; i < report->suite_count; i++)
    dots(out, report, &report->suites[i]);
  fputs("<span></span><div style=\"border:0\">", out);
  scale_lines(out, true);
  fputs("</div></div>\n", out);
}

// ---------------------------------------------------------------- how to read it

static const struct {
  const char *term, *meaning;
} terms[] = {
    {"MAC/clk", "useful multiply-accumulates, by the layer's shape, never executed ones, per cycle "
                "of the cluster"},
    {"cycles",
     "from the first core's entry to the last core's exit, final barrier included; second "
     "call, so that the instruction caches are filled; data in L1 unless said"},
    {"ratio", "measured over published, for cycles the inverse: above 1 is better here"},
    {"issue limit", "what the instructions of the inner loop allow if every one takes one cycle"},
    {"peak", "what the multipliers or float units of all cores can do on this type"},
    {"L2 roof", "the peak, or less if every tensor passing the port between L1 and L2 once would "
                "take longer"},
    {"speed-up", "against one core of the same machine"},
    {"IPC", "instructions per cycle and core"},
    {UNVERIFIED_MARK, "depends on a value of the machine that is unverified; touch it for which"},
};

static bool is_first_of_machine(const struct bench_report *report, size_t index) {
  for (size_t i = 0; i < index; i++) {
    if (strcmp(report->runs[i].c->machine, report->runs[index].c->machine) == 0)
      return false;
  }
  return true;
}

static void machine_row(FILE *out, const char *name) {
  struct pulpsim_error error;
  struct pulpsim_config *c = pulpsim_config_new(name, &error);
  if (!c)
    return;
  fputs("<tr>", out);
  html_cell(out, "machine", "t name", name);
  html_number(out, "cores", c->cluster_cores, 0);
  html_cell(out, "core", "t", c->core_model == CONFIG_MODEL_RI5CY ? "RI5CY" : "CV32E40P");
  html_number(out, "L1, kB", c->cluster_tcdm_size / 1024.0, 0);
  html_number(out, "banks", c->cluster_tcdm_banks, 0);
  html_cell(out, "float units", "t",
            !c->core_fpu_present                              ? "none"
            : c->cluster_fpu_sharing == CONFIG_SHARING_SHARED ? "shared"
                                                              : "private");
  html_cell(out, "4- and 2-bit SIMD", "t", c->core_xpulpnn ? "XpulpNN" : "no");
  if (c->cluster_icache_model == CONFIG_ICACHE_HIER) {
    html_number(out, "icache per core, B", c->cluster_icache_private_size, 0);
    html_number(out, "shared, kB", c->cluster_icache_shared_size / 1024.0, 0);
  } else {
    fputs("<td data-l=\"icache per core, B\" data-v=\"0\">ideal</td><td class=\"empty\"></td>",
          out);
  }
  html_number(out, "L2 latency", c->l2_latency, 0);
  html_number(out, "L2 port, B/clk", c->l2_port_bytes, 0);
  fputs("</tr>\n", out);
  pulpsim_config_free(c);
}

static void machines(FILE *out, const struct bench_report *report) {
  static const char *const titles[] = {".machine",
                                       "cores",
                                       ".core",
                                       "L1, kB",
                                       "banks",
                                       ".float units",
                                       ".4- and 2-bit SIMD",
                                       "icache per core, B",
                                       "shared, kB",
                                       "L2 latency",
                                       "L2 port, B/clk"};
  fputs("<h3>Machines</h3>\n<p class=\"note\">As configured, before a case changes the cores or a "
        "setting.</p>\n",
        out);
  html_head(out, "cards", titles, sizeof titles / sizeof *titles);
  for (size_t i = 0; i < report->run_count; i++) {
    if (is_first_of_machine(report, i))
      machine_row(out, report->runs[i].c->machine);
  }
  fputs("</tbody></table></div>\n", out);
}

void html_method(FILE *out, const struct bench_report *report) {
  fputs("<section><h2 id=\"method\">How to read it</h2>\n<dl>", out);
  for (unsigned i = 0; i < sizeof terms / sizeof *terms; i++)
    fprintf(out, "<dt>%s</dt><dd>%s</dd>\n", terms[i].term, terms[i].meaning);
  fputs("</dl>\n<h3>Cycles by cause</h3>\n<dl class=\"key\">", out);
  for (unsigned g = 0; g < BENCH_GROUPS; g++)
    fprintf(out, "<dt><i style=\"background:%s\"></i>%s</dt><dd>%s</dd>\n", bench_groups[g].colour,
            bench_groups[g].title, bench_groups[g].meaning);
  fputs("</dl>\n", out);
  machines(out, report);
  fputs("</section>\n", out);
}
