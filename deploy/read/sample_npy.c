// deploy/read/sample_npy.c: NumPy's arrays (NEP 1, versions 1 to 3).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "sample_formats.h"

enum { MAGIC = 6, HEADER_MOST = 4096 };

struct layout {
  char kind; // 'i', 'u', 'f', 'b'
  size_t size;
};

// What stands behind a key of the header, which is a Python dictionary.
static const char *value_of(const char *header, const char *key) {
  const char *at = strstr(header, key);
  at = at ? strchr(at + strlen(key), ':') : NULL;
  return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

// '<f4' and the like: little-endian, or a byte.
static bool read_type(const char *text, struct layout *layout) {
  if (!text || (*text != '\'' && *text != '"') || !strchr("<|=", text[1]) || !text[1])
    return false;
  char *end;
  layout->kind = text[2];
  layout->size = strtoul(text + 3, &end, 10);
  bool byte = layout->kind == 'b' && layout->size == 1;
  bool whole = (layout->kind == 'i' || layout->kind == 'u') &&
               (layout->size == 1 || layout->size == 2 || layout->size == 4 || layout->size == 8);
  return byte || whole || (layout->kind == 'f' && (layout->size == 4 || layout->size == 8));
}

static bool read_shape(const char *text, struct sample *s) {
  if (!text || *text != '(')
    return false;
  s->count = 1;
  for (text += 1 + strspn(text + 1, " "); *text != ')';) {
    char *end;
    unsigned long side = strtoul(text, &end, 10);
    if (end == text || s->rank == SAMPLE_RANK || side == 0 || side > 1ul << 28 ||
        s->count > (1ul << 28) / side)
      return false;
    s->dims[s->rank++] = side;
    s->count *= side;
    text = end + strspn(end, " ,");
  }
  return true;
}

static double element(const uint8_t *at, struct layout layout) {
  uint64_t bits = 0;
  memcpy(&bits, at, layout.size);
  if (layout.kind == 'f' && layout.size == 4) {
    float real;
    memcpy(&real, at, 4);
    return (double)real;
  }
  if (layout.kind == 'f') {
    double real;
    memcpy(&real, at, 8);
    return real;
  }
  unsigned shift = 64 - 8 * (unsigned)layout.size;
  return layout.kind == 'i' ? (double)((int64_t)(bits << shift) >> shift) : (double)bits;
}

bool sample_npy(const char *path, const uint8_t *bytes, size_t size, struct sample *s,
                struct net_error *error) {
  char header[HEADER_MOST + 1] = "";
  if (size < 12 || memcmp(bytes, "\x93NUMPY", MAGIC) != 0)
    return sample_fail(error, path, "not a NumPy array");
  size_t width = bytes[MAGIC] == 1 ? 2 : 4, begin = MAGIC + 2 + width, length = 0;
  memcpy(&length, bytes + MAGIC + 2, width);
  if (length > HEADER_MOST || length > size - begin)
    return sample_fail(error, path, "the header of the NumPy array is damaged");
  memcpy(header, bytes + begin, length);
  const char *order = value_of(header, "'fortran_order'");
  struct layout layout;
  if (!read_type(value_of(header, "'descr'"), &layout))
    return sample_fail(error, path,
                       "an array of another type; little-endian integers of 1, 2, 4, 8 "
                       "bytes and floats of 4, 8 are supported");
  if (!order || strncmp(order, "False", 5) != 0)
    return sample_fail(error, path, "an array in Fortran's order; save it in C's");
  if (!read_shape(value_of(header, "'shape'"), s) ||
      s->count > (size - begin - length) / layout.size)
    return sample_fail(error, path, "the array's shape and size disagree");
  s->kind = layout.kind == 'f' ? SAMPLE_REALS : SAMPLE_CODES;
  s->values = memory_new(s->count, sizeof *s->values);
  for (size_t i = 0; i < s->count; i++)
    s->values[i] = element(bytes + begin + length + i * layout.size, layout);
  return true;
}
