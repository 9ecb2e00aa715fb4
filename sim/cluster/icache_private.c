// The private caches (pri_icache_controller; its prefetcher is in icache_prefetch.c) and the
// adapters in front of them.
#include <string.h>

#include "cluster/icache_units.h"

static bool holds_line(const struct icache_private *p, uint32_t line) {
  const struct code_lines *f = &p->lines;
  if (code_lines_cover(f, line))
    return code_lines_have_all(f, line, 1);
  return icache_tags_hit(&p->tags, line, line & (p->tags.sets - 1));
}

bool icache_private_holds(const struct icache *ic, unsigned core, uint32_t addr) {
  return holds_line(&ic->core[core], icache_line(ic, addr));
}

void icache_private_fill(struct icache *ic, unsigned core, uint32_t addr, unsigned way) {
  struct icache_private *p = &ic->core[core];
  uint32_t line = icache_line(ic, addr);
  uint32_t old = icache_tags_put(&p->tags, line, icache_set(ic, addr), way);
  if (old)
    code_lines_evicted(&p->lines, &p->tags, old - 1);
  code_lines_filled(&p->lines, &p->tags, line);
}

static void clear_set(struct icache_private *p, uint32_t set) {
  uint32_t old[ICACHE_WAYS];
  memcpy(old, p->tags.tag + set * p->tags.ways, p->tags.ways * sizeof *old);
  icache_tags_clear_set(&p->tags, set);
  for (unsigned w = 0; w < p->tags.ways; w++)
    if (old[w])
      code_lines_evicted(&p->lines, &p->tags, old[w] - 1);
}

static uint32_t bit_of(unsigned unit) {
  return UINT32_C(1) << unit;
}

// Asks the shared side for the fetch or, if that asks for nothing, for the prefetch, unless it
// still waits for what the other asked for.
static void ask_shared(struct icache *ic, unsigned core, bool misses, bool ahead) {
  struct icache_private *p = &ic->core[core];
  if (p->way_of == WAY_FREE && misses)
    p->way_of = WAY_FETCH;
  else if (p->way_of == WAY_FREE && ahead)
    p->way_of = WAY_PREFETCH;
  if (p->way_of == WAY_FETCH ? !misses : !ahead || p->way_of == WAY_FREE)
    return;
  p->asked = p->way_of == WAY_FETCH ? p->addr : p->prefetch.addr;
  unsigned bank = icache_bank(ic, icache_line(ic, p->asked));
  ic->bank[bank].requests |= bit_of(core);
  ic->busy_banks |= bit_of(bank);
}

static bool blocked(const struct icache_wires *w, unsigned core) {
  return w->bypass || (w->flush_private | w->flush_set_private) >> core & 1;
}

// Does the cache take a fetch in this cycle?
static bool takes(const struct icache_private *p, const struct icache_wires *w, unsigned core) {
  switch (p->state) {
  case PRIVATE_OFF:
    return w->bypass;
  case PRIVATE_IDLE:
    return !blocked(w, core);
  case PRIVATE_LOOKUP:
    return p->valid;
  default:
    return false;
  }
}

static void acknowledge(const struct icache_private *p, unsigned core, struct icache_wires *w) {
  if (p->state <= PRIVATE_OFF_WAIT)
    w->bypassed |= bit_of(core), w->flushed |= bit_of(core);
  if (p->state == PRIVATE_FLUSH && p->flushed == p->tags.sets - 1)
    w->flushed |= bit_of(core);
  if (p->state <= PRIVATE_OFF_WAIT || p->state >= PRIVATE_FLUSH)
    w->set_flushed |= bit_of(core);
}

