// sim/core/pipeline_stages.h: the parts of pipeline.c, one file per stage.
#ifndef PULPSIM_PIPELINE_STAGES_H
#define PULPSIM_PIPELINE_STAGES_H

#include <string.h>

#include "core/pipeline.h"
#include "core/ports.h"

// As long as nothing changes but waiting, the pipeline is clocked so many times more, and then only
// when something comes.
enum { QUIET_EDGES = 3 };

static inline cycle_t first_of_two(cycle_t a, cycle_t b) {
  return a < b ? a : b;
}

// ---- pipeline_fetch.c

// Instruction data that arrive in this cycle.
bool fetch_arrives(const struct pipeline *p, cycle_t now, uint32_t *word);
// RI5CY: the hardware loop that ends at `pc`, where IF is, and has rounds left, or -1. `in_flight`:
// bit per loop whose round begins with the instruction in ID.
static inline int fetch_loop_that_ends(const struct hwloop loop[2], uint32_t pc,
                                       unsigned in_flight) {
  for (int i = 0; i < 2; i++) {
    if (pc != loop[i].last || loop[i].count < 2)
      continue;
    // Rule loop-in-flight: with two rounds left, the one whose start is in ID is the last but one.
    if (!(loop[i].count == 2 && (in_flight >> i & 1)))
      return i;
  }
  return -1;
}
// Fetches that have been taken and not been answered.
static inline unsigned fetch_outstanding(const struct pipeline *p) {
  enum fetch_bus_state bus = p->fetch.ri.bus;
  return p->config.id.model == CORE_CV32E40P ? p->fetch.cv.outstanding
                                             : bus == BUS_WAIT_DATA || bus == BUS_WAIT_ABORTED;
}
// Passes the fetch's request on ...
void fetch_present(struct pipeline *p, cycle_t now);
// ... for this word.
void fetch_put(struct pipeline *p, uint32_t address, cycle_t now);
// Whether the port takes fetches in cycle `t`, as long as they hit and nobody else acts.
static inline bool fetch_is_taken(const struct pipeline *p, cycle_t t) {
  const struct code_lines *f = p->code.lines;
  return !f || t >= f->takes_from;
}
// Whether it is seen without asking that a fetch hits in cycle `t`, and as long as nobody else
// acts.
static inline bool fetch_hits(const struct pipeline *p, uint32_t address, cycle_t t) {
  const struct code_lines *f = p->code.lines;
  if (!f)
    return !p->config.fetch_grant_delay;
  return t >= f->takes_from && code_lines_have_all(f, address >> f->line_shift, 1);
}
// ... that it will hit in the next cycle, and is not taken before.
static inline bool fetch_hits_next(const struct pipeline *p, uint32_t address, cycle_t t) {
  const struct code_lines *f = p->code.lines;
  return f && t + 1 == f->takes_from && fetch_hits(p, address, t + 1);
}
// The two halves of fetch_put().
enum fetch_grant fetch_ask_elsewhere(struct pipeline *p, uint32_t address, cycle_t now);
static inline enum fetch_grant fetch_ask(struct pipeline *p, uint32_t address, cycle_t now) {
  return fetch_hits(p, address, now) ? FETCH_HITS : fetch_ask_elsewhere(p, address, now);
}
void fetch_latch(struct pipeline *p, uint32_t address, enum fetch_grant grant, cycle_t now);
// The word of code there; outside memory there are zeros, which are no instruction.
uint32_t fetch_word_elsewhere(struct pipeline *p, uint32_t address);
static inline uint32_t fetch_word(struct pipeline *p, uint32_t address) {
  uint32_t offset = address - p->code_base, word;
  if (offset >= p->code_size)
    return fetch_word_elsewhere(p, address);
  memcpy(&word, p->code_at + offset, sizeof word);
  return word;
}
// Clock edge of the instruction port: data taken, a request granted.
void fetch_port_edge(struct pipeline *p, cycle_t now);
// Clock edge of fetch and IF/ID registers.
void fetch_edge(struct pipeline *p, cycle_t now);
// Next cycle in which the fetch will change by itself.
cycle_t fetch_next(const struct pipeline *p, cycle_t now);

// ---- pipeline_id.c

// Interlocks that the controller looks at, and those that look at the controller.
bool id_jump_stall(const struct pipeline *p);
// CV32E40P: the jump in ID reads a float operation's destination: only what is decoded does.
bool id_jump_awaits_float(const struct pipeline *p);
void id_stalls(struct pipeline *p);
// Executes the instruction that leaves ID and moves it to EX.
void id_issue(struct pipeline *p, cycle_t now);
void id_count_loops(struct pipeline *p);
// RI5CY: sets up a loop that starts at what is in IF.
bool id_sets_up_loop(const struct id_insn *id);
// What the operands of a division or square root decide of its time, if it leaves ID
// (a division of integers also if it only seems to: rule phantom-division).
static inline bool id_is_timed_by_operands(const struct id_insn *id) {
  return id->unit == ID_DIV || id->fpu_divides;
}
unsigned id_time_by_operands(const struct pipeline *p, const struct id_insn *id);
// Cycles of the serial divider, in all: 3 to 35.
unsigned id_divider(bool is_signed, uint32_t divisor);

// ---- pipeline_ex.c

void ex_cycle(struct pipeline *p, cycle_t now);        // responses, float unit, write ports
void ex_present(struct pipeline *p, cycle_t now);      // data request ...
void ex_put(struct pipeline *p, cycle_t now);          // ... that is on the bus
void ex_announce_fpu(struct pipeline *p, cycle_t now); // the next cycle's request to shared units
void ex_find_ready(struct pipeline *p, cycle_t now);   // after the grants: ready, valid
void ex_write_back(struct pipeline *p);                // EX/WB registers
void ex_bubble(struct pipeline *p);                    // EX moves on, nothing follows
void ex_second_half(struct pipeline *p);               // of a word-crossing access
cycle_t ex_next(const struct pipeline *p, cycle_t now);

// ---- wb_contention.c

// In every cycle `now`, once the ports are known: a high product in EX takes a float result.
void wb_contention_product(struct pipeline *p, cycle_t now);
// At the edge at which the second half of an access takes EX: where it goes.
void wb_contention_access(struct pipeline *p);
// Of a crossing load, from the words of both halves: bytes from `offset` on in the first, and from
// there on in the second. For a halfword in one word, those of the second.
uint32_t wb_contention_loaded(uint32_t first, uint32_t second, unsigned offset, unsigned size);

// ---- pipeline_cause.c

// Accounts for cycle `now`.
void cause_account(struct pipeline *p, cycle_t now);
// The cycles before `now` that were left out. `standing`: events that each of them counts.
void cause_left_out(struct pipeline *p, unsigned standing, cycle_t now);
void cause_charge(struct pipeline *p, unsigned cause, uint64_t cycles);
enum { CAUSE_OF_ACCESS = CAUSE_COUNT }; // that of the access under way

#endif
