#include "observe/lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/limit.h"
#include "engine/out_of_memory.h"

// From `address` up to the next row's.
struct row {
  uint32_t address;
  unsigned line;    // 0: no code of a known line
  const char *file; // in `names`
};

struct lines {
  Elf *elf;
  Dwarf *dwarf;
  struct row *row;
  size_t count, room;
  struct name *names;
};

// A file's name: as the compiler saw it, and with the directory in front that it ran in.
struct name {
  struct name *next;
  const char *source; // owned by libdw
  char path[];
};

static const char *full_name(struct lines *l, const char *directory, const char *source) {
  if (!source)
    return NULL;
  for (const struct name *n = l->names; n; n = n->next)
    if (n->source == source)
      return n->path;
  const char *separator = directory && source[0] != '/' ? "/" : "";
  directory = *separator ? directory : "";
  while (strncmp(source, "./", 2) == 0)
    source += 2;
  size_t size = strlen(directory) + 1 + strlen(source) + 1;
  struct name *n = must_have(malloc(sizeof *n + size));
  n->source = source;
  snprintf(n->path, size, "%s%s%s", directory, separator, source);
  n->next = l->names;
  l->names = n;
  return n->path;
}

static void add_row(struct lines *l, struct row row) {
  if (l->count == l->room) {
    l->room = l->room ? 2 * l->room : LIMIT(1024, 1);
    l->row = must_have(realloc(l->row, l->room * sizeof *l->row));
  }
  l->row[l->count++] = row;
}

static void read_unit(struct lines *l, Dwarf_Die *unit) {
  Dwarf_Lines *rows;
  size_t count;
  Dwarf_Attribute attribute;
  const char *directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  if (dwarf_getsrclines(unit, &rows, &count) != 0)
    return;
  for (size_t i = 0; i < count; i++) {
    Dwarf_Line *r = dwarf_onesrcline(rows, i);
    Dwarf_Addr address;
    int line = 0;
    bool end = false;
    if (dwarf_lineaddr(r, &address) != 0 || dwarf_lineno(r, &line) != 0)
      continue;
    dwarf_lineendsequence(r, &end);
    struct row row = {(uint32_t)address, end ? 0 : (unsigned)line,
                      full_name(l, directory, dwarf_linesrc(r, NULL, NULL))};
    add_row(l, row);
  }
}

// By address; where a sequence ends and another begins, the beginning counts.
static int compare(const void *a, const void *b) {
  const struct row *x = a, *y = b;
  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  return (x->line != 0) - (y->line != 0);
}

static void read_all(struct lines *l) {
  Dwarf_Off at = 0, next;
  size_t header;
  while (dwarf_nextcu(l->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
    Dwarf_Die unit;
    if (dwarf_offdie(l->dwarf, at + header, &unit))
      read_unit(l, &unit);
    at = next;
  }
  if (l->count)
    qsort(l->row, l->count, sizeof *l->row, compare);
}

struct lines *lines_new(const void *elf, size_t size) {
  struct lines *l = must_have(calloc(1, sizeof *l));
  if (!elf)
    return l;
  elf_version(EV_CURRENT);
  l->elf = elf_memory((char *)(uintptr_t)elf, size);
  l->dwarf = l->elf ? dwarf_begin_elf(l->elf, DWARF_C_READ, NULL) : NULL;
  if (l->dwarf)
    read_all(l);
  return l;
}

void lines_free(struct lines *l) {
  if (!l)
    return;
  dwarf_end(l->dwarf);
  elf_end(l->elf);
  free(l->row);
  while (l->names) {
    struct name *n = l->names;
    l->names = n->next;
    free(n);
  }
  free(l);
}

bool lines_find(const struct lines *l, uint32_t pc, const char **file, unsigned *line) {
  size_t low = 0, high = l->count; // first row beyond pc
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (l->row[middle].address <= pc)
      low = middle + 1;
    else
      high = middle;
  }
  *file = "";
  *line = 0;
  if (low == 0 || l->row[low - 1].line == 0 || !l->row[low - 1].file)
    return false;
  *file = l->row[low - 1].file;
  *line = l->row[low - 1].line;
  return true;
}

bool lines_text(const char *file, unsigned line, char *text, size_t size) {
  FILE *f = fopen(file, "r");
  if (!f)
    return false;
  char *buffer = NULL;
  size_t room = 0;
  bool found = false;
  for (unsigned i = 1; !found && getline(&buffer, &room, f) >= 0; i++)
    found = i == line;
  fclose(f);
  if (found) {
    char *start = buffer + strspn(buffer, " \t");
    start[strcspn(start, "\r\n")] = '\0';
    snprintf(text, size, "%s", start);
  }
  free(buffer);
  return found;
}
