// sim/observe/note.h: what is kept of an instruction until its line of the log is made of it.
#ifndef PULPSIM_NOTE_H
#define PULPSIM_NOTE_H

#include "observe/ordered.h"
#include "observe/site.h"

// A line of these has the number of the site in `word` and the number of causes in `count`. In
// `more`: the second value written, address and data of the access, and causes with their cycles.
// Records are kept short: passing them from one processor to the other costs more than anything
// done with them.
enum { NOTE_LATE = 0x80 }; // in `count`
struct note {
  uint32_t late;  // in EX for so many cycles; NOTE_LATE: the upper half of the number is in `more`
  uint32_t value; // the first written, if any
  uint32_t more[];
};
enum { NOTE_MORE = 1 + 1 + 2 + 2 * PULPSIM_CAUSES };
_Static_assert(sizeof(struct note) + NOTE_MORE * sizeof(uint32_t) <= ORDERED_MOST, "it fits");

// What is to be noted.
struct noted {
  unsigned core;
  uint64_t cycle, done;
  uint32_t site;
  unsigned writes; // registers
  uint32_t value[2];
  bool access;
  uint32_t address, data;
  uint32_t stall, stall_cause;
  const uint32_t *stalls;
};

uint32_t *note_causes(struct ordered_line *l, uint32_t *p, const uint32_t *stalls);

// Inlined, because mostly much of `x` is known to be nothing. Returns whether it is time for
// ordered_mark().
static inline __attribute__((always_inline)) bool note_put(struct ordered *o,
                                                           const struct noted x) {
  struct ordered_line *l = ordered_room(o, x.core, x.done);
  struct note *n = (struct note *)(l + 1);
  uint32_t *p = n->more;
  uint64_t late = x.done - x.cycle;
  n->late = (uint32_t)late;
  n->value = x.value[0];
  l->word = x.site;
  l->count = 0;
  if (late >> 32) {
    l->count = NOTE_LATE;
    *p++ = (uint32_t)(late >> 32);
  }
  if (x.writes > 1)
    *p++ = x.value[1];
  if (x.access) {
    *p++ = x.address;
    *p++ = x.data;
  }
  if (x.stall && x.stalls[x.stall_cause] == x.stall) {
    l->count++;
    *p++ = x.stall_cause;
    *p++ = x.stall;
  } else if (x.stall) {
    p = note_causes(l, p, x.stalls);
  }
  return ordered_put(o, l, (size_t)((char *)p - (char *)n));
}

void note_event(struct ordered *o, struct sites *sites, const struct pulpsim_insn_event *e);

#endif
