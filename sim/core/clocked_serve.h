// sim/core/clocked_serve.h: what a core does most often: it gets a bank, and goes on to the next
// access. In a header, for who grants banks to be one function with it.
#ifndef PULPSIM_CLOCKED_SERVE_H
#define PULPSIM_CLOCKED_SERVE_H

#include "cluster/tcdm.h"
#include "core/clocked.h"
#include "core/run.h"
#include "core/segment_run.h"

// Goes on in cycle `next`; from `now` on as clocked_served(), cycle by cycle.
void clocked_go_on(struct core *c, cycle_t next, cycle_t now);
void clocked_serve_slowly(struct core *c, cycle_t now);

// ... in cycle `t`, a later one, which the engine reaches.
ALWAYS void promise(struct core *c, cycle_t t) {
  engine_promise(c->engine, c->actor_bit, t, tcdm_bank_bit(c->asked_bank));
}

// What the core has asked for is decided. False: segment `s` does not hold.
ALWAYS bool go_on_in_segments(struct core *c, struct segment *s, cycle_t now, cycle_t limit,
                              cycle_t alone) {
  enum segment_stop stop = segment_run(c, s, now, limit, alone);
  if (__builtin_expect(stop == SEGMENT_NONE, 0))
    return false;
  if (__builtin_expect(stop == SEGMENT_WAITS, 1)) {
    promise(c, c->stop_at);
    return true;
  }
  clocked_go_on(c, c->stop_at, c->engine->now);
  return true;
}

// As clocked_served(). Nobody else acts before cycle `alone`.
ALWAYS void clocked_serve(struct core *c, cycle_t now, cycle_t limit, cycle_t alone) {
  struct segment *asked = c->asked;
  bool ends_soon = limit != now + CORE_QUANTUM;
  if (!asked || (__builtin_expect(ends_soon, 0) && now + asked->cycles >= limit) ||
      !go_on_in_segments(c, asked, now, limit, alone))
    clocked_serve_slowly(c, now);
}

#endif
