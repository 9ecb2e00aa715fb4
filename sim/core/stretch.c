#include "core/stretch.h"

#include <stdlib.h>

#include "core/exec.h"
#include "core/exec_slow.h"
#include "core/run.h"
#include "core/stretch_parts.h"
#include "engine/out_of_memory.h"

typedef uint32_t members; // bit i: core[i]

struct stretches *stretches_new(struct core_group *g) {
  const struct tcdm *t = g->tcdm;
  if (!t || t->arbiter != TCDM_LIC || t->banks > STRETCH_BANKS || g->count < 2 ||
      t->size >> 2 > UINT32_C(1) << NOTES_WORD_BITS || g->core->host->resident)
    return NULL;
  struct stretches *s = must_have(calloc(1, sizeof *s));
  s->room = must_have(calloc(1, STRETCH_ROOM));
  s->writers = must_have(calloc(t->size / 4 + 1, sizeof *s->writers));
  s->touched = must_have(calloc(stretch_lines(t), 1));
  engine_init(&s->nowhere);
  s->credit = STRETCH_CREDIT;
  return s;
}

void stretches_free(struct stretches *s) {
  if (!s)
    return;
  free(s->room);
  free(s->writers);
  free(s->touched);
  free(s);
}

void stretches_restored(struct core_group *g) {
  if (!g->stretches)
    return;
  g->stretches->draft.active = false;
  g->tcdm->watch = NULL;
  if (g->look != CYCLE_NEVER)
    g->look = g->engine->now + 1;
}

// ---- where a stretch may begin

// The DMA, and who decides about what it asks for.
static uint64_t companions(const struct core_group *g) {
  return UINT64_C(1) << g->dma | UINT64_C(1) << g->tcdm->actor;
}

// Who has promised to act from the next cycle on to in front of `*end`, which the wheel reaches. If
// `others` act before, `*end` is the first cycle in which they do.
static uint64_t promised_until(const struct core_group *g, uint64_t others, cycle_t *end) {
  uint64_t promised = 0;
  for (uint64_t m = stretch_slots_until(g->engine, *end); m; m &= m - 1) {
    unsigned ahead = (unsigned)__builtin_ctzll(m);
    unsigned s = stretch_slot_ahead(g->engine, ahead);
    if (g->engine->others[s] & others) {
      *end = g->engine->now + 1 + ahead;
      break;
    }
    promised |= g->engine->promised[s];
  }
  return promised;
}

static bool may_run_through(const struct core *c) {
  return (c->phase == CORE_ASKS || c->phase == CORE_WAIT) && !c->tap;
}

// What a stretch that would begin in this cycle begins with. One with the DMA ends where that
// rests, so that what follows begins in the same cycle each time.
struct beginning {
  bool dma;
  members cores;
  cycle_t now, end; // before which there are only they and the DMA
  struct stretch_dma asks;
};

// False: none begins here, nor before b->end.
static bool may_begin(const struct core_group *g, struct beginning *b) {
  const struct engine *e = g->engine;
  b->now = e->now;
  b->end = e->now + STRETCH_CYCLES;
  if (e->far_first < b->end)
    b->end = e->far_first;
  b->dma = !stretch_dma_rests(g, b->now);
  uint64_t others = b->dma ? ~companions(g) : UINT64_MAX;
  uint64_t promised = promised_until(g, others, &b->end) | e->promised[e->now % ENGINE_WHEEL];
  b->cores = (members)(promised >> ENGINE_CORES);
  if (b->end - e->now < STRETCH_LEAST || b->end > e->last + 1 || e->stop ||
      g->core->host->resident || g->core->blocks->runs_of_fetch)
    return false;
  for (members m = b->cores; m; m &= m - 1)
    if (!may_run_through(g->member[first_of(m)]))
      return false;
  return b->cores & (b->cores - 1); // one core alone needs no arbitration
}

static uint64_t mix(uint64_t key, uint64_t with) {
  key = (key ^ with) * UINT64_C(0x9e3779b97f4a7c15);
  return key ^ key >> 29;
}

