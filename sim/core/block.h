// sim/core/block.h: decoded code. A block is a straight line of micro-operations with their
// timing folded in, entered at its first one only, ending where control may go elsewhere.
//
// Folding: within a block the distance between two instructions' T is known when the
// block is built, except for what depends on data or on others (bank conflicts, the serial
// divider, taken branches). The known part is each micro-operation's `cost`; instruction
// counts, MACs and stall causes of the known part are kept once per block and multiplied
// by how often a core entered it (core_fold_counters).
//
// Every block ends with a micro-operation of its own that leaves it: to the next block, or
// back to the start of a hardware loop.
#ifndef PULPSIM_BLOCK_H
#define PULPSIM_BLOCK_H

#include "core/core.h"
#include "core/fold.h"
#include "core/loop_table.h"
#include "engine/limit.h"

enum { BLOCK_TARGET = LIMIT(32, 2), BLOCK_TAIL = 8, BLOCK_MAX = LIMIT(48, 4), BLOCK_CORES = 17 };

// Executes micro-operation `u` in cycle `t` and all that follow, until the core has to wait.
// `given`: what the instruction in front has written, where `u` takes it from there
// (exec_function()).
typedef void uop_exec(struct core *c, const struct uop *u, cycle_t t, uint32_t given);
// The same from the grant of its access on, in cycle `t`.
typedef void uop_finish(struct core *c, const struct uop *u, cycle_t t);

enum uop_flags {
  UOP_JUMP = 1,     // jal, jalr: redirects the fetch from ID
  UOP_MEMORY = 2,   // may stop for a data access
  UOP_BOUNDARY = 4, // not an instruction: leaves the block
  UOP_HIDES = 8,    // the block's last instruction, next, hides some of this access's waiting
  UOP_HIDES2 = 16,  // the same, with one instruction between
  UOP_FLUSH = 32,   // the pipeline is flushed behind it
  UOP_COVERED = 64, // boundary: the jump behind it hides waiting in front of it, see hidden_behind
  UOP_EDGE = 128,   // branch, boundary: `link` is not known, or `to` is not the usual one
};

// Cycles in which nothing issues, and why; `other` of them for a second reason. Of what is hidden,
// and so counted for another reason, either number may be negative.
struct delay {
  int8_t cycles, other;
  uint8_t cause, other_cause;
};

struct uop {
  uop_exec *exec;
  uop_finish *granted; // makes the access that `exec` has asked for; NULL: it accesses no memory
  struct block *link;  // successor when taken (or the only one); NULL until first used
  int32_t imm;
  uint32_t pc, word;
  uint16_t op;   // enum isa_op, or UOP_OP_*
  uint16_t enc;  // index into isa_encs
  uint8_t place; // index in the block
  uint8_t lead;  // cycles since the last one in front of it that uop_is_timed(), its own included
  struct delay wait;  // in ID, behind the instruction in front
  struct delay to;    // on the way to `link`
  struct delay cross; // jalr: on top of it, to a 32-bit instruction at 2 mod 4
  uint8_t cost;       // 1 + wait.cycles
  uint8_t size, flags, imm2;
  uint8_t rd, rs1, rs2, rs3; // indices into core.r
  uint8_t rs1_out;           // rs1, or the sink when rs1 is x0
  // To observers:
  uint8_t shows;         // enum tap_shows
  uint8_t writes, first; // how many registers it writes, and the first: rd, else rs1_out
  uint32_t site;         // its number, see observe/site.h; 0: not known yet
};

// Whether an instruction of this class needs to know when it executes. The bare executors leave it
// to the next one that does (or to the block's boundary) to count the cycles of the others.
static inline bool uop_is_timed(enum isa_class cls) {
  switch (cls) {
  case ISA_CLASS_ALU:
  case ISA_CLASS_MULH:
  case ISA_CLASS_FP_ADDMUL:
  case ISA_CLASS_FP_NONCOMP:
  case ISA_CLASS_FP_CONV:
  case ISA_CLASS_FP_DOTP:
    return false;
  default:
    return true;
  }
}

enum { HIDDEN_LATE = 4, NEVER = UINT8_MAX };

// What an access's waiting hides, by how many cycles its grants are late (the last entry stands for
// more).
struct hidden {
  struct delay late[HIDDEN_LATE]; // CAUSE_ISSUE: of the waiting itself
  uint8_t whole_from;   // so late, and a jalr has its target whole, if that crosses a word, too ...
  uint8_t follows_from; // ... and that leaves ID right behind it, unless it waits
};

#define BLOCK_UNVERIFIED UINT32_MAX // the bytes 0xff, and no epoch

