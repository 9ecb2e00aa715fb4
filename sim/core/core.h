// sim/core/core.h: one RI5CY / CV32E40P hart: its state, and how the cluster drives it.
//
// Function and time are kept apart. What an instruction does comes from its row in isa/
// (compiled by exec.c); when it does it comes from the pipeline's rules (timing.c,
// folded into each decoded micro-operation when a block is built; see block.h).
//
// A core runs ahead on its own from one access to shared state to the next. It stops at an
// access with `acc` filled in and its actor scheduled at the cycle in which the request is first
// high (the access in EX). Whoever serves it calls core_grant(), and the core runs on.
//
// Time convention: T(i) is the cycle in which instruction i leaves ID. While a
// micro-operation executes, `t` is T(i) + 1: the cycle in which it is in EX.
#ifndef PULPSIM_CORE_H
#define PULPSIM_CORE_H

#include <stddef.h>

#include "core/cause.h"
#include "core/events.h"
#include "engine/engine.h"
#include "isa/isa.h"

struct block;
struct block_cache;
struct uop;
struct core;
struct tcdm;
struct pipeline;
struct tap;

enum { CODE_SHIFT = 6, NEVER_FLUSHED = 1 };

// Of 1 << CODE_SHIFT bytes: they hold decoded code; the core's bus makes stores to them.
enum { CODE_DECODED = 1, CODE_WATCHED = 2 };

enum core_model { CORE_CV32E40P, CORE_RI5CY };

// Register file indices: x0..x31, f0..f31, and a sink for writes to x0.
enum { REG_F0 = 32, REG_SINK = 64, REG_FILE = 65 };

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
  bool split;    // first or second half of a word-crossing access
  cycle_t since; // cycle in which the request was first high
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
  void (*region)(void *self, struct core *c, unsigned id, bool begin, cycle_t now);
  // Whether all of from..to-1 is in the core's private instruction cache; NULL: always.
  bool (*resident)(void *self, const struct core *c, uint32_t from, uint32_t to);
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

// What a core does next when its actor is stepped.
enum core_phase {
  CORE_IDLE,     // not started
  CORE_RUN,      // executing
  CORE_PAUSED,   // continues with block `entering`
  CORE_ACCESS,   // presents `acc`
  CORE_ASKS,     // asks for a word of the shared window or part of one, see exec_ask()
  CORE_WAIT,     // has presented it; core_grant() will come, or its group asks again
  CORE_TAKEOVER, // about to be driven by its pipeline model, from block `entering` on
  CORE_CLOCKED,  // driven by it
  CORE_HALTED,
  CORE_HELD, // stopped in front of `at` by a debugger, or at a region's mark; continues there
};

struct core_counters {
  uint64_t instructions;
  uint64_t macs;
  uint64_t stall[CAUSE_COUNT]; // CAUSE_ISSUE unused: it is `instructions`
  uint64_t event[EVENT_COUNT];
};

// A performance counter: what it held when it was last stopped, written or looked at, and the total
// of its events at that time.
struct perf_counter {
  uint64_t held, since;
  bool runs;
};

struct core_csr {
  uint32_t mstatus, mie, mtvec, mtvec_given, mscratch, mepc, mcause, mtval, mip, mcountinhibit;
  uint32_t frm;
  uint8_t fflags;
  bool settled; // frm is RNE, and NX is up: few operations have anything to add
  bool mtvec_written;
  bool handler_missed; // a trap went to mtvec, which is not what was written to it
  uint32_t dcsr, dpc, dscratch0, dscratch1;
  uint32_t pcer, pcmr;
  uint32_t mhpmevent[32];
  struct perf_counter counter[32]; // mcycle, minstret, mhpmcounter3; or PCCR0..16
  uint64_t clean_floats;           // float instructions executed when mstatus.FS was last written
};

struct hwloop {
  uint32_t start, last; // `last`: address of the last instruction of the body
  uint32_t count;
};

// An access of folded execution that was not granted at once, crossed a word, or whose data came
// later than in the cycle after the grant; or a division.
struct wait {
  cycle_t since;        // in EX first
  cycle_t grant, valid; // (last) grant, data; 0: a division
  cycle_t first_grant;  // of the first half, if the access crossed a word
  bool split;
  uint8_t hold; // cycles of the division
};

enum { CORE_WAITS = 64 }; // power of two

// Instructions that have been executed, which the cycle model replays to get into the state behind
// them.
struct line {
  bool due;
  bool crossing; // the first is one of 32 bits at 2 mod 4
  bool resumes;  // the cycle model goes on in cycle `from`; else as if behind a redirection
  cycle_t from;
  uint8_t rounds; // bit per hardware loop that jumps back in it
  uint32_t pc;    // of the first ...
  cycle_t first;  // ... which has left ID in this cycle
};

// How the state of the pipeline was known last.
enum known_by {
  KNOWN_REDIRECTED,
  KNOWN_GIVEN_BACK, // the cycle model still holds the state that it gave back in
  KNOWN_ROUND,      // behind a hardware loop's jump back, whose last instructions are in known_line
};

struct core {
  uint32_t r[REG_FILE + 1];

