#include "observe/tap.h"

#include <string.h>

#include "core/csr.h"
#include "engine/clocks.h"
#include "isa_ops.h"

enum { ECALL = 0x73, A0 = 10 };

void tap_init(struct tap *tap, struct tap_hub *hub, const struct core *c) {
  *tap = (struct tap){.hub = hub, .seen = c->count, .waits = true};
  for (unsigned i = 0; i < CAUSE_COUNT; i++)
    tap->waiting[i] = (int32_t)c->count.stall[i]; // so far: the release of reset
  tap->event.core = c->index;
}

// Moves the waiting cycles to the event of the instruction that ends the wait. Returns what remains
// owed: a jump that is fetched while an access still waits hides part of its own cost, and the fast
// engine takes that off in front of the jump; it belongs behind it.
static cycle_t take_stalls(struct tap *tap) {
  struct pulpsim_insn_event *e = &tap->event;
  e->stall = 0;
  e->stalls = NULL;
  e->stall_cause = CAUSE_ISSUE;
  if (!tap->waits)
    return 0;
  int32_t sum = 0, most = 0, owed = 0;
  for (unsigned i = 0; i < CAUSE_COUNT; i++) {
    int32_t n = tap->waiting[i];
    tap->stalls[i] = n > 0 ? (uint32_t)n : 0;
    tap->told[i] += tap->stalls[i];
    if (n < 0) {
      owed -= n;
      continue;
    }
    sum += n;
    if (n > most) {
      most = n;
      e->stall_cause = (uint8_t)i;
    }
    tap->waiting[i] = 0;
  }
  tap->waits = owed != 0;
  e->stall = (uint32_t)sum;
  e->stalls = sum ? tap->stalls : NULL;
  return (cycle_t)owed;
}

static void read_sources(struct pulpsim_insn_event *e, const struct core *c,
                         const struct tap_insn *insn, unsigned uses) {
  e->read_count = 0;
  if (uses & ISA_USES_RS1)
    e->read[e->read_count++] = (struct pulpsim_operand){insn->rs1, c->r[insn->rs1]};
  if (uses & ISA_USES_RS2)
    e->read[e->read_count++] = (struct pulpsim_operand){insn->rs2, c->r[insn->rs2]};
  if (uses & ISA_USES_RS3)
    e->read[e->read_count++] = (struct pulpsim_operand){insn->rs3, c->r[insn->rs3]};
}

// csrrw always writes; the others only from a source that is not x0 (or zero).
static bool writes_csr(const struct pulpsim_insn_event *e) {
  unsigned funct3 = e->word >> 12 & 7;
  return (e->word & 0x7f) == 0x73 && (funct3 & 3) && ((funct3 & 3) == 1 || (e->word >> 15 & 31));
}

void tap_begin(struct tap *tap, const struct core *c, const struct tap_insn *insn) {
  const struct isa_enc_info *enc = &isa_encs[insn->enc];
  unsigned cls = isa_ops[enc->op].cls, uses = enc->uses;
  struct pulpsim_insn_event *e = &tap->event;
  e->pc = insn->pc;
  e->word = insn->word;
  e->encoding = insn->enc;
  e->size = insn->size;
  e->has_memory = false;
  e->has_csr = cls == ISA_CLASS_CSR && writes_csr(e);
  read_sources(e, c, insn, uses);
  bool writes = (uses & ISA_USES_RD) && cls != ISA_CLASS_HWLOOP && insn->rd != 0;
  tap->rd = writes ? insn->rd : REG_SINK;
  tap->rs1_out = (uses & ISA_WRITES_RS1) && insn->rs1 != 0 ? insn->rs1 : REG_SINK;
  tap->open = true;
  tap->issued++;
}

void tap_time(struct tap *tap, cycle_t t) {
  tap->event.cycle = t + take_stalls(tap);
}

