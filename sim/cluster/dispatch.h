// sim/cluster/dispatch.h: the task dispatcher of the event unit.
//
// A queue of 8 words that each core of the team set at the time of the push reads once. A
// core asks by reading the dispatch register; while it waits, its read pointer moves by
// one entry per cycle past words that are not for it, and an event tells it that a word is there.
// There is no protection against pushing more words than the queue holds, as in the RTL.
#ifndef PULPSIM_DISPATCH_H
#define PULPSIM_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

enum { DISPATCH_DEPTH = 8, DISPATCH_CORES = 16 };

struct dispatch {
  uint32_t value[DISPATCH_DEPTH];
  uint32_t unread[DISPATCH_DEPTH]; // cores that have still to read the word
  uint32_t team;                   // cores that the next word is for
  uint32_t asking;                 // cores that wait for a word
  uint32_t read;                   // cores whose pointer moves on in the next cycle
  uint8_t write_pointer;
  uint8_t read_pointer[DISPATCH_CORES];
};

struct dispatch_inputs {
  uint32_t pop; // cores that begin to ask
  uint32_t ack; // cores woken up in this cycle, for whatever reason
  uint32_t push_value, team_value;
  bool push, set_team;
};

// One cycle. Returns the cores that get the dispatch event in it. `busy` tells whether the next
// cycle differs even if nothing comes in.
uint32_t dispatch_edge(struct dispatch *d, const struct dispatch_inputs *in, bool *busy);

static inline uint32_t dispatch_value(const struct dispatch *d, unsigned core) {
  return d->value[d->read_pointer[core]];
}

#endif
