// sim/core/stretch_parts.h: the parts of stretch.h's implementation: stretch.c looks them up,
// stretch_run.c runs cores through them, and stretch_dma.c the DMA; stretch_note.c notes them, and
// stretch_count.c says what they do to the banks.
#ifndef PULPSIM_STRETCH_PARTS_H
#define PULPSIM_STRETCH_PARTS_H

#include <string.h>

#include "cluster/tcdm.h"
#include "core/notes.h"
#include "core/stretch.h"
#include "engine/limit.h"

#define STRETCH_KEYS LIMIT(UINT64_MAX, UINT64_C(3)) // bits of a key: no outcome rests on them

enum {
  STRETCH_CYCLES = LIMIT(60, 9), // at most, less than the wheel has ...
  STRETCH_LEAST = LIMIT(8, 2),   // ... and at least
  STRETCH_BANKS = 32,
  STRETCH_LINE = 64, // bytes of the TCDM that the DMA and a core may not both access
  STRETCH_CORES = ENGINE_ARBITERS - ENGINE_CORES,
  STRETCH_HEADS = LIMIT(1 << 12, 1),
  STRETCH_SEEN = LIMIT(1 << 14, 1),
  STRETCH_ROOM = LIMIT(8 << 20, 1 << 13), // bytes
  STRETCH_STILL_WAITS = UINT8_MAX,
  // Noting one takes as long as running through four saves. So it has to be paid for: by running
  // through others, or by looking for others in vain so many times.
  STRETCH_PRICE = 4,
  STRETCH_CREDIT = 4096, // at the beginning
  STRETCH_MOST_CREDIT = 2 * STRETCH_CREDIT,
  STRETCH_IN_VAIN = 16,
  // Where so many have been looked for in vain, only some are, one behind the other, and none for
  // so many cycles.
  STRETCH_PATIENCE = LIMIT(1024, 8),
  STRETCH_SOME = LIMIT(64, 8),
  STRETCH_REST = 7 * STRETCH_SOME * STRETCH_CYCLES,
  STRETCH_CONTESTS = LIMIT(4, 0), // fewer, and stepping the cycles is as fast
};

// An access that waits: which of the core's, and the cycle of the stretch in which it is granted,
// or STRETCH_STILL_WAITS.
struct stretch_wait {
  uint8_t access, grant;
};

// What one core does.
struct stretch_lane {
  uint8_t accesses, waits; // so many
  uint16_t access, wait;   // where they begin, in bytes
};

// What the first cycles of a stretch count.
struct stretch_counts {
  uint32_t banks; // bit b: bank b was granted, or asked for
  struct {
    uint16_t grants, conflicts;
  } bank[STRETCH_BANKS];
  uint16_t denied[TCDM_PORTS];
};

// A cycle in which ports of the DMA ask: bit k of `asks` is port k, for `bank[k]`.
struct stretch_dma {
  uint8_t cycle, asks, wins;
  uint8_t bank[TCDM_DMA_PORTS];
};

// A noted stretch. Its accesses are as in notes.h, but the cycle is that of the stretch, and the
// word the bank; after the last one there are zeros up to the end of a vector. What waited before
// the stretch asks in its first cycle.
struct stretch {
  uint64_t key;
  struct stretch *older; // with the same head
  uint32_t cycles;
  uint32_t cores;           // bit i: core[i] asks for something
  uint16_t dma_cycles, dma; // cycles in which the DMA asks; where they begin, in bytes
  uint32_t decided_before;  // bit b: the pointer of bank b in front of it decides something
  uint8_t before[STRETCH_BANKS], after[STRETCH_BANKS]; // the banks' pointers
  struct stretch_counts counts;
  struct stretch_lane lane[STRETCH_CORES];
  _Alignas(uint32_t) char data[];
};

// One that is being noted.
struct stretch_draft {
  bool active, with_dma;
  cycle_t open; // the cycle that is being noted
  uint64_t key;
  cycle_t from, end; // its first cycle, that behind its last one
  uint32_t cores, decided_before;
  uint32_t pending, waiting; // cores whose last access is not granted yet; that have lost with it
  struct {
    unsigned accesses, waits;
    uint32_t access[STRETCH_CYCLES];
    struct stretch_wait wait[STRETCH_CYCLES];
  } lane[STRETCH_CORES];
  unsigned dma_cycles;
  struct stretch_dma dma[STRETCH_CYCLES];
  uint64_t contests;                 // the group's in front of the cycle that is open
  uint64_t conflicts[STRETCH_BANKS]; // in front of the cycle that is open
  // The banks in front of the stretch, and of the cycle that is open.
  struct stretch_pointer {
    uint8_t pointer;
    uint64_t grants;
  } before[STRETCH_BANKS], after[STRETCH_BANKS];
};

