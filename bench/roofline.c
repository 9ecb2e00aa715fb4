// bench/roofline.c: the roofline plot. Sizes are in the picture's own units; CSS scales it.
#include <math.h>
#include <string.h>

#include "bench/chart.h"
#include "bench/html.h"

enum { WIDTH = 640, HEIGHT = 360, LEFT = 48, RIGHT = 12, TOP = 12, BOTTOM = 40 };

struct axes {
  double x_low, x_high, y_low, y_high; // powers of two, as exponents
};

static double x_of(const struct axes *a, double intensity) {
  return LEFT + (log2(intensity) - a->x_low) / (a->x_high - a->x_low) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct axes *a, double mac_per_clock) {
  double part = (log2(mac_per_clock) - a->y_low) / (a->y_high - a->y_low);
  return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
}

static bool is_shown(const struct bench_run *run, const struct bench_suite *suite) {
  const struct bench_table_spec *table = bench_suite_table(suite, run->c->table);
  return run->suite == suite && !(table && table->fold) &&
         run->cores == run->c->core_count[run->c->core_counts - 1] && run_mac_per_clock(run) > 0 &&
         run_intensity(run) > 0 && run_peak(run) > 0;
}

static bool choose_axes(struct axes *a, const struct bench_report *report,
                        const struct bench_suite *suite) {
  bool any = false;
  *a = (struct axes){20, -20, 20, -20};
  for (size_t i = 0; i < report->run_count; i++) {
    const struct bench_run *run = &report->runs[i];
    if (!is_shown(run, suite))
      continue;
    any = true;
    a->x_low = fmin(a->x_low, floor(log2(run_intensity(run)) - 0.2));
    a->x_high = fmax(a->x_high, ceil(log2(run_intensity(run)) + 0.2));
    a->y_low = fmin(a->y_low, floor(log2(run_mac_per_clock(run)) - 0.2));
    a->y_high = fmax(a->y_high, ceil(log2(run_peak(run)) + 0.2));
  }
  return any;
}

static void draw_grid(FILE *out, const struct axes *a) {
  for (int e = (int)a->x_low; e <= (int)a->x_high; e++) { // the ends are whole numbers
    double x = x_of(a, exp2(e));
    fprintf(out,
            "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/><text x=\"%.1f\" "
            "y=\"%d\" text-anchor=\"middle\">%g</text>",
            x, x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 15, exp2(e));
  }
  for (int e = (int)a->y_low; e <= (int)a->y_high; e++) {
    double y = y_of(a, exp2(e));
    fprintf(out,
            "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"%d\" "
            "y=\"%.1f\" text-anchor=\"end\">%g</text>",
            LEFT, WIDTH - RIGHT, y, y, LEFT - 5, y + 4, exp2(e));
  }
  fprintf(out,
          "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">useful MAC per byte of the layer's "
          "tensors</text><text transform=\"translate(12 %d) rotate(-90)\" "
          "text-anchor=\"middle\">MAC/clk</text>",
          (WIDTH + LEFT) / 2, HEIGHT - 6, (HEIGHT - BOTTOM) / 2);
}

// The roof of one machine: up the slope of the port, then level at the peak.
static void draw_roof(FILE *out, const struct axes *a, double peak, double port) {
  double low = fmax(a->x_low, a->y_low - log2(port)), ridge = peak / port;
  double x = fmin(fmax(log2(ridge), a->x_low), a->x_high);
  fputs("<polyline class=\"roof\" points=\"", out);
  if (log2(ridge) > low)
    fprintf(out, "%.1f,%.1f ", x_of(a, exp2(low)), y_of(a, port * exp2(low)));
  fprintf(out, "%.1f,%.1f %d,%.1f\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">peak %g</text>",
          x_of(a, exp2(x)), y_of(a, fmin(peak, port * exp2(x))), WIDTH - RIGHT, y_of(a, peak),
          WIDTH - RIGHT - 4, y_of(a, peak) - 4, peak);
}

// Each peak once.
static bool is_first_peak(const struct bench_report *report, size_t index) {
  const struct bench_run *run = &report->runs[index];
  for (size_t i = 0; i < index; i++) {
    const struct bench_run *other = &report->runs[i];
    if (is_shown(other, run->suite) && run_peak(other) >= run_peak(run) &&
        run_peak(other) <= run_peak(run) &&
        other->result.machine.port_bytes == run->result.machine.port_bytes)
      return false;
  }
  return true;
}

// The same measurement under another name.
static bool is_twin(const struct bench_report *report, size_t index) {
  const struct bench_run *run = &report->runs[index];
  for (size_t i = 0; i < index; i++) {
    if (is_shown(&report->runs[i], run->suite) && report->runs[i].key == run->key)
      return true;
  }
  return false;
}

