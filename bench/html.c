// bench/html.c: cells and heads.
#include "bench/html.h"
#include "bench/mark.h"

void html_text(FILE *out, const char *text) {
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

void html_cell(FILE *out, const char *label, const char *class, const char *text) {
  fprintf(out, "<td class=\"%s%s\" data-l=\"%s\">", class, *text ? "" : " empty", label);
  html_text(out, text);
  fputs("</td>", out);
}

void html_number(FILE *out, const char *label, double value, int digits) {
  if (value > 0)
    fprintf(out, "<td data-l=\"%s\" data-v=\"%.9g\">%.*f</td>", label, value, digits, value);
  else
    fprintf(out, "<td class=\"empty\" data-l=\"%s\" data-v=\"-1\"></td>", label);
}

void html_head(FILE *out, const char *class, const char *const *titles, size_t count) {
  fprintf(out, "<div class=\"wide\"><table class=\"%s\"><thead><tr>", class);
  for (size_t i = 0; i < count; i++) {
    fputs(*titles[i] == '.' ? "<th class=\"t\">" : "<th>", out);
    html_text(out, titles[i] + (*titles[i] == '.'));
    fputs("</th>", out);
  }
  fputs("</tr></thead><tbody>\n", out);
}

void html_mark_keys(FILE *out, const char *machine, const char *keys) {
  if (!*keys)
    return;
  fputs("<sup title=\"depends on what is unverified of ", out);
  html_text(out, machine);
  fprintf(out, ": %s\">" UNVERIFIED_MARK "</sup>", keys);
}

void html_mark(FILE *out, const struct bench_run *run) {
  char text[UNVERIFIED_TEXT];
  if (run)
    html_mark_keys(out, run->c->machine, run_unverified(run, text));
}
