// tests/hostile/memory.c: a bad heap, linked around the simulator's own calls by `make HOSTILE=1`.
//
// Fresh memory holds 0xa5, freed memory 0x5a: who reads either computes nonsense. The environment
// makes allocations fail, counted from 1: HOSTILE_FAIL=N the Nth, HOSTILE_FAIL=N+ all from the Nth
// on. HOSTILE_COUNT=FILE leaves the number of allocations in a file.
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRESH = 0xa5, FREED = 0x5a };

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *block);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *block);
char *__wrap_strdup(const char *text);

static _Atomic unsigned long allocations; // traces are written by threads
static unsigned long fail_at;
static bool fail_on;

static void write_count(void) {
  FILE *f = fopen(getenv("HOSTILE_COUNT"), "w");
  if (f) {
    fprintf(f, "%lu\n", (unsigned long)allocations);
    fclose(f);
  }
}

__attribute__((constructor)) static void read_environment(void) {
  const char *text = getenv("HOSTILE_FAIL");
  char *end = NULL;
  fail_at = text ? strtoul(text, &end, 10) : 0;
  fail_on = end && *end == '+';
  if (getenv("HOSTILE_COUNT"))
    atexit(write_count);
}

static bool fails(void) {
  unsigned long n = ++allocations;
  bool now = fail_at && (n == fail_at || (fail_on && n > fail_at));
  if (now)
    errno = ENOMEM;
  return now;
}

void *__wrap_malloc(size_t size) {
  void *block = fails() ? NULL : __real_malloc(size);
  return block ? memset(block, FRESH, size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size) {
  return fails() ? NULL : __real_calloc(count, size);
}

// Always moves.
void *__wrap_realloc(void *old, size_t size) {
  void *block = __wrap_malloc(size);
  if (block && old) {
    size_t had = malloc_usable_size(old);
    memcpy(block, old, had < size ? had : size);
    __wrap_free(old);
  }
  return block;
}

void __wrap_free(void *block) {
  if (block)
    memset(block, FREED, malloc_usable_size(block));
  __real_free(block);
}

char *__wrap_strdup(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = __wrap_malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}