// Numbers beside the dots, each at the first of some places that is free of dots and numbers.
enum { MAX_DOTS = 128, LABEL_WIDTH = 14, LABEL_HEIGHT = 10 };
struct places {
  double x[2 * MAX_DOTS], y[2 * MAX_DOTS]; // centres
  unsigned count;
};

static bool is_free(const struct places *p, double x, double y) {
  for (unsigned i = 0; i < p->count; i++) {
    if (fabs(p->x[i] - x) < LABEL_WIDTH && fabs(p->y[i] - y) < LABEL_HEIGHT)
      return false;
  }
  return true;
}

static void take(struct places *p, double x, double y) {
  if (p->count < 2 * MAX_DOTS) {
    p->x[p->count] = x;
    p->y[p->count++] = y;
  }
}

static void draw_label(FILE *out, struct places *p, double x, double y, unsigned number) {
  static const double offsets[][2] = {{14, 0},    {-14, 0}, {0, -12},  {0, 12},   {14, -11},
                                      {-14, -11}, {14, 11}, {-14, 11}, {28, 0},   {-28, 0},
                                      {28, -11},  {28, 11}, {0, 23},   {0, -23},  {14, 22},
                                      {-14, 22},  {28, 22}, {-28, 22}, {28, -22}, {-28, -22}};
  enum { OFFSETS = sizeof offsets / sizeof *offsets };
  unsigned i = 0;
  while (i < OFFSETS - 1 && !is_free(p, x + offsets[i][0], y + offsets[i][1]))
    i++;
  double at_x = x + offsets[i][0], at_y = y + offsets[i][1];
  take(p, at_x, at_y);
  if (i >= 8) // far from its dot
    fprintf(out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", x, y,
            at_x, at_y);
  fprintf(out, "<text class=\"dotname\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%u</text>",
          at_x, at_y + 4, number);
}

static void draw_dots(FILE *out, const struct axes *a, const struct bench_report *report,
                      const struct bench_suite *suite) {
  struct places places = {.count = 0};
  unsigned number = 0;
  for (size_t i = 0; i < report->run_count; i++) {
    const struct bench_run *run = &report->runs[i];
    if (!is_shown(run, suite) || is_twin(report, i))
      continue;
    double x = x_of(a, run_intensity(run)), y = y_of(a, run_mac_per_clock(run));
    fprintf(out, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"><title>", x, y);
    html_text(out, run->c->name);
    fprintf(out, ": %.2f MAC/clk</title></circle>", run_mac_per_clock(run));
    take(&places, x, y);
  }
  for (size_t i = 0; i < report->run_count; i++) {
    const struct bench_run *run = &report->runs[i];
    if (is_shown(run, suite) && !is_twin(report, i))
      draw_label(out, &places, x_of(a, run_intensity(run)), y_of(a, run_mac_per_clock(run)),
                 ++number);
  }
}

// The names to the numbers.
static void list_dots(FILE *out, const struct bench_report *report,
                      const struct bench_suite *suite) {
  fputs("<ol class=\"dots\">", out);
  for (size_t i = 0; i < report->run_count; i++) {
    const struct bench_run *run = &report->runs[i];
    if (!is_shown(run, suite) || is_twin(report, i))
      continue;
    fputs("<li>", out);
    html_text(out, run->c->name);
    fprintf(out, ", %u core%s: %.2f of %g</li>", run->cores, run->cores == 1 ? "" : "s",
            run_mac_per_clock(run), run_peak(run));
  }
  fputs("</ol>", out);
}

void chart_roofline(FILE *out, const struct bench_report *report, const struct bench_suite *suite) {
  struct axes a;
  if (!choose_axes(&a, report, suite))
    return;
  fprintf(out,
          "<h3>Roofline</h3>\n<figure><svg class=\"plot roofline\" viewBox=\"0 0 %d %d\" "
          "role=\"img\" aria-label=\"roofline\">",
          WIDTH, HEIGHT);
  draw_grid(out, &a);
  for (size_t i = 0; i < report->run_count; i++) {
    if (is_shown(&report->runs[i], suite) && is_first_peak(report, i))
      draw_roof(out, &a, run_peak(&report->runs[i]), report->runs[i].result.machine.port_bytes);
  }
  draw_dots(out, &a, report, suite);
  fputs("</svg><figcaption>Each dot is a kernel on its largest number of cores. Level: what the "
        "multipliers or float units can do. Slope: what the port between L1 and L2 delivers if "
        "every tensor passes it once; these kernels find their data in L1, so they may stand above "
        "it.</figcaption>",
        out);
  list_dots(out, report, suite);
  fputs("</figure>\n", out);
}
