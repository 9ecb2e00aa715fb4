// sim/core/pipeline_memo.h: clock cycles of the cycle model that have been seen before.
//
// What a cycle does to the pipeline's control depends on the state it begins in and on what comes
// from outside. Programs run in loops, so the same cycles come again. Each is computed once, by
// pipeline_request() and pipeline_edge(), and recorded; when it comes again, what it did is looked
// up. Values of registers and of accesses are not part of a state: instructions are executed in
// every cycle in which one leaves ID. Where more than a state and its inputs decides (traps,
// fences, most CSR accesses, interrupts, accesses that cross a word), cycles are computed.
//
// Nothing delays the ports. Who watches hears of an instruction through config.issue when it is
// executed; `watch` is called in cycles that are computed, where alone one leaves ID without.
#ifndef PULPSIM_PIPELINE_MEMO_H
#define PULPSIM_PIPELINE_MEMO_H

#include "core/step.h"

struct pipeline;
struct pipeline_memo;
struct memo_state;
struct memo_case;

// What a cycle's requests depend on that begins in some state.
struct memo_input {
  uint32_t word;    // of code, that comes; or 0
  uint32_t goes_to; // where the fetch may go to, because of a loop or of a jump by register in ID
  uint8_t more;     // whether the word comes, and twice what hardware loops do; or MANY_INPUTS
};

// A pipeline's way through the states.
struct memo_walk {
  struct pipeline_memo *memo;   // shared by all cores of one configuration; NULL: none
  struct memo_state *at;        // the pipeline is in this state, whatever its fields say
  const struct segment *behind; // the fields of its port are as behind this one; NULL: as they are
  struct memo_state *from;      // the cycle being computed began in this state: it is recorded
  struct memo_case *now;        // the cycle under way: its requests
  struct memo_input input;      // of the cycle being computed
  uint16_t data_after; // an access was granted in this cycle, its data come so much later ...
  cycle_t data_due;    // ... in this one
  uint16_t latency;    // ...
  bool requested;      // the requests of the cycle being computed have been made before
  bool executed;       // the instruction that leaves ID has been executed, with `outcome`
  struct step_outcome outcome;
};

enum { MEMO_PIPELINES = 64 };

// For checks: nothing is looked up. Each cycle is computed, from nothing but what the key of its
// state holds, and must come to what has been recorded of that before, or is counted here. A state
// that the key does not hold shows so, or as a difference from the plain engine.
extern bool memo_checks_keys;
extern unsigned memo_wrong_keys;

// NULL when out of memory.
struct pipeline_memo *pipeline_memo_new(void);
void pipeline_memo_free(struct pipeline_memo *m);

// From now on `p` records its cycles in `m`, if it can. All pipelines of a memo have one
// configuration. At most MEMO_PIPELINES.
void pipeline_memo_attach(struct pipeline_memo *m, struct pipeline *p);
void pipeline_memo_detach(struct pipeline *p);
// Forgets what has been recorded: pipelines and code are as they were at some time before.
void pipeline_memo_forget(struct pipeline_memo *m);

// The two halves of a cycle, as pipeline_request() and pipeline_edge().
// memo_request() returns whether nobody else has a say in this cycle: all that it asks for has been
// answered, and the edge may follow at once.
bool memo_request(struct pipeline *p, cycle_t now);
cycle_t memo_edge(struct pipeline *p, cycle_t now);

// The core's counters hold all that has been counted (some of it is kept elsewhere meanwhile).
void memo_count_all(struct core *c);

// walk.at and walk.now say what they should: where the core has promised to ask for a bank, so does
// core.ahead.asked alone.
void memo_find_walk(struct pipeline *p);
// The fields of its instruction port hold what they should (walk.behind).
void memo_catch_up(struct pipeline *p);

// The pipeline's fields hold its state, too.
void memo_unpack(struct pipeline *p);
// Only they do from now on.
void memo_leave(struct pipeline *p);

// Where the instructions in ID and in EX are, whether its fields hold its state or not.
uint32_t memo_pc_in_id(struct pipeline *p);
uint32_t memo_pc_in_ex(struct pipeline *p);
const struct isa_insn *memo_insn_in_ex(struct pipeline *p);

// Whether what the core executes next is at *pc, with all that it needs in its registers: not while
// a branch is on its way, ID is empty, or an access is under way.
bool memo_next_pc(struct pipeline *p, uint32_t *pc);

#endif
