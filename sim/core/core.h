// sim/core/core.h: one RI5CY / CV32E40P hart: its state, and how the cluster drives it.
//
// Function and time are kept apart. What an instruction does comes from its row in isa/
// (compiled by exec.c and step.c); when it does it comes from the pipeline (pipeline.h; what it has
// computed is kept, see segment.h).
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
#include "core/ports.h"
#include "engine/engine.h"
#include "engine/limit.h"
#include "isa/isa.h"

// Members that have their own names, and can be copied as one.
#define MEMBERS(tag, name, ...)                                                                    \
  union {                                                                                          \
    struct __VA_ARGS__;                                                                            \
    struct tag __VA_ARGS__ name;                                                                   \
  }

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

struct pipeline;
struct segment;
struct segment_uses;
struct uop;

enum core_model { CORE_CV32E40P, CORE_RI5CY };

// Register file indices: x0..x31, f0..f31, and a sink for writes to x0.
enum { REG_F0 = 32, REG_SINK = 64, REG_FILE = 65 };

struct core_counters {
  uint64_t instructions;
  uint64_t macs;
  uint64_t stall[CAUSE_COUNT]; // CAUSE_ISSUE unused: it is `instructions`
  uint64_t event[EVENT_COUNT];
};
enum { COUNTERS = sizeof(struct core_counters) / sizeof(uint64_t) };

// A performance counter: its value when it was last changed, and the total of its events at that
// time; the value that it is about to have.
struct perf_counter {
  uint64_t value, since, next;
  uint32_t events; // that it counts, by bit; 0: it stands still
};

// From cycle `due` on these counters, by bit, have another value, or run.
struct perf_change {
  cycle_t due;
  uint32_t counters;
};

struct core_csr {
  uint32_t mstatus, mie, mtvec, mtvec_given, mscratch, mepc, mcause, mip, mcountinhibit;
  uint32_t frm;
  uint8_t fflags;
  bool rne_inexact; // frm is RNE, and NX is up: few operations have anything to add
  bool mtvec_written;
  bool handler_missed; // a trap went to mtvec, which is not what was written to it
  uint32_t pcer, pcmr;
  uint32_t mhpmevent[32];
  struct perf_counter counter[32];         // mcycle, minstret, mhpmcounter3; or PCCR0..16
  struct perf_change written, selected[2]; // the latter by the cycle's lowest bit
  cycle_t settled;                         // when the last of them is due
  cycle_t outside_at;                      // when an access outside of L1 was granted last
  uint64_t clean_floats; // float instructions executed when mstatus.FS was last written
};

struct hwloop {
  uint32_t start, last; // `last`: address of the last instruction of the body
  uint32_t count;
};

// Of a core that runs ahead of the engine: how far it has come, and what it knows of what follows
// (clocked.h, segment.h, chain.h).
//
// A context is what few instructions change, and straight code depends on: each has a number of its
// own.
enum { CODE_FETCHED = 1024 };
enum { CONTEXTS = LIMIT(16, 2), CONTEXT_NUMBERS = LIMIT(1 << 24, 8) }; // below CODE_EPOCH
struct core_ahead {
  struct segment *asked;               // begins when the bank is granted; NULL: none
  struct segment_uses *use;            // of segments, by their numbers
  const uint64_t *code_epoch;          // of what it executes, see struct pipeline_code
  uint64_t context;                    // number, see step_update_context()
  cycle_t asks_in;                     // if it has promised to ask for a bank: in this cycle
  cycle_t next;                        // SEGMENT_COMPUTED: is to be clocked
  const struct uop *left_at;           // where a chain has ended, if not at its end
  uint32_t asked_bank;                 // that it has promised to ask for, or asks for now
  uint8_t stop;                        // enum segment_stop: why a run through segments has ended
  bool taken;                          // the branch executed last is
  bool promised;                       // see clocked_serve()
  bool bank_granted;                   // the bank that it is about to ask for is its own
  uint64_t fetched[CODE_FETCHED / 64]; // bit per 1 << CODE_SHIFT bytes of code, by address ...
  uint64_t fetched_from;               // ... since this value of `*code_epoch`
  uint32_t contexts_made;
  struct core_context {
    uint32_t last[2];        // where loops end ...
    uint32_t start[2];       // ... CV32E40P: and begin
    uint32_t rounds;         // 1: frm holds a mode that exists
    uint32_t number;         // from 1 on
  } context_known[CONTEXTS]; // lately
};

struct core {
  uint32_t r[REG_FILE + 1];

  // What is looked at with every access lies together.
  struct pipeline *pipeline; // the cycle model
  union {
    struct CORE_PORT;
    struct core_port port;
  };
  unsigned bank_mask;   // the number of banks minus one
  uint32_t shared_end;  // window_size if the TCDM is the window, else 0
  struct access in_ex;  // what the access in EX means: it may cross a word
  uint64_t actor_bit;   // a mask of `actor`
  uint8_t *window_code; // per 1 << CODE_SHIFT bytes: CODE_*, 0 where a store is nothing but one
  struct hwloop loop[2];
  struct core_ahead ahead;

  cycle_t t; // the instruction executed last was in EX in this cycle

  uint32_t nn[6];      // mac&load registers of XpulpNN
  bool loop_unaligned; // a loop bound just written had low bits that are dropped
  struct core_counters count;
  struct core_csr csr;

  enum core_model model;
  bool has_fpu;
  bool fpnew06;                     // ... whose results are those of isa/fp_fpnew06.h
  uint32_t mtvec_low;               // bits of a handler's address that mtvec does not keep
  const uint32_t *boots_at;         // NULL, or where handlers are, too: mtvec is not kept
  bool strict;                      // misuse of hardware loops is an error
  uint32_t stack_bottom, stack_top; // of its stack, by the linker's symbols; 0: unknown
  bool corev;  // loop end addresses are the one after the body, low bits dropped
  bool active; // has been started
  int exit_status;
  cycle_t started, ended;
  unsigned actor;
  unsigned edge_actor;                // its clock edges
  struct core_banks *banks;           // of the shared window; NULL if it is the core's own
  const struct core_watcher *watcher; // NULL: nobody watches
  void *watcher_self;                 // its tap
  struct core_host *host;
};

#endif
