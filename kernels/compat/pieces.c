#include "pieces.h"

#include <string.h>

static uint32_t aligned(uint32_t size) {
  return (size + PIECES_ALIGN - 1) & ~(uint32_t)(PIECES_ALIGN - 1);
}

uintptr_t pieces_take(struct pieces *p, uint32_t size) {
  for (unsigned i = 0; i < p->count && size; i++)
    if (p->free[i].end - p->free[i].begin >= size && aligned(size) >= size) {
      uintptr_t begin = p->free[i].begin;
      p->free[i].begin += aligned(size);
      return begin;
    }
  return 0;
}

// Joins it to the piece in front, or behind; a piece of its own otherwise.
void pieces_give(struct pieces *p, uintptr_t begin, uint32_t size) {
  uintptr_t end = begin + aligned(size);
  unsigned i = 0;
  while (i < p->count && p->free[i].begin < begin)
    i++;
  if (i > 0 && p->free[i - 1].end == begin) {
    p->free[i - 1].end = end;
    if (i < p->count && p->free[i].begin == end) {
      p->free[i - 1].end = p->free[i].end;
      memmove(&p->free[i], &p->free[i + 1], (--p->count - i) * sizeof *p->free);
    }
  } else if (i < p->count && p->free[i].begin == end) {
    p->free[i].begin = begin;
  } else if (p->count < sizeof p->free / sizeof *p->free) {
    memmove(&p->free[i + 1], &p->free[i], (p->count++ - i) * sizeof *p->free);
    p->free[i].begin = begin;
    p->free[i].end = end;
  }
}
