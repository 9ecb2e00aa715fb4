// sim/observe/log_record.h: what is kept of an instruction until its line of the log is made of it.
#ifndef PULPSIM_LOG_RECORD_H
#define PULPSIM_LOG_RECORD_H

#include "observe/ordered.h"
#include "observe/site.h"

// A line of these has the number of the site in `word` and the number of causes in `count`. In
// `more`: the second value written, address and data of the access, and causes with their cycles.
// Records are kept short: passing them from one processor to the other costs more than anything
// done with them.
enum { LOG_LATE = 0x80 }; // in `count`
struct log_record {
  uint32_t late;  // in EX for so many cycles; LOG_LATE: the upper half of the number is in `more`
  uint32_t value; // the first written, if any
  uint32_t more[];
};
enum { LOG_MORE = 1 + 1 + 2 + 2 * PULPSIM_CAUSES };
_Static_assert(sizeof(struct log_record) + LOG_MORE * sizeof(uint32_t) <= ORDERED_MOST, "it fits");

// What is to be recorded.
struct log_entry {
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

uint32_t *log_record_causes(struct ordered_line *l, uint32_t *p, const uint32_t *stalls);

// Inlined, because mostly much of `x` is known to be nothing. Returns whether it is time for
// ordered_mark().
static inline __attribute__((always_inline)) bool log_record_put(struct ordered *o,
                                                                 const struct log_entry x) {
  struct ordered_line *l = ordered_room(o, x.core, x.done);
  struct log_record *n = (struct log_record *)(l + 1);
  uint32_t *p = n->more;
  uint64_t late = x.done - x.cycle;
  n->late = (uint32_t)late;
  n->value = x.value[0];
  l->word = x.site;
  l->count = 0;
  if (late >> 32) {
    l->count = LOG_LATE;
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
    p = log_record_causes(l, p, x.stalls);
  }
  return ordered_put(o, l, (size_t)((char *)p - (char *)n));
}

void log_record_event(struct ordered *o, struct sites *sites, const struct pulpsim_insn_event *e);

#endif
