// sim/observe/tap.h: what a model of a core tells those who watch: the model's side of the
// observation contract (pulpsim.h has the observers' side).
//
// A core that is watched has a tap; core.tap is NULL otherwise. The model calls, in this order
// for each instruction:
//
//   tap_holds    a debugger may want the core to stop in front of it
//   tap_begin    it leaves ID; its sources still have their old values
//   tap_time     that was in cycle T, and all cycles lost before that have been told
//                (tap_issue: both)
//   tap_access   its data access, if it makes one, once the access is complete
//   tap_done     its results are in the registers
//
// and in between tap_stall() for every cycle in which nothing left ID. A tap never changes what it
// is told about: the only steering is that of a debugger, through tap_holds().
#ifndef PULPSIM_TAP_H
#define PULPSIM_TAP_H

#include "core/block.h"
#include "core/core.h"
#include "isa_ops.h"
#include "sim/pulpsim.h"

// Who listens: shared by all taps of a machine.
struct tap_hub {
  const struct clocks *clocks; // events tell the cluster's time
  struct pulpsim_observer observer[8];
  unsigned count;
  struct tap_listener { // those of the observers who hear of instructions; NULL behind the last
    void (*insn)(void *user, const struct pulpsim_insn_event *event);
    void *user;
  } listener[9];
  unsigned listeners;
  bool sources; // any of them looks at them
  // A debugger: whether core `c` must stop in front of the instruction at `pc`, which would enter
  // ID in cycle `t`. Asked only while `armed`.
  bool (*holds)(void *self, struct core *c, uint32_t pc, cycle_t t);
  void *self;
  bool armed;
};

// What observers are shown of an instruction; all but the access is known once it is decoded.
enum tap_shows {
  TAP_RD = 1, // it writes them
  TAP_RS1_OUT = 2,
  TAP_RS1 = 4, // it reads them
  TAP_RS2 = 8,
  TAP_RS3 = 16,
  TAP_CSR = 32,  // it writes a CSR
  TAP_CALL = 64, // the host may write a0
};
unsigned tap_shows(const struct isa_insn *insn);

// An instruction as the model decoded it. Register numbers as in struct isa_insn, or REG_SINK.
struct tap_insn {
  uint32_t pc, word;
  uint16_t enc;
  uint8_t size, shows, rd, rs1, rs2, rs3;
};

struct tap {
  struct tap_hub *hub;
  struct pulpsim_insn_event event; // of the instruction in progress
  bool open;                       // there is one
  uint8_t shows, rd, rs1_out;      // enum tap_shows, and the registers that may be written
  bool other_clock;                // the core counts other cycles than the cluster
  bool fresh, clocked_memory;      // cycle model: it left ID at this edge; it makes an access,
  struct access clocked_access;    // this one
  uint64_t retired;                // instructions since the start
  uint32_t stalls[CAUSE_COUNT];    // of `event`
  uint32_t given;                  // bit per cause: others of `stalls` are 0
  uint64_t told[CAUSE_COUNT];      // by all events so far
  int32_t waiting[CAUSE_COUNT];    // since it left ID: of the next one
  uint32_t waits;                  // bit per cause: others of `waiting` are 0
  struct core_counters seen;       // for a model that counts: its counters when last looked at
};

void tap_init(struct tap *tap, struct tap_hub *hub, const struct core *c);

static inline bool tap_holds(struct tap *tap, struct core *c, uint32_t pc, cycle_t t) {
  return tap->hub->armed && tap->hub->holds(tap->hub->self, c, pc, t);
}

// Moves the cycles waited to the event in progress. Returns what remains owed.
cycle_t tap_take_stalls(struct tap *tap);

static inline void tap_time(struct tap *tap, cycle_t t) {
  struct pulpsim_insn_event *e = &tap->event;
  e->cycle = t;
  e->stall = 0;
  e->stalls = NULL;
  e->stall_cause = CAUSE_ISSUE;
  if (tap->waits)
    e->cycle += tap_take_stalls(tap);
}

void tap_show_sources(struct tap *tap, const struct core *c, unsigned rs1, unsigned rs2,
                      unsigned rs3);

static inline void tap_begin(struct tap *tap, const struct core *c, const struct tap_insn *insn) {
  struct pulpsim_insn_event *e = &tap->event;
  e->pc = insn->pc;
  e->word = insn->word;
  e->encoding = insn->enc;
  e->size = insn->size;
  e->has_memory = false;
  tap->shows = insn->shows;
  tap->rd = insn->rd;
  tap->rs1_out = insn->rs1;
  tap->open = true;
  if (tap->hub->sources)
    tap_show_sources(tap, c, insn->rs1, insn->rs2, insn->rs3);
}

static inline void tap_issue(struct tap *tap, const struct core *c, const struct tap_insn *insn,
                             cycle_t t) {
  tap_time(tap, t);
  tap_begin(tap, c, insn);
}

static inline void tap_stall(struct tap *tap, unsigned cause, int32_t cycles) {
  tap->waiting[cause] += cycles;
  tap->waits |= UINT32_C(1) << cause;
}

// It turns out that it left ID later than said, because of this.
void tap_wait_in_id(struct tap *tap, unsigned cause, uint32_t cycles);

// `access` as the instruction asked for it, with the data it stored or loaded (right-aligned).
void tap_access(struct tap *tap, const struct access *access);

// The event in cycles of the cluster.
void tap_translate(struct tap *tap);

// What few instructions show: CSRs, answers of the host.
void tap_show_rare(struct tap *tap, struct core *c);

static inline void tap_write(struct tap *tap, const struct core *c, unsigned place,
                             unsigned number) {
  tap->event.write[place] = (struct pulpsim_operand){(uint8_t)number, c->r[number]};
}

// `done`: cycle in which it was in EX last.
static inline void tap_done(struct tap *tap, struct core *c, cycle_t done) {
  struct pulpsim_insn_event *e = &tap->event;
  const struct tap_hub *hub = tap->hub;
  unsigned n = tap->shows & TAP_RD;
  e->done = done > e->cycle ? done : e->cycle + 1;
  e->since = e->cycle - e->stall;
  if (tap->other_clock)
    tap_translate(tap);
  tap_write(tap, c, 0, tap->rd);
  tap_write(tap, c, n, tap->rs1_out);
  e->write_count = (uint8_t)(n + (tap->shows / TAP_RS1_OUT & 1));
  e->has_csr = false;
  if (tap->shows & (TAP_CSR | TAP_CALL))
    tap_show_rare(tap, c);
  tap->open = false;
  tap->retired++;
  for (const struct tap_listener *l = hub->listener; l->insn; l++)
    l->insn(l->user, e);
}

// The instruction just issued will be issued again, by the cycle model; what the core has counted
// is known.
void tap_undo(struct tap *tap, const struct core *c);

// The instruction in progress was abandoned (a trap): nothing is reported of it.
static inline void tap_drop(struct tap *tap) {
  tap->open = false;
}

// The end of the run: of the cycles counted by cause, those not told before are the rest.
void tap_rest(struct tap *tap, const struct core *c, const uint64_t counted[CAUSE_COUNT]);

// The fast engine keeps static counts per block; folded into core.count, they are no news.
static inline void tap_note_fold(struct tap *tap, const struct block *b, uint64_t times) {
  tap->seen.instructions += times * b->length;
  for (unsigned i = 0; i < CAUSE_COUNT; i++)
    tap->seen.stall[i] += times * b->stall[i];
}

// Takes what core.count gained since the last look: waiting cycles that were not foreseen.
void tap_collect(struct tap *tap, const struct core *c);

#endif
