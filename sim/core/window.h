// sim/core/window.h: the memory that a core reaches in one cycle, see core.window.
#ifndef PULPSIM_WINDOW_H
#define PULPSIM_WINDOW_H

#include <string.h>

#include "core/core.h"

// Stores `size` bytes at `offset`, none of them beyond the word.
static inline void window_store(struct core *c, uint32_t offset, const void *data, unsigned size) {
  memcpy(c->window + offset, data, size);
  if (__builtin_expect(c->window_code[offset >> CODE_SHIFT], 0))
    c->host->code_written(c->host->self, c, c->window_base + offset, size);
}

// Makes an access to `size` bytes at `offset`, none of them beyond the word: a load's word goes to
// c->acc.data (who asked takes its low bytes; memories end 8 bytes later), a store's bytes come
// from there.
static inline void window_serve(struct core *c, uint32_t offset, unsigned size, unsigned kind) {
  if (kind == ACCESS_STORE)
    window_store(c, offset, &c->acc.data, size);
  else
    memcpy(&c->acc.data, c->window + offset, 4);
}

#endif
