// sim/core/clocked_serve.h: what a core does most often: it gets a bank, and goes on to the next
// access. In a header, for who grants banks to be one function with it.
#ifndef PULPSIM_CLOCKED_SERVE_H
#define PULPSIM_CLOCKED_SERVE_H

#include "core/clocked.h"
#include "core/segment_run.h"

// Goes on in cycle `next`, cycle by cycle.
void clocked_go_on(struct core *c, cycle_t next, cycle_t now);

// ... its bank, which it has promised to ask for in cycle `now`, is its own.
static inline void serve_slowly(struct core *c, cycle_t now) {
  c->ahead.bank_granted = true;
  clocked_go_on(c, now, now);
}

// The core will ask for its bank in cycle `t`, a later one, which the engine reaches.
ALWAYS void promise(struct core *c, cycle_t t) {
  engine_promise(c->engine, c->actor_bit, t, bank_bit(c->ahead.asked_bank));
}

// What the core has asked for is decided; it has run through segments. False: not even the first of
// them holds.
ALWAYS bool clocked_goes_on(struct core *c, enum segment_stop stop) {
  if (__builtin_expect(stop == SEGMENT_NONE, 0))
    return false;
  cycle_t next = c->pipeline->last_edge + 1;
  if (__builtin_expect(stop == SEGMENT_WAITS, 1))
    promise(c, next);
  else
    clocked_go_on(c, stop == SEGMENT_COMPUTED ? c->ahead.next : next, c->engine->now);
  return true;
}

// The core has promised to ask for a bank in cycle `now`, and has got it; it runs up to `limit`.
ALWAYS void clocked_serve(struct core *c, cycle_t now, cycle_t limit) {
  struct segment *s = c->ahead.asked;
  if (!s || now + s->cycles >= limit || !clocked_goes_on(c, segment_run(c, s, now, limit, false)))
    serve_slowly(c, now);
}

// Whether it is known how the cycle ends in which another core gets the bank.
ALWAYS bool clocked_can_lose(const struct core *c, cycle_t now) {
  struct segment *asked = c->ahead.asked;
  struct segment *lost = !asked ? NULL : asked->lost ? asked->lost : segment_of_loss(c, asked);
  return lost && now < c->engine->last && segment_holds(c, lost);
}

// ... where nobody else acts before cycle `until`.
static inline void clocked_serve_alone(struct core *c, cycle_t now, cycle_t until) {
  enum segment_stop stop = SEGMENT_NONE;
  if (c->ahead.asked)
    stop = segment_run(c, c->ahead.asked, now, until, true);
  if (stop == SEGMENT_WAITS || stop == SEGMENT_ASKS)
    c->engine->now = c->pipeline->last_edge;
  if (!clocked_goes_on(c, stop))
    serve_slowly(c, now);
}

#endif
