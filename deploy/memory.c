// deploy/memory.c: see memory.h.
#include "deploy/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

static void *got(void *block) {
  if (!block) {
    fputs("pulpsim-deploy: out of memory\n", stderr);
    exit(EX_SOFTWARE);
  }
  return block;
}

void *memory_new(size_t count, size_t size) {
  return got(calloc(count ? count : 1, size ? size : 1));
}

void *memory_grow(void *block, size_t count, size_t size) {
  return got(reallocarray(block, count ? count : 1, size));
}

void *memory_copy(const void *from, size_t count, size_t size) {
  void *block = memory_new(count, size);
  if (count)
    memcpy(block, from, count * size);
  return block;
}

char *memory_text(const char *text) {
  return text ? memory_copy(text, strlen(text) + 1, 1) : NULL;
}

char *memory_format(const char *format, ...) {
  char *text = NULL;
  va_list values;
  va_start(values, format);
  int length = vasprintf(&text, format, values);
  va_end(values);
  return got(length < 0 ? NULL : text);
}
