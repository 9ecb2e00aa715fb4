// sim/core/loop_table.h: the hardware loops that a program has run so far: where each ends, and
// where it jumps back to from there.
//
// That is more than one place where loops share their end: such as one body that is entered at
// different places, by different cores at the same time.
#ifndef PULPSIM_LOOP_TABLE_H
#define PULPSIM_LOOP_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct loop_bounds {
  uint32_t last, start; // first byte of its last instruction, and of its first
  uint32_t cores;       // bit per core that has set it up
};

struct loop_table {
  struct loop_bounds *slot; // open hash by `last`; 0 there: free (no code at 0 ends a loop)
  unsigned room;            // slots, a power of two, at least half of them free; 0: none yet
  unsigned count;
};

enum loop_news { LOOP_KNOWN, LOOP_OF_OTHERS, LOOP_NEW };

// Adds a loop that core number `core` has set up: what it was so far.
enum loop_news loop_table_add(struct loop_table *t, uint32_t last, uint32_t start, unsigned core);

// One of the loops whose last instruction is at `last`, and the next one behind `l`; NULL: no more.
const struct loop_bounds *loop_table_first(const struct loop_table *t, uint32_t last);
const struct loop_bounds *loop_table_next(const struct loop_table *t, const struct loop_bounds *l);

// Where those of core number `core` among them start: the first and the last such place.
struct loop_starts {
  uint32_t first, last; // first > last: there is none
};
struct loop_starts loop_table_starts(const struct loop_table *t, uint32_t last, unsigned core);

void loop_table_free(struct loop_table *t);

#endif