struct block {
  struct block *next;         // in its hash chain
  const struct block *behind; // of a copy, see block_follow(): what it follows on
  uint32_t pc, end;           // first byte, first byte behind the last instruction
  uint16_t length;            // instructions
  uint16_t macs;
  int16_t stall[CAUSE_COUNT];
  uint64_t event[EVENT_COUNT];
  bool crossing;  // starts with a 32-bit instruction at 2 mod 4
  bool awkward;   // ... or with a jalr: see exec_arrive()
  bool irregular; // its time is not folded: the cycle model runs it
  // Its run: the straight line of code from `pc` to an unconditional jump or a hardware loop's end.
  // What is in front of it in loops that end there belongs to it, too: see block_loop_starts().
  uint32_t run_last, run_end; // its last instruction, first byte behind
  bool run_loops;             // some core's loops end there
  bool ends_at_once;  // RI5CY: a hardware loop's last instruction, which the fetch, if it is
                      // redirected there, sees too late to go on with the loop's start
  bool run_irregular; // there is an irregular block in it, or a jump that another instruction hides
  bool run_of_fetch;  // the time of a hardware loop in it depends on how far the fetch is ahead
  uint32_t reach;     // see block_reach(); 0: not known yet
  uint8_t tail;       // 1 + instructions that loop_exit() replays; 0: not known yet
  uint8_t round;      // 1 + loop_exit_can_wait(), as far as the code decides; 0: not known yet
  uint32_t round_built;  // ... when so many blocks had been built
  uint32_t round_cycles; // of such a round, without waits
  uint8_t unknown;       // 1 + loop_exit_is_unknown(); 0: not known yet
  // By the access's distance from the last instruction (1 or 2), and whether it crosses a word.
  struct hidden hidden[2][2];
  // The same where the jump is in the block that follows: by the access's distance from this one's
  // end (0 or 1).
  struct hidden hidden_behind[2][2];
  struct block *through_block; // successor when a hardware loop is done
  struct delay through;
  // Per core: the code epoch in which the block was found fit to run folded: where it is entered by
  // a redirection and none of its accesses waits; or anywhere.
  uint32_t verified[BLOCK_CORES];
  uint32_t wide[BLOCK_CORES];
  uint32_t entered[BLOCK_CORES]; // per core, since its last fold
  uint32_t listed;               // bit per core: among its `dirty`. So are the verified ones
  struct uop uop[];              // length + 1, and one more, see exec_may_hide()
};

struct block_cache;

// Where blocks get their instructions from: bytes at a guest address, NULL outside memory. Sets
// `left` to the bytes available from there.
struct code_source {
  const uint8_t *(*bytes)(void *self, uint32_t pc, uint32_t *left);
  void (*mark)(void *self, uint32_t pc, uint32_t end); // this range now holds decoded code
  void *self;
};

struct block_cache *block_cache_new(const struct isa_decoder *decoder,
                                    const struct id_config *config,
                                    const struct code_source *source);
void block_cache_free(struct block_cache *cache);

// Blocks built from now on call the observed executors.
void block_cache_observe(struct block_cache *cache, bool observed);

// The block that starts at `pc`, built if need be. Never NULL: where there is no
// memory or no legal instruction, the block holds a micro-operation that traps there.
struct block *block_find(struct block_cache *cache, uint32_t pc);

// The same, but NULL where none starts yet.
struct block *block_known(const struct block_cache *cache, uint32_t pc);

// A block of the one instruction at `pc`, whatever it is, for the cycle model to run.
struct block *block_irregular(struct block_cache *cache, uint32_t pc);

// Forgets all blocks (code was written). Blocks being executed stay valid.
void block_flush(struct block_cache *cache);

// Declares `last` the last instruction of a hardware loop of core number `core` that begins at
// `start`: blocks must end there. If that is new, all blocks have been forgotten.
enum loop_news block_end_loop_at(struct block_cache *cache, uint32_t last, uint32_t start,
                                 unsigned core);

// Where the loops of core number `core` start that end where the block's run does.
struct loop_starts block_loop_starts(const struct block_cache *cache, const struct block *b,
                                     unsigned core);

#define BLOCK_REACHES_ANYWHERE UINT32_MAX

// The first byte behind what the fetch asks for before the block's last instruction, a jump or a
// branch, redirects it, if the block is entered by a redirection and no access waits.
// BLOCK_REACHES_ANYWHERE: not known.
uint32_t block_reach(struct block_cache *cache, struct block *b);

// Whether the jump that `next`, on the straight line behind `b`, is or ends with hides waiting of
// the last accesses in `b`: fills b->hidden_behind.
bool block_hides_behind(struct block_cache *cache, struct block *b, const struct block *next);

// The block at `target` as it follows on the last instruction of `b` without a redirection:
// straight on, or back to a hardware loop's start, which IF follows without a gap. (See rule
// late-loop in exec_slow.h; loops for which that is not so are the cycle model's.) `edge`: cycles
// lost on the way. A copy of its own where b's last instructions hold up more than the block's
// first one.
struct block *block_follow(struct block_cache *cache, const struct block *b, uint32_t target,
                           struct delay *lost);

#endif
