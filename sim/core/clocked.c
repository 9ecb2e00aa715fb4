#include "core/clocked.h"

#include "core/clocked_serve.h"
#include "core/memo_run.h"

// ---- clocking

static inline cycle_t make_edge(struct core *c, cycle_t now) {
  cycle_t next = memo_edge(c->pipeline, now);
  return c->phase == CORE_RUNS ? next : CYCLE_NEVER;
}

static inline void wake(struct core *c, cycle_t next) {
  if (next != CYCLE_NEVER)
    engine_wake(c->engine, c->actor, next);
}

// The requests of cycle `now` have been made, to others, too. False: its edge is to come, in its
// rank; else `*next` is the next.
static bool ask(struct core *c, cycle_t now, bool answered, cycle_t *next) {
  if (c->phase == CORE_HALTED) { // by what it has asked for
    *next = CYCLE_NEVER;
    return false;
  }
  if (!answered || c->watcher) {
    clocked_edge_is_due(c, now);
    return false;
  }
  *next = make_edge(c, now);
  return true;
}

// Clocks the core from cycle `next` on, this one (`now`) or the one behind, until it has to wait
// for others. `first`: the first cycle in which it may promise to ask for a bank.
static void clock_on(struct core *c, cycle_t next, cycle_t now, cycle_t first) {
  struct pipeline *p = c->pipeline;
  const cycle_t limit = core_limit(c->engine, now);
  memo_catch_up(p);
  for (bool goes_on = true; goes_on && next < limit; goes_on = next == p->last_edge + 1) {
    enum memo_stop stop = memo_run(p, &next, limit);
    if (stop == MEMO_ACCESSES && next >= first && !p->data_posted &&
        engine_reaches(c->engine, next) && ask_group(c)) {
      c->ahead.promised = true;
      struct segment *asked = memo_follow_if(p->walk.memo, p->walk.now->segment);
      c->ahead.asked = asked && segment_may_begin(p, p->walk.now, asked, next) ? asked : NULL;
      c->ahead.asks_in = next;
      if (next > now)
        promise(c, next);
      return;
    }
    if (next > now)
      break;
    if (!ask(c, now, memo_request(p, now), &next))
      return;
  }
  wake(c, next);
}

// What it asks for in cycle `now`, and is not answered at once, has been looked up when it was
// ahead.
static bool is_looked_up(const struct pipeline *p, cycle_t now) {
  return p->walk.now && p->last_edge + 1 == now;
}

bool clocked_step(struct core *c, cycle_t now) {
  struct pipeline *p = c->pipeline;
  cycle_t next = now;
  if (c->ahead.promised)
    return false;
  if (now <= p->last_edge)
    wake(c, p->last_edge + 1); // woken while it was ahead
  else if (c->watcher)
    ask(c, now, memo_request(p, now), &next);
  else if (!is_looked_up(p, now))
    clock_on(c, now, now, now);
  else if (!ask(c, now, memo_request(p, now), &next))
    return false;
  else if (next == now + 1)
    clock_on(c, next, now, next);
  else
    wake(c, next);
  return c->ahead.promised && c->ahead.asks_in == now;
}

void clocked_go_on(struct core *c, cycle_t next, cycle_t now) {
  c->ahead.promised = false;
  clock_on(c, next, now, now + 1);
}

// What it asks for has been looked up when that was promised.
void clocked_contested(struct core *c, cycle_t now) {
  c->ahead.promised = false;
  c->wait_cause = CAUSE_TCDM_CONFLICT;
  memo_catch_up(c->pipeline);
  memo_request(c->pipeline, now);
  clocked_edge_is_due(c, now);
}

void clocked_lost(struct core *c, cycle_t now) {
  struct segment *lost = c->ahead.asked->lost, *again = lost->next[0];
  enum segment_stop stop;
  c->wait_cause = CAUSE_TCDM_CONFLICT;
  (*segment_entered(c, lost))++;
  c->ahead.taken = false;
  if (!again)
    again = segment_follow(c, lost, now + 1);
  stop = again ? segment_goes_on(c, lost, again, now + 1, CYCLE_NEVER, false) : c->ahead.stop;
  clocked_goes_on(c, stop);
}

static void clock_edge(void *self, cycle_t now) {
  struct core *c = self;
  if (now <= c->pipeline->last_edge) // it has been made, behind the requests
    return;
  if (c->phase == CORE_HALTED) // what it still waited for has come
    return;
  cycle_t next = make_edge(c, now);
  if (next == now + 1)
    clock_on(c, next, now, now + 1);
  else
    wake(c, next);
}

static void clock_edge_watched(void *self, cycle_t now) {
  struct core *c = self;
  if (c->phase == CORE_HALTED || c->watcher->holds(c, now))
    return;
  cycle_t next = make_edge(c, now);
  c->watcher->edge(c, now);
  wake(c, next);
}

void core_watch_edges(struct core *c, const struct core_watcher *watcher) {
  c->watcher = watcher;
  engine_step_by(c->engine, c->edge_actor, watcher ? clock_edge_watched : clock_edge);
}

void core_slept(struct core *c, cycle_t cycles) {
  if (c->model == CORE_RI5CY)
    c->count.event[EVENT_ASLEEP] += cycles;
}

void core_attach_pipeline(struct core *c, struct pipeline *p) {
  c->pipeline = p;
  p->core = c;
  engine_add(c->engine, c->edge_actor, clock_edge, c);
}
