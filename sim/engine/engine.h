// sim/engine/engine.h: time. Which actor acts next, and in which order within a cycle.
//
// An actor is anything with a future: a core, the arbiter of the TCDM, the DMA. It has at most one
// pending wake-up. Each cycle in which somebody has something to do is processed once:
// actors run in ascending index, and an actor may wake one of a higher index in the same
// cycle (a core posts a request, then the arbiter, which comes later, grants it). Everything
// else that an actor does to another becomes visible in a later cycle, so the order among
// actors of one rank cannot be observed. The order is:
//
//   units     registered state machines: event unit, DMA, timers, interconnects, caches
//   cores     present their requests of this cycle
//   arbiters  grant them; the winners run on to their next request
//   edges     clock edge of cores that are simulated cycle by cycle
//
// The queue is a wheel of 64 cycles with one bit per actor; wake-ups further away wait in a
// set of far actors. Cycles in which nobody acts cost nothing.
#ifndef PULPSIM_ENGINE_H
#define PULPSIM_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t cycle_t;
#define CYCLE_NEVER UINT64_MAX

enum {
  ENGINE_ACTORS = 64,
  ENGINE_WHEEL = 64,
  // First index of each rank, and how many it holds.
  ENGINE_UNITS = 0,
  ENGINE_CORES = 20,    // 17: 16 cluster cores, then the fabric controller
  ENGINE_ARBITERS = 37, // 10: whatever is combinational from request to grant
  ENGINE_EDGES = 47,    // 17
};

typedef void engine_step(void *self, cycle_t now);

// Steps all actors of the group that act in this cycle at once, and takes them off the wheel.
typedef void engine_group_step(void *self, cycle_t now);

struct engine {
  cycle_t now;       // the cycle being processed
  cycle_t last;      // where the current engine_run() ends, at the latest
  uint64_t occupied; // bit s: slot s of the wheel, of the cycles that are s mod 64, is not empty
  uint64_t far;      // bit a: actor a waits beyond the wheel
  cycle_t far_first; // earliest of the far actors
  bool stop;         // ends engine_run after the actor that set it returns
  uint64_t shuffle;  // 0, or the seed of a test build's order within a rank
  uint64_t group;    // bit a: actor a belongs to the group
  engine_group_step *group_step;
  void *group_self;
  // The wheel: who acts in a slot's cycle. Bit a: actor a.
  uint64_t promised[ENGINE_WHEEL]; // of the group, those that have said in advance what they'll do
  uint64_t wants[ENGINE_WHEEL];    // ... which resources they want (bit r: resource r)
  uint64_t met[ENGINE_WHEEL];      // ... which of them more than one
  uint64_t others[ENGINE_WHEEL];
  cycle_t when[ENGINE_ACTORS]; // CYCLE_NEVER: not scheduled
  struct {
    engine_step *step;
    void *self;
  } actor[ENGINE_ACTORS];
};

void engine_init(struct engine *e);

// Registers the actor at `index`; it must be free.
void engine_add(struct engine *e, unsigned index, engine_step *step, void *self);

// From now on another function steps actor `index`.
void engine_step_by(struct engine *e, unsigned index, engine_step *step);

// Makes the actors of mask `actors` (all of one rank) a group that is stepped together; it resets
// when[] of those that have not promised to CYCLE_NEVER itself.
void engine_set_group(struct engine *e, uint64_t actors, engine_group_step *step, void *self);

// Processes cycles up to and including `last`, or until `stop` is set. Returns false when nothing
// is scheduled any more (a deadlock, unless the program has ended). Whoever lowers `last` meanwhile
// (not below `now`) ends it earlier.
bool engine_run(struct engine *e, cycle_t last);

// Outside of engine_run(): goes to cycle `t`, before which nobody has an appointment.
void engine_advance(struct engine *e, cycle_t t);

// The next cycle in which any actor acts; CYCLE_NEVER if none.
static inline cycle_t engine_next(const struct engine *e) {
  if (!e->occupied)
    return e->far_first;
  unsigned s = (unsigned)(e->now % ENGINE_WHEEL);
  uint64_t turned = e->occupied >> s | e->occupied << (-s % ENGINE_WHEEL);
  return e->now + (unsigned)__builtin_ctzll(turned);
}

// Moves an actor's wake-up to `t` (>= now). Any earlier appointment is dropped.
void engine_move(struct engine *e, unsigned actor, cycle_t t);

// Removes an actor's wake-up.
void engine_cancel(struct engine *e, unsigned actor);

// For an actor that is known to have no appointment: the hot path of the cores.
static inline void engine_schedule(struct engine *e, unsigned actor, cycle_t t) {
  if (t - e->now < ENGINE_WHEEL) {
    unsigned s = (unsigned)(t % ENGINE_WHEEL);
    e->others[s] |= UINT64_C(1) << actor;
    e->occupied |= UINT64_C(1) << s;
    e->when[actor] = t;
  } else {
    engine_move(e, actor, t);
  }
}

// `actor` (a mask of one), of the group, will act in slot `s`, and want `resource` (a mask of one)
// then.
static inline void engine_join(struct engine *e, unsigned s, uint64_t actor, uint64_t resource) {
  e->promised[s] |= actor;
  e->met[s] |= e->wants[s] & resource;
  e->wants[s] |= resource;
}

// Whether a promise can be made for cycle `t`.
static inline bool engine_reaches(const struct engine *e, cycle_t t) {
  return t - e->now < ENGINE_WHEEL;
}

// The same in cycle `t`, for an actor without an appointment. A promise is neither moved nor
// cancelled, and when[] is not kept.
static inline void engine_promise(struct engine *e, uint64_t actor, cycle_t t, uint64_t resource) {
  unsigned s = (unsigned)(t % ENGINE_WHEEL);
  e->occupied |= UINT64_C(1) << s;
  engine_join(e, s, actor, resource);
}

// For the group, at the end of its step: enters the next cycle, if it alone acts then.
static inline bool engine_next_of_group(struct engine *e) {
  if (!e->occupied || e->far || e->stop)
    return false;
  cycle_t t = engine_next(e);
  unsigned s = (unsigned)(t % ENGINE_WHEEL);
  if (t > e->last || (__builtin_expect(e->others[s] != 0, 0) && (e->others[s] & ~e->group)))
    return false;
  e->now = t;
  e->occupied &= ~(UINT64_C(1) << s);
  return true;
}

// Wakes `actor` at `t` unless it is to wake earlier anyway.
static inline void engine_wake(struct engine *e, unsigned actor, cycle_t t) {
  if (e->when[actor] == CYCLE_NEVER)
    engine_schedule(e, actor, t);
  else if (t < e->when[actor])
    engine_move(e, actor, t);
}

// The same in the current cycle. Whether it is to wake then anyway is hardly foreseeable: no
// branch.
static inline void engine_wake_now(struct engine *e, unsigned actor) {
  cycle_t now = e->now;
  if (__builtin_expect(e->when[actor] + 1 > now + 1, 0)) { // later; CYCLE_NEVER + 1 is 0
    engine_move(e, actor, now);
    return;
  }
  unsigned s = (unsigned)(now % ENGINE_WHEEL);
  e->others[s] |= UINT64_C(1) << actor;
  e->occupied |= UINT64_C(1) << s;
  e->when[actor] = now;
}

#endif
