// tests/isa/reference.c: reads the tables.
#include "reference.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// True if `name` is one of the spellings in `wanted`, which bars separate. A leading # of the
// first column does not count.
static bool named(const char *wanted, const char *name) {
  size_t n = strlen(name += *name == '#');
  for (const char *w = wanted; w != NULL; w = strchr(w, '|')) {
    w += *w == '|';
    if (strncmp(w, name, n) == 0 && (w[n] == '\0' || w[n] == '|'))
      return true;
  }
  return false;
}

// Cuts the line at its tabs, empty fields included.
static char *next_field(char **rest) {
  char *field = *rest;
  if (field == NULL)
    return NULL;
  char *end = strpbrk(field, "\t\n");
  *rest = end != NULL && *end == '\t' ? end + 1 : NULL;
  if (end != NULL)
    *end = '\0';
  return field;
}

void reference_open(struct reference *r, const char *path, const char *const names[], int count) {
  r->file = gzopen(path, "rb");
  r->count = count;
  ck_assert_msg(r->file != NULL && gzgets(r->file, r->line, REFERENCE_LINE) != NULL,
                "cannot read %s", path);
  for (int i = 0; i < count; i++)
    r->column[i] = -1;
  char *rest = r->line;
  int n = 0;
  for (char *name = next_field(&rest); name != NULL; name = next_field(&rest), n++)
    for (int i = 0; i < count; i++)
      if (named(names[i], name))
        r->column[i] = n;
  for (int i = 0; i < count; i++)
    ck_assert_msg(r->column[i] >= 0, "%s has no column %s", path, names[i]);
}

bool reference_next(struct reference *r) {
  if (gzgets(r->file, r->line, REFERENCE_LINE) == NULL)
    return false;
  for (int i = 0; i < r->count; i++)
    r->field[i] = "";
  char *rest = r->line;
  int n = 0;
  for (char *field = next_field(&rest); field != NULL; field = next_field(&rest), n++)
    for (int i = 0; i < r->count; i++)
      if (r->column[i] == n)
        r->field[i] = field;
  return true;
}

void reference_close(struct reference *r) {
  gzclose(r->file);
}

const char *reference_full(const char *name) {
  static char path[1024];
  const char *root = getenv("PULPSIM_REFERENCE");
  snprintf(path, sizeof path, "%s/isa/%s", root ? root : "../shared/reference", name);
  FILE *f = fopen(path, "r");
  if (f == NULL)
    return NULL;
  fclose(f);
  return path;
}
