// sim/core/pipeline.h: the exact time of one core: its pipeline, clock by clock.
//
// A model of the four stages of the CV32E40P (6033d2b) and of the RI5CY of November 2019 that
// holds what their registers hold, except for the data: what an instruction does comes from
// step.h, once, in the cycle in which it leaves ID. It is exact for any program, legal or not,
// and for any instruction and data memory, because nothing in it is a rule of thumb; the rules
// that follow from it are listed in docs/timing-rules.md.
//
// Two calls per cycle: pipeline_request() presents what the core asks for in this cycle, then
// the memories answer, then pipeline_edge() makes the clock edge. Between them:
//   data         pipeline_data_grant() in the cycle of the grant
//   instructions pipeline_fetch_grant() in the cycle of the grant, pipeline_fetch_data() at the
//                latest before pipeline_request() of the cycle in which the data are valid
// A memory that always answers at once needs none of this: see struct pipeline_config.
#ifndef PULPSIM_PIPELINE_H
#define PULPSIM_PIPELINE_H

#include "core/controller.h"
#include "core/core.h"
#include "core/fpu_dispatch.h"
#include "core/id_insn.h"
#include "core/interrupt.h"
#include "core/lsu.h"
#include "core/pipeline_memo.h"
#include "core/prefetch.h"
#include "core/prefetch_ri5cy.h"
#include "core/step.h"

struct pipeline;

struct pipeline_config {
  struct id_config id; // model, FPU
  // Added to every access of that kind, wherever it goes: cycles from the request to the grant (0
  // without delay) and from the grant to the data beyond the normal one.
  uint8_t fetch_grant_delay, fetch_data_delay;
  uint8_t data_grant_delay, data_data_delay;
  // Presents the data request in core->acc to whoever serves it, in the current cycle. It leads to
  // one pipeline_data_grant(), at once or later.
  void (*present)(struct core *c, cycle_t now);
  // What instructions do: step_issue() and step_complete(), unless somebody gets in between.
  void (*issue)(struct core *c, const struct isa_insn *insn, uint32_t pc, struct step_outcome *out);
  void (*complete)(struct core *c, const struct isa_insn *insn, uint32_t pc, uint32_t rdata);
  struct float_port shared_fpu; // if it shares float units with others; else `self` is NULL
};

// Called for each instruction in the cycle `now` in which it leaves ID, after it has been executed
// (a load's data come later). `traps`: it had no effect and enters the trap handler.
typedef void pipeline_watch(void *self, const struct core *c, const struct isa_insn *insn,
                            uint32_t pc, bool traps, cycle_t now);

enum { DECODED_BITS = 10, FETCHES = 4, FETCH_DELAY_MAX = 255 };

// What EX holds. The MEMBERS of a stage are flags and numbers that are part of the pipeline's state
// as they are, see pipeline_key.h: without bytes in between.
struct ex_stage {
  struct id_insn insn; // of the last instruction that entered
  uint32_t pc;
  MEMBERS(ex_state, state, {
    bool busy; // the ALU or the multiplier is enabled
    bool csr, branch, taken, access, fpu;
    bool load_we, alu_we;
    uint8_t load_rd, alu_rd;
    uint8_t fpu_latency; // as of struct fpu_cycle
    bool fpu_prepares;   // the float divider takes the operation one cycle late ...
    bool fpu_prepared;   // ... which has passed
  });
  uint32_t target;
  bool second;        // the second half of a word-crossing access
  cycle_t unit_ready; // multiplier or divider: first cycle in which it is done
  cycle_t entered;
  uint32_t first_half; // data of its first half, where they are in their word
  uint32_t second_at;  // where it is
  bool astray;         // ... not behind the first, see wb_contention.c
  uint8_t sums_taken;  // ... bit per sum of a high product's that is a float result
  uint32_t sum[3];
  uint32_t moved;     // ... with which its pointer moves on, if it does: to here
  uint32_t before;    // what alu_rd held before ...
  cycle_t kept_until; // ... and holds in cycles before this one
};

struct fetch_answer {
  uint32_t word;
  cycle_t at;
};

struct pipeline {
  struct core *core;
  struct pipeline_config config;
  struct pipeline_code code;
  const struct isa_decoder *decoder;
  pipeline_watch *watch;
  void *watch_self;

  struct controller ctrl;
  union {
    struct fetch_port port;
    struct prefetch cv;
    struct prefetch_ri5cy ri;
  } fetch;
  struct {
    struct id_insn insn; // of the last instruction that entered, valid or not
    MEMBERS(id_state, state, {
      uint32_t word; // its bits
      uint32_t pc;
      bool valid;
      bool loop_round;        // RI5CY: first of a hardware loop's next round ...
      uint8_t loop_decrement; // ... of these loops
      uint8_t unused;
    });
  } id;
  struct ex_stage ex;
  struct wb_stage {
    bool load_we;
    uint8_t load_rd;
  } wb;
  struct lsu lsu;
  struct fpu_dispatch fpu;
  struct interrupt_controller interrupt;
  bool interrupt_moved;          // the controller changed at the last edge
  uint32_t resume;               // as the controller's
  struct hwloop loop_written[2]; // RI5CY: hardware loop CSRs change one cycle after ID
  uint8_t loops_written;
  uint8_t frm_before;    // RI5CY: in this cycle, ...
  cycle_t frm_late;      // ... the rounding mode is still this one
  uint32_t float_before; // what the youngest float operation's destination held

