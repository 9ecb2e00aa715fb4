// The private caches (pri_icache_controller without its prefetcher) and the adapters in front of
// them.
#include "cluster/icache_parts.h"

static uint32_t set_of(const struct icache *ic, uint32_t addr) {
  return icache_line(ic, addr) % ic->core[0].tags.sets;
}

static bool hit(const struct icache *ic, const struct icache_private *p, uint32_t addr) {
  return icache_tags_hit(&p->tags, icache_line(ic, addr), set_of(ic, addr));
}

bool icache_has(const struct icache *ic, unsigned core, uint32_t addr) {
  const struct icache_private *p = &ic->core[core];
  return !ic->control.counting && p->state >= PRIVATE_IDLE && p->state != PRIVATE_FLUSH &&
         hit(ic, p, addr);
}

static uint32_t bit_of(unsigned core) {
  return UINT32_C(1) << core;
}

static void ask_shared(struct icache *ic, unsigned core, struct icache_wires *w) {
  unsigned bank = icache_line(ic, ic->core[core].addr) % ic->params.shared_banks;
  w->request[bank] |= bit_of(core);
}

static bool held_up(const struct icache_wires *w, unsigned core) {
  return w->bypass || (w->flush_private | w->flush_set_private) >> core & 1;
}

// Does the cache take a fetch in this cycle?
static bool takes(const struct icache_private *p, const struct icache_wires *w, unsigned core) {
  switch (p->state) {
  case PRIVATE_OFF:
    return w->bypass;
  case PRIVATE_IDLE:
    return !held_up(w, core);
  case PRIVATE_LOOKUP:
    return p->valid;
  default:
    return false;
  }
}

void icache_private_request(struct icache *ic, unsigned core, struct icache_wires *w) {
  struct icache_private *p = &ic->core[core];
  bool offered = p->requested && (!p->busy || p->valid);
  if (offered && takes(p, w, core))
    w->fetch_granted |= bit_of(core);
  bool misses = p->state == PRIVATE_LOOKUP && !p->valid;
  if (misses || p->state == PRIVATE_REQUEST || p->state == PRIVATE_OFF_REQUEST)
    ask_shared(ic, core, w);
  if (p->state <= PRIVATE_OFF_WAIT)
    w->bypassed |= bit_of(core), w->flushed |= bit_of(core);
  if (p->state == PRIVATE_FLUSH && p->flushed == p->tags.sets - 1)
    w->flushed |= bit_of(core);
  if (p->state <= PRIVATE_OFF_WAIT || p->state >= PRIVATE_FLUSH)
    w->set_flushed |= bit_of(core);
}

static void choose_way(struct icache *ic, struct icache_private *p) {
  int way = icache_tags_free_way(&p->tags, set_of(ic, p->addr));
  p->way = (uint8_t)(way >= 0 ? way : (int)icache_tags_random_way(&p->tags));
  if (ic->control.counting)
    p->count.misses++;
}

static uint8_t off_edge(struct icache_private *p, const struct icache_wires *w, bool taken) {
  bool pending = p->pending_off;
  if (taken)
    p->pending_off = true;
  if (taken)
    return PRIVATE_OFF_REQUEST;
  if (w->bypass || pending)
    return PRIVATE_OFF;
  p->flushed = 0;
  return PRIVATE_FLUSH;
}

static uint8_t idle_edge(struct icache_private *p, const struct icache_wires *w, unsigned core,
                         bool taken) {
  if (w->bypass)
    return PRIVATE_OFF;
  p->flushed = 0;
  if (w->flush_private >> core & 1)
    return PRIVATE_FLUSH;
  if (w->flush_set_private >> core & 1)
    return PRIVATE_FLUSH_SET;
  return taken ? PRIVATE_LOOKUP : PRIVATE_IDLE;
}

static uint8_t wait_edge(struct icache *ic, struct icache_private *p) {
  if (!p->answered)
    return PRIVATE_WAIT;
  icache_tags_put(&p->tags, icache_line(ic, p->addr), set_of(ic, p->addr), p->way);
  p->epoch++;
  return PRIVATE_IDLE;
}

static uint8_t flush_edge(struct icache_private *p) {
  icache_tags_clear_set(&p->tags, p->flushed);
  p->epoch++;
  return ++p->flushed == p->tags.sets ? PRIVATE_IDLE : PRIVATE_FLUSH;
}

static uint8_t lookup_edge(struct icache *ic, struct icache_private *p, bool taken, bool granted) {
  if (p->valid) {
    if (ic->control.counting)
      p->count.hits++;
    return taken ? PRIVATE_LOOKUP : PRIVATE_IDLE;
  }
  choose_way(ic, p);
  return granted ? PRIVATE_WAIT : PRIVATE_REQUEST;
}

static uint8_t next_state(struct icache *ic, unsigned core, struct icache_wires *w, bool taken) {
  struct icache_private *p = &ic->core[core];
  bool granted = w->granted >> core & 1;
  switch (p->state) {
  case PRIVATE_OFF:
    return off_edge(p, w, taken);
  case PRIVATE_OFF_REQUEST:
    return granted ? PRIVATE_OFF_WAIT : PRIVATE_OFF_REQUEST;
  case PRIVATE_OFF_WAIT:
    if (p->answered)
      p->pending_off = false;
    return p->answered ? PRIVATE_OFF : PRIVATE_OFF_WAIT;
  case PRIVATE_IDLE:
    return idle_edge(p, w, core, taken);
  case PRIVATE_LOOKUP:
    return lookup_edge(ic, p, taken, granted);
  case PRIVATE_REQUEST:
    return granted ? PRIVATE_WAIT : PRIVATE_REQUEST;
  case PRIVATE_WAIT:
    return wait_edge(ic, p);
  case PRIVATE_FLUSH:
    return flush_edge(p);
  default:
    icache_tags_clear_set(&p->tags, set_of(ic, ic->control.flush_address));
    p->epoch++;
    return PRIVATE_IDLE;
  }
}

void icache_private_edge(struct icache *ic, unsigned core, struct icache_wires *w) {
  struct icache_private *p = &ic->core[core];
  bool taken = w->fetch_granted >> core & 1;
  uint8_t next = next_state(ic, core, w, taken);
  if (taken) {
    p->addr = p->wanted;
    p->requested = false;
    p->busy = true;
    if (ic->control.counting)
      p->count.fetches++;
  } else if (p->valid) {
    p->busy = false;
  }
  if ((p->state < PRIVATE_IDLE) != (next < PRIVATE_IDLE))
    p->epoch++;
  p->state = next;
  p->answered = w->answered >> core & 1;
  p->valid = (next == PRIVATE_LOOKUP && hit(ic, p, p->addr)) ||
             ((next == PRIVATE_WAIT || next == PRIVATE_OFF_WAIT) && p->answered);
}

bool icache_private_active(const struct icache_private *p) {
  if (p->answered || p->valid)
    return true;
  switch (p->state) {
  case PRIVATE_OFF:
  case PRIVATE_IDLE:
    return p->requested;
  case PRIVATE_WAIT:
  case PRIVATE_OFF_WAIT:
    return false;
  default:
    return true;
  }
}
