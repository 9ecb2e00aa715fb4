// deploy/cli/picture.c: see picture.h.
#include "picture.h"

enum { ROW = 34, BOX = 24, LEFT = 60, WIDTH = 420, BAR = 200 };

static void text(FILE *out, const char *s) {
  for (; *s; s++) {
    const char *entity = *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : *s == '&' ? "&amp;" : NULL;
    if (entity)
      fputs(entity, out);
    else if ((unsigned char)*s >= ' ')
      fputc(*s, out);
  }
}

// The layer that makes a tensor; -1: it comes from outside.
static int maker(const struct net *net, int tensor) {
  for (uint32_t i = 0; i < net->layer_count; i++)
    if (net->layers[i].output == tensor)
      return (int)i;
  return -1;
}

// Straight from the row above, in an arc on the left from further up.
static void connect(const struct net *net, uint32_t row, int tensor, FILE *out) {
  int from = maker(net, tensor);
  int top = (from + 1) * ROW + BOX + 5, bottom = ((int)row + 1) * ROW + 5;
  if (from + 1 == (int)row)
    fprintf(out, "<path d='M%d %dV%d'/>\n", LEFT + 20, top, bottom);
  else
    fprintf(out, "<path d='M%d %dC%d %d %d %d %d %d'/>\n", LEFT, top - BOX / 2, 5, top, 5, bottom,
            LEFT, bottom + BOX / 2);
}

static void box(int row, const char *kind, const struct net_tensor *t, double share, FILE *out) {
  int y = row * ROW + 5;
  fprintf(out,
          "<rect x='%d' y='%d' width='%d' height='%d' rx='4' class='box'/>"
          "<text x='%d' y='%d'>%s  %u x %u x %u, %s%u  ",
          LEFT, y, WIDTH, BOX, LEFT + 8, y + 16, kind, t->h, t->w, t->c,
          t->is_signed ? "int" : "uint", t->bits);
  text(out, t->name);
  fprintf(out, "</text><rect x='%d' y='%d' width='%.1f' height='%d' class='bar'/>\n",
          LEFT + WIDTH + 10, y + 4, share * BAR, BOX - 8);
  if (share > 0)
    fprintf(out, "<text x='%.1f' y='%d'>%.1f %%</text>\n", LEFT + WIDTH + 14 + share * BAR, y + 16,
            100 * share);
}

void picture_write(const struct net *net, FILE *out) {
  double macs = 0;
  for (uint32_t i = 0; i < net->layer_count; i++)
    macs += (double)net_macs(net, &net->layers[i]);
  fprintf(out,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%u'>\n"
          "<style>text{font:12px sans-serif}.box{fill:#eef;stroke:#446}.bar{fill:#68a}"
          "path{fill:none;stroke:#446}</style>\n<title>",
          LEFT + WIDTH + BAR + 80, (net->layer_count + 1) * ROW + 10);
  text(out, net->name);
  fputs(": layers, and their share of the multiply-accumulates</title>\n", out);
  if (net->input_count)
    box(0, "input", &net->tensors[net->inputs[0]], 0, out);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct net_layer *l = &net->layers[i];
    double share = macs > 0 ? (double)net_macs(net, l) / macs : 0;
    box((int)i + 1, net_kind_name(l->kind), net_output(net, l), share, out);
    for (uint32_t k = 0; k < l->input_count; k++)
      connect(net, i, l->inputs[k], out);
  }
  fputs("</svg>\n", out);
}
