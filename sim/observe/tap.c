#include "observe/tap.h"

#include "core/csr.h"
#include "engine/clocks.h"

enum { A0 = 10 };

// csrrw always writes; the others only from a source that is not x0 (or zero).
static bool writes_csr(uint32_t word) {
  unsigned funct3 = word >> 12 & 7;
  return (word & 0x7f) == 0x73 && (funct3 & 3) && ((funct3 & 3) == 1 || (word >> 15 & 31));
}

unsigned tap_shows(const struct isa_insn *insn) {
  unsigned cls = isa_ops[insn->op].cls, uses = isa_encs[insn->enc].uses, shows = 0;
  if (uses & ISA_USES_RS1)
    shows |= TAP_RS1;
  if (uses & ISA_USES_RS2)
    shows |= TAP_RS2;
  if (uses & ISA_USES_RS3)
    shows |= TAP_RS3;
  if ((uses & ISA_USES_RD) && cls != ISA_CLASS_HWLOOP && insn->rd != 0)
    shows |= TAP_RD;
  if ((uses & ISA_WRITES_RS1) && insn->rs1 != 0)
    shows |= TAP_RS1_OUT;
  if (cls == ISA_CLASS_CSR && writes_csr(insn->word))
    shows |= TAP_CSR;
  if (insn->op == ISA_OP_ecall)
    shows |= TAP_CALL;
  return shows;
}

void tap_init(struct tap *tap, struct tap_hub *hub, const struct core *c) {
  *tap = (struct tap){.hub = hub, .seen = c->count};
  for (unsigned i = 0; i < CAUSE_COUNT; i++)
    tap_stall(tap, i, (int32_t)c->count.stall[i]); // so far: the release of reset
  tap->event.core = c->index;
  tap->other_clock = c->engine != hub->clocks->cluster;
}

static void clear_stalls(struct tap *tap) {
  for (uint32_t m = tap->given; m; m &= m - 1)
    tap->stalls[__builtin_ctz(m)] = 0;
  tap->given = 0;
}

// What remains owed: a jump that is fetched while an access still waits hides part of its own cost,
// and the fast engine takes that off in front of the jump; it belongs behind it.
cycle_t tap_take_stalls(struct tap *tap) {
  struct pulpsim_insn_event *e = &tap->event;
  uint32_t owing = 0;
  int32_t most = 0, owed = 0;
  clear_stalls(tap);
  for (uint32_t m = tap->waits; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    int32_t n = tap->waiting[i];
    if (n < 0) {
      owed -= n;
      owing |= UINT32_C(1) << i;
      continue;
    }
    tap->waiting[i] = 0;
    if (n == 0)
      continue;
    tap->stalls[i] = (uint32_t)n;
    tap->given |= UINT32_C(1) << i;
    tap->told[i] += (uint32_t)n;
    e->stall += (uint32_t)n;
    if (n > most) {
      most = n;
      e->stall_cause = (uint8_t)i;
    }
  }
  tap->waits = owing;
  e->stalls = e->stall ? tap->stalls : NULL;
  return (cycle_t)owed;
}

void tap_undo(struct tap *tap, const struct core *c) {
  const struct pulpsim_insn_event *e = &tap->event;
  for (unsigned i = 0; e->stalls && i < CAUSE_COUNT; i++) {
    tap_stall(tap, i, (int32_t)e->stalls[i]);
    tap->told[i] -= e->stalls[i];
  }
  tap_drop(tap);
  tap->seen = c->count;
}

void tap_wait_in_id(struct tap *tap, unsigned cause, uint32_t cycles) {
  struct pulpsim_insn_event *e = &tap->event;
  if (!e->stalls)
    clear_stalls(tap);
  e->stalls = tap->stalls;
  tap->stalls[cause] += cycles;
  tap->given |= UINT32_C(1) << cause;
  tap->told[cause] += cycles;
  e->cycle += cycles;
  e->stall += cycles;
  if (e->stall_cause == CAUSE_ISSUE || tap->stalls[cause] > tap->stalls[e->stall_cause])
    e->stall_cause = (uint8_t)cause;
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

static void show_source(struct tap *tap, const struct core *c, unsigned number) {
  struct pulpsim_insn_event *e = &tap->event;
  e->read[e->read_count++] = (struct pulpsim_operand){(uint8_t)number, c->r[number]};
}

void tap_show_sources(struct tap *tap, const struct core *c, unsigned rs1, unsigned rs2,
                      unsigned rs3) {
  tap->event.read_count = 0;
  if (tap->shows & TAP_RS1)
    show_source(tap, c, rs1);
  if (tap->shows & TAP_RS2)
    show_source(tap, c, rs2);
  if (tap->shows & TAP_RS3)
    show_source(tap, c, rs3);
}

void tap_translate(struct tap *tap) {
  struct pulpsim_insn_event *e = &tap->event;
  const struct clocks *k = tap->hub->clocks;
  e->since = clocks_to_cluster(k, e->since);
  e->cycle = clocks_to_cluster(k, e->cycle);
  e->done = clocks_to_cluster(k, e->done);
}

void tap_show_rare(struct tap *tap, struct core *c) {
  struct pulpsim_insn_event *e = &tap->event;
  if (tap->shows & TAP_CALL)
    tap_write(tap, c, e->write_count++, A0);
  if (tap->shows & TAP_CSR) {
    e->csr = (uint16_t)(e->word >> 20);
    e->has_csr = csr_read(c, e->csr, NULL, c->t, &e->csr_value);
  }
}

void tap_collect(struct tap *tap, const struct core *c) {
  for (unsigned i = 0; i < CAUSE_COUNT; i++) {
    uint64_t more = c->count.stall[i] - tap->seen.stall[i];
    if (more == 0)
      continue;
    tap_stall(tap, i, (int32_t)(int64_t)more);
    tap->seen.stall[i] = c->count.stall[i];
  }
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
