// deploy/memory.h: memory for the deployment tool.
//
// A command reads a model, works, and ends: nothing can go on without memory, so these functions
// end the program with one sentence and EX_SOFTWARE (70) when there is none. Sizes that come from a
// file are checked by whoever reads it, before it asks.
#ifndef DEPLOY_MEMORY_H
#define DEPLOY_MEMORY_H

#include <stddef.h>

void *memory_new(size_t count, size_t size); // zeroed; at least one byte
void *memory_grow(void *block, size_t count, size_t size);
void *memory_copy(const void *from, size_t count, size_t size);
char *memory_text(const char *text); // a copy; NULL stays NULL
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Makes room for one more element behind `count` elements: the capacity doubles at powers of two.
#define MEMORY_APPEND(array, count)                                                                \
  ((((count) & ((count)-1)) == 0)                                                                  \
       ? (void)((array) =                                                                          \
                    memory_grow((array), (count) ? 2 * (size_t)(count) : 1, sizeof *(array)))      \
       : (void)0)

#endif
