// sim/core/window.h: the memory that a core reaches in one cycle, see core.window.
#ifndef PULPSIM_WINDOW_H
#define PULPSIM_WINDOW_H

#include <string.h>

#include "core/block.h"

// Makes an access to `size` bytes at `offset`, none of them beyond the word: a load's word goes to
// c->acc.data (who asked takes its low bytes; memories end 8 bytes later), a store's bytes come
// from there.
static inline void window_serve(struct core *c, uint32_t offset, unsigned size, unsigned kind) {
  uint8_t *p = c->window + offset;
  if (kind != ACCESS_STORE) {
    memcpy(&c->acc.data, p, 4);
    return;
  }
  switch (size) {
  case 4:
    memcpy(p, &c->acc.data, 4);
    break;
  case 2:
    memcpy(p, &c->acc.data, 2);
    break;
  case 3:
    memcpy(p, &c->acc.data, 3);
    break;
  default:
    *p = (uint8_t)c->acc.data;
    break;
  }
  if (c->window_code[offset >> CODE_SHIFT])
    block_flush(c->blocks);
}

#endif
