// sim/core/stretch_run.h: running through a noted stretch. Compiled for any host, and for those
// with AVX2; who includes it defines STRETCH_RUN, the name of the function.
#include "core/core_group_parts.h"
#include "core/exec.h"
#include "core/exec_slow.h"
#include "core/run.h"
#include "core/stretch_parts.h"

typedef uint32_t members; // bit i: core[i]

// ---- one core

// Makes the access that `c` asks for, granted in `grant`, and goes on.
static void go_on(struct core *c, cycle_t grant) {
  if (c->asked_shape >> 8 == ACCESS_STORE)
    notes_store(c->notes, c, c->asked >> 2);
  if (c->t == grant) {
    exec_go_on_granted(c, grant);
    return;
  }
  core_group_lose(c);
  core_served_late(c, grant);
}

// One core of a stretch from cycle `from` to in front of `end`, which may be before its end. False:
// it cannot go on, or asks for something else, or in another cycle, than is noted. True: that is
// not yet known.
static bool run_core(struct core *c, const struct stretch *s, cycle_t from, cycle_t end,
                     cycle_t limit) {
  const struct stretch_lane *lane = &s->lane[c->index];
  const struct stretch_wait *wait = stretch_waits(s, c->index), *last = wait + lane->waits;
  const uint32_t *expected = stretch_accesses(s, c->index);
  while (c->t < end) {
    cycle_t at = stretch_asks_at(c, from), grant = at;
    unsigned n = (unsigned)(c->noted - c->notes->access);
    notes_ask(c, at, c->asked >> 2);
    if (wait < last && wait->access == n) {
      if (at - from != expected[n] >> NOTES_WORD_BITS) // it may be past the grant
        return false;
      if (wait->grant >= end - from) {
        core_group_lose(c);
        return true;
      }
      grant = from + wait++->grant;
    }
    cycle_t next = wait < last ? from + (expected[wait->access] >> NOTES_WORD_BITS) : end;
    c->horizon = next < end ? next : end;
    c->limit = limit;
    go_on(c, grant);
    if (c->phase != CORE_ASKS || (wait < last && c->noted - c->notes->access > wait->access))
      return false;
  }
  return true;
}

static inline bool is_zero(const stretch_vector *v) {
  uint32_t any = 0;
  for (unsigned i = 0; i < STRETCH_LANES; i++)
    any |= (*v)[i];
  return !any;
}

static bool is_as_noted(const struct core *c, struct notes *n, const struct stretch *s,
                        cycle_t from) {
  unsigned count = s->lane[c->index].accesses;
  if (n->accesses != count)
    return false;
  const stretch_vector *expected = (const void *)stretch_accesses(s, c->index);
  const stretch_vector *noted = (const void *)n->access;
  stretch_vector first = notes_access(from, 0) - (stretch_vector){0}, differ = {0};
  stretch_vector mask = (~notes_word(UINT32_MAX) | c->bank_mask) - (stretch_vector){0};
  memcpy(&n->access[count], &first, sizeof first);
  for (unsigned i = 0; i < stretch_vectors(count); i++)
    differ |= ((noted[i] - first) & mask) ^ expected[i];
  return is_zero(&differ);
}

// One core on its own, to in front of `end`. Returns NULL, or what is to be counted: it did
// something else.
static uint64_t *run_one(struct core_group *g, unsigned i, const struct stretch *s, cycle_t from,
                         cycle_t end) {
  struct stretches *all = g->stretches;
  struct core *c = g->member[i];
  struct notes *n = &all->notes[i];
  notes_begin(n, c);
  c->engine = &all->nowhere;
  bool ran = run_core(c, s, from, end, core_limit(g->engine, end, 0));
  c->engine = g->engine;
  notes_end(c);
  if (ran && (end - from < s->cycles || is_as_noted(c, n, s, from)))
    return NULL;
  bool stopped = c->phase != CORE_ASKS && c->phase != CORE_WAIT;
  return stopped ? &all->tally.stopped : &all->tally.otherwise;
}

static void take_back(struct core_group *g, members cores) {
  while (cores) {
    unsigned i = 31 - (unsigned)__builtin_clz(cores); // the last one
    notes_take_back(&g->stretches->notes[i], g->member[i]);
    cores &= ~(UINT32_C(1) << i);
  }
}

// ---- races

// Notes who writes what.
static void note_writers(struct stretches *s, members cores) {
  for (members m = cores; m; m &= m - 1) {
    const struct notes *n = &s->notes[first_of(m)];
    for (unsigned i = 0; i < n->stores; i++)
      s->writers[n->store[i].word] |= m & -m;
  }
}

// Stores are among the accesses.
static bool access_only_their_own(const struct stretches *s, members cores) {
  uint32_t foreign = 0;
  for (members m = cores; m && !foreign; m &= m - 1) {
    const struct notes *n = &s->notes[first_of(m)];
    for (unsigned i = 0; i < n->accesses; i++)
      foreign |= s->writers[notes_word(n->access[i])];
    foreign &= ~(m & -m);
  }
  return !foreign;
}

