// deploy/quant/bits_report.c
#include "bits_report.h"

#include <math.h>

typedef unsigned long long ull;

static uint8_t out_bits(const struct bits_report *r, uint32_t layer) {
  return r->result->groups[r->problem->layers[layer].y.group];
}

static uint64_t read_only_of(const struct bits_report *r, uint32_t layer) {
  const struct bits_layer *l = &r->problem->layers[layer];
  if (!l->weights)
    return 0;
  return bits_weight_bytes(r->problem, layer, r->result) +
         bits_parameter_bytes(r->budget, l->channels, r->result->weights[layer],
                              out_bits(r, layer));
}

static const char *scheme_name(const struct bits_budget *budget) {
  switch (budget->scheme) {
  case BITS_ICN:
    return "ICN";
  case BITS_FOLDED:
    return "folded";
  case BITS_THRESHOLDS:
    return "thresholds";
  default:
    return budget->per_channel ? "ICN" : "folded where all is 8 bits, else ICN";
  }
}

// ---------------------------------------------------------------------------- table

static void print_bar(FILE *out, uint8_t bits) {
  static const char *const bars[] = {"", "##", "####", "########"};
  fprintf(out, " %-8s", bars[bits == 8 ? 3 : bits == 4 ? 2 : bits == 2 ? 1 : 0]);
}

static void print_layer(const struct bits_report *r, uint32_t i, FILE *out) {
  const struct bits_layer *l = &r->problem->layers[i];
  fprintf(out, "%4u  %-24.24s", i, l->name);
  if (l->weights)
    fprintf(out, " %4u", r->result->weights[i]);
  else
    fprintf(out, "    -");
  print_bar(out, r->result->weights[i]);
  fprintf(out, " %4u", out_bits(r, i));
  print_bar(out, out_bits(r, i));
  fprintf(out, " %10llu %10llu%s\n", (ull)read_only_of(r, i),
          (ull)bits_layer_bytes(r->problem, i, r->result),
          bits_layer_bytes(r->problem, i, r->result) > r->budget->read_write ? " !" : "");
}

void bits_print_table(const struct bits_report *r, FILE *out) {
  fprintf(out, "%s: bits by memory, per %s, %s\n\n", r->model,
          r->budget->per_channel ? "channel" : "layer", scheme_name(r->budget));
  fprintf(out, "%4s  %-24s %4s %-8s %4s %-8s %10s %10s\n", "", "layer", "w", "", "out", "",
          "read-only", "read-write");
  for (uint32_t i = 0; i < r->problem->layer_count; i++)
    print_layer(r, i, out);
  fprintf(out, "\nread-only   %10llu of %llu bytes\nread-write  %10llu of %llu bytes at the peak\n",
          (ull)r->result->read_only_bytes, (ull)r->budget->read_only, (ull)r->result->peak_bytes,
          (ull)r->budget->read_write);
  if (r->cycles > 0)
    fprintf(out, "cycles      %10.0f\n", r->cycles);
  if (r->result->cut_off)
    fputs("The search was cut off: another assignment may lose less.\n", out);
}

// ---------------------------------------------------------------------------- JSON

static void print_string(const char *text, FILE *out) {
  fputc('"', out);
  for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
    if (*p == '"' || *p == '\\')
      fprintf(out, "\\%c", *p);
    else if (*p < 0x20)
      fprintf(out, "\\u%04x", *p);
    else
      fputc(*p, out);
  }
  fputc('"', out);
}

static void print_bits(const struct bits_report *r, bool outputs, FILE *out) {
  const char *separator = "";
  for (uint32_t i = 0; i < r->problem->layer_count; i++) {
    if (!r->problem->layers[i].weights)
      continue;
    fprintf(out, "%s%u", separator, (unsigned)(outputs ? out_bits(r, i) : r->result->weights[i]));
    separator = ", ";
  }
}

void bits_print_json(const struct bits_report *r, FILE *out) {
  fputs("{\"model\": ", out);
  print_string(r->model, out);
  fputs(",\n \"output_bits\": [", out);
  print_bits(r, true, out);
  fputs("],\n \"weight_bits\": [", out);
  print_bits(r, false, out);
  fprintf(out, "],\n \"read_only_bytes\": %llu,\n \"peak_bytes\": %llu",
          (ull)r->result->read_only_bytes, (ull)r->result->peak_bytes);
  if (r->cycles > 0)
    fprintf(out, ",\n \"cycles\": %.0f", r->cycles);
  fputs("}\n", out);
}