void icache_private_request(struct icache *ic, unsigned core, struct icache_wires *w) {
  struct icache_private *p = &ic->core[core];
  if (icache_offered(p) && takes(p, w, core))
    w->fetch_granted |= bit_of(core);
  bool ahead = (ic->prefetchers & bit_of(core)) && icache_prefetch_asks(ic, core);
  bool misses = p->state == PRIVATE_LOOKUP
                    ? !p->valid && !p->prefetch.on_its_way
                    : 1u << p->state & (1 << PRIVATE_REQUEST | 1 << PRIVATE_OFF_REQUEST);
  if (misses || ahead)
    ask_shared(ic, core, misses, ahead);
  if (w->controlled)
    acknowledge(p, core, w);
}

unsigned icache_choose_way(struct icache_private *p, uint32_t set, int *random) {
  int way = icache_tags_free_way(&p->tags, set);
  if (way >= 0)
    return (unsigned)way;
  if (*random < 0)
    *random = (int)icache_tags_random_way(&p->tags);
  return (unsigned)*random;
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
  p->lines.epoch += CODE_EPOCH;
  return PRIVATE_FLUSH;
}

// Where a fetch goes that is taken while no other is being looked up.
static uint8_t first_state(const struct icache_prefetch_view *v) {
  if (!v->enabled || v->branch || v->hit)
    return PRIVATE_LOOKUP;
  if (v->arrives)
    return PRIVATE_CONFLICT;
  return v->busy ? PRIVATE_WAIT_PREFETCH : PRIVATE_LOOKUP;
}

static uint8_t idle_edge(struct icache_private *p, const struct icache_wires *w, unsigned core,
                         bool taken, const struct icache_prefetch_view *v) {
  if (w->bypass) {
    p->lines.epoch += CODE_EPOCH;
    return PRIVATE_OFF;
  }
  if (w->flush_private >> core & 1) {
    p->flushed = 0;
    return PRIVATE_FLUSH;
  }
  if (w->flush_set_private >> core & 1)
    return PRIVATE_FLUSH_SET;
  return taken ? first_state(v) : PRIVATE_IDLE;
}

static uint8_t wait_edge(struct icache *ic, unsigned core) {
  const struct icache_private *p = &ic->core[core];
  if (!icache_fills(p))
    return PRIVATE_WAIT;
  icache_private_fill(ic, core, p->addr, p->way);
  return PRIVATE_IDLE;
}

static uint8_t flush_edge(struct icache_private *p) {
  clear_set(p, p->flushed);
  return ++p->flushed == p->tags.sets ? PRIVATE_IDLE : PRIVATE_FLUSH;
}

static void count_hit(const struct icache *ic, struct icache_private *p) {
  if (ic->control.counting)
    p->count.hits++;
}

// The shared side has taken the fetch's request.
static bool is_granted(const struct icache_private *p, unsigned core,
                       const struct icache_wires *w) {
  return (w->granted >> core & 1) && p->way_of == WAY_FETCH;
}

// The RTL counts a hit when it finds that the line is on its way, and another when that comes.
static uint8_t lookup_edge(struct icache *ic, unsigned core, const struct icache_wires *w,
                           bool taken, const struct icache_prefetch_view *v, int *random) {
  struct icache_private *p = &ic->core[core];
  if (p->valid || p->prefetch.on_its_way)
    count_hit(ic, p);
  if (p->valid)
    return taken ? PRIVATE_LOOKUP : PRIVATE_IDLE;
  if (p->prefetch.on_its_way)
    return v->arrives || p->prefetch.arrived_before ? PRIVATE_CONFLICT : PRIVATE_WAIT_PREFETCH;
  p->way = (uint8_t)icache_choose_way(p, icache_set(ic, p->addr), random);
  if (ic->control.counting)
    p->count.misses++;
  return is_granted(p, core, w) ? PRIVATE_WAIT : PRIVATE_REQUEST;
}

static uint8_t wait_prefetch_edge(const struct icache *ic, struct icache_private *p,
                                  const struct icache_prefetch_view *v) {
  if (!v->arrives)
    return PRIVATE_WAIT_PREFETCH;
  count_hit(ic, p);
  return PRIVATE_IDLE;
}

