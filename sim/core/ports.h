// sim/core/ports.h: a core's interface. What it asks of its surroundings: an access, a bank of the
// memory that cores share, a line of code, a float unit, an interrupt, the host; and what these
// call.
#ifndef PULPSIM_PORTS_H
#define PULPSIM_PORTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/cause.h"
#include "engine/engine.h"

struct core;
struct pipeline;

// ---- data

enum access_kind {
  ACCESS_LOAD,
  ACCESS_STORE,
  ACCESS_ELW, // event load: the event unit may withhold the grant and the core sleeps
};

// A data access as it leaves EX. Never crosses a 32-bit word: the core splits those.
struct access {
  uint32_t addr;
  uint32_t data; // store: value to write, right-aligned; load: filled in by whoever serves it
  uint8_t size;  // 1, 2, 4 bytes
  uint8_t kind;  // enum access_kind
  cycle_t since; // cycle in which the request was first high
  cycle_t until; // ... before which it is not granted, if whoever serves it says so
};

// What an instruction asks for may: its access is made of two, then.
static inline bool access_crosses_word(const struct access *a) {
  return (a->addr & 3) + a->size > 4;
}

// Where a core's accesses go that are not served by its own fast memory windows. `request` is
// called in the cycle in which the request is first high and must, then or later, lead to exactly
// one core_grant().
struct core_bus {
  void (*request)(void *self, struct core *c, cycle_t now);
  void *self;
};

// Interrupt lines, see interrupt.h.
struct core_interrupts {
  uint32_t lines, before; // from cycle `since` on, and until then
  cycle_t since;
  // The core takes interrupt `id` in cycle `now`; the line is lowered for the next one. NULL:
  // nobody drives the lines.
  void (*acknowledge)(void *self, unsigned core, unsigned id, cycle_t now);
  void *self;
};

// ---- a core, as those around it see it

enum core_phase { CORE_IDLE, CORE_RUNS, CORE_HALTED }; // idle: not started

#define CORE_PORT                                                                                  \
  {                                                                                                \
    unsigned index;     /* 0.. in this machine: also its arbiter port */                           \
    unsigned hartid;    /* cluster << 5 | core */                                                  \
    uint8_t phase;      /* enum core_phase */                                                      \
    uint8_t wait_cause; /* enum cause of the wait in progress, set by whoever serves it */         \
    struct access acc;  /* what it asks for */                                                     \
    struct engine *engine;                                                                         \
    /* The memory that it reaches in one cycle: the TCDM, where each access is arbitrated, or its  \
       own data memory (core.banks is NULL). */                                                    \
    uint32_t window_base, window_size;                                                             \
    uint8_t *window;                                                                               \
    struct core_bus bus;                                                                           \
    struct core_interrupts interrupts;                                                             \
  }
struct core_port CORE_PORT;
struct core_port *core_port(struct core *c);

// ---- banks
//
// The memory that cores share is interleaved by words over banks. Who gets a bank that somebody
// else may ask for, too, its arbiter decides (cluster/tcdm.h, with the rules of the pointers).
// Where cores alone ask, that is done by the group of cores (core_group.h), in what both sides keep
// here.

enum { CORE_BANKS = 256 };

struct core_banks {
  unsigned leaves;       // of the tree whose pointers count grants (XBAR); 0: LIC
  bool all;              // LIC: the accelerator asks for some in this cycle
  uint64_t posted;       // for which requests have been posted, as bank_bit()
  cycle_t locked;        // XBAR test-and-set: the last cycle in which a bank is locked ...
  uint64_t locked_banks; // ... these, as bank_bit()
  struct bank {
    uint32_t requests; // ports that ask in this cycle
    uint8_t pointer;   // LIC, or XBAR's core tree
    uint8_t pointer1;  // XBAR: the tree of external and DMA ports
    uint8_t flag;      // XBAR: who wins a conflict between the trees
    bool decided;      // in this cycle, before the arbiter acts
  } bank[CORE_BANKS];
  uint64_t grants[CORE_BANKS]; // cycles in which the bank was granted
  // Decides in this cycle who gets a bank that is not locked: one of `ports`, who have to ask again
  // if they lose, or of those whose requests are posted. Returns the winner, bit p: port p; 0: it
  // is not one of `ports`.
  uint32_t (*contest)(struct core_banks *b, unsigned bank, uint32_t ports);
  // `port` asks for the bank of byte `offset` until that is granted: core_served().
  void (*post)(struct core_banks *b, unsigned port, uint32_t offset);
};

