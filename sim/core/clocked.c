#include "core/clocked.h"

#include "cluster/tcdm.h"
#include "core/block_parts.h"
#include "core/clocked_tap.h"
#include "core/exec_slow.h"
#include "core/loop_exit.h"
#include "core/memo_parts.h"
#include "core/memo_run.h"
#include "core/pipeline.h"
#include "core/run.h"
#include "observe/tap.h"

static void step(struct core *c, cycle_t now, cycle_t first);

// ---- taking over

// Cycles, see stay_clocked().
enum { STAY_CLOCKED = 48 };

// An access elsewhere may hide what the fetch does meanwhile, and is the cycle model's. Where one
// has come there are more: taking over for each costs more than clocking what lies between them.
static void stay_clocked(struct core *c, cycle_t now) {
  c->clocked_until = now + STAY_CLOCKED;
}

void clocked_note_elsewhere(struct core *c, cycle_t now) {
  if (now < c->clocked_until)
    stay_clocked(c, now);
}

static void replay_line(struct core *c, const struct line *line, cycle_t real, cycle_t now) {
  cycle_t first = line->first - line->crossing;
  for (unsigned i = 0; i < 2; i++) // the replay jumps back once more
    c->loop[i].count += line->rounds >> i & 1;
  if (line->resumes) {
    pipeline_resume(c->pipeline, real);
    pipeline_replay(c->pipeline, line->from, real, now);
    return;
  }
  pipeline_take_over(c->pipeline, line->pc, first, 0);
  pipeline_replay(c->pipeline, first - 2, real, now);
}

void clocked_take_over(struct core *c, cycle_t now) {
  const struct block *b = c->entering;
  cycle_t real = c->t, first = real - b->crossing;
  c->phase = CORE_CLOCKED;
  if (c->line.due) {
    replay_line(c, &c->line, real, now);
    c->line.due = false;
  } else {
    pipeline_take_over(c->pipeline, b->pc, first, real);
    if (first - 2 < now)
      pipeline_catch_up(c->pipeline, first - 2, now);
  }
  if (c->tap && real < now) // the access at hand has left ID once more, in the cycle before
    clocked_tap_edge(c, now - 1);
  c->clock_next = c->clock_at_jump = false;
  c->code_epoch = c->cache_epoch;
  c->clocked = true;
  step(c, now, now + 1);
}

void clocked_take_over_at_access(struct core *c, cycle_t now) {
  stay_clocked(c, now);
  exec_leave_at_access(c);
  engine_cancel(c->engine, c->actor);
  clocked_take_over(c, now);
}

// ---- giving back

// Behind the edge of cycle `now`: folded execution goes on with block `b` at `t`.
static void hand_back(struct core *c, struct block *b, cycle_t t, cycle_t now) {
  if (c->tap)
    tap_collect(c->tap, c);
  c->clocked = false;
  c->known_at = b->pc;
  c->known_first = t;
  c->known_from = now + 1;
  c->known_by = KNOWN_GIVEN_BACK;
  c->entering = b;
  c->at = NULL;
  c->t = t;
  c->phase = CORE_PAUSED;
  engine_move(c->engine, c->actor, t);
  engine_cancel(c->engine, c->edge_actor);
}

// ... where the pipeline was redirected to in cycle `now`.
static bool hand_back_redirected(struct core *c, const struct handover *h, cycle_t now) {
  struct block *b = block_find(c->blocks, h->pc);
  if (!exec_verify(c, b) || loop_exit_in_last_round(c, b))
    return false;
  c->count.stall[h->cause]++;
  c->count.stall[CAUSE_FETCH] += b->crossing;
  hand_back(c, b, now + 2 + b->crossing, now);
  return true;
}

static bool in_last_rounds(struct core *c, const struct pipeline *p, struct block *b) {
  return loop_exit_is_near(c, b, 0, pipeline_rounds_left(p, 0)) ||
         loop_exit_is_near(c, b, 1, pipeline_rounds_left(p, 1));
}

// The block that begins with the instruction in ID, if it may run folded.
static struct block *block_in_line(struct core *c, const struct handover *h) {
  struct block *b = block_find(c->blocks, h->pc);
  if (!exec_verify_wide(c, b))
    return NULL;
  const struct pipeline *p = c->pipeline;
  if (pipeline_begins_last_round(p) || in_last_rounds(c, p, b) || loop_exit_in_last_round(c, b))
    return NULL;
  return b;
}

// ... with the instruction that has entered ID at the edge of cycle `now`.
static bool hand_back_in_line(struct core *c, const struct handover *h, cycle_t now) {
  struct block *b = block_in_line(c, h);
  if (!b)
    return false;
  pipeline_settle_loops(c->pipeline);
  hand_back(c, b, now + 1, now);
  return true;
}

static bool hands_back(struct core *c, const struct handover *h, cycle_t now) {
  if (h->kind == HANDOVER_REDIRECTED)
    return pipeline_hands_over(c->pipeline, h, now) && hand_back_redirected(c, h, now);
  const struct block *b = block_known(c->blocks, h->pc);
  bool begins = b ? !block_misses(b, c->pipeline->code.front) : h->begins_round;
  return begins && pipeline_hands_over(c->pipeline, h, now) && hand_back_in_line(c, h, now);
}

// ---- clocking