// ---------------------------------------------------------------------------- picture

enum { LEFT = 90, STEP = 24, BAR = 18, BITS_HEIGHT = 64, BYTES_HEIGHT = 110, GAP = 44 };

static void draw_rectangle(FILE *out, double x, double y, double height, const char *colour,
                           const char *what) {
  fprintf(out,
          "<rect x='%.1f' y='%.1f' width='%d' height='%.1f' fill='%s'><title>%s</title></rect>\n",
          x, y, BAR, height, colour, what);
}

static void draw_text(FILE *out, double x, double y, const char *anchor, const char *text) {
  fprintf(out, "<text x='%.1f' y='%.1f' text-anchor='%s'>%s</text>\n", x, y, anchor, text);
}

static void draw_bits(const struct bits_report *r, bool outputs, double top, FILE *out) {
  draw_text(out, LEFT - 12, top + BITS_HEIGHT / 2.0, "end",
            outputs ? "output bits" : "weight bits");
  for (uint32_t i = 0; i < r->problem->layer_count; i++) {
    uint8_t bits = outputs ? out_bits(r, i) : r->result->weights[i];
    double height = bits * BITS_HEIGHT / 8.0, x = LEFT + (double)i * STEP;
    char text[16];
    snprintf(text, sizeof text, "%u", bits);
    if (!bits)
      continue;
    draw_rectangle(out, x, top + BITS_HEIGHT - height, height, outputs ? "#4477aa" : "#ee7733",
                   text);
    draw_text(out, x + BAR / 2.0, top + BITS_HEIGHT - height - 3, "middle", text);
  }
}

// On a logarithmic scale, with the budget as a line where there is one.
static double bytes_height(uint64_t bytes) {
  return bytes ? fmax(0, log2((double)bytes) - 4) * BYTES_HEIGHT / 20 : 0;
}

static void draw_bytes(const struct bits_report *r, bool activations, double top, FILE *out) {
  double bottom = top + BYTES_HEIGHT;
  draw_text(out, LEFT - 12, top + BYTES_HEIGHT / 2.0, "end",
            activations ? "read-write" : "read-only");
  draw_text(out, LEFT - 12, top + BYTES_HEIGHT / 2.0 + 14, "end", "bytes, log");
  for (uint32_t i = 0; i < r->problem->layer_count; i++) {
    uint64_t bytes = activations ? bits_layer_bytes(r->problem, i, r->result) : read_only_of(r, i);
    char text[32];
    snprintf(text, sizeof text, "%llu bytes", (ull)bytes);
    double height = bytes_height(bytes);
    draw_rectangle(out, LEFT + (double)i * STEP, bottom - height, height,
                   activations ? "#88bbdd" : "#ffbb88", text);
  }
  if (!activations)
    return;
  double line = bottom - bytes_height(r->budget->read_write);
  fprintf(out, "<line x1='%d' x2='%.1f' y1='%.1f' y2='%.1f' stroke='#cc3311'/>\n", LEFT - 4,
          LEFT + (double)r->problem->layer_count * STEP, line, line);
}

void bits_draw(const struct bits_report *r, FILE *out) {
  double width = LEFT + (double)r->problem->layer_count * STEP + 20;
  double height = 40 + 2 * (BITS_HEIGHT + GAP) + 2 * (BYTES_HEIGHT + GAP);
  fprintf(out,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' "
          "font-family='sans-serif' font-size='11'>\n",
          width, height);
  fputs("<rect width='100%' height='100%' fill='white'/>\n", out);
  fprintf(out,
          "<text x='%d' y='20' font-size='14'>Bits by memory: %llu bytes read-only, %llu "
          "read-write</text>\n",
          LEFT, (ull)r->result->read_only_bytes, (ull)r->result->peak_bytes);
  double top = 50;
  draw_bits(r, false, top, out);
  draw_bits(r, true, top += BITS_HEIGHT + GAP, out);
  draw_bytes(r, false, top += BITS_HEIGHT + GAP, out);
  draw_bytes(r, true, top += BYTES_HEIGHT + GAP, out);
  for (uint32_t i = 0; i < r->problem->layer_count; i++) {
    char text[16];
    snprintf(text, sizeof text, "%u", i);
    draw_text(out, LEFT + (double)i * STEP + BAR / 2.0, top + BYTES_HEIGHT + 16, "middle", text);
  }
  fputs("</svg>\n", out);
}
