// sim/config_print.c: a configuration and its keys as text.
#include "sim/config.h"

#include <string.h>

// Prints the maps that lead to `name` and were not opened for the key before it. Returns the
// indentation and the last part of the name.
static int open_maps(FILE *out, const char *before, const char *name, const char **last) {
  size_t common = 0; // length of the dotted prefix both have in common
  for (size_t i = 0; before[i] && before[i] == name[i]; i++) {
    if (name[i] == '.')
      common = i + 1;
  }
  int indent = 0;
  const char *part = name;
  for (const char *dot; (dot = strchr(part, '.')) != NULL; part = dot + 1) {
    if ((size_t)(part - name) >= common)
      fprintf(out, "%*s%.*s:\n", indent, "", (int)(dot - part), part);
    indent += 2;
  }
  *last = part;
  return indent;
}

void config_show(const struct pulpsim_config *config, FILE *out) {
  const char *before = "";
  for (size_t i = 0; i < config_key_count; i++) {
    const struct config_key *key = &config_keys[i];
    char value[CONFIG_TEXT_SIZE], range[128];
    const char *last;
    int indent = open_maps(out, before, key->name, &last);
    config_format(key, config_value(config, key), value);
    config_format_range(key, range, sizeof range);
    int width = fprintf(out, "%*s%s: %s", indent, "", last, value);
    fprintf(out, "%*s # %s%s%s\n", width < 36 ? 36 - width : 0, "", range, *key->unit ? " " : "",
            key->unit);
    before = key->name;
  }
}

static void list_text(FILE *out) {
  for (size_t i = 0; i < config_key_count; i++) {
    const struct config_key *key = &config_keys[i];
    char value[CONFIG_TEXT_SIZE], range[128];
    config_format(key, key->initial, value);
    config_format_range(key, range, sizeof range);
    fprintf(out, "%s  (%s%s%s; default %s)\n    %s\n", key->name, range, *key->unit ? " " : "",
            key->unit, value, key->meaning);
  }
}

// A '|' would end the cell of a table.
static void cell(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '|')
      fputc('\\', out);
    fputc(*text, out);
  }
}

static void list_markdown(FILE *out) {
  fputs("# Configuration keys\n\n"
        "Made by `make docs` from `sim/config_keys.def`. `pulpsim config --list` prints the same,\n"
        "`pulpsim config --show NAME` the values of a machine; `--set key=value` changes one.\n\n"
        "A machine of one's own is a YAML file, for `pulpsim -c FILE` (a '/' or `.yml` in it); "
        "what it\n"
        "does not set is as below. `pulpsim config --check FILE` finds its mistakes.\n\n"
        "```yaml\n"
        "include: vega          # first of all: a name, or a file beside this one\n"
        "cluster:\n"
        "  cores: 4\n"
        "  tcdm: {size: 256k, banks: 32}\n"
        "l2.latency: 0x20       # dotted names work as well\n"
        "```\n\n"
        "Numbers are decimal or begin with 0x; k is 1,024 and M 1,048,576.\n\n"
        "| key | values | default | meaning | source |\n|---|---|---|---|---|\n",
        out);
  for (size_t i = 0; i < config_key_count; i++) {
    const struct config_key *key = &config_keys[i];
    char value[CONFIG_TEXT_SIZE], range[128];
    config_format(key, key->initial, value);
    config_format_range(key, range, sizeof range);
    fprintf(out, "| `%s` | ", key->name);
    cell(out, range);
    fprintf(out, "%s%s | %s | ", *key->unit ? " " : "", key->unit, value);
    cell(out, key->meaning);
    fputs(" | ", out);
    cell(out, key->source);
    fputs(" |\n", out);
  }
}

void config_list(FILE *out, bool markdown) {
  if (markdown)
    list_markdown(out);
  else
    list_text(out);
}