  // The memory that this core reaches in one cycle: the TCDM, where each access is arbitrated, or
  // its own data memory (`tcdm` is NULL).
  uint32_t window_base, window_size, window_words;
  uint8_t *window;
  uint8_t *window_code; // per 1 << CODE_SHIFT bytes: CODE_*, 0 where a store is nothing but one

  cycle_t limit;   // the core pauses at the first block boundary at or after this cycle
  cycle_t horizon; // nobody else acts before this cycle: shared memory needs no arbitration
  struct block *entering;
  const struct uop *at; // micro-operation to continue with
  cycle_t t;            // its time, see above
  uint8_t phase;        // enum core_phase
  uint8_t wait_cause;   // enum cause of the wait in progress, set by whoever serves it
  uint16_t asked_shape; // CORE_ASKS: EXEC_SHAPE() ...
  struct access acc;
  uint32_t asked;       // ... offset in the window ...
  uint32_t asked_bank;  // ... and bank
  cycle_t waited_until; // grant of the last access that was not granted at once, or was split
  cycle_t waited;       // ... and by how many cycles it was late
  bool waited_split;    // ... and whether it crossed a word
  bool target_is_whole; // ... and whether a jump behind it has got all of its target meanwhile ...
  bool target_follows;  // ... which is in ID at once
  const struct uop *waited_by; // ... and what made it
  unsigned waits;              // so many were noted, the last of them in `wait`
  struct line line;            // to replay when the cycle model takes over
  uint32_t known_at;           // where the state of the pipeline was known last; 0: nowhere
  uint8_t known_by;            // enum known_by
  cycle_t known_first;         // the first instruction there left ID in this cycle
  cycle_t known_from;          // KNOWN_GIVEN_BACK: of cycle known_from - 1
  struct line known_line;
  struct access whole; // of a split access: what the instruction asked for

  struct hwloop loop[2];
  uint32_t checked_start, checked_last; // body of the loop last found legal
  uint32_t flushed_at; // last instruction behind which the pipeline was flushed, or NEVER_FLUSHED
  uint32_t nn[6];      // mac&load registers of XpulpNN
  bool clock_next;     // the cycle model takes over at the next block ...
  bool clock_at_jump;  // ... to which the fetch is redirected
  bool loop_unaligned; // a loop bound just written had low bits that are dropped
  const uint32_t *code_epoch;  // changes when the core's instruction cache does
  const uint32_t *cache_epoch; // what code_epoch points to unless clock_next is set
  struct core_counters count;  // without the blocks' static part not yet folded in
  struct core_csr csr;
  struct wait wait[CORE_WAITS]; // at index mod CORE_WAITS
  struct block_cache *blocks;   // shared by all cores that run the same code
  struct block **dirty;         // blocks it may have entered since the last fold
  unsigned dirty_count, dirty_room;

  unsigned index;  // 0.. in this machine: also its arbiter port
  unsigned hartid; // cluster << 5 | core
  enum core_model model;
  bool has_fpu;
  bool fpnew06;                     // ... whose results are those of isa/fp_fpnew06.h
  uint32_t mtvec_low;               // bits of a handler's address that mtvec does not keep
  bool strict;                      // misuse of hardware loops is an error
  uint32_t stack_bottom, stack_top; // of its stack, by the linker's symbols; 0: unknown
  bool corev;  // loop end addresses are the one after the body, low bits dropped
  bool active; // has been started
  int exit_status;
  cycle_t started, ended;
  struct engine *engine;
  unsigned actor;
  uint64_t actor_bit;        // a mask of `actor`
  struct pipeline *pipeline; // the cycle model
  bool always_clocked;   // it decides this core's time throughout, not only where folding cannot
  bool settles;          // ... up to where the run pauses or ends
  bool clocked;          // it was the last to drive this core
  cycle_t clocked_until; // it does not give it back before
  bool promised; // ... it asks for a word of the TCDM in cycle `asks_in`: see clocked_served()
  cycle_t asks_in;
  bool bank_granted;   // the TCDM's bank that the core is about to ask for is its own
  unsigned edge_actor; // its clock edges
  struct tcdm *tcdm;   // of the shared window; NULL if it is the core's own
  unsigned bank_mask;  // the number of its banks minus one
  struct tap *tap;     // where observers listen; NULL: nobody does
  struct core_bus bus;
  struct core_interrupts interrupts;
  struct core_host *host;
};

static inline bool core_stays_clocked(const struct core *c) {
  return c->always_clocked || c->settles;
}

// Where the next wait is to be kept.
static inline struct wait *core_next_wait(struct core *c) {
  return &c->wait[c->waits++ % CORE_WAITS];
}

// The wait noted last but `i`. They are in order of time.
static inline const struct wait *core_last_wait(const struct core *c, unsigned i) {
  return &c->wait[(c->waits - 1 - i) % CORE_WAITS];
}

// What is noted of the instruction that was in EX first in `since`; NULL: nothing.
static inline const struct wait *core_wait_since(const struct core *c, cycle_t since) {
  for (unsigned i = 0; i < CORE_WAITS && core_last_wait(c, i)->since >= since; i++)
    if (core_last_wait(c, i)->since == since)
      return core_last_wait(c, i);
  return NULL;
}

#endif
