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
  // A debugger: whether core `c` must stop in front of the instruction at `pc`, which would enter
  // ID in cycle `t`. Asked only while `armed`.
  bool (*holds)(void *self, struct core *c, uint32_t pc, cycle_t t);
  void *self;
  bool armed;
};

// An instruction as the model decoded it. Register numbers as in struct isa_insn, or REG_SINK.
struct tap_insn {
  uint32_t pc, word;
  int32_t imm;
  uint16_t enc;
  uint8_t size, rd, rs1, rs2, rs3;
};

struct tap {
  struct tap_hub *hub;
  struct pulpsim_insn_event event; // of the instruction in progress
  bool open;                       // there is one
  const struct uop *asks;          // its access has not been made yet: it will be called again
  uint8_t rd, rs1_out;             // that it writes; REG_SINK: none
  bool fresh, clocked_memory;      // cycle model: it left ID at this edge; it makes an access,
  struct access clocked_access;    // this one
  uint64_t issued, retired;        // instructions since the start
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

void tap_time(struct tap *tap, cycle_t t);

// csrrw always writes; the others only from a source that is not x0 (or zero).
static inline bool tap_writes_csr(uint32_t word) {
  unsigned funct3 = word >> 12 & 7;
  return (word & 0x7f) == 0x73 && (funct3 & 3) && ((funct3 & 3) == 1 || (word >> 15 & 31));
}

static inline void tap_read(struct tap *tap, const struct core *c, unsigned number) {
  struct pulpsim_insn_event *e = &tap->event;
  e->read[e->read_count++] = (struct pulpsim_operand){(uint8_t)number, c->r[number]};
}

static inline void tap_begin(struct tap *tap, const struct core *c, const struct tap_insn *insn) {
  const struct isa_enc_info *enc = &isa_encs[insn->enc];
  unsigned cls = isa_ops[enc->op].cls, uses = enc->uses;
  struct pulpsim_insn_event *e = &tap->event;
  e->pc = insn->pc;
  e->word = insn->word;
  e->encoding = insn->enc;
  e->size = insn->size;
  e->has_memory = false;
  e->has_csr = cls == ISA_CLASS_CSR && tap_writes_csr(insn->word);
  e->read_count = 0;
  if (uses & ISA_USES_RS1)
    tap_read(tap, c, insn->rs1);
  if (uses & ISA_USES_RS2)
    tap_read(tap, c, insn->rs2);
  if (uses & ISA_USES_RS3)
    tap_read(tap, c, insn->rs3);
  bool writes = (uses & ISA_USES_RD) && cls != ISA_CLASS_HWLOOP && insn->rd != 0;
  tap->rd = writes ? insn->rd : REG_SINK;
  tap->rs1_out = (uses & ISA_WRITES_RS1) && insn->rs1 != 0 ? insn->rs1 : REG_SINK;
  tap->open = true;
  tap->issued++;
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

// `done`: cycle in which it was in EX last.
void tap_done(struct tap *tap, struct core *c, cycle_t done);

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
