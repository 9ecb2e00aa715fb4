// sim/cluster/icache_units.h: what the files of the instruction cache share; see icache.h.
#ifndef PULPSIM_ICACHE_UNITS_H
#define PULPSIM_ICACHE_UNITS_H

#include "cluster/icache.h"

// What the control unit asks of all caches in this cycle, and what they acknowledge.
struct icache_wires {
  bool controlled; // it acts
  bool bypass;
  uint32_t flush_private, flush_bank, flush_set_private, flush_set_bank; // one bit per unit
  uint32_t bypassed, flushed, set_flushed;                               // private caches
  uint32_t bank_enabled, bank_disabled, bank_flushed, bank_set_flushed;
  uint32_t granted;       // private caches that a bank has taken
  uint32_t answered;      // private caches that a bank answers
  uint32_t fetch_granted; // cores
  uint32_t valid;         // cores that are answered in the next cycle
};

static inline uint32_t icache_line(const struct icache *ic, uint32_t addr) {
  return addr >> ic->line_shift;
}

static inline unsigned icache_bank(const struct icache *ic, uint32_t line) {
  return line & (ic->params.shared_banks - 1);
}

static inline uint32_t icache_set(const struct icache *ic, uint32_t addr) {
  return icache_line(ic, addr) & (ic->core[0].tags.sets - 1);
}

static inline bool icache_prefetches(const struct icache *ic, unsigned core) {
  return ic->control.prefetch >> core & 1;
}

static inline uint32_t icache_set_bit(uint32_t set, unsigned unit, bool value) {
  return (set & ~(UINT32_C(1) << unit)) | (uint32_t)value << unit;
}

// The core's request gets through to the private cache.
static inline bool icache_offered(const struct icache_private *p) {
  return p->requested && (!p->busy || p->valid);
}

// Private caches with a prefetcher that is not off, or is to be switched on.
static inline uint32_t icache_looking_ahead(const struct icache *ic) {
  return ic->prefetchers | ic->control.prefetch;
}

// The line that a fetch has missed is written at the end of this cycle.
static inline bool icache_fills(const struct icache_private *p) {
  return p->state == PRIVATE_WAIT && p->answered && p->way_of == WAY_FETCH;
}

// The private cache takes a fetch, as far as that is up to its state.
static inline bool icache_takes_fetch(const struct icache_private *p) {
  return p->state == PRIVATE_IDLE || (p->state == PRIVATE_LOOKUP && p->valid);
}

// The line that comes in the cycle before `now` has been written ahead.
static inline bool icache_written_ahead(const struct icache_private *p, cycle_t now) {
  return p->lines.takes_from == now;
}

// icache_tags.c
// Returns the storage behind what it takes.
uint32_t *icache_tags_init(struct icache_tags *t, unsigned sets, unsigned ways, uint32_t *storage);
bool icache_tags_hit(const struct icache_tags *t, uint32_t line, uint32_t set);
// Returns the tag of what it replaces.
uint32_t icache_tags_put(struct icache_tags *t, uint32_t line, uint32_t set, unsigned way);
void icache_tags_clear_set(struct icache_tags *t, uint32_t set);
unsigned icache_tags_random_way(struct icache_tags *t); // and steps the register
// The highest-numbered invalid way, or -1.
int icache_tags_free_way(const struct icache_tags *t, uint32_t set);

// icache_lines.c: the directory has been changed.
void code_lines_filled(struct code_lines *f, const struct icache_tags *t, uint32_t line);
void code_lines_evicted(struct code_lines *f, const struct icache_tags *t, uint32_t line);

// icache_private.c: requests of a cycle, then its end.
void icache_private_request(struct icache *ic, unsigned core, struct icache_wires *w);
void icache_private_edge(struct icache *ic, unsigned core, struct icache_wires *w);
// All that the edge does of a cache that waits for its line, which comes.
void icache_private_answered(struct icache *ic, unsigned core, struct icache_wires *w);
// The cache is stepped in cycle `now` after all: what has been written ahead is still to come.
void icache_private_wait(struct icache *ic, unsigned core, cycle_t now);
void icache_private_update(struct icache *ic, unsigned core); // in the sets of caches
// A fetch that nobody can hold up, and that misses, is taken ahead of the cycle's end.
void icache_private_begin(struct icache *ic, unsigned core, uint32_t addr);
bool icache_private_holds(const struct icache *ic, unsigned core, uint32_t addr);
void icache_private_fill(struct icache *ic, unsigned core, uint32_t addr, unsigned way);

// Behind what may change `alone`.
void icache_update_alone(struct icache *ic);

// icache_prefetch.c: what the prefetcher shows in a cycle ...
struct icache_prefetch_view {
  bool enabled;
  bool branch;  // the core's address is not on the line that is looked for
  bool busy;    // with that line [prefetch_start]
  bool hit;     // it is there
  bool arrives; // it comes in this cycle
};
struct icache_prefetch_view icache_prefetch_look(const struct icache *ic, unsigned core);
// ... whether it asks the shared side ...
bool icache_prefetch_asks(const struct icache *ic, unsigned core);
// ... and its edge. `granted`: by the shared side. `tags_read`, `tags_written`: what the fetch side
// does with the tags in this cycle. `random`: see icache_choose_way().
void icache_prefetch_edge(struct icache *ic, unsigned core, const struct icache_wires *w,
                          const struct icache_prefetch_view *v, bool tags_read, bool tags_written,
                          int *random);
bool icache_prefetch_active(const struct icache_prefetch *f);

// The way of the private cache that a missing line will take. `random`: what has been drawn in this
// cycle, or -1: once at most.
unsigned icache_choose_way(struct icache_private *p, uint32_t set, int *random);

// icache_bank.c
void icache_bank_init(struct icache *ic, unsigned bank);
void icache_bank_cycle(struct icache *ic, unsigned bank, struct icache_wires *w);
void icache_bus_cycle(struct icache *ic, cycle_t now);
void icache_bank_update(struct icache *ic, unsigned bank); // in the sets of banks

// icache_control.c
void icache_control_begin(struct icache *ic, cycle_t now);
void icache_control_drive(const struct icache *ic, struct icache_wires *w);
void icache_control_edge(struct icache *ic, const struct icache_wires *w, cycle_t now);

#endif
