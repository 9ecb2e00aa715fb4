// deploy/emit/timeline_svg.c: one picture: layers; the cores' cycles by cause, stacked; each core's
// part that issues; the bytes that the DMA moves; the transfers of the uDMA.
#include <inttypes.h>
#include <stdlib.h>

#include "deploy/memory.h"
#include "timeline_parts.h"

enum {
  LEFT = 70,
  WIDTH = 1400,
  RIGHT = 20,
  STACK = 140,
  CORE = 16,
  ENGINE = 40,
  GAP = 10,
  ROW = 18
};
enum { COLUMNS = 700, DMA_BYTES = 8 };

struct picture {
  const struct timeline *t;
  FILE *f;
  uint64_t start, cycles;
  uint32_t columns, each; // samples in a column
};

static void put_text(FILE *f, const char *text) {
  for (; *text; text++)
    if (*text == '<' || *text == '&' || *text == '>')
      fprintf(f, "&#%d;", *text);
    else
      fputc(*text, f);
}

static double x_of(const struct picture *p, uint64_t cycle) {
  uint64_t at = cycle < p->start ? 0 : cycle - p->start;
  return LEFT + WIDTH * (double)(at < p->cycles ? at : p->cycles) / (double)p->cycles;
}

static uint32_t edge(const struct picture *p, uint32_t column) {
  uint32_t at = column * p->each;
  return at < p->t->samples ? at : p->t->samples - 1;
}

static void put_label(const struct picture *p, double y, const char *text) {
  fprintf(p->f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 6, y, text);
}

// Steps from values[0..columns - 1], 0 to 1, on top of `below`; NULL: of nothing.
static void put_area(const struct picture *p, const double *below, const double *above, double y,
                     double height, const char *colour, const char *title) {
  fprintf(p->f, "<path fill=\"%s\" d=\"M%.1f %.1f", colour, x_of(p, p->start), y + height);
  for (uint32_t i = 0; i < p->columns; i++) {
    double top = y + height * (1 - above[i]);
    fprintf(p->f, "V%.1fH%.1f", top, x_of(p, p->t->sample[edge(p, i + 1)].cycle));
  }
  for (uint32_t i = p->columns; i-- > 0;) {
    double bottom = y + height * (1 - (below ? below[i] : 0));
    fprintf(p->f, "V%.1fH%.1f", bottom, x_of(p, p->t->sample[edge(p, i)].cycle));
  }
  fprintf(p->f, "Z\"><title>%s</title></path>\n", title);
}

static void put_layers(const struct picture *p) {
  uint64_t from = p->start;
  for (uint32_t i = 0; i < p->t->layers; i++) {
    const struct timeline_layer *l = &p->t->layer[i];
    double x = x_of(p, from), w = x_of(p, l->end) - x;
    fprintf(p->f, "<rect x=\"%.1f\" y=\"24\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>", x,
            w, ROW, i % 2 ? "#cfd8e3" : "#e6ebf1");
    put_text(p->f, l->name);
    fprintf(p->f, ": %" PRIu64 " cycles</title></rect>", l->end - from);
    if (w > 30) {
      fprintf(p->f, "<text x=\"%.1f\" y=\"37\">", x + 3);
      put_text(p->f, l->name);
      fputs("</text>", p->f);
    }
    fputc('\n', p->f);
    from = l->end;
  }
}

// The groups of causes, the first at the bottom.
static void put_stack(const struct picture *p, double y) {
  double *below = memory_new(p->columns, sizeof *below),
         *above = memory_new(p->columns, sizeof *above), share[BENCH_GROUPS];
  for (unsigned g = 0; g < BENCH_GROUPS; g++) {
    for (uint32_t i = 0; i < p->columns; i++) {
      timeline_shares(p->t, edge(p, i), edge(p, i + 1), TIMELINE_CORES, share);
      above[i] = below[i] + share[g];
    }
    put_area(p, below, above, y, STACK, bench_groups[g].colour, bench_groups[g].meaning);
    for (uint32_t i = 0; i < p->columns; i++)
      below[i] = above[i];
  }
  free(below);
  free(above);
}

