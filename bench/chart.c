// bench/chart.c: pictures as inline SVG. Sizes are in the pictures' own units; CSS scales them.
#include "bench/chart.h"

#include <math.h>

#include "bench/groups.h"

void chart_text(FILE *out, const char *text) {
  for (; *text; text++) {
    switch (*text) {
    case '&':
      fputs("&amp;", out);
      break;
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    default:
      fputc(*text, out);
    }
  }
}

// The scale ends at 2.5 times the published figure; longer bars are cut, the number says it all.
void chart_ratio(FILE *out, double ratio) {
  double width = ratio > 2.5 ? 100 : ratio * 40;
  fprintf(out,
          "<svg class=\"bar\" viewBox=\"0 0 100 12\" preserveAspectRatio=\"none\" role=\"img\" "
          "aria-label=\"%.2f of the published figure\"><rect class=\"%s\" width=\"%.1f\" "
          "height=\"12\"/><line class=\"mark\" x1=\"40\" x2=\"40\" y1=\"0\" y2=\"12\"/></svg>",
          ratio, ratio >= 1 ? "better" : "worse", width);
}

void chart_stalls(FILE *out, const struct bench_run *run) {
  double share[BENCH_GROUPS], x = 0;
  bench_group_shares(&run->result.sum, share);
  fputs("<svg class=\"stack\" viewBox=\"0 0 100 12\" preserveAspectRatio=\"none\" role=\"img\">",
        out);
  for (unsigned g = 0; g < BENCH_GROUPS; g++) {
    if (share[g] <= 0)
      continue;
    fprintf(out,
            "<rect x=\"%.2f\" width=\"%.2f\" height=\"12\" fill=\"%s\"><title>%s %.1f %%</title>"
            "</rect>",
            100 * x, 100 * share[g], bench_groups[g].colour, bench_groups[g].title, 100 * share[g]);
    x += share[g];
  }
  fputs("</svg>", out);
}

// ---------------------------------------------------------------- roofline

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
  return run->suite == suite && run->cores == run->c->core_count[run->c->core_counts - 1] &&
         run_mac_per_clock(run) > 0 && run_intensity(run) > 0 && run_peak(run) > 0;
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
  fprintf(out, "<polyline class=\"roof\" points=\"");
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

void chart_roofline(FILE *out, const struct bench_report *report, const struct bench_suite *suite) {
  struct axes a;
  if (!choose_axes(&a, report, suite))
    return;
  fprintf(out,
          "<figure><svg class=\"roofline\" viewBox=\"0 0 %d %d\" role=\"img\" "
          "aria-label=\"roofline\">",
          WIDTH, HEIGHT);
  draw_grid(out, &a);
  for (size_t i = 0; i < report->run_count; i++) {
    const struct bench_run *run = &report->runs[i];
    if (!is_shown(run, suite))
      continue;
    if (is_first_peak(report, i))
      draw_roof(out, &a, run_peak(run), run->result.machine.port_bytes);
    fprintf(out, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"><title>",
            x_of(&a, run_intensity(run)), y_of(&a, run_mac_per_clock(run)));
    chart_text(out, run->c->name);
    fprintf(out, ": %.2f MAC/clk</title></circle>", run_mac_per_clock(run));
  }
  fputs("</svg><figcaption>Roofline: each dot is a kernel on its largest number of cores (touch it "
        "for the "
        "name). Slope: what the port between L1 and L2 delivers if every tensor passes it once. "
        "The kernels measured here find their data in L1, so they may stand above the "
        "slope.</figcaption></figure>\n",
        out);
}