static uint64_t key_of(const struct core_group *g, const struct beginning *b) {
  uint64_t key = b->asks.asks;
  for (unsigned k = 0; k < TCDM_DMA_PORTS; k++)
    key = key << 6 | b->asks.bank[k];
  key = mix(key, (uint64_t)b->dma << 32 | b->cores);
  for (members m = b->cores; m; m &= m - 1) {
    const struct core *c = g->member[first_of(m)];
    key = mix(key, (uint64_t)c->at->pc << 16 | (stretch_asks_at(c, b->now) - b->now) << 8 |
                       (c->asked_bank));
  }
  return key & STRETCH_KEYS;
}

// ---- looking up

static bool pointers_are(const struct tcdm *t, const struct stretch *s) {
  for (uint32_t m = s->decided_before; m; m &= m - 1)
    if (t->bank[first_of(m)].pointer != s->before[first_of(m)])
      return false;
  return true;
}

static struct stretch *find(struct stretches *s, const struct tcdm *t, uint64_t key) {
  struct stretch *found = *stretch_head(s, key);
  while (found && (found->key != key || !pointers_are(t, found)))
    found = found->older;
  return found;
}

static void forget(struct stretches *s, const struct stretch *unfit) {
  struct stretch **link = stretch_head(s, unfit->key);
  while (*link != unfit)
    link = &(*link)->older;
  *link = unfit->older;
}

// Whether the stretch may begin here: nobody but its cores acts before its end.
static bool fits(const struct core_group *g, const struct stretch *s, const struct beginning *b) {
  for (members m = b->cores & ~s->cores; m; m &= m - 1)
    if (stretch_asks_at(g->member[first_of(m)], b->now) < b->now + s->cycles)
      return false;
  return b->now + s->cycles <= b->end && !(s->cores & ~b->cores);
}

// Whether a stretch with this key has come before, or one like it.
static bool has_been_seen(struct stretches *s, uint64_t key) {
  uint32_t *seen = &s->seen[key >> 48 & (STRETCH_SEEN - 1)], before = *seen;
  *seen = (uint32_t)key;
  return before == (uint32_t)key;
}

static bool can_pay(struct stretches *s) {
  s->credit += s->in_vain % STRETCH_IN_VAIN == 0;
  if (s->credit < STRETCH_PRICE)
    return false;
  s->credit -= STRETCH_PRICE;
  return true;
}

// Whether hardly any cores have met since the last time. In a stretch that has been run through
// they have.
static bool is_quiet(const struct core_group *g) {
  uint64_t before = g->stretches->contests;
  g->stretches->contests = g->contests;
  return g->contests < before + STRETCH_CONTESTS;
}

static bool look_up(struct core_group *g) {
  struct stretches *s = g->stretches;
  struct beginning b;
  g->look = g->engine->now + 1;
  if ((g->engine->others[g->engine->now % ENGINE_WHEEL] & ~companions(g)) ||
      !stretch_dma_asks(g->tcdm, false, &b.asks))
    return false;
  bool may = may_begin(g, &b);
  g->look = b.end;
  if (is_quiet(g) || !may)
    return false;
  uint64_t key = key_of(g, &b);
  struct stretch *found = find(s, g->tcdm, key);
  if (found && fits(g, found, &b)) {
    if (stretch_run_through(g, found)) {
      s->credit += s->credit < STRETCH_MOST_CREDIT;
      s->contests = 0;
      s->in_vain = 0;
      g->look = g->engine->now;
      return true;
    }
    forget(s, found);
  }
  if (++s->in_vain >= STRETCH_PATIENCE && s->in_vain % STRETCH_SOME == 0)
    g->look += STRETCH_REST;
  if (has_been_seen(s, key) && can_pay(s))
    stretch_draft_begin(g, key, b.cores, b.end, b.dma);
  return false;
}

bool stretch_begin(struct core_group *g) {
  cycle_t now = g->engine->now;
  members asking = (members)(g->engine->promised[now % ENGINE_WHEEL] >> ENGINE_CORES);
  if (!g->look)
    stretch_draft_ask(g, asking, now);
  if (now >= g->look && g->look && look_up(g))
    return true;
  if (!g->look)
    stretch_draft_ask(g, asking, now);
  return false;
}
