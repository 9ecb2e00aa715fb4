#include <string.h>

#include "core/stretch_parts.h"

static void look_at_banks(const struct tcdm *t, struct stretch_pointer *banks) {
  for (unsigned i = 0; i < t->banks; i++)
    banks[i] = (struct stretch_pointer){t->bank[i].pointer, t->grants[i]};
}

static void end_draft(struct core_group *g, cycle_t end, cycle_t look);

// ---- a cycle

static void note_loss(struct stretch_draft *d, unsigned i) {
  if (d->waiting >> i & 1)
    return;
  d->waiting |= UINT32_C(1) << i;
  d->lane[i].wait[d->lane[i].waits++] = (struct stretch_wait){
      .access = (uint8_t)(d->lane[i].accesses - 1), .grant = STRETCH_STILL_WAITS};
}

static void note_grant(struct stretch_draft *d, unsigned i) {
  uint32_t bit = UINT32_C(1) << i;
  if (d->waiting & bit)
    d->lane[i].wait[d->lane[i].waits - 1].grant = (uint8_t)(d->open - d->from);
  d->waiting &= ~bit;
  d->pending &= ~bit;
}

// What has become of the cycle that is open. False: a core goes on with something else, and the
// stretch ends in front of it.
static bool close_cycle(const struct core_group *g, struct stretch_draft *d) {
  for (uint32_t m = d->pending; m; m &= m - 1) {
    uint8_t phase = g->member[first_of(m)]->phase;
    if (phase == CORE_WAIT)
      note_loss(d, first_of(m));
    else if (phase == CORE_ASKS)
      note_grant(d, first_of(m));
    else
      return false;
  }
  return true;
}

// Of the cycle that is open, in which some may have met: banks of which this is the first grant,
// with somebody who lost.
static void note_decisions(const struct core_group *g, struct stretch_draft *d) {
  if (g->contests == d->contests)
    return;
  d->contests = g->contests;
  for (unsigned i = 0; i < g->tcdm->banks; i++) {
    uint64_t conflicts = g->tcdm->conflicts[i];
    if (conflicts != d->conflicts[i] && d->after[i].grants == d->before[i].grants)
      d->decided_before |= UINT32_C(1) << i;
    d->conflicts[i] = conflicts;
  }
}

// `now` is the open one from now on, if it is in the stretch and that goes on.
static bool open_cycle(struct core_group *g, cycle_t now) {
  struct stretch_draft *d = &g->stretches->draft;
  if (d->open == now)
    return true;
  if (d->open != CYCLE_NEVER) {
    note_decisions(g, d);
    if (!close_cycle(g, d)) {
      end_draft(g, d->open, now);
      return false;
    }
  }
  look_at_banks(g->tcdm, d->after);
  if (d->with_dma && stretch_dma_rests(g, now) && now < d->end)
    d->end = now;
  if (now >= d->end) {
    end_draft(g, d->end, now);
    return false;
  }
  d->open = now;
  return true;
}

// The ports of the DMA that ask; who else does who is not a core ends the stretch.
static void watch_asks(struct core_group *g, cycle_t now) {
  struct stretch_draft *d = &g->stretches->draft;
  struct stretch_dma asks;
  if (!stretch_dma_asks(g->tcdm, true, &asks)) {
    end_draft(g, now, now);
    return;
  }
  if (!asks.asks)
    return;
  asks.cycle = (uint8_t)(now - d->from);
  d->dma[d->dma_cycles++] = asks;
}

static void watch(void *self, uint32_t winners, cycle_t now) {
  struct core_group *g = self;
  struct stretch_draft *d = &g->stretches->draft;
  if (!d->active)
    return;
  d->contests = UINT64_MAX; // the DMA's ports may meet each other
  uint8_t wins = winners >> tcdm_dma_port(g->tcdm) & 15;
  if (!winners) {
    if (open_cycle(g, now))
      watch_asks(g, now);
  } else if (wins)
    d->dma[d->dma_cycles - 1].wins = wins;
}

