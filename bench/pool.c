// bench/pool.c: a list of blocks.
#include "bench/pool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pool_block {
  struct pool_block *next;
  _Alignas(max_align_t) char bytes[];
};

void *pool_take(struct pool *pool, size_t size) {
  struct pool_block *block = calloc(1, sizeof *block + size);
  if (!block) {
    fputs("pulpsim-bench: out of memory\n", stderr);
    exit(70);
  }
  block->next = pool->blocks;
  pool->blocks = block;
  return block->bytes;
}

char *pool_copy(struct pool *pool, const char *text) {
  size_t size = strlen(text) + 1;
  return memcpy(pool_take(pool, size), text, size);
}

char *pool_printf(struct pool *pool, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int length = vsnprintf(NULL, 0, format, list);
  va_end(list);
  char *text = pool_take(pool, (size_t)length + 1);
  va_start(list, format);
  vsnprintf(text, (size_t)length + 1, format, list);
  va_end(list);
  return text;
}

void pool_free(struct pool *pool) {
  for (struct pool_block *b = pool->blocks, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  pool->blocks = NULL;
}