void tap_undo(struct tap *tap, const struct core *c) {
  const struct pulpsim_insn_event *e = &tap->event;
  for (unsigned i = 0; e->stalls && i < CAUSE_COUNT; i++) {
    tap->waiting[i] += (int32_t)e->stalls[i];
    tap->told[i] -= e->stalls[i];
  }
  tap->waits = true;
  tap_drop(tap);
  tap->seen = c->count;
}

void tap_wait_in_id(struct tap *tap, unsigned cause, uint32_t cycles) {
  struct pulpsim_insn_event *e = &tap->event;
  if (!e->stalls)
    memset(tap->stalls, 0, sizeof tap->stalls);
  e->stalls = tap->stalls;
  tap->stalls[cause] += cycles;
  tap->told[cause] += cycles;
  e->cycle += cycles;
  e->stall += cycles;
  for (unsigned i = 0; i < CAUSE_COUNT; i++)
    if (e->stall_cause == CAUSE_ISSUE || tap->stalls[i] > tap->stalls[e->stall_cause])
      e->stall_cause = (uint8_t)i;
}

void tap_access(struct tap *tap, const struct access *access) {
  struct pulpsim_insn_event *e = &tap->event;
  uint32_t mask = access->size >= 4 ? UINT32_MAX : (UINT32_C(1) << 8 * access->size) - 1;
  e->has_memory = true;
  e->memory_write = access->kind == ACCESS_STORE;
  e->memory_size = access->size;
  e->memory_address = access->addr;
  e->memory_data = access->data & mask;
}

// The core counted its own cycles.
static void tell_time(struct pulpsim_insn_event *e, const struct core *c, const struct clocks *k) {
  e->since = e->cycle - e->stall;
  if (c->engine == k->cluster)
    return;
  e->since = clocks_to_cluster(k, e->since);
  e->cycle = clocks_to_cluster(k, e->cycle);
  e->done = clocks_to_cluster(k, e->done);
}

void tap_done(struct tap *tap, struct core *c, cycle_t done) {
  struct pulpsim_insn_event *e = &tap->event;
  struct tap_hub *hub = tap->hub;
  e->done = done > e->cycle ? done : e->cycle + 1;
  tell_time(e, c, hub->clocks);
  e->write_count = 0;
  if (tap->rd != REG_SINK)
    e->write[e->write_count++] = (struct pulpsim_operand){tap->rd, c->r[tap->rd]};
  if (tap->rs1_out != REG_SINK)
    e->write[e->write_count++] = (struct pulpsim_operand){tap->rs1_out, c->r[tap->rs1_out]};
  if (e->word == ECALL) // answered by the host
    e->write[e->write_count++] = (struct pulpsim_operand){A0, c->r[A0]};
  if (e->has_csr) {
    e->csr = (uint16_t)(e->word >> 20);
    e->has_csr = csr_read(c, e->csr, NULL, c->t, &e->csr_value);
  }
  tap->open = false;
  tap->retired++;
  for (unsigned i = 0; i < hub->count; i++)
    if (hub->observer[i].insn)
      hub->observer[i].insn(hub->observer[i].user, e);
}

void tap_collect(struct tap *tap, const struct core *c) {
  for (unsigned i = 0; i < CAUSE_COUNT; i++) {
    tap->waiting[i] += (int32_t)(int64_t)(c->count.stall[i] - tap->seen.stall[i]);
    tap->seen.stall[i] = c->count.stall[i];
  }
  tap->waits = true;
  tap->seen.instructions = c->count.instructions;
}

void tap_rest(struct tap *tap, const struct core *c, const uint64_t counted[CAUSE_COUNT]) {
  struct tap_hub *hub = tap->hub;
  uint32_t stalls[CAUSE_COUNT] = {0};
  for (unsigned i = 1; i < CAUSE_COUNT; i++)
    stalls[i] = (uint32_t)(counted[i] - tap->told[i]);
  for (unsigned i = 0; i < hub->count; i++)
    if (hub->observer[i].rest)
      hub->observer[i].rest(hub->observer[i].user, c->index, stalls);
}