static uint8_t next_state(struct icache *ic, unsigned core, struct icache_wires *w, bool taken,
                          const struct icache_prefetch_view *v, int *random) {
  struct icache_private *p = &ic->core[core];
  switch (p->state) {
  case PRIVATE_OFF:
    return off_edge(p, w, taken);
  case PRIVATE_OFF_REQUEST:
    return is_granted(p, core, w) ? PRIVATE_OFF_WAIT : PRIVATE_OFF_REQUEST;
  case PRIVATE_OFF_WAIT:
    if (!p->answered || p->way_of != WAY_FETCH)
      return PRIVATE_OFF_WAIT;
    p->pending_off = false;
    return PRIVATE_OFF;
  case PRIVATE_IDLE:
    return idle_edge(p, w, core, taken, v);
  case PRIVATE_LOOKUP:
    return lookup_edge(ic, core, w, taken, v, random);
  case PRIVATE_REQUEST:
    return is_granted(p, core, w) ? PRIVATE_WAIT : PRIVATE_REQUEST;
  case PRIVATE_WAIT:
    return wait_edge(ic, core);
  case PRIVATE_WAIT_PREFETCH:
    return wait_prefetch_edge(ic, p, v);
  case PRIVATE_CONFLICT:
    count_hit(ic, p);
    return PRIVATE_IDLE;
  case PRIVATE_FLUSH:
    return flush_edge(p);
  default:
    clear_set(p, icache_set(ic, ic->control.flush_address));
    return PRIVATE_IDLE;
  }
}

// Sets of enum icache_private_state: nothing happens until a fetch comes; until the line comes.
enum {
  UNTIL_FETCH = 1 << PRIVATE_OFF | 1 << PRIVATE_IDLE,
  UNTIL_LINE = 1 << PRIVATE_WAIT | 1 << PRIVATE_OFF_WAIT | 1 << PRIVATE_WAIT_PREFETCH,
};

// The bank has not taken yet what it has been asked for.
static bool asks_bank(const struct icache *ic, unsigned core) {
  unsigned bank = icache_bank(ic, icache_line(ic, ic->core[core].asked));
  return ic->bank[bank].requests & bit_of(core);
}

static bool is_active(const struct icache *ic, unsigned core) {
  const struct icache_private *p = &ic->core[core];
  unsigned state = 1u << p->state, rests = UNTIL_LINE | (p->requested ? 0 : UNTIL_FETCH);
  bool ahead = icache_looking_ahead(ic) & bit_of(core);
  if (!ahead && p->way_of == WAY_FETCH && asks_bank(ic, core))
    rests |= 1 << PRIVATE_REQUEST;
  if (!(state & rests) || p->answered || p->valid)
    return true;
  return ahead && icache_prefetch_active(&p->prefetch);
}

// A hit is answered in the next cycle, in which the cache takes the next fetch as if it were idle.
// Only the control unit could tell: see answer_hits().
static bool takes_at_once(const struct icache *ic, unsigned core) {
  const struct icache_private *p = &ic->core[core];
  return !p->requested && icache_takes_fetch(p) && (ic->alone & bit_of(core));
}

void icache_private_update(struct icache *ic, unsigned core) {
  ic->active = icache_set_bit(ic->active, core, is_active(ic, core));
  code_lines_take(&ic->core[core].lines, takes_at_once(ic, core) ? 0 : CYCLE_NEVER);
}

void icache_update_alone(struct icache *ic) {
  bool idle = ic->control.state == ICACHE_CONTROL_IDLE && ic->posted_at == CYCLE_NEVER;
  ic->unwatched = ic->control.counting ? 0 : ~ic->control.prefetch;
  ic->alone = idle ? ic->unwatched & ~ic->prefetchers : 0;
}

// Is the core answered in the cycle that begins?
static bool answers_core(const struct icache_private *p) {
  switch (p->state) {
  case PRIVATE_LOOKUP:
    return holds_line(p, p->addr >> p->lines.line_shift);
  case PRIVATE_WAIT:
  case PRIVATE_OFF_WAIT:
    return p->answered && p->way_of == WAY_FETCH;
  case PRIVATE_WAIT_PREFETCH:
    return p->answered && p->way_of == WAY_PREFETCH;
  default:
    return p->state == PRIVATE_CONFLICT;
  }
}

