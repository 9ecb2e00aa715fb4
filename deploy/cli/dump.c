// deploy/cli/dump.c
#include "dump.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "deploy/memory.h"

enum { NAME_MOST = 80, ALIGNMENT = 64, FIXED = 10 };

// Letters, digits, points and dashes of the name; others become lines.
static char *path_of(const struct net *net, int number, const char *directory) {
  char name[NAME_MOST + 1];
  size_t n = 0;
  for (const char *p = net->tensors[number].name; *p && n < NAME_MOST; p++)
    name[n++] = isalnum((unsigned char)*p) || strchr(".-", *p) ? *p : '_';
  name[n] = 0;
  return memory_format("%s/%03d_%s.npy", directory, number, name);
}

// NEP 1, version 1: the header is filled with spaces to a multiple of 64 bytes.
static void write_header(const struct net_tensor *t, FILE *out) {
  const char *type = t->bits == 32 ? "<i4" : t->is_signed ? "|i1" : "|u1";
  char *text = memory_format("{'descr': '%s', 'fortran_order': False, 'shape': (%u, %u, %u), }",
                             type, t->h, t->w, t->c);
  size_t length = strlen(text), whole = (FIXED + length + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
  size_t header = whole - FIXED;
  fwrite("\x93NUMPY\x01", 1, 7, out);
  fputc(0, out);
  fputc((int)(header & 255), out);
  fputc((int)(header >> 8), out);
  fprintf(out, "%s%*s\n", text, (int)(header - length - 1), "");
  free(text);
}

static int dump_tensor(const struct net *net, const struct int_run *run, int number,
                       const char *directory) {
  const struct net_tensor *t = &net->tensors[number];
  char *path = path_of(net, number, directory);
  FILE *out = deploy_create(path);
  free(path);
  if (!out)
    return DEPLOY_NO_OUTPUT;
  write_header(t, out);
  const int32_t *values = int_tensor(run, number);
  for (size_t i = 0; i < int_elements(run, number); i++) {
    for (int k = 0; k < (t->bits == 32 ? 4 : 1); k++)
      fputc((int)((uint32_t)values[i] >> 8 * k & 255), out);
  }
  bool good = !ferror(out);
  good &= fclose(out) == 0;
  return good ? 0 : deploy_fail(DEPLOY_NO_OUTPUT, "%s: cannot be written", directory);
}

int dump_tensors(const struct net *net, const struct int_run *run, const char *directory) {
  if (mkdir(directory, 0777) != 0 && errno != EEXIST)
    return deploy_fail(DEPLOY_NO_OUTPUT, "%s: %s", directory, strerror(errno));
  int status = 0;
  for (uint32_t i = 0; status == 0 && i < net->tensor_count; i++)
    status = dump_tensor(net, run, (int)i, directory);
  return status;
}