void stretch_draft_begin(struct core_group *g, uint64_t key, uint32_t cores, cycle_t end,
                         bool dma) {
  struct stretch_draft *d = &g->stretches->draft;
  d->active = true;
  d->with_dma = dma;
  d->open = CYCLE_NEVER;
  d->key = key;
  d->from = g->engine->now;
  d->end = end;
  d->cores = cores;
  d->decided_before = d->pending = d->waiting = 0;
  d->dma_cycles = 0;
  for (unsigned i = 0; i < g->count; i++)
    d->lane[i].accesses = d->lane[i].waits = 0;
  d->contests = g->contests;
  look_at_banks(g->tcdm, d->before);
  for (unsigned i = 0; i < g->tcdm->banks; i++)
    d->conflicts[i] = g->tcdm->conflicts[i];
  g->look = 0;
  g->tcdm->watch = watch;
  g->tcdm->watch_self = g;
}

void stretch_draft_ask(struct core_group *g, uint32_t asking, cycle_t now) {
  struct stretch_draft *d = &g->stretches->draft;
  if (!open_cycle(g, now))
    return;
  if (asking & ~d->cores) { // woken meanwhile
    end_draft(g, now, now + 1);
    return;
  }
  for (uint32_t m = asking & ~d->pending; m; m &= m - 1) {
    unsigned i = first_of(m);
    const struct core *c = g->member[i];
    d->lane[i].access[d->lane[i].accesses++] = notes_access(now - d->from, c->asked_bank);
  }
  d->pending |= asking;
}

void stretch_cut(struct core_group *g) {
  struct stretch_draft *d = &g->stretches->draft;
  cycle_t now = g->engine->now;
  if (d->open == now) { // it has been decided already
    end_draft(g, now, now + 1);
  } else if (open_cycle(g, now)) {
    end_draft(g, now, now + 1);
  }
  g->look = now + 1;
}

// ---- keeping

// Room for a stretch with so many bytes of data; if there is none left, in the place of all others.
static struct stretch *allot(struct stretches *s, size_t data) {
  size_t size = (sizeof(struct stretch) + data + _Alignof(struct stretch) - 1) /
                _Alignof(struct stretch) * _Alignof(struct stretch);
  if (size > STRETCH_ROOM)
    return NULL;
  if (size > STRETCH_ROOM - s->used) {
    memset(s->heads, 0, sizeof s->heads);
    s->used = 0;
  }
  struct stretch *made = (void *)(s->room + s->used);
  s->used += size;
  return made;
}

// Leaves out what came behind the last cycle.
static void cut_lane(struct stretch_draft *d, unsigned i, unsigned cycles) {
  unsigned *n = &d->lane[i].accesses, *waits = &d->lane[i].waits;
  while (*n && d->lane[i].access[*n - 1] >> NOTES_WORD_BITS >= cycles)
    --*n;
  while (*waits && d->lane[i].wait[*waits - 1].access >= *n)
    --*waits;
  if (*waits && d->lane[i].wait[*waits - 1].grant >= cycles)
    d->lane[i].wait[*waits - 1].grant = STRETCH_STILL_WAITS;
}

static size_t lane_size(const struct stretch_draft *d, unsigned i) {
  return stretch_vectors(d->lane[i].accesses) * sizeof(stretch_vector) +
         d->lane[i].waits * sizeof(struct stretch_wait);
}

static void keep_accesses(const struct stretch_draft *d, struct stretch *made, unsigned i,
                          size_t at) {
  struct stretch_lane *l = &made->lane[i];
  size_t size = d->lane[i].accesses * sizeof(uint32_t);
  size_t padded = stretch_vectors(d->lane[i].accesses) * sizeof(stretch_vector);
  l->accesses = (uint8_t)d->lane[i].accesses;
  l->access = (uint16_t)at;
  memcpy(made->data + at, d->lane[i].access, size);
  memset(made->data + at + size, 0, padded - size);
}