// How often a stretch that was found has been run through, or been taken back: a core could not go
// on, asked for something else, or stored what another one accessed; how often the DMA has been
// followed to the end, and how often it has not. Nobody but tests looks at it.
struct stretch_tally {
  uint64_t through, stopped, otherwise, raced, followed, cut;
};

// Accesses are compared so many at a time.
typedef uint32_t stretch_vector __attribute__((vector_size(32), aligned(4), may_alias));
enum { STRETCH_LANES = sizeof(stretch_vector) / sizeof(uint32_t) };
static inline unsigned stretch_vectors(unsigned accesses) {
  return (accesses + STRETCH_LANES - 1) / STRETCH_LANES;
}

struct stretches {
  struct engine nowhere; // where what cores promise that run through a stretch goes
  struct stretch *heads[STRETCH_HEADS];
  uint32_t seen[STRETCH_SEEN]; // keys, the lower half
  struct notes notes[STRETCH_CORES];
  uint8_t *touched;  // per STRETCH_LINE of the TCDM: cores access it in this stretch
  uint32_t *writers; // per word of the TCDM: bit i: core[i] writes it in this stretch
  struct stretch_draft draft;
  int credit;
  unsigned in_vain;  // looked for so many since the last one that was run through
  uint64_t contests; // the group's so far, or one run through
  char *room;        // of STRETCH_ROOM bytes ...
  size_t used;       // ... of which so many
  struct stretch_tally tally;
};

// Lines of the TCDM.
static inline size_t stretch_lines(const struct tcdm *t) {
  return t->size / STRETCH_LINE + 1;
}

static inline unsigned first_of(uint32_t set) {
  return (unsigned)__builtin_ctz(set);
}
static inline struct stretch **stretch_head(struct stretches *s, uint64_t key) {
  return &s->heads[key >> 40 & (STRETCH_HEADS - 1)];
}
static inline const uint32_t *stretch_accesses(const struct stretch *s, unsigned core) {
  return (const uint32_t *)(const void *)(s->data + s->lane[core].access);
}
static inline const struct stretch_dma *stretch_dma(const struct stretch *s) {
  return (const struct stretch_dma *)(const void *)(s->data + s->dma);
}
static inline const struct stretch_wait *stretch_waits(const struct stretch *s, unsigned core) {
  return (const struct stretch_wait *)(const void *)(s->data + s->lane[core].wait);
}

// Begins to note the stretch of `cores` from this cycle on to in front of `end`.
void stretch_draft_begin(struct core_group *g, uint64_t key, uint32_t cores, cycle_t end, bool dma);

// In cycle `now`, before anything is decided; `asking` ask. A draft that has ended is kept.
void stretch_draft_ask(struct core_group *g, uint32_t asking, cycle_t now);

// Whether the DMA does nothing from cycle `now` on for as long as the shortest stretch.
bool stretch_dma_rests(const struct core_group *g, cycle_t now);

// Slots of the wheel in which somebody acts, from that of the next cycle on to in front of `end`:
// bit i, that of cycle now + 1 + i.
static inline uint64_t stretch_slots_until(const struct engine *e, cycle_t end) {
  unsigned next = (unsigned)((e->now + 1) % ENGINE_WHEEL);
  uint64_t occupied = e->occupied >> next | e->occupied << (-next % ENGINE_WHEEL);
  return occupied & ((UINT64_C(1) << (end - e->now - 1)) - 1);
}

static inline unsigned stretch_slot_ahead(const struct engine *e, unsigned i) {
  return (unsigned)((e->now + 1 + i) % ENGINE_WHEEL);
}

// In which cycle the core asks, from this one on.
static inline cycle_t stretch_asks_at(const struct core *c, cycle_t now) {
  return c->t > now ? c->t : now;
}

// Runs through a stretch that fits, this cycle included, which is that of `slot`; up to where the
// DMA does something else than is noted. False: nothing has been done.
typedef bool stretch_run(struct core_group *g, const struct stretch *s);
stretch_run stretch_run_through;

// How it does so. The second is NULL where it is not compiled for such hosts.
stretch_run stretch_run_any;
extern stretch_run *const stretch_run_avx2;

// Steps the DMA through a stretch whose cores have been run, from this cycle on. Returns the end of
// what goes as noted.
cycle_t stretch_follow_dma(struct core_group *g, const struct stretch *s, cycle_t from);

// The ports of the DMA that ask now. False: others do that are not cores, or, unless `cores_may`,
// cores.
bool stretch_dma_asks(const struct tcdm *t, bool cores_may, struct stretch_dma *asks);

// What the first `cycles` of a stretch count.
void stretch_count(const struct stretch *s, unsigned cycles, unsigned dma_port,
                   struct stretch_counts *counts);

// The pointers of the first `banks` banks behind these, of which those in front of the stretch are
// given.
void stretch_move_pointers(const struct stretch *s, unsigned cycles, unsigned dma_port,
                           unsigned banks, uint8_t *pointer);

#endif
