// deploy/cli/picture.c: see picture.h.
#include "picture.h"

#include <string.h>

// In pixels. Arcs have the space up to LEFT, the box its columns, numbers and bars what is behind.
enum { TOP = 46, ROW = 34, BOX = 24, LEFT = 76, WIDTH = 588, MACS = LEFT + WIDTH + 84, BAR = 200 };
enum { COLUMN_WINDOW = 88, COLUMN_SHAPE = 178, COLUMN_TYPE = 288, COLUMN_NAME = 340 };
enum { NAME_MOST = 30, NAME_BYTES = 4 * NAME_MOST + 4 };
enum { INK = MACS + 10, SHEET = INK + BAR + 60 };

static void text(FILE *out, const char *s) {
  for (; *s; s++) {
    const char *entity = *s == '<'    ? "&lt;"
                         : *s == '>'  ? "&gt;"
                         : *s == '&'  ? "&amp;"
                         : *s == '\'' ? "&#39;"
                                      : NULL;
    if (entity)
      fputs(entity, out);
    else if ((unsigned char)*s >= ' ')
      fputc(*s, out);
  }
}

static int row_y(int row) {
  return TOP + row * ROW;
}

// The row of what makes a tensor: an input of the network, or a layer.
static int maker(const struct net *net, int tensor) {
  for (uint32_t i = 0; i < net->input_count; i++)
    if (net->inputs[i] == tensor)
      return (int)i;
  for (uint32_t i = 0; i < net->layer_count; i++)
    if (net->layers[i].output == tensor)
      return (int)(net->input_count + i);
  return 0;
}

// Straight from the row above; from further up in an arc on the left, the wider the further.
static void connect(int from, int to, FILE *out) {
  int top = row_y(from) + BOX, bottom = row_y(to), rows = to - from;
  if (rows == 1) {
    fprintf(out, "<path d='M%d %dV%d' marker-end='url(#a)'/>\n", LEFT + 20, top, bottom);
    return;
  }
  int reach = 24 + 8 * rows < LEFT + 16 ? 24 + 8 * rows : LEFT + 16;
  fprintf(out, "<path d='M%d %dC%d %d %d %d %d %d' marker-end='url(#a)'/>\n", LEFT, top - BOX / 2,
          LEFT - reach, top - BOX / 2, LEFT - reach, bottom + BOX / 2, LEFT, bottom + BOX / 2);
}

// At most NAME_MOST characters of a name, its end, which tells tensors apart; whole characters.
static void cut(const char *name, char to[NAME_BYTES]) {
  size_t characters = 0, length = strlen(name), at = length;
  while (at > 0 && characters < NAME_MOST)
    characters += (name[--at] & 0xc0) != 0x80;
  while (at > 0 && (name[at] & 0xc0) == 0x80 && length - at < NAME_BYTES - 4)
    at--;
  if (length - at > NAME_BYTES - 4) // not UTF-8
    at = length - (NAME_BYTES - 4);
  snprintf(to, NAME_BYTES, "%s%s", at ? "\u2026" : "", name + at);
}

static void cell(int x, int row, const char *style, const char *s, FILE *out) {
  fprintf(out, "<text x='%d' y='%d'%s>", x, row_y(row) + 16, style);
  text(out, s);
  fputs("</text>", out);
}

static void box(int row, const char *kind, const char *window, const struct net_tensor *t,
                bool real, FILE *out) {
  char shape[40], type[16] = "float", name[NAME_BYTES];
  snprintf(shape, sizeof shape, "%u x %u x %u", t->h, t->w, t->c);
  if (!real)
    snprintf(type, sizeof type, "%s%u", t->is_signed ? "int" : "uint", t->bits);
  cut(t->name, name);
  fputs("<g><title>", out);
  text(out, t->name);
  fprintf(out, "</title><rect x='%d' y='%d' width='%d' height='%d' rx='4' class='box'/>", LEFT,
          row_y(row), WIDTH, BOX);
  cell(LEFT + 10, row, " class='kind'", kind, out);
  cell(LEFT + COLUMN_WINDOW, row, "", window, out);
  cell(LEFT + COLUMN_SHAPE, row, "", shape, out);
  cell(LEFT + COLUMN_TYPE, row, "", type, out);
  cell(LEFT + COLUMN_NAME, row, " class='name'", name, out);
  fputs("</g>\n", out);
}

static void work(int row, uint64_t macs, double all, FILE *out) {
  char number[24];
  double share = (double)macs / all;
  snprintf(number, sizeof number, "%llu", (unsigned long long)macs);
  cell(MACS, row, " text-anchor='end'", number, out);
  fprintf(out,
          "<rect x='%d' y='%d' width='%.1f' height='%d' class='bar'/>"
          "<text x='%.1f' y='%d'>%.1f %%</text>\n",
          INK, row_y(row) + 4, share * BAR, BOX - 8, INK + 5 + share * BAR, row_y(row) + 16,
          100 * share);
}

static void begin(const struct net *net, int rows, double macs, FILE *out) {
  fprintf(out,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d'>\n"
          "<style>text{font:12px sans-serif}.kind{font-weight:bold}.name{fill:#666}"
          ".head{font-size:14px}.box{fill:#eef;stroke:#446}.bar{fill:#68a}"
          "path{fill:none;stroke:#446}marker path{fill:#446;stroke:none}</style>\n"
          "<defs><marker id='a' markerWidth='7' markerHeight='6' refX='6' refY='3' orient='auto'>"
          "<path d='M0 0L7 3L0 6z'/></marker></defs>\n"
          "<rect width='100%%' height='100%%' fill='#fff'/>\n<text x='%d' y='24' class='head'>",
          SHEET, row_y(rows) + 8, LEFT);
  const char *slash = strrchr(net->name, '/');
  text(out, slash ? slash + 1 : net->name);
  fprintf(out, ": %u layers, %.0f multiply-accumulates</text>\n", net->layer_count, macs);
}

static const char *window_of(const struct net_layer *l, char to[48]) {
  bool strides = l->stride_h > 1 || l->stride_w > 1;
  int n = 0;
  to[0] = 0;
  if (l->kernel_h > 1 || l->kernel_w > 1 || strides)
    n = snprintf(to, 48, "%ux%u", l->kernel_h, l->kernel_w);
  if (strides && l->stride_h == l->stride_w)
    snprintf(to + n, 48 - (size_t)n, " / %u", l->stride_h);
  else if (strides)
    snprintf(to + n, 48 - (size_t)n, " / %ux%u", l->stride_h, l->stride_w);
  return to;
}

void picture_write(const struct net *net, bool real, FILE *out) {
  int first = (int)net->input_count;
  char window[48];
  double macs = 0;
  for (uint32_t i = 0; i < net->layer_count; i++)
    macs += (double)net_macs(net, &net->layers[i]);
  begin(net, first + (int)net->layer_count, macs, out);
  for (int i = 0; i < first; i++)
    box(i, "input", "", &net->tensors[net->inputs[i]], real, out);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    int row = first + (int)i;
    box(row, net_kind_name(l->kind), window_of(l, window), net_output(net, l), real, out);
    if (net_macs(net, l))
      work(row, net_macs(net, l), macs, out);
    for (uint32_t k = 0; k < l->input_count; k++)
      connect(maker(net, l->inputs[k]), row, out);
  }
  fputs("</svg>\n", out);
}
