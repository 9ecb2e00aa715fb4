// The DMA in a stretch. It is stepped, with the grants that are noted. It cannot take anything
// back; so where it asks for something else, or for what cores access, or somebody else acts
// because of it, the stretch ends.
#include "core/stretch_parts.h"

bool stretch_dma_asks(const struct tcdm *t, bool cores_may, struct stretch_dma *asks) {
  unsigned first = tcdm_dma_port(t);
  uint32_t dma = ((UINT32_C(1) << TCDM_DMA_PORTS) - 1) << first;
  uint32_t others = ~(dma | (cores_may ? (UINT32_C(1) << t->cores) - 1 : 0));
  memset(asks, 0, sizeof *asks);
  for (uint64_t m = t->posted; m; m &= m - 1) {
    unsigned bank = (unsigned)__builtin_ctzll(m);
    uint32_t requests = t->bank[bank].requests;
    if (requests & others)
      return false;
    for (uint32_t ports = (requests & dma) >> first; ports; ports &= ports - 1) {
      asks->asks |= (uint8_t)(ports & -ports);
      asks->bank[first_of(ports)] = (uint8_t)bank;
    }
  }
  return !t->wide.asks;
}

bool stretch_dma_rests(const struct core_group *g, cycle_t now) {
  return !g->tcdm->posted && g->engine->when[g->dma] - now >= STRETCH_LEAST;
}

static void note_touched(struct stretches *s, uint32_t cores) {
  for (uint32_t m = cores; m; m &= m - 1) {
    const struct notes *n = &s->notes[first_of(m)];
    for (unsigned i = 0; i < n->accesses; i++)
      s->touched[4 * notes_word(n->access[i]) / STRETCH_LINE] = true;
  }
}

// Whether the ports of the DMA, and they alone, ask for what is noted, and for nothing that the
// stretch's cores have touched, or that cores may be executing.
static bool asks_as_noted(const struct core_group *g, const struct stretch_dma *noted) {
  const struct tcdm *t = g->tcdm;
  unsigned first = tcdm_dma_port(t);
  uint32_t ports = (uint32_t)noted->asks << first;
  uint64_t posted = 0;
  for (uint32_t m = ports; m; m &= m - 1) {
    unsigned bank = noted->bank[first_of(m) - first];
    uint32_t asked = t->port[first_of(m)].asked, requests = t->bank[bank].requests;
    if (!(requests & m & -m) || (requests & ~ports) ||
        g->stretches->touched[asked / STRETCH_LINE] || g->core->window_code[asked >> CODE_SHIFT])
      return false;
    posted |= tcdm_bank_bit(bank);
  }
  return t->posted == posted && !t->wide.asks;
}

// Grants the DMA's ports, in this cycle, what is noted.
static void grant(struct tcdm *t, struct engine *e, const struct stretch_dma *d) {
  unsigned first = tcdm_dma_port(t);
  for (unsigned m = d->wins; m; m &= m - 1) {
    unsigned bank = d->bank[first_of(m)];
    t->bank[bank].requests &= ~((m & -m) << first);
    if (!t->bank[bank].requests)
      t->posted &= ~tcdm_bank_bit(bank);
  }
  engine_cancel(e, t->actor);
  if (d->wins)
    t->port[first].granted(t->port[first].self, (uint32_t)d->wins << first, e->now);
}

// In this cycle, in which the DMA has been stepped, if it has anything to do: whether all goes on
// as is noted, `d` of this cycle or NULL.
static bool follow_cycle(struct core_group *g, const struct stretch_dma *d) {
  struct engine *e = g->engine;
  struct tcdm *t = g->tcdm;
  unsigned s = (unsigned)(e->now % ENGINE_WHEEL);
  if (e->stop || e->others[s] & ~(UINT64_C(1) << t->actor) || e->promised[s])
    return false;
  if (!d)
    return !t->posted && !e->others[s];
  if (!asks_as_noted(g, d))
    return false;
  grant(t, e, d);
  return true;
}

static void step(struct engine *e, unsigned dma) {
  if (e->when[dma] != e->now)
    return;
  engine_cancel(e, dma);
  e->actor[dma].step(e->actor[dma].self, e->now);
}

static cycle_t follow(struct core_group *g, const struct stretch *s, cycle_t from) {
  struct engine *e = g->engine;
  const struct stretch_dma *d = stretch_dma(s), *last = d + s->dma_cycles;
  for (cycle_t end = from + s->cycles;;) {
    bool noted = d < last && from + d->cycle == e->now;
    if (!follow_cycle(g, noted ? d : NULL))
      return e->now;
    d += noted;
    cycle_t next = g->tcdm->posted ? e->now + 1 : engine_next(e);
    if (d < last && from + d->cycle < next)
      return from + d->cycle;
    if (next >= end)
      return end;
    engine_advance(e, next);
    step(e, g->dma);
  }
}

cycle_t stretch_follow_dma(struct core_group *g, const struct stretch *s, cycle_t from) {
  struct stretches *all = g->stretches;
  note_touched(all, s->cores);
  cycle_t until = follow(g, s, from);
  memset(all->touched, 0, stretch_lines(g->tcdm));
  return until;
}
