// bench/html_fronts.c: accuracy over bytes and over cycles, with one scale of weights a layer and
// one a channel.
#include <math.h>

#include "bench/html.h"
#include "bench/unverified.h"
#include "sim/summary.h"

enum { WIDTH = 340, HEIGHT = 240, LEFT = 48, TOP = 14, GAP = 62, BELOW = 40, TICKS = 4 };

// A network's points, and the ranges of what is drawn.
struct view {
  const struct front_point *points;
  size_t count;
  double low[2], high[2]; // bytes, cycles
  double least, best;     // percent
};

static const char *const colours[] = {"#ee7733", "#4477aa"}; // a layer, a channel

static double value_of(const struct front_point *p, unsigned which) {
  return which == 0 ? (double)p->bytes : (double)p->cycles;
}

// What is far below the best is cut.
static struct view view_of(const struct front_point *points, size_t count) {
  enum { MOST_BELOW = 20 };
  struct view v = {points, count, {INFINITY, INFINITY}, {0, 0}, 100, 0};
  for (size_t i = 0; i < count; i++) {
    for (unsigned which = 0; which < 2; which++) {
      v.low[which] = fmin(v.low[which], value_of(&points[i], which));
      v.high[which] = fmax(v.high[which], value_of(&points[i], which));
    }
    v.least = fmin(v.least, front_accuracy(&points[i]));
    v.best = fmax(v.best, front_accuracy(&points[i]));
  }
  for (unsigned which = 0; which < 2; which++) {
    double edge = (v.high[which] - v.low[which]) * 0.06 + 1;
    v.low[which] -= edge, v.high[which] += edge;
  }
  v.least = fmin(fmax(v.least, v.best - MOST_BELOW), v.best - 1);
  return v;
}

static double x_of(const struct view *v, unsigned which, double value) {
  double part = (value - v->low[which]) / (v->high[which] - v->low[which]);
  return LEFT + which * (WIDTH + GAP) + WIDTH * part;
}

static double y_of(const struct view *v, double accuracy) {
  return TOP + HEIGHT * (v->best - fmax(accuracy, v->least)) / (v->best - v->least);
}

static void axes(FILE *out, const struct view *v, unsigned which) {
  static const char *const titles[] = {"kilobytes of weights and parameters", "thousand cycles"};
  int left = LEFT + (int)which * (WIDTH + GAP);
  for (int i = 0; i <= TICKS; i++) {
    double value = v->low[which] + i * (v->high[which] - v->low[which]) / TICKS;
    double accuracy = v->least + i * (v->best - v->least) / TICKS;
    fprintf(out,
            "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.1f</text>"
            "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>",
            left, left + WIDTH, y_of(v, accuracy), y_of(v, accuracy), left - 6,
            y_of(v, accuracy) + 4, accuracy, x_of(v, which, value), TOP + HEIGHT + 16,
            value / 1000);
  }
  fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>", left + WIDTH / 2,
          TOP + HEIGHT + 34, titles[which]);
}

// The next point to the right of `value` that is more accurate than `reached`; NULL: none.
static const struct front_point *next_point(const struct view *v, unsigned which, bool per_channel,
                                            const struct front_point *from) {
  const struct front_point *next = NULL;
  for (size_t i = 0; i < v->count; i++) {
    const struct front_point *p = &v->points[i];
    double value = value_of(p, which);
    if (p->per_channel != per_channel || (from && front_accuracy(p) <= front_accuracy(from)))
      continue;
    if (!next || value < value_of(next, which) ||
        (value <= value_of(next, which) && p->right > next->right))
      next = p;
  }
  return next;
}

// Points that no other one beats in both; the line rises where accuracy does.
static void front(FILE *out, const struct view *v, unsigned which, bool per_channel) {
  const struct front_point *p = next_point(v, which, per_channel, NULL);
  if (!p)
    return;
  fprintf(out, "<path class=\"series\" stroke=\"%s\" d=\"M%.1f %.1f", colours[per_channel],
          x_of(v, which, value_of(p, which)), y_of(v, front_accuracy(p)));
  while ((p = next_point(v, which, per_channel, p)) != NULL)
    fprintf(out, "H%.1fV%.1f", x_of(v, which, value_of(p, which)), y_of(v, front_accuracy(p)));
  fprintf(out, "H%.1f\"/>", x_of(v, which, v->high[which]));
}