// Behind the edge of cycle `now`. Returns when the core is to be clocked next, which was `next` so
// far; CYCLE_NEVER: not before somebody else acts.
static inline cycle_t go_on(struct core *c, cycle_t now, cycle_t next, const struct handover *h) {
  if (h->kind != HANDOVER_NONE && !core_stays_clocked(c) && c->phase == CORE_CLOCKED &&
      now >= c->clocked_until && !interrupt_possible(c) && hands_back(c, h, now))
    return CYCLE_NEVER;
  return c->phase == CORE_CLOCKED ? next : CYCLE_NEVER;
}

static inline cycle_t make_edge(struct core *c, cycle_t now) {
  struct handover h = {0};
  cycle_t next = memo_edge(c->pipeline, now, &h);
  return go_on(c, now, next, &h);
}

static inline void wake(struct core *c, cycle_t next) {
  if (next != CYCLE_NEVER)
    engine_wake(c->engine, c->actor, next);
}

// The group of cores decides about the access in EX, to the shared window, in cycle `t`: this one
// (`now`), in which it is the group that has the core step, or a later one. False: it does not.
static bool promise(struct core *c, cycle_t t, cycle_t now) {
  const struct access *a = &c->pipeline->ex.whole;
  uint32_t offset = a->addr - c->window_base;
  if (!c->tcdm || offset > c->window_size - a->size || !engine_reaches(c->engine, t))
    return false;
  unsigned bank = tcdm_bank_of(c->tcdm, offset);
  c->asked = offset;
  c->asked_bank = bank;
  c->t = CYCLE_NEVER; // not the group's to go on with
  c->promised = true;
  c->asks_in = t;
  c->wait_cause = CAUSE_TCDM_CONFLICT;
  if (t > now)
    engine_promise(c->engine, c->actor_bit, t, tcdm_bank_bit(bank));
  return true;
}

// The requests of cycle `now` have been made, to others, too. False: its edge is to come, in its
// rank; else `*next` is the next.
static bool ask(struct core *c, cycle_t now, bool answered, cycle_t *next) {
  if (c->phase == CORE_HALTED) { // by what it has asked for
    *next = CYCLE_NEVER;
    return false;
  }
  if (!answered || c->tap) {
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
  const cycle_t limit = core_limit(c->engine, now, 0);
  for (bool goes_on = true; goes_on && next < limit; goes_on = next == p->last_edge + 1) {
    struct handover h = {0};
    cycle_t hands_over_from = core_stays_clocked(c) ? CYCLE_NEVER : c->clocked_until;
    enum memo_stop stop = memo_run(p, &next, limit, hands_over_from, &h);
    if (stop == MEMO_HANDS_OVER)
      next = go_on(c, p->last_edge, next, &h);
    else if (stop == MEMO_ACCESSES && next >= first && !p->data_posted && promise(c, next, now))
      return;
    else if (next > now)
      break;
    else if (!ask(c, now, memo_request(p, now), &next))
      return;
  }
  wake(c, next);
}

static void step(struct core *c, cycle_t now, cycle_t first) {
  cycle_t next;
  if (now <= c->pipeline->last_edge)
    wake(c, c->pipeline->last_edge + 1); // woken while it was ahead
  else if (c->tap)
    ask(c, now, memo_request(c->pipeline, now), &next);
  else
    clock_on(c, now, now, first);
}

bool clocked_step(struct core *c, cycle_t now) {
  if (c->promised)
    return false;
  step(c, now, now);
  return c->promised && c->asks_in == now;
}

void clocked_served(struct core *c, cycle_t now) {
  c->promised = false;
  c->bank_granted = true;
  clock_on(c, now, now, now + 1);
}

// What it asks for has been looked up when that was promised.
void clocked_contested(struct core *c, cycle_t now) {
  c->promised = false;
  memo_request(c->pipeline, now);
  clocked_edge_is_due(c, now);
}

bool clocked_can_lose(const struct core *c) {
  return memo_can_lose(c->pipeline);
}

void clocked_lost(struct core *c, cycle_t now) {
  c->promised = false;
  memo_request_lost(c->pipeline, now);
  make_edge(c, now);
  if (c->phase == CORE_CLOCKED) // in the next cycle it asks, if nothing else happens
    clock_on(c, now + 1, now, now + 1);
}

static void clock_edge(void *self, cycle_t now) {
  struct core *c = self;
  if (now <= c->pipeline->last_edge) // it has been made, behind the requests
    return;
  if (c->phase == CORE_HALTED) // what it still waited for has come
    return;
  cycle_t next = make_edge(c, now);
  if (next == now + 1 && memo_goes_on(c->pipeline, next))
    clock_on(c, next, now, now + 1);
  else
    wake(c, next);
}

static void clock_edge_watched(void *self, cycle_t now) {
  struct core *c = self;
  if (c->phase == CORE_HALTED || clocked_tap_holds(c, now))
    return;
  struct handover h = {0};
  cycle_t next = memo_edge(c->pipeline, now, &h);
  clocked_tap_edge(c, now);
  wake(c, go_on(c, now, next, &h));
}

void core_watch_edges(struct core *c) {
  engine_step_by(c->engine, c->edge_actor, clock_edge_watched);
}

void core_attach_pipeline(struct core *c, struct pipeline *p) {
  c->pipeline = p;
  p->core = c;
  engine_add(c->engine, c->edge_actor, clock_edge, c);
}
