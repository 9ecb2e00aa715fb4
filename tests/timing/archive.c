#include "archive.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { BLOCK = 512, NAME = 512, COLUMNS = 32, FOLDER_FILES = 2048 };

struct archive {
  char folder[NAME]; // "" for a tar
  uint8_t *bytes;    // the unpacked tar
  size_t size;
  uint8_t *loaded[FOLDER_FILES]; // files read from a folder
  unsigned loaded_count;
};

static uint8_t *unpack(const char *path, size_t *size) {
  gzFile f = gzopen(path, "rb");
  ck_assert_msg(f != NULL, "cannot open %s", path);
  size_t room = 1 << 20, n = 0;
  uint8_t *bytes = malloc(room);
  for (int got; (got = gzread(f, bytes + n, (unsigned)(room - n))) > 0;) {
    n += (size_t)got;
    if (n == room)
      bytes = realloc(bytes, room *= 2);
  }
  gzclose(f);
  *size = n;
  return bytes;
}

struct archive *archive_open(const char *path) {
  struct archive *a = calloc(1, sizeof *a);
  a->bytes = unpack(path, &a->size);
  return a;
}

struct archive *archive_folder(const char *path) {
  struct stat s;
  if (stat(path, &s) != 0 || !S_ISDIR(s.st_mode))
    return NULL;
  struct archive *a = calloc(1, sizeof *a);
  snprintf(a->folder, sizeof a->folder, "%s", path);
  return a;
}

void archive_close(struct archive *a) {
  if (!a)
    return;
  for (unsigned i = 0; i < a->loaded_count; i++)
    free(a->loaded[i]);
  free(a->bytes);
  free(a);
}

static const uint8_t *keep(struct archive *a, uint8_t *bytes) {
  if (a->loaded_count == FOLDER_FILES)
    free(a->loaded[--a->loaded_count]);
  return a->loaded[a->loaded_count++] = bytes;
}

static const uint8_t *from_folder(struct archive *a, const char *name, size_t *size) {
  char path[2 * NAME];
  snprintf(path, sizeof path, "%s/%s", a->folder, name);
  FILE *f = fopen(path, "rb");
  if (!f)
    return NULL;
  fseek(f, 0, SEEK_END);
  long length = ftell(f);
  rewind(f);
  uint8_t *bytes = calloc(1, (size_t)length + 1);
  *size = fread(bytes, 1, (size_t)length, f);
  fclose(f);
  return keep(a, bytes);
}

const uint8_t *archive_member(struct archive *a, const char *name, size_t *size) {
  if (a->folder[0])
    return from_folder(a, name, size);
  for (size_t at = 0; at + BLOCK <= a->size && a->bytes[at];) {
    const char *head = (const char *)a->bytes + at;
    size_t length = strtoul(head + 124, NULL, 8);
    at += BLOCK;
    if (strcmp(head, name) == 0) {
      uint8_t *bytes = calloc(1, length + 1);
      memcpy(bytes, a->bytes + at, length);
      *size = length;
      return keep(a, bytes);
    }
    at += (length + BLOCK - 1) / BLOCK * BLOCK;
  }
  return NULL;
}

struct table {
  char *text, *next;
  char *name[COLUMNS], *field[COLUMNS];
  unsigned columns;
};

// Cuts a line into fields; returns where the next one starts.
static char *cut(char *line, char *field[COLUMNS], unsigned *count) {
  char *end = strchr(line, '\n');
  char *next = end ? end + 1 : line + strlen(line);
  if (end)
    *end = 0;
  *count = 0;
  for (char *p = line; p && *count < COLUMNS;) {
    field[(*count)++] = p;
    p = strchr(p, '\t');
    if (p)
      *p++ = 0;
  }
  return next;
}

struct table *table_open(struct archive *a, const char *name) {
  size_t size;
  const uint8_t *bytes = archive_member(a, name, &size);
  ck_assert_msg(bytes != NULL, "no table %s", name);
  struct table *t = calloc(1, sizeof *t);
  t->text = malloc(size + 1);
  memcpy(t->text, bytes, size + 1);
  t->next = cut(t->text, t->name, &t->columns);
  return t;
}

void table_close(struct table *t) {
  free(t->text);
  free(t);
}

bool table_next(struct table *t) {
  if (*t->next == 0)
    return false;
  unsigned count;
  t->next = cut(t->next, t->field, &count);
  for (unsigned i = count; i < t->columns; i++)
    t->field[i] = t->next;
  return true;
}

const char *table_text(const struct table *t, const char *column) {
  for (unsigned i = 0; i < t->columns; i++)
    if (strcmp(t->name[i], column) == 0)
      return t->field[i];
  ck_abort_msg("no column %s", column);
  return "";
}

uint64_t table_number(const struct table *t, const char *column) {
  return strtoull(table_text(t, column), NULL, 0);
}