static void put_cores(const struct picture *p, double y) {
  double *part = memory_new(p->columns, sizeof *part), share[BENCH_GROUPS];
  for (unsigned c = 0; c < TIMELINE_CORES; c++, y += CORE) {
    char name[16];
    for (uint32_t i = 0; i < p->columns; i++) {
      timeline_shares(p->t, edge(p, i), edge(p, i + 1), c, share);
      part[i] = share[0];
    }
    snprintf(name, sizeof name, "core %u", c);
    put_label(p, y + CORE - 4, name);
    put_area(p, NULL, part, y, CORE - 2, bench_groups[0].colour, name);
  }
  free(part);
}

// Cycles that two stretches share.
static double shared(uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end) {
  uint64_t from = a > b ? a : b, to = a_end < b_end ? a_end : b_end;
  return to > from ? (double)(to - from) : 0;
}

// Bytes of the DMA per cycle over those it could move; a transfer's bytes are taken as even.
static void put_dma(const struct picture *p, double y) {
  double *part = memory_new(p->columns, sizeof *part);
  for (uint32_t n = 0; n < p->t->dma.count; n++) {
    const struct timeline_transfer *x = &p->t->dma.item[n];
    double rate = x->end > x->begin ? x->bytes / (double)(x->end - x->begin) : 0;
    for (uint32_t i = 0; i < p->columns; i++) {
      uint64_t from = p->t->sample[edge(p, i)].cycle, to = p->t->sample[edge(p, i + 1)].cycle;
      if (to > from)
        part[i] += rate * shared(x->begin, x->end, from, to) / (double)(to - from) / DMA_BYTES;
    }
  }
  for (uint32_t i = 0; i < p->columns; i++)
    part[i] = part[i] > 1 ? 1 : part[i]; // in and out at once
  put_area(p, NULL, part, y, ENGINE, "#4e79a7", "DMA: of 8 bytes a cycle");
  free(part);
}

static void put_udma(const struct picture *p, double y) {
  for (uint32_t i = 0; i < p->t->l3.count; i++) {
    const struct timeline_transfer *x = &p->t->l3.item[i];
    if (x->end <= p->start)
      continue;
    fprintf(p->f,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"#b07aa1\" "
            "stroke=\"#fff\" stroke-width=\"0.3\"><title>%" PRIu32 " bytes %s</title></rect>\n",
            x_of(p, x->begin), y, x_of(p, x->end) - x_of(p, x->begin), ROW, x->bytes,
            x->number ? "to L3" : "from L3");
  }
}

static void put_key(const struct picture *p, double y) {
  double x = LEFT;
  for (unsigned g = 0; g < BENCH_GROUPS; g++, x += 130)
    fprintf(p->f,
            "<rect x=\"%.0f\" y=\"%.0f\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%.0f\" "
            "y=\"%.0f\">%s</text>\n",
            x, y, bench_groups[g].colour, x + 14, y + 9, bench_groups[g].title);
}

void timeline_write_svg(const struct timeline *t, const char *title, FILE *f) {
  enum { CORES = 24 + ROW + GAP + STACK + GAP, DMA = CORES + TIMELINE_CORES * CORE + GAP };
  enum { UDMA = DMA + ENGINE + GAP, KEY = UDMA + ROW + GAP, HEIGHT = KEY + 20 };
  if (t->samples < 2)
    return;
  struct picture p = {.t = t, .f = f, .start = t->sample[0].cycle};
  p.cycles = t->sample[t->samples - 1].cycle - p.start;
  p.each = (t->samples - 1 + COLUMNS - 1) / COLUMNS;
  p.columns = (t->samples - 1 + p.each - 1) / p.each;
  fprintf(
      f,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/><text x=\"%d\" "
      "y=\"14\" font-size=\"13\">",
      LEFT + WIDTH + RIGHT, HEIGHT, LEFT);
  put_text(f, title);
  fprintf(f, ": %" PRIu64 " cycles</text>\n", p.cycles);
  put_label(&p, 37, "layers");
  put_layers(&p);
  put_label(&p, 24 + ROW + GAP + 14, "8 cores");
  put_stack(&p, 24 + ROW + GAP);
  put_cores(&p, CORES);
  put_label(&p, DMA + 14, "DMA");
  put_dma(&p, DMA);
  put_label(&p, UDMA + 13, "uDMA, L3");
  put_udma(&p, UDMA);
  put_key(&p, KEY);
  fputs("</svg>\n", f);
}