static void keep_waits(const struct stretch_draft *d, struct stretch *made, unsigned i, size_t at) {
  struct stretch_lane *l = &made->lane[i];
  l->waits = (uint8_t)d->lane[i].waits;
  l->wait = (uint16_t)at;
  memcpy(made->data + at, d->lane[i].wait, l->waits * sizeof(struct stretch_wait));
}

static size_t keep_lanes(const struct stretch_draft *d, struct stretch *made) {
  size_t at = 0;
  for (uint32_t m = made->cores; m; m &= m - 1) {
    keep_accesses(d, made, first_of(m), at);
    at += stretch_vectors(d->lane[first_of(m)].accesses) * sizeof(stretch_vector);
  }
  for (uint32_t m = made->cores; m; m &= m - 1) {
    keep_waits(d, made, first_of(m), at);
    at += d->lane[first_of(m)].waits * sizeof(struct stretch_wait);
  }
  return at;
}

static void keep_dma(const struct stretch_draft *d, struct stretch *made, size_t at) {
  made->dma_cycles = (uint16_t)d->dma_cycles;
  made->dma = (uint16_t)at;
  memcpy(made->data + at, d->dma, d->dma_cycles * sizeof *d->dma);
}

// Whether what is noted is all that has come to the banks: nobody else has asked.
static bool is_complete(const struct tcdm *t, const struct stretch_draft *d,
                        const struct stretch *made) {
  for (unsigned i = 0; i < t->banks; i++)
    if (d->after[i].grants - d->before[i].grants != made->counts.bank[i].grants)
      return false;
  if (!d->with_dma)
    return true;
  uint8_t pointer[STRETCH_BANKS];
  memcpy(pointer, made->before, sizeof pointer);
  stretch_move_pointers(made, made->cycles, tcdm_dma_port(t), t->banks, pointer);
  return !memcmp(pointer, made->after, t->banks);
}

static size_t cut_draft(struct stretch_draft *d, unsigned cycles) {
  size_t size = 0;
  for (uint32_t m = d->cores; m; m &= m - 1) {
    cut_lane(d, first_of(m), cycles);
    size += lane_size(d, first_of(m));
  }
  while (d->dma_cycles && d->dma[d->dma_cycles - 1].cycle >= cycles)
    d->dma_cycles--;
  return size + d->dma_cycles * sizeof *d->dma;
}

static void keep(struct stretches *s, const struct tcdm *t, unsigned cycles) {
  struct stretch_draft *d = &s->draft;
  struct stretch *made = allot(s, cut_draft(d, cycles));
  if (!made)
    return;
  memset(made, 0, sizeof *made);
  made->key = d->key;
  made->cycles = cycles;
  for (uint32_t m = d->cores; m; m &= m - 1)
    made->cores |= d->lane[first_of(m)].accesses ? m & -m : 0;
  made->decided_before = d->decided_before;
  for (unsigned i = 0; i < t->banks; i++) {
    made->before[i] = d->before[i].pointer;
    made->after[i] = d->after[i].pointer;
  }
  keep_dma(d, made, keep_lanes(d, made));
  stretch_count(made, cycles, tcdm_dma_port(t), &made->counts);
  if (!is_complete(t, d, made))
    return;
  struct stretch **head = stretch_head(s, d->key);
  made->older = *head;
  *head = made;
}

// The stretch ends in front of `end`; the banks of then have been looked at.
static void end_draft(struct core_group *g, cycle_t end, cycle_t look) {
  struct stretches *s = g->stretches;
  s->draft.active = false;
  g->look = look;
  g->tcdm->watch = NULL;
  if (end - s->draft.from >= STRETCH_LEAST)
    keep(s, g->tcdm, (unsigned)(end - s->draft.from));
}
