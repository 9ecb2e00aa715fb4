// isa/gen/isagen.c: makes the files that follow from the rows.
//
//   isagen DIR          writes isa_ops.h, isa_table.inc, xpulp.h, xpulp.S.h, pulp_builtins.inc into
//                       DIR
//   isagen --docs FILE  writes the instruction reference
//
// A file is only rewritten when its contents change, so that what depends on it is not
// built again without need.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isagen.h"

static _Noreturn void die(const char *what, const char *path) {
  fprintf(stderr, "isagen: %s %s: %s\n", what, path, strerror(errno));
  exit(1);
}

static bool has_contents(const char *path, const char *text, size_t size) {
  FILE *f = fopen(path, "rb");
  if (f == NULL)
    return false;
  char *old = malloc(size + 1);
  bool same = old != NULL && fread(old, 1, size + 1, f) == size && memcmp(old, text, size) == 0;
  free(old);
  fclose(f);
  return same;
}

static void write_file(const char *path, void (*emit)(FILE *)) {
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  if (memory == NULL)
    die("cannot prepare", path);
  emit(memory);
  if (fclose(memory) != 0)
    die("cannot prepare", path);
  if (!has_contents(path, text, size)) {
    FILE *f = fopen(path, "wb");
    if (f == NULL)
      die("cannot write", path);
    size_t written = fwrite(text, 1, size, f);
    if (fclose(f) != 0 || written != size)
      die("cannot write", path);
  }
  free(text);
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--docs") == 0) {
    write_file(argv[2], emit_docs);
    return 0;
  }
  if (argc != 2 || argv[1][0] == '-') {
    fprintf(stderr, "usage: isagen DIR | isagen --docs FILE\n");
    return 2;
  }
  static const struct {
    const char *name;
    void (*emit)(FILE *);
  } files[] = {
      {"isa_ops.h", emit_ops}, {"isa_table.inc", emit_table},        {"xpulp.h", emit_intrinsics},
      {"xpulp.S.h", emit_asm}, {"pulp_builtins.inc", emit_builtins},
  };
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", argv[1], files[i].name);
    write_file(path, files[i].emit);
  }
  return 0;
}
