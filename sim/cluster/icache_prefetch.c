// The private caches' prefetcher (pri_icache_controller, process PREFETCH), register by register:
// what it does when a jump overtakes it follows from there.
#include "cluster/icache_units.h"

// Only tags are compared: of the set that was read, which is that of the address before if the core
// went elsewhere in that cycle.
static bool finds(const struct icache *ic, const struct icache_private *p) {
  uint32_t line = icache_line(ic, p->prefetch.addr);
  line = line - line % p->tags.sets + p->prefetch.set;
  return icache_tags_hit(&p->tags, line, p->prefetch.set);
}

bool icache_prefetch_asks(const struct icache *ic, unsigned core) {
  const struct icache_private *p = &ic->core[core];
  return p->prefetch.state == PREFETCH_REQUEST ||
         (p->prefetch.state == PREFETCH_LOOKUP && !finds(ic, p));
}

struct icache_prefetch_view icache_prefetch_look(const struct icache *ic, unsigned core) {
  const struct icache_private *p = &ic->core[core];
  const struct icache_prefetch *f = &p->prefetch;
  struct icache_prefetch_view v = {.enabled = icache_prefetches(ic, core)};
  v.arrives = p->answered && p->way_of == WAY_PREFETCH;
  v.busy = f->state == PREFETCH_LOOKUP || f->state == PREFETCH_REQUEST ||
           (f->state == PREFETCH_WAIT && !v.arrives);
  v.hit = f->state == PREFETCH_LOOKUP && finds(ic, p);
  v.branch = v.enabled && icache_line(ic, ic->address(ic->self, core)) != icache_line(ic, f->addr);
  return v;
}

static uint8_t look_edge(struct icache_private *p, const struct icache_prefetch_view *v,
                         bool granted, int *random) {
  if (v->hit)
    return PREFETCH_IDLE;
  p->prefetch.way = (int8_t)icache_choose_way(p, p->prefetch.set, random);
  return granted ? PREFETCH_WAIT : PREFETCH_REQUEST;
}

static uint8_t next_prefetch_state(struct icache *ic, unsigned core, const struct icache_wires *w,
                                   const struct icache_prefetch_view *v, bool tags_written,
                                   int *random) {
  struct icache_private *p = &ic->core[core];
  struct icache_prefetch *f = &p->prefetch;
  bool granted = (w->granted >> core & 1) && p->way_of == WAY_PREFETCH;
  switch (f->state) {
  case PREFETCH_OFF:
    return v->enabled && !w->bypass ? PREFETCH_IDLE : PREFETCH_OFF;
  case PREFETCH_IDLE:
    if (f->request && !tags_written)
      f->set = icache_set(ic, f->addr);
    if (w->bypass || !v->enabled)
      return PREFETCH_OFF;
    return f->request && v->branch ? PREFETCH_LOOKUP : PREFETCH_IDLE;
  case PREFETCH_LOOKUP:
    return look_edge(p, v, granted, random);
  case PREFETCH_REQUEST:
    return granted ? PREFETCH_WAIT : PREFETCH_REQUEST;
  default:
    return v->arrives ? PREFETCH_IDLE : PREFETCH_WAIT;
  }
}

// The tags have one port to write, and the fetch side goes first.
static void fill(struct icache *ic, unsigned core) {
  const struct icache_prefetch *f = &ic->core[core].prefetch;
  if (f->way >= 0)
    icache_private_fill(ic, core, f->addr, (unsigned)f->way);
}

static void look_ahead(const struct icache *ic, struct icache_prefetch *f, uint32_t addr) {
  f->addr = (icache_line(ic, addr) + 1) * ic->params.line;
  f->request = true;
}

// The line behind the one that is asked for is the next to look for; if the prefetcher is busy, the
// one behind the line that the core gets later.
static void follow(struct icache *ic, unsigned core, const struct icache_prefetch_view *v) {
  const struct icache_private *p = &ic->core[core];
  struct icache_prefetch *f = &ic->core[core].prefetch;
  bool asks = icache_offered(p);
  f->request = false;
  if (asks && !v->busy) {
    look_ahead(ic, f, ic->address(ic->self, core));
  } else if (f->missed && p->valid && !v->busy) {
    look_ahead(ic, f, p->addr);
    f->missed = false;
  }
  f->missed |= asks && v->busy;
  f->arrived_before = v->arrives;
  if (asks)
    f->on_its_way = !v->branch && ((v->busy && !v->hit) || v->arrives);
}

void icache_prefetch_edge(struct icache *ic, unsigned core, const struct icache_wires *w,
                          const struct icache_prefetch_view *v, bool tags_read, bool tags_written,
                          int *random) {
  struct icache_private *p = &ic->core[core];
  struct icache_prefetch *f = &p->prefetch;
  if (f->state == PREFETCH_OFF && !v->enabled)
    return;
  uint8_t next = next_prefetch_state(ic, core, w, v, tags_written, random);
  if (f->state == PREFETCH_WAIT && v->arrives && !tags_read && !tags_written)
    fill(ic, core);
  f->state = next;
  if (v->enabled)
    follow(ic, core, v);
  else
    *f = (struct icache_prefetch){.state = next, .set = f->set, .way = -1};
  ic->prefetchers = icache_set_bit(ic->prefetchers, core, next != PREFETCH_OFF);
  icache_update_alone(ic);
}

bool icache_prefetch_active(const struct icache_prefetch *f) {
  return f->request || f->arrived_before || f->state == PREFETCH_LOOKUP ||
         f->state == PREFETCH_REQUEST;
}
