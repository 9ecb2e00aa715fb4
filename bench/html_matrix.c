// bench/html_matrix.c: the tables by row and column.
#include "bench/chart.h"
#include "bench/groups.h"
#include "bench/html.h"
#include "bench/matrix.h"
#include "sim/summary.h"

static void number(FILE *out, const struct matrix *m, double value) {
  char text[SUMMARY_NUMBER_SIZE];
  if (m->spec->show == SHOW_CYCLES)
    fputs(summary_number((uint64_t)value, text), out);
  else
    fprintf(out, "%.2f", value);
}

static void small_text(FILE *out, const struct matrix *m, unsigned row, unsigned column) {
  double latency = matrix_latency(m, row, column), mac = run_mac_per_clock(m->cell[row][column]);
  fputs("<small>", out);
  if (m->spec->show != SHOW_MAC_PER_CLOCK && mac > 0)
    fprintf(out, "%.2f MAC/clk%s", mac, m->spec->show != SHOW_LATENCY ? ", " : "");
  if (m->spec->show != SHOW_LATENCY && latency > 0)
    fprintf(out, "%.2f ×", 1 / latency);
  fputs("</small>", out);
}

static void cell(FILE *out, const struct matrix *m, unsigned row, unsigned column) {
  const struct bench_run *run = m->cell[row][column];
  double value = matrix_value(m, row, column);
  if (!run || value <= 0) {
    fprintf(out, "<td data-v=\"-1\" class=\"%s\">%s</td>",
            run && run->status == RUN_FAILED ? "failed" : "absent",
            !run                        ? ""
            : run->status == RUN_FAILED ? "failed"
            : run->status == RUN_ABSENT ? "not yet"
                                        : "-");
    return;
  }
  char losses[256];
  bench_group_losses(&run->result.sum, 4, losses, sizeof losses);
  fprintf(out, "<td class=\"v%s\" data-v=\"%.9g\" style=\"--heat:%.0f\" title=\"",
          matrix_is_best(m, row, column) ? " best" : "", value, 60 * matrix_share(m, row, column));
  html_text(out, run->c->name);
  fprintf(out, ", %u core%s: %llu cycles; %s\">", run->cores, run->cores == 1 ? "" : "s",
          (unsigned long long)run->result.cycles, losses);
  number(out, m, value);
  html_mark(out, run);
  small_text(out, m, row, column);
  fputs("</td>", out);
}

static void matrix(FILE *out, const struct bench_report *report, const struct bench_suite *suite,
                   const struct bench_table_spec *spec) {
  static const char *const large[] = {
      "useful MAC/clk", "cycles", "cycles over those of the base, lower is better", "milliseconds"};
  struct matrix m;
  matrix_read(&m, report, suite, spec);
  fputs("<h3>", out);
  html_text(out, spec->name);
  fputs("</h3>\n<p class=\"note\">", out);
  html_text(out, spec->about);
  fprintf(out,
          " Large: %s. Touch a cell for what its cores waited for.</p>\n<div class=\"wide\"><table "
          "class=\"matrix\"><thead><tr><th class=\"t\">",
          large[spec->show]);
  html_text(out, spec->rows);
  if (*spec->columns) {
    fputs(" \\ ", out);
    html_text(out, spec->columns);
  }
  fputs("</th>", out);
  for (unsigned c = 0; c < m.columns; c++) {
    fputs("<th>", out);
    html_text(out, m.column[c]);
    fputs("</th>", out);
  }
  fputs("</tr></thead><tbody>\n", out);
  for (unsigned r = 0; r < m.rows; r++) {
    fputs("<tr><td class=\"t\">", out);
    html_text(out, m.row[r]);
    fputs("</td>", out);
    for (unsigned c = 0; c < m.columns; c++)
      cell(out, &m, r, c);
    fputs("</tr>\n", out);
  }
  fputs("</tbody></table></div>\n", out);
  if (spec->chart)
    chart_lines(out, &m);
  matrix_free(&m);
}

void html_matrices(FILE *out, const struct bench_report *report, const struct bench_suite *suite) {
  for (size_t i = 0; i < suite->table_count; i++)
    matrix(out, report, suite, &suite->tables[i]);
}