static void take_fetch(struct icache *ic, struct icache_private *p, uint32_t addr) {
  p->addr = addr;
  p->requested = false;
  p->busy = true;
  if (ic->control.counting)
    p->count.fetches++;
}

// That is what the edge of this cycle would do.
void icache_private_begin(struct icache *ic, unsigned core, uint32_t addr) {
  struct icache_private *p = &ic->core[core];
  take_fetch(ic, p, addr);
  p->state = PRIVATE_LOOKUP;
  p->valid = false;
  p->lines.takes_from = CYCLE_NEVER;
  ic->active |= bit_of(core);
}

static uint8_t edge_with_prefetcher(struct icache *ic, unsigned core, struct icache_wires *w,
                                    bool taken) {
  const struct icache_private *p = &ic->core[core];
  bool reads = taken && p->state >= PRIVATE_IDLE,
       writes = icache_fills(p) || p->state >= PRIVATE_FLUSH;
  struct icache_prefetch_view v = icache_prefetch_look(ic, core);
  int random = -1;
  uint8_t next = next_state(ic, core, w, taken, &v, &random);
  icache_prefetch_edge(ic, core, w, &v, reads, writes, &random);
  return next;
}

static uint8_t edge_without(struct icache *ic, unsigned core, struct icache_wires *w, bool taken) {
  static const struct icache_prefetch_view none;
  int random = -1;
  return next_state(ic, core, w, taken, &none, &random);
}

void icache_private_edge(struct icache *ic, unsigned core, struct icache_wires *w) {
  struct icache_private *p = &ic->core[core];
  bool taken = w->fetch_granted >> core & 1, ahead = icache_looking_ahead(ic) >> core & 1;
  uint8_t next =
      ahead ? edge_with_prefetcher(ic, core, w, taken) : edge_without(ic, core, w, taken);
  if (taken)
    take_fetch(ic, p, p->wanted);
  else if (p->valid)
    p->busy = false;
  if (p->answered)
    p->way_of = WAY_FREE;
  p->state = next;
  p->answered = w->answered >> core & 1;
  p->valid = answers_core(p);
  w->valid |= (uint32_t)p->valid << core;
  icache_private_update(ic, core);
}

// In the next cycle the core is answered, and the line is written at its end.
static void await_line(struct icache *ic, unsigned core) {
  struct icache_private *p = &ic->core[core];
  p->answered = p->valid = true;
  ic->active |= bit_of(core);
}

// The line that comes in the next cycle is written now: nobody can see that, and the states need
// not be stepped in that cycle. The next fetch is taken in the one behind.
static void write_ahead(struct icache *ic, unsigned core) {
  struct icache_private *p = &ic->core[core];
  icache_private_fill(ic, core, p->addr, p->way);
  p->state = PRIVATE_IDLE;
  p->busy = false;
  p->way_of = WAY_FREE;
  p->lines.takes_from = ic->engine->now + 2;
}

void icache_private_answered(struct icache *ic, unsigned core, struct icache_wires *w) {
  const struct icache_private *p = &ic->core[core];
  w->valid |= bit_of(core);
  if ((ic->alone & bit_of(core)) && p->state == PRIVATE_WAIT && !p->requested)
    write_ahead(ic, core);
  else
    await_line(ic, core);
}

void icache_private_wait(struct icache *ic, unsigned core, cycle_t now) {
  struct icache_private *p = &ic->core[core];
  if (icache_written_ahead(p, now + 1)) { // that is what it would be in
    p->state = PRIVATE_WAIT;
    p->busy = true;
    p->way_of = WAY_FETCH;
    await_line(ic, core);
  }
  code_lines_take(&p->lines, CYCLE_NEVER);
}