// A set of banks in 64 bits: with more than 64 banks, several share a bit.
static inline uint64_t bank_bit(unsigned bank) {
  return UINT64_C(1) << (bank & 63);
}

// XBAR test-and-set: the banks that serve nobody in this cycle.
static inline uint64_t banks_locked(const struct core_banks *b, cycle_t now) {
  return b->locked == now ? b->locked_banks : 0;
}

// A core gets the bank at once, because nobody else asks for it in this cycle: pointers are
// updated.
static inline void bank_grant_lic(struct core_banks *b, unsigned bank, unsigned port) {
  b->grants[bank]++;
  b->bank[bank].pointer = (uint8_t)port; // the rule for one requester
}
static inline void bank_step_xbar(struct bank *b, unsigned leaves) {
  b->flag ^= 1;
  b->pointer = (uint8_t)((b->pointer + 1u) & (leaves - 1));
}
static inline void bank_grant(struct core_banks *b, unsigned bank, unsigned port) {
  b->grants[bank]++;
  if (b->leaves)
    bank_step_xbar(&b->bank[bank], b->leaves);
  else
    b->bank[bank].pointer = (uint8_t)port;
}

// ---- code
//
// Lines within a window of memory have a bit each, so that a line, or a range of them, is looked up
// in a few instructions. The window lies around a line that was filled lately; of others nothing is
// known. The instruction cache keeps it, one for each core.

// Of 1 << CODE_SHIFT bytes: the core's bus makes stores to them.
// Somebody keeps what is done with its code.
enum { CODE_SHIFT = 6, CODE_MARKED = 1, CODE_WATCHED = 2 };

// Epochs leave low bits to whoever compares more than one number.
enum { CODE_EPOCH_SHIFT = 24 };
#define CODE_EPOCH (UINT64_C(1) << CODE_EPOCH_SHIFT)

enum { CODE_LINES = 8192 };

struct code_lines {
  uint8_t line_shift;
  // From this cycle on it takes fetches, as long as they hit and nobody else acts. CYCLE_NEVER: not
  // known.
  cycle_t takes_from;
  uint64_t epoch; // changes, by CODE_EPOCH, when what it holds cannot be relied on any more
  uint32_t first; // line with which the window begins
  uint8_t there[CODE_LINES / 8 + 8]; // by the cache; the last 8 only to be read with others
};

// Not because of a fetch that it has taken.
static inline void code_lines_take(struct code_lines *f, cycle_t from) {
  if (from > f->takes_from)
    f->epoch += CODE_EPOCH;
  f->takes_from = from;
}

static inline bool code_lines_cover(const struct code_lines *f, uint32_t line) {
  return line - f->first < CODE_LINES;
}

// Whether it is seen that all of them are there: bit i of `lines` is the one `i` behind `first`.
enum { CODE_LINES_AT_ONCE = 57 };
static inline bool code_lines_have_all(const struct code_lines *f, uint32_t first, uint64_t lines) {
  uint32_t i = first - f->first;
  uint64_t there;
  if (i >= CODE_LINES)
    return false;
  memcpy(&there, f->there + i / 8, sizeof there);
  return !(~(there >> i % 8) & lines);
}

// What is known in a cycle of the fetch that is asked for in it.
enum fetch_grant {
  FETCH_HITS,    // it is granted, and what is in memory there now is valid in the next cycle
  FETCH_MISSES,  // it is granted; pipeline_fetch_data() tells what comes, and when
  FETCH_REFUSED, // it is not granted
  FETCH_OPEN,    // pipeline_fetch_grant() and pipeline_fetch_data() tell
};

// Where instructions come from. `bytes` as in struct code_source. If `request` is set, each fetch
// goes there instead, in every clocked cycle in which it is asked for; while the core is not
// clocked it stays asked for. `lines`: what is known to hit there, without asking. What misses
// comes `miss_cycles` after the grant, or later.
struct pipeline_code {
  const uint8_t *(*bytes)(void *self, uint32_t address, uint32_t *left);
  enum fetch_grant (*request)(void *self, struct pipeline *p, uint32_t address, cycle_t now);
  const struct code_lines *lines;
  // Changes, and is never 0, whenever these words change in memory, which is told of what has been
  // marked, or come to or leave the core's cache.
  const uint64_t *epoch;                      // in steps of CODE_EPOCH
  const uint64_t *written;                    // changes when marked code is written to; not 0
  void (*mark)(void *self, uint32_t address); // what is fetched there is kept
  unsigned miss_cycles;
  void *self;
};