// Whether no core has stored what another one accessed.
static bool is_free_of_races(struct stretches *s, members cores) {
  members writers = 0;
  for (members m = cores; m; m &= m - 1)
    writers |= s->notes[first_of(m)].stores ? m & -m : 0;
  if (!writers)
    return true;
  note_writers(s, writers);
  bool free_of_races = access_only_their_own(s, cores);
  for (members m = writers; m; m &= m - 1) {
    const struct notes *n = &s->notes[first_of(m)];
    for (unsigned i = 0; i < n->stores; i++)
      s->writers[n->store[i].word] = 0;
  }
  return free_of_races;
}

// Each core on its own. False: all is as before. So it is if a core has decoded anything: it may
// have read what another one had not stored yet, or is not going to store.
static bool run_cores(struct core_group *g, const struct stretch *s, cycle_t from) {
  struct stretches *all = g->stretches;
  members done = 0;
  uint64_t *differs = NULL;
  uint32_t built = g->core->blocks->built;
  for (members m = s->cores; m && !differs; m &= m - 1) {
    differs = run_one(g, first_of(m), s, from, from + s->cycles);
    done |= m & -m;
  }
  bool decoded = g->core->blocks->built != built;
  if (!differs && (decoded || !is_free_of_races(all, s->cores)))
    differs = &all->tally.raced;
  if (!differs)
    return true;
  ++*differs;
  take_back(g, done);
  if (decoded)
    block_flush(g->core->blocks);
  return false;
}

// The same cores once more, to in front of `end`.
static void run_cores_until(struct core_group *g, const struct stretch *s, cycle_t from,
                            cycle_t end) {
  take_back(g, s->cores);
  for (members m = end > from ? s->cores : 0; m; m &= m - 1)
    run_one(g, first_of(m), s, from, end);
}

// ---- all of it

static void count(struct tcdm *t, const struct stretch_counts *did, const uint8_t *pointer) {
  for (uint32_t m = did->banks; m; m &= m - 1) {
    unsigned b = first_of(m);
    t->grants[b] += did->bank[b].grants;
    t->conflicts[b] += did->bank[b].conflicts;
    if (did->bank[b].grants)
      t->bank[b].pointer = pointer[b];
  }
  for (unsigned i = 0; i < t->first_slave + t->external + TCDM_DMA_PORTS; i++)
    t->port[i].denied += did->denied[i];
}

// The same up to some cycle.
static void count_until(struct tcdm *t, const struct stretch *s, unsigned cycles) {
  struct stretch_counts did;
  uint8_t pointer[STRETCH_BANKS];
  for (unsigned i = 0; i < t->banks; i++)
    pointer[i] = t->bank[i].pointer;
  stretch_count(s, cycles, tcdm_dma_port(t), &did);
  stretch_move_pointers(s, cycles, tcdm_dma_port(t), t->banks, pointer);
  count(t, &did, pointer);
}

// Takes what the stretch's cores have promised out of its cycles.
static void clear(struct engine *e, cycle_t end) {
  unsigned s = (unsigned)(e->now % ENGINE_WHEEL);
  e->promised[s] = e->wants[s] = 0;
  for (uint64_t m = stretch_slots_until(e, end); m; m &= m - 1) {
    s = stretch_slot_ahead(e, (unsigned)__builtin_ctzll(m));
    e->promised[s] = e->wants[s] = 0;
    if (!e->others[s])
      e->occupied &= ~(UINT64_C(1) << s);
  }
}

static void promise(struct core_group *g, members cores, cycle_t from, cycle_t end) {
  struct engine *e = g->engine;
  for (members m = cores; m; m &= m - 1) {
    const struct core *c = g->member[first_of(m)];
    cycle_t t = stretch_asks_at(c, end);
    if (t == from) // its slot has been taken out of the wheel already
      engine_join(e, (unsigned)(t % ENGINE_WHEEL), c->actor_bit, tcdm_bank_bit(c->asked_bank));
    else if (engine_reaches(e, t))
      engine_promise(e, c->actor_bit, t, tcdm_bank_bit(c->asked_bank));
    else
      engine_schedule(e, c->actor, t);
  }
}

// The DMA is followed, with what the cores, which have been run, have touched. Returns the end of
// what went as noted; if that is not the stretch's, the cores have been run up to there only.
static cycle_t follow(struct core_group *g, const struct stretch *s, cycle_t from) {
  cycle_t end = from + s->cycles;
  if (!s->dma_cycles && !g->tcdm->posted && g->engine->when[g->dma] >= end)
    return end;
  cycle_t until = stretch_follow_dma(g, s, from);
  if (until < end)
    run_cores_until(g, s, from, until);
  g->stretches->tally.followed += until == end;
  g->stretches->tally.cut += until < end;
  return until;
}

bool STRETCH_RUN(struct core_group *g, const struct stretch *s) {
  struct engine *e = g->engine;
  cycle_t from = e->now;
  if (!run_cores(g, s, from))
    return false;
  clear(e, from + s->cycles);
  cycle_t end = follow(g, s, from);
  if (end - from == s->cycles)
    count(g->tcdm, &s->counts, s->after);
  else
    count_until(g->tcdm, s, (unsigned)(end - from));
  if (e->now + 1 < end)
    engine_advance(e, end - 1);
  promise(g, s->cores, from, end);
  if (g->tcdm->posted)
    engine_wake(e, g->tcdm->actor, end);
  g->stretches->tally.through += end > from;
  return end > from;
}
