// sim/observe/ordered.h: lines of several cores, written in the order of time.
//
// Cores report in their own order and run ahead of each other. Lines are kept per core until
// no core can report an earlier one: pulpsim_now() has passed.
#ifndef PULPSIM_ORDERED_H
#define PULPSIM_ORDERED_H

#include "observe/sink.h"

enum { ORDERED_CORES = 17, ORDERED_PIECE = 32, ORDERED_BETWEEN = 128 };

// A line in a queue: this header, then the text.
struct ordered_line {
  uint64_t when;
  uint32_t length; // of the text
  uint32_t space;  // of header and text
};

struct ordered_queue {
  char *bytes;
  size_t first, end, room;
};

struct ordered {
  struct pulpsim *sim;
  struct sink *sink;
  unsigned fresh;               // lines since the last look at what can be written
  uint32_t waiting;             // bit per queue: it has lines
  uint64_t next[ORDERED_CORES]; // when its first is due
  struct ordered_queue queue[ORDERED_CORES];
};

struct ordered *ordered_new(struct pulpsim *sim, struct sink *sink);
void ordered_free(struct ordered *o);

void ordered_grow(struct ordered_queue *q, size_t size);
void ordered_write(struct ordered *o); // what no line can precede any more

// Room for a line of core `core` that belongs to cycle `when` (per core ascending), of at most
// `most` bytes; then ordered_add() says how long it became.
static inline char *ordered_room(struct ordered *o, unsigned core, uint64_t when, size_t most) {
  struct ordered_queue *q = &o->queue[core];
  size_t size = sizeof(struct ordered_line) + most + ORDERED_PIECE;
  if (q->room - q->end < size)
    ordered_grow(q, size);
  struct ordered_line *l = (struct ordered_line *)(q->bytes + q->end);
  l->when = when;
  return (char *)(l + 1);
}

static inline void ordered_add(struct ordered *o, unsigned core, size_t length) {
  struct ordered_queue *q = &o->queue[core];
  struct ordered_line *l = (struct ordered_line *)(q->bytes + q->end);
  l->length = (uint32_t)length;
  l->space = (uint32_t)((sizeof *l + length + 7) & ~(size_t)7);
  q->end += l->space;
  if (!(o->waiting >> core & 1)) {
    o->waiting |= UINT32_C(1) << core;
    o->next[core] = l->when;
  }
  if (++o->fresh >= ORDERED_BETWEEN)
    ordered_write(o);
}

// Writes all that is left.
void ordered_finish(struct ordered *o);

#endif
