// bench/pool.h: memory that is freed all at once: the strings and lists of suites and reports.
//
// When memory is out the program ends with a message and status 70: there is nothing better to do.
#ifndef BENCH_POOL_H
#define BENCH_POOL_H

#include <stddef.h>

struct pool {
  struct pool_block *blocks;
};

// Zeroed.
void *pool_take(struct pool *pool, size_t size);
char *pool_copy(struct pool *pool, const char *text);
char *pool_printf(struct pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pool_free(struct pool *pool);

#endif