static void mark(FILE *out, const struct view *v, unsigned which, const struct front_point *p) {
  double x = x_of(v, which, value_of(p, which)), y = y_of(v, front_accuracy(p));
  if (p->per_channel)
    fprintf(out, "<circle class=\"front\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"", x, y);
  else
    fprintf(out, "<rect class=\"front\" x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\"", x - 4,
            y - 4);
  fprintf(out, " fill=\"%s\"><title>", colours[p->per_channel]);
  html_text(out, p->how);
  fprintf(out, ", a scale a %s: %.2f %%, %.1f kB, %.0f thousand cycles</title></%s>",
          p->per_channel ? "channel" : "layer", front_accuracy(p), (double)p->bytes / 1000,
          (double)p->cycles / 1000, p->per_channel ? "circle" : "rect");
}

static void picture(FILE *out, const struct view *v) {
  fprintf(out,
          "<figure><svg class=\"plot fronts\" viewBox=\"0 0 %d %d\" role=\"img\" "
          "aria-label=\"accuracy over bytes and over cycles\">",
          LEFT + 2 * WIDTH + GAP + 8, TOP + HEIGHT + BELOW);
  for (unsigned which = 0; which < 2; which++) {
    axes(out, v, which);
    front(out, v, which, false);
    front(out, v, which, true);
    for (size_t i = 0; i < v->count; i++)
      mark(out, v, which, &v->points[i]);
  }
  fprintf(out,
          "</svg><figcaption>Percent right over bytes and over cycles; <span style=\"color:%s\">"
          "squares: a scale of weights a layer</span>, <span style=\"color:%s\">circles: a "
          "channel</span>. Lines join what no other point beats in both.</figcaption></figure>\n",
          colours[0], colours[1]);
}

static void row(FILE *out, const struct fronts *fronts, const struct front_point *p) {
  char text[SUMMARY_NUMBER_SIZE], right[64], keys[UNVERIFIED_TEXT];
  const struct front_point *layer = p->per_channel ? fronts_by_layer(fronts, p) : NULL;
  fputs("<tr>", out);
  html_cell(out, "assignment", "t name", p->how);
  html_cell(out, "scales", "t", p->per_channel ? "a channel" : "a layer");
  snprintf(right, sizeof right, "%u of %u", p->right, p->inputs);
  fprintf(out, "<td data-l=\"right\" data-v=\"%u\">%s</td>", p->right, right);
  html_number(out, "accuracy, %", front_accuracy(p), 2);
  fprintf(out, "<td data-l=\"bytes\" data-v=\"%lu\">%s</td>", p->bytes,
          summary_number(p->bytes, text));
  fprintf(out, "<td data-l=\"peak\" data-v=\"%lu\">%s</td>", p->peak,
          summary_number(p->peak, text));
  fprintf(out, "<td data-l=\"cycles\" data-v=\"%lu\">%s", p->cycles,
          summary_number(p->cycles, text));
  html_mark_keys(out, FRONTS_MACHINE, unverified_keys(FRONTS_MACHINE, NULL, OF_L3, keys));
  fputs("</td>", out);
  if (layer) {
    double more = 100 * ((double)p->cycles / (double)layer->cycles - 1);
    fprintf(out, "<td data-l=\"over a layer\" class=\"%s\" data-v=\"%.9g\">%+.2f %%</td>",
            more <= 5 ? "up" : "down", more, more);
  } else {
    fputs("<td class=\"empty\" data-l=\"over a layer\" data-v=\"-100\"></td>", out);
  }
  fputs("</tr>\n", out);
}

static void table(FILE *out, const struct fronts *fronts, const struct view *v) {
  static const char *const titles[] = {".assignment", ".scales", "right",  "accuracy, %",
                                       "bytes",       "peak",    "cycles", "over a layer"};
  html_head(out, "cards", titles, sizeof titles / sizeof *titles);
  for (size_t i = 0; i < v->count; i++)
    row(out, fronts, &v->points[i]);
  fputs("</tbody></table></div>\n", out);
}

static void costs(FILE *out, const struct fronts *fronts) {
  double most = -INFINITY;
  unsigned pairs = 0;
  for (size_t i = 0; i < fronts->count; i++) {
    const struct front_point *p = &fronts->points[i];
    const struct front_point *layer = p->per_channel ? fronts_by_layer(fronts, p) : NULL;
    if (!layer)
      continue;
    most = fmax(most, 100 * ((double)p->cycles / (double)layer->cycles - 1));
    pairs++;
  }
  if (pairs)
    fprintf(out,
            "<p>A scale a channel costs at most <b class=\"%s\">%.1f %%</b> of the cycles that one "
            "a layer takes with the same bits (%u pairs; wanted: 5 %%; published, with zero points "
            "of weights subtracted in the inner loop: about 20 %%).</p>\n",
            most <= 5 ? "up" : "down", most, pairs);
}

void html_fronts(FILE *out, const struct fronts *fronts) {
  fputs(
      "<section><h2 id=\"fronts\">Accuracy, bytes, cycles of quantized networks</h2>\n"
      "<p>The counterpart of figure 3 of Rusci et al., “Memory-driven mixed low precision "
      "quantization”, MLSys 2020 (accuracy over latency of MobileNetV1s), by networks whose data "
      "are to be had. After training, without labels. W: bits of weights, A: of activations; "
      "sizes-N, costs-N: as <code>fit</code> chooses them by sizes, or by what they cost, for N % "
      "of the bytes that W8A8 takes. Bytes: weights and parameters; peak: inputs and outputs of a "
      "layer; cycles: of GAP8's cluster with 8 cores, from L3.</p>\n",
      out);
  costs(out, fronts);
  for (size_t i = 0, count; i < fronts->count; i += count) {
    count = fronts_of_network(fronts, i);
    const struct view v = view_of(&fronts->points[i], count);
    fputs("<h3>", out);
    html_text(out, fronts->points[i].network);
    fputs("</h3>\n", out);
    picture(out, &v);
    table(out, fronts, &v);
  }
  fputs("</section>\n", out);
}