// ---- float units

// Float units that cores share. `ask`: core `core` will ask for a unit in `cycle`, called at the
// edge before; `latency`: 0, or cycles from grant to result of a division or square root. `served`:
// whether it is served in `cycle`, the current one. The divider's own latency grows by
// `divider_frame`.
struct float_port {
  void (*ask)(void *self, unsigned core, unsigned latency, cycle_t cycle);
  bool (*served)(void *self, unsigned core, cycle_t cycle);
  void *self;
  unsigned divider_frame;
};

// ---- the host, who watches

// What a core asks of the world around it. `self` is the machine.
enum core_breakpoint { CORE_BREAKPOINT_TRAPS, CORE_BREAKPOINT_ANSWERED, CORE_BREAKPOINT_ENDS };
struct core_host {
  // The program ends: exit status.
  void (*exit)(void *self, struct core *c, int status, cycle_t now);
  // The core cannot go on: `text` says why in half a sentence, without core, pc or function.
  void (*trap)(void *self, struct core *c, uint32_t pc, const char *text, cycle_t now);
  // Host call (ecall without a handler): arguments in a0.., number in a7. Returns false to end
  // the program there (exit), after calling `exit`.
  bool (*call)(void *self, struct core *c, cycle_t now);
  // An ebreak: whether it is a request to the host, which has been answered, or has ended the run.
  enum core_breakpoint (*breakpoint)(void *self, struct core *c, uint32_t pc, cycle_t now);
  // The core has written to 64 bytes in which there is code (CODE_MARKED); to none (size 0): all
  // that depends on code is to be looked at again.
  void (*code_written)(void *self, const struct core *c, uint32_t address, uint32_t size);
  void (*region)(void *self, struct core *c, unsigned id, bool begin, cycle_t now);
  void *self;
};

// Who watches each clock edge: whether it must not be made yet (it is asked again later); it has
// been made.
struct core_watcher {
  bool (*holds)(struct core *c, cycle_t now);
  void (*edge)(struct core *c, cycle_t now);
};

// ---- what its surroundings call

// The cycle model that drives this core; before core_start().
void core_attach_pipeline(struct core *c, struct pipeline *p);

// Presents the access in c->acc to whoever serves it (the cycle model's `present`).
void core_present(struct core *c, cycle_t now);

// Answers the access in c->acc: granted in cycle `grant` (now), its data valid in cycle `valid`
// (> grant). c->acc.data holds a load's value; c->wait_cause the cause of the cycles waited. The
// core runs on to its next stop.
void core_grant(struct core *c, cycle_t grant, cycle_t valid);

// Makes the access in c->acc, which the TCDM has granted in cycle `now`; the core runs on.
void core_served(struct core *c, cycle_t now);

enum { CORE_QUANTUM = 64 }; // run-ahead without any access to shared state, in cycles

// How far a core may run ahead of the engine. Where the run ends, all stop alike, however far they
// might have got.
static inline cycle_t core_limit(const struct engine *e, cycle_t now) {
  cycle_t limit = now + CORE_QUANTUM;
  return limit <= e->last ? limit : e->last + 1;
}

// Whether a fetch is asked for or under way in the cycle whose requests have been made.
bool core_fetches(const struct core *c);
// The core had no clock for so many cycles: RI5CY's counters stood still, but for that of cycles,
// which programs take for the time.
void core_slept(struct core *c, cycle_t cycles);

// From now on the core's clock edges are watched by `watcher`, which must outlive it, or by nobody.
void core_watch_edges(struct core *c, const struct core_watcher *watcher);

// Something that the core has asked for fails: reports a trap where it has got to meanwhile.
void core_fault(struct core *c, const char *text, cycle_t now);

// The access in c->acc reaches nothing: reports a trap with the core, pc and address.
void core_access_fault(struct core *c, cycle_t now);

// Interrupt lines as they are from cycle `from` on; `from` is not before the current cycle, or the
// next one for callers of a rank behind the cores. Wakes the core if it has to look.
void interrupt_set_lines(struct core *c, uint32_t lines, cycle_t from);

// Somebody else writes to code in cycle `now`: whether the core may have fetched it in this cycle,
// or in a later one, in which it has been already.
bool core_has_fetched(struct core *c, uint32_t address, cycle_t now);

// Starts the core at `pc` in cycle `now`; its first instruction leaves ID in cycle now + 5 (RI5CY:
// 4) at the earliest, as after the release of reset.
void core_start(struct core *c, uint32_t pc, cycle_t now);

#endif
