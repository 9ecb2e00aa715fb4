// bench/chart.c: pictures in cells, and lines. Sizes are in the pictures' own units; CSS scales
// them.
#include "bench/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/groups.h"
#include "bench/html.h"

double chart_ratio_place(double ratio, double low, double high) {
  double place = 100 * log2(ratio / low) / log2(high / low);
  return place < 0 ? 0 : place > 100 ? 100 : place;
}

void chart_ratio(FILE *out, double ratio) {
  double one = chart_ratio_place(1, 0.5, 4), end = chart_ratio_place(ratio, 0.5, 4);
  fprintf(out,
          "<svg class=\"cell ratio\" viewBox=\"0 0 100 12\" preserveAspectRatio=\"none\" "
          "role=\"img\" aria-label=\"%.2f of the published figure\"><rect class=\"band\" "
          "width=\"100\" height=\"12\"/><rect class=\"%s\" x=\"%.1f\" width=\"%.1f\" y=\"1\" "
          "height=\"10\"/><line class=\"mark\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"12\"/></svg>",
          ratio, ratio >= 1 ? "better" : "worse", end < one ? end : one, fabs(end - one), one, one);
}

static void mark(FILE *out, const char *class, double value, double scale) {
  double x = 100 * value / scale;
  if (value > 0 && x <= 100)
    fprintf(out, "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"12\"/>", class, x, x);
}

void chart_target(FILE *out, const struct bench_case *c, const struct bench_target *t,
                  double measured, double limit) {
  double most = fmax(fmax(measured, limit), fmax(t->bar, t->goal));
  double scale = 1.04 * most; // published cycle counts may lie far beyond it
  fprintf(out, "<svg class=\"cell target\" viewBox=\"0 0 100 12\" preserveAspectRatio=\"none\" "
               "role=\"img\" aria-label=\"measured, limit, published, first bar, goal\">");
  if (limit > 0)
    fprintf(out, "<rect class=\"band\" width=\"%.1f\" height=\"12\"/>", 100 * limit / scale);
  fprintf(out, "<rect class=\"here\" y=\"3\" width=\"%.1f\" height=\"6\"/>",
          100 * measured / scale);
  for (size_t i = 0; i < c->published_count; i++) {
    const struct bench_measure *m = &c->published[i].measure;
    if (m->metric == t->measure.metric && m->cores == t->measure.cores)
      mark(out, "mark", c->published[i].value, scale);
  }
  mark(out, "mark-bar", t->bar, scale);
  mark(out, "mark-goal", t->goal, scale);
  fputs("</svg>", out);
}

