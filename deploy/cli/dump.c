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
static char *path_of(const char *from, int number, const char *directory) {
  char name[NAME_MOST + 1];
  size_t n = 0;
  for (const char *p = from; *p && n < NAME_MOST; p++)
    name[n++] = isalnum((unsigned char)*p) || strchr(".-", *p) ? *p : '_';
  name[n] = 0;
  return memory_format("%s/%03d_%s.npy", directory, number, name);
}

// As NumPy names them; NULL: it has none.
static const char *type_text(enum array_type type) {
  static const char *const texts[] = {
      [ARRAY_F32] = "<f4", [ARRAY_U8] = "|u1",  [ARRAY_I8] = "|i1",  [ARRAY_U16] = "<u2",
      [ARRAY_I16] = "<i2", [ARRAY_I32] = "<i4", [ARRAY_I64] = "<i8", [ARRAY_BOOL] = "|b1",
      [ARRAY_F16] = "<f2", [ARRAY_F64] = "<f8", [ARRAY_U32] = "<u4", [ARRAY_U64] = "<u8"};
  return (size_t)type < sizeof texts / sizeof *texts ? texts[type] : NULL;
}

// NEP 1, version 1: the header is filled with spaces to a multiple of 64 bytes.
static void write_header(const struct array *a, FILE *out) {
  char dims[32 * ARRAY_RANK] = "";
  size_t used = 0;
  for (int i = 0; i < a->rank; i++)
    used += (size_t)snprintf(dims + used, sizeof dims - used, "%lld, ", (long long)a->dims[i]);
  char *text = memory_format("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                             type_text(a->type), dims);
  size_t length = strlen(text), whole = (FIXED + length + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
  size_t header = whole - FIXED;
  fwrite("\x93NUMPY\x01", 1, 7, out);
  fputc(0, out);
  fputc((int)(header & 255), out);
  fputc((int)(header >> 8), out);
  fprintf(out, "%s%*s\n", text, (int)(header - length - 1), "");
  free(text);
}

// The host is little-endian, as the file is.
int dump_array(const struct array *a, int number, const char *name, const char *directory) {
  if (!type_text(a->type)) // bfloat16
    return 0;
  char *path = path_of(name, number, directory);
  struct result_file out;
  int status = DEPLOY_NO_OUTPUT;
  if (deploy_create(&out, path)) {
    write_header(a, out.file);
    fwrite(a->data, array_type_size(a->type), array_count(a), out.file);
    status = deploy_finish(&out, path);
  }
  free(path);
  return status;
}

static int dump_tensor(const struct net *net, const struct int_run *run, int number,
                       const char *directory) {
  const struct net_tensor *t = &net->tensors[number];
  struct array a = {.type = t->bits == 32  ? ARRAY_I32
                            : t->is_signed ? ARRAY_I8
                                           : ARRAY_U8,
                    .rank = 3,
                    .dims = {t->h, t->w, t->c}};
  array_allocate(&a);
  for (size_t i = 0; i < int_elements(run, number); i++)
    array_set_int(&a, i, int_tensor(run, number)[i]);
  int status = dump_array(&a, number, t->name, directory);
  array_clear(&a);
  return status;
}

int dump_directory(const char *directory) {
  if (mkdir(directory, 0777) != 0 && errno != EEXIST)
    return deploy_fail(DEPLOY_NO_OUTPUT, "%s: %s", directory, strerror(errno));
  return 0;
}

int dump_tensors(const struct net *net, const struct int_run *run, const char *directory) {
  int status = dump_directory(directory);
  for (uint32_t i = 0; status == 0 && i < net->tensor_count; i++)
    status = dump_tensor(net, run, (int)i, directory);
  return status;
}
