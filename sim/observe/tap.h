// sim/observe/tap.h: what a model of a core tells those who watch: the model's side of the
// observation contract (pulpsim.h has the observers' side).
//
// A core that is watched has a tap; core.watcher_self, which is NULL otherwise. The model calls, in
// this order for each instruction:
//
//   tap_holds    a debugger may want the core to stop in front of it
//   tap_begin    it leaves ID; its sources still have their old values
//   tap_time     that was in cycle T, and all cycles lost before that have been told
//   tap_access   its data access, if it makes one, once the access is complete
//   tap_done     its results are in the registers
//
// and in between tap_stall() for every cycle in which nothing left ID. A tap never changes what it
// is told about: the only steering is that of a debugger, through tap_holds().
#ifndef PULPSIM_TAP_H
#define PULPSIM_TAP_H

#include "core/core.h"
#include "isa_ops.h"
#include "observe/log_record.h"
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
  struct pending *pending[8]; // ... by observer; NULL: it hears at once
  struct ordered *log;        // of all instructions; NULL: nobody wants any
  struct sites *sites;        // of that log
  bool sources;               // any of the listeners looks at them
  bool listens;               // somebody wants more than the log
  // A debugger: whether core `c` must stop in front of the instruction at `pc`, which would enter
  // ID in cycle `t`. Asked only while `armed`.
  bool (*holds)(void *self, struct core *c, uint32_t pc, cycle_t t);
  void *self;
  bool armed;
};