void chart_stalls(FILE *out, const struct bench_run *run) {
  double share[BENCH_GROUPS], x = 0;
  bench_group_shares(&run->result.sum, share);
  fputs("<svg class=\"cell stack\" viewBox=\"0 0 100 12\" preserveAspectRatio=\"none\" "
        "role=\"img\" aria-label=\"cycles by cause\">",
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

// ---------------------------------------------------------------- lines

enum { WIDTH = 640, HEIGHT = 280, LEFT = 40, RIGHT = 190, TOP = 10, BOTTOM = 26, LABEL = 12 };

static const char *const colours[] = {"#4e79a7", "#e15759", "#59a14f", "#b07aa1",
                                      "#d9822b", "#2a9d8f", "#8c6d31", "#7f7f7f"};

static double speed(const struct matrix *m, unsigned row, unsigned column) {
  double latency = matrix_latency(m, row, column);
  return latency > 0 ? 1 / latency : 0;
}

// What the lines are drawn on. Numbers of cores have logarithmic scales both ways, on which the
// ideal line is straight.
struct plane {
  double least, most; // of the columns' cores; 0: the columns stand side by side
  double top;         // of the speed
};

// Of a column such as "8 cores"; 0: it is none.
static double cores_of(const char *column) {
  char *end;
  double cores = strtod(column, &end);
  return end > column && strncmp(end, " core", 5) == 0 && cores >= 1 ? cores : 0;
}

static struct plane plane_of(const struct matrix *m) {
  struct plane p = {.least = cores_of(m->column[0]), .most = cores_of(m->column[0])};
  for (unsigned c = 0; c < m->columns; c++) {
    double cores = cores_of(m->column[c]);
    p.least = fmin(p.least, cores);
    p.most = fmax(p.most, cores);
    for (unsigned r = 0; r < m->rows; r++)
      p.top = fmax(p.top, speed(m, r, c));
  }
  if (p.least <= 0 || p.most <= p.least || strcmp(m->column[0], m->spec->base_column) != 0)
    p.least = p.most = 0;
  p.top = p.least > 0 ? fmax(p.most / p.least, p.top) : 1.05 * p.top;
  return p;
}

static double x_of(const struct matrix *m, const struct plane *p, unsigned column) {
  double width = WIDTH - LEFT - RIGHT;
  if (p->least > 0)
    return LEFT + width * log2(cores_of(m->column[column]) / p->least) / log2(p->most / p->least);
  return LEFT + width * (column + 0.5) / m->columns;
}

static double y_of(const struct plane *p, double value) {
  double part = p->least > 0 ? log2(value) / log2(p->top) : value / p->top;
  return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * fmax(part, 0);
}

// The step of the scale: 1, 2 or 5 times a power of ten, so that there are at most six.
static double scale_step(double top) {
  double step = pow(10, floor(log10(top)) - 1);
  while (top / step > 6)
    step *= top / (2 * step) <= 6 ? 2 : top / (5 * step) <= 6 ? 5 : 10;
  return step;
}

static void draw_level(FILE *out, const struct plane *p, double value) {
  double y = y_of(p, value);
  fprintf(out,
          "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"%d\" "
          "y=\"%.1f\" text-anchor=\"end\">%g</text>",
          LEFT, WIDTH - RIGHT, y, y, LEFT - 5, y + 4, value);
}

static void draw_scale(FILE *out, const struct matrix *m, const struct plane *p) {
  double step = scale_step(p->top);
  for (unsigned i = 0; p->least <= 0 && i * step <= p->top; i++)
    draw_level(out, p, i * step);
  for (double level = 1; p->least > 0 && level <= p->top; level *= 2)
    draw_level(out, p, level);
  if (p->least > 0)
    fprintf(out,
            "<path class=\"ideal\" d=\"M%d,%.1f L%d,%.1f\"/><text x=\"%d\" y=\"%.1f\" "
            "text-anchor=\"end\">ideal</text>",
            LEFT, y_of(p, 1), WIDTH - RIGHT, y_of(p, p->most / p->least), WIDTH - RIGHT - 34,
            y_of(p, p->most / p->least) + 12);
  for (unsigned c = 0; c < m->columns; c++) {
    fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x_of(m, p, c), HEIGHT - 8);
    html_text(out, m->column[c]);
    fputs("</text>", out);
  }
}

// The row not yet done whose line ends highest.
static unsigned highest(const struct matrix *m, const bool *done) {
  unsigned best = 0;
  double most = -1;
  for (unsigned r = 0; r < m->rows; r++) {
    double end = speed(m, r, m->columns - 1);
    if (!done[r] && end > most) {
      best = r;
      most = end;
    }
  }
  return best;
}

// Names at the lines' ends, highest first, none closer to the one above than a line of text.
static void draw_names(FILE *out, const struct matrix *m, const struct plane *p) {
  bool done[MATRIX_ROWS] = {false};
  double last = -LABEL;
  for (unsigned n = 0; n < m->rows; n++) {
    unsigned row = highest(m, done);
    done[row] = true;
    last = fmax(last + LABEL, y_of(p, speed(m, row, m->columns - 1)));
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" style=\"fill:%s\">", x_of(m, p, m->columns - 1) + 9,
            last + 4, colours[row % (sizeof colours / sizeof *colours)]);
    html_text(out, m->row[row]);
    fputs("</text>", out);
  }
}

static void draw_line(FILE *out, const struct matrix *m, unsigned row, const struct plane *p) {
  const char *colour = colours[row % (sizeof colours / sizeof *colours)];
  fprintf(out, "<polyline class=\"series\" stroke=\"%s\" points=\"", colour);
  for (unsigned c = 0; c < m->columns; c++) {
    if (speed(m, row, c) > 0)
      fprintf(out, "%.1f,%.1f ", x_of(m, p, c), y_of(p, speed(m, row, c)));
  }
  fputs("\"/>", out);
  for (unsigned c = 0; c < m->columns; c++) {
    if (speed(m, row, c) > 0)
      fprintf(out, "<circle class=\"point\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>",
              x_of(m, p, c), y_of(p, speed(m, row, c)), colour);
  }
}

void chart_lines(FILE *out, const struct matrix *m) {
  if (!*m->spec->base_column || m->columns < 2)
    return;
  const struct plane p = plane_of(m);
  if (p.top <= 0)
    return;
  fprintf(out,
          "<figure><svg class=\"plot lines\" viewBox=\"0 0 %d %d\" role=\"img\" "
          "aria-label=\"speed over %s\">",
          WIDTH, HEIGHT, m->spec->columns);
  draw_scale(out, m, &p);
  for (unsigned r = 0; r < m->rows; r++)
    draw_line(out, m, r, &p);
  draw_names(out, m, &p);
  fputs("</svg><figcaption>Speed relative to the first of the scale: ", out);
  html_text(out, m->spec->base_column);
  fputs(p.least > 0 ? "; both scales are logarithmic.</figcaption></figure>\n"
                    : ".</figcaption></figure>\n",
        out);
}
