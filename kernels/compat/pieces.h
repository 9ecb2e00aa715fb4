// kernels/compat/pieces.h: which parts of a memory are free, kept outside it.
#ifndef COMPAT_PIECES_H
#define COMPAT_PIECES_H

#include <stdint.h>

enum { PIECES_ALIGN = 8 };

struct pieces {
  unsigned count;
  struct {
    uintptr_t begin, end;
  } free[64]; // by ascending address
};

// 0: none is large enough, or size is 0.
uintptr_t pieces_take(struct pieces *p, uint32_t size);
// `size` as it was taken. Of more pieces than the list has room for one is lost.
void pieces_give(struct pieces *p, uintptr_t begin, uint32_t size);

#endif
