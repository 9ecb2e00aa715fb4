// sim/observe/ordered.h: lines of several cores, written in the order of time.
//
// Cores report in their own order and run ahead of each other. Lines are kept per core until
// no core can report an earlier one: pulpsim_now() has passed.
#ifndef PULPSIM_ORDERED_H
#define PULPSIM_ORDERED_H

#include "observe/sink.h"

struct ordered;

struct ordered *ordered_new(struct pulpsim *sim, struct sink *sink);
void ordered_free(struct ordered *o);

// Room for a line of core `core` that belongs to cycle `when` (per core ascending), of at most
// `most` bytes; then ordered_add() says how long it became.
char *ordered_room(struct ordered *o, unsigned core, uint64_t when, size_t most);
void ordered_add(struct ordered *o, unsigned core, size_t length);

// Writes all that is left.
void ordered_finish(struct ordered *o);

#endif