// An instruction as it is told. Registers are indices into core.r.
struct tap_insn {
  uint32_t pc, word;
  uint16_t enc; // index into isa_encs
  uint8_t size, rd, rs1, rs2, rs3, rs1_out;
  uint8_t shows;         // enum tap_shows
  uint8_t writes, first; // how many registers it writes, and the first: rd, else rs1_out
  uint32_t site;         // its number, see observe/site.h; 0: not known yet
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
// Says so, once its registers are known.
void tap_describe(struct tap_insn *u, const struct isa_insn *insn);

struct tap {
  struct tap_hub *hub;
  uint32_t attention;          // enum tap_attention
  uint32_t waits;              // bit per cause: others of `waiting` are 0
  const struct tap_insn *insn; // the instruction in progress, or the last one
  uint64_t retired;            // instructions since the start
  // Of the instruction in progress: its time, the cycles lost in front of it (else none), and, if
  // anybody wants them, its sources. The rest is filled in when it is told.
  struct pulpsim_insn_event event;
  bool fresh, clocked_memory;   // cycle model: it left ID at this edge; it makes an access,
  struct access clocked_access; // this one
  struct tap_insn clocked;      // what `insn` points to, then
  // Cycle model: left ID while the access of the one in front of it was open (what empties the
  // pipeline of RI5CY does), and is told behind that.
  struct tap_late {
    bool left, timed; // timed: the rest is known
    struct isa_insn insn;
    uint32_t pc, waits;
    cycle_t cycle;
    int32_t waiting[CAUSE_COUNT]; // cycles lost in front of it
  } late;
  uint32_t stalls[CAUSE_COUNT]; // of `event`
  uint32_t given;               // bit per cause: others of `stalls` are 0
  uint64_t told[CAUSE_COUNT];   // by all events so far
  int32_t waiting[CAUSE_COUNT]; // since it left ID: of the next one
  struct core_counters seen;    // for a model that counts: its counters when last looked at
};
enum tap_attention {
  TAP_OPEN = 1,        // there is an instruction in progress
  TAP_OTHER_CLOCK = 2, // the core counts other cycles than the cluster
};

void tap_init(struct tap *tap, struct tap_hub *hub, const struct core *c);

static inline bool tap_open(const struct tap *tap) {
  return tap->attention & TAP_OPEN;
}

static inline bool tap_holds(struct tap *tap, struct core *c, uint32_t pc, cycle_t t) {
  return tap->hub->armed && tap->hub->holds(tap->hub->self, c, pc, t);
}

// Moves the cycles waited to the event in progress. Returns what remains owed.
cycle_t tap_take_stalls(struct tap *tap);

static inline void tap_time(struct tap *tap, cycle_t t) {
  tap->event.cycle = t;
  if (tap->waits)
    tap->event.cycle += tap_take_stalls(tap);
}

void tap_show_sources(struct tap *tap, const struct core *c);

// `insn` stays until it is done.
static inline void tap_begin(struct tap *tap, const struct core *c, const struct tap_insn *insn) {
  tap->insn = insn;
  tap->attention |= TAP_OPEN;
  if (tap->hub->sources)
    tap_show_sources(tap, c);
}

static inline void tap_stall(struct tap *tap, unsigned cause, int32_t cycles) {
  tap->waiting[cause] += cycles;
  tap->waits |= UINT32_C(1) << cause;
}

// Forgets the cycles lost in front of the last instruction.
static inline void tap_clear(struct tap *tap) {
  tap->event.stall = 0;
  tap->event.stalls = NULL;
  tap->event.stall_cause = CAUSE_ISSUE;
}

// The data access of an instruction: as it asked for it, with what it stored or loaded
// (right-aligned).
struct tap_access {
  const struct access *access; // NULL: none
  uint32_t data;
};

static inline uint32_t tap_data(struct tap_access a) {
  return a.data & UINT32_MAX >> (32 - 8 * a.access->size);
}

// Makes an event of it, for all.
void tap_tell(struct tap *tap, struct core *c, cycle_t done, struct tap_access a);

uint32_t tap_new_site(struct tap *tap, const struct tap_insn *u, const struct access *access);

static inline uint32_t tap_site(struct tap *tap, const struct tap_insn *u,
                                const struct access *access) {
  return u->site ? u->site : tap_new_site(tap, u, access);
}

// Returns whether it is time for ordered_mark(), as below.
static inline __attribute__((always_inline)) bool tap_log(struct tap *tap, const struct core *c,
                                                          cycle_t done, const struct tap_access a) {
  const struct pulpsim_insn_event *e = &tap->event;
  const struct tap_insn *u = tap->insn;
  return log_record_put(tap->hub->log,
                        (struct log_entry){.core = c->index,
                                           .cycle = e->cycle,
                                           .done = done,
                                           .site = tap_site(tap, u, a.access),
                                           .writes = u->writes,
                                           .value = {c->r[u->first], c->r[u->rs1_out]},
                                           .access = a.access,
                                           .address = a.access ? a.access->addr : 0,
                                           .data = a.access ? tap_data(a) : 0,
                                           .stall = e->stall,
                                           .stall_cause = e->stall_cause,
                                           .stalls = e->stalls});
}

// `done`: cycle in which it was in EX last.
static inline void tap_done(struct tap *tap, struct core *c, cycle_t done,
                            const struct tap_access a) {
  done = done > tap->event.cycle ? done : tap->event.cycle + 1;
  tap->attention &= ~(uint32_t)TAP_OPEN;
  tap->retired++;
  if (tap->hub->listeners | tap->attention | (tap->insn->shows & TAP_CALL))
    tap_tell(tap, c, done, a);
  else if (tap->hub->log && tap_log(tap, c, done, a))
    ordered_mark(tap->hub->log);
  if (tap->event.stall)
    tap_clear(tap);
}

// The instruction in progress was abandoned (a trap): nothing is reported of it.
static inline void tap_drop(struct tap *tap) {
  tap->attention &= ~(uint32_t)TAP_OPEN;
  tap_clear(tap);
}

// The end of the run: of the cycles counted by cause, those not told before are the rest.
void tap_rest(struct tap *tap, const struct core *c, const uint64_t counted[CAUSE_COUNT]);

// Takes what core.count gained since the last look: waiting cycles that were not foreseen.
void tap_collect(struct tap *tap, const struct core *c);

#endif
