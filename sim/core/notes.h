// sim/core/notes.h: what a core notes while it runs through a stretch of cycles as foreseen
// (stretch.h): what it asks the TCDM for, to be compared with that; and whatever it changes, to
// take it back where something else came.
//
// What it cannot take back it does not do: it stops in front of it (`phase` is CORE_IDLE then).
// These are traps, CSRs, and whatever the cycle model takes over for.
#ifndef PULPSIM_NOTES_H
#define PULPSIM_NOTES_H

#include <stddef.h>
#include <string.h>

#include "core/block.h"

enum {
  NOTES_WORD_BITS = 20, // of a word of the window: it is that small
  // A core makes one access in a cycle at most, and enters one block, up to the end of the wheel
  // behind that of a stretch.
  NOTES_ACCESSES = ENGINE_WHEEL + 16,
  NOTES_BLOCKS = 2 * ENGINE_WHEEL,
  NOTES_WAITS = 2 * ENGINE_WHEEL,
  // What is saved of a core: all in front of the registers that only writing CSRs changes.
  NOTES_STATE = offsetof(struct core, csr.mhpmevent),
};

struct notes {
  unsigned accesses, stores, blocks, waits;
  uint32_t access[NOTES_ACCESSES]; // see notes_access()
  struct {
    uint32_t word, held; // index in the window, what it held before
  } store[NOTES_ACCESSES];
  struct block *block[NOTES_BLOCKS]; // that it has entered
  struct wait wait[NOTES_WAITS];     // that were displaced from core.wait
  uint8_t state[NOTES_STATE];
};

// A core asks for `word` in cycle `t`: a noted access holds the lower bits of the latter above the
// former.
static inline uint32_t notes_access(cycle_t t, uint32_t word) {
  return (uint32_t)t << NOTES_WORD_BITS | word;
}
static inline uint32_t notes_word(uint32_t access) {
  return access & ((UINT32_C(1) << NOTES_WORD_BITS) - 1);
}

static inline void notes_ask(struct core *c, cycle_t t, uint32_t word) {
  *c->noted++ = notes_access(t, word);
}

// Before `word` is written.
static inline void notes_store(struct notes *n, const struct core *c, uint32_t word) {
  n->store[n->stores].word = word;
  memcpy(&n->store[n->stores++].held, c->window + 4 * word, 4);
}

// Behind entering `b`. The core stops at the next block when there is no room.
static inline void notes_block(struct core *c, struct block *b) {
  struct notes *n = c->notes;
  n->block[n->blocks++] = b;
  if (__builtin_expect(n->blocks == NOTES_BLOCKS, 0))
    c->limit = 0;
}

// Where the next wait is to be noted (not in this file's sense), in core.wait.
static inline struct wait *core_next_wait(struct core *c) {
  struct wait *w = &c->wait[c->waits++ % CORE_WAITS];
  struct notes *n = c->notes;
  if (__builtin_expect(n != NULL, 0))
    n->wait[n->waits++ % NOTES_WAITS] = *w;
  return w;
}

// From now on core `c` notes in `n`.
void notes_begin(struct notes *n, struct core *c);
void notes_end(struct core *c);

// Takes back what `c`, which has ended noting, has done since. Of several cores, the last to begin
// comes first.
void notes_take_back(struct notes *n, struct core *c);

#endif
