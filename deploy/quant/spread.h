// deploy/quant/spread.h: independent work on all cores of the host, in processes.
//
// Each piece of work has a process of its own, with the memory as it is when spread() is called, so
// that results do not depend on how many of them run at once.
#ifndef SPREAD_H
#define SPREAD_H

#include "deploy/net/net.h"

// Piece `number` of a work: writes its result of `size` bytes, or returns false with the sentence.
struct spread {
  uint32_t count; // pieces
  size_t size;    // bytes of a result
  bool (*work)(void *context, uint32_t number, void *result, struct net_error *error);
  void *context;
};

// All pieces, `processes` at once (0: as many as there are cores). Their results, one
// behind the other, or NULL with the sentence of the first that failed.
void *spread(const struct spread *spread, uint32_t processes, struct net_error *error);

#endif