  // Instruction fetches under way, oldest first.
  struct fetch_answer answer[FETCHES];
  uint8_t answers;
  bool fetch_posted;  // the request has been passed on and is not granted
  bool fetch_granted; // in this cycle ...
  bool fetch_hits;    // ... and its data come in the next one
  bool fetch_open;    // whether it is granted in this cycle is not known yet
  cycle_t fetch_from; // a miss under way: nothing comes before this cycle
  cycle_t fetch_since, data_since;
  bool data_posted;
  uint32_t fetch_word;

  struct memo_walk walk;

  // Signals of the current cycle.
  struct pipeline_signals {
    struct controller_in in;
    struct controller_out out;
    struct fpu_cycle fpu;
    bool fpu_active; // a float operation is in EX or in flight
    bool load_stall, split_stall, fpu_stall;
    bool alu_fw;       // the ALU port is written, or will be when EX is done ...
    uint8_t alu_fw_rd; // ... this register
    bool wb_we;        // the same of the load port
    uint8_t wb_rd;
    bool contention; // a float result and EX want the ALU port
    bool offered;    // an instruction is ready for ID
    bool unit_ready, ex_ready, ex_valid, id_ready, id_valid;
    bool leaves;     // the instruction in ID leaves it
    bool traps;      // ... without effect, into the trap handler
    bool if_taken;   // ID takes what IF offers
    uint8_t counted; // bit per hardware loop whose counter goes down
  } now;

  // Accounting.
  cycle_t refill_until; // cycles up to here without an instruction belong to `refill_cause`
  uint8_t quiet;        // edges in a row without any change but waiting
  uint64_t waited;      // cycles spent on the access that is not granted yet
  cycle_t last_edge;
  MEMBERS(pipeline_state, state, {
    uint8_t last_cause, refill_cause;
    bool id_was_valid;         // ID could have let an instruction go in the last cycle
    uint8_t standing;          // events of the last edge, bit per event from EVENT_FETCH_MISS on
    uint8_t loop_decrement_if; // RI5CY: whose end IF saw in the last such cycle
  });
  const uint8_t *code_at;        // window of code last used
  uint32_t code_base, code_size; // ... from here on so many addresses of words
  struct {
    uint32_t word;
    struct id_insn insn;
  } decoded[1 << DECODED_BITS];
};

// `decoder` and what `code` refers to must outlive the pipeline. NULL when out of memory.
struct pipeline *pipeline_new(struct core *c, const struct pipeline_config *config,
                              const struct isa_decoder *decoder, const struct pipeline_code *code);
void pipeline_free(struct pipeline *p);

// Starts at `pc`: the first instruction leaves ID in cycle `first` at the earliest. The core is
// clocked from cycle first - 2 on; that is the return value.
cycle_t pipeline_start(struct pipeline *p, uint32_t pc, cycle_t first);

// Goes on at `pc`, as at the start, from the cycle behind the last edge on; what is in ID has not
// been executed. False: it waits for an access or for code.
bool pipeline_move(struct pipeline *p, uint32_t pc);

void pipeline_request(struct pipeline *p, cycle_t now);

// Returns the cycle in which the pipeline is to be clocked next: now + 1, or later when nothing can
// change until then, or CYCLE_NEVER when only a grant or data can change anything. Then, whoever
// calls pipeline_data_grant(), pipeline_fetch_grant() or pipeline_fetch_data() clocks it in that
// cycle; cycles left out are accounted for.
cycle_t pipeline_edge(struct pipeline *p, cycle_t now);

// The data request in core->acc is granted in `grant` (the current cycle); the data, in
// core->acc.data, are valid in `valid` (> grant).
void pipeline_data_grant(struct pipeline *p, cycle_t grant, cycle_t valid);

void pipeline_fetch_grant(struct pipeline *p);
// The word that is in memory at `address` now.
void pipeline_fetch_data(struct pipeline *p, uint32_t address, cycle_t valid);
// The word address on the instruction port in the last cycle that was clocked, requested or not.
uint32_t pipeline_fetch_address(const struct pipeline *p);
// Whether a word arrives in cycle `now`.
bool pipeline_fetch_answered(const struct pipeline *p, cycle_t now);

// Adds to `stall` the cycles before `now` that are not in the core's counters yet. Returns the
// cycle up to which all are accounted for.
cycle_t pipeline_pending(const struct pipeline *p, cycle_t now, uint64_t stall[CAUSE_COUNT]);

// The core is stopped in cycle `now`: accounts for the cycles before it. From then on it is idle.
void pipeline_stop(struct pipeline *p, cycle_t now);

#endif
