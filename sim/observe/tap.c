#include "observe/tap.h"

#include "core/csr.h"
#include "engine/clocks.h"

enum { A0 = 10 };

// csrrw always writes; the others only from a source that is not x0 (or zero).
static bool writes_csr(uint32_t word) {
  unsigned funct3 = word >> 12 & 7;
  return (word & 0x7f) == 0x73 && (funct3 & 3) && ((funct3 & 3) == 1 || (word >> 15 & 31));
}

static unsigned shows_of(const struct isa_insn *insn) {
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

void tap_describe(struct tap_insn *u, const struct isa_insn *insn) {
  u->shows = (uint8_t)shows_of(insn);
  bool rd = u->shows & TAP_RD, rs1 = u->shows & TAP_RS1_OUT;
  u->writes = (uint8_t)(rd + rs1);
  u->first = rd || !rs1 ? u->rd : u->rs1_out;
}

void tap_init(struct tap *tap, struct tap_hub *hub, const struct core *c) {
  *tap = (struct tap){.hub = hub, .seen = c->count};
  for (unsigned i = 0; i < CAUSE_COUNT; i++)
    tap_stall(tap, i, (int32_t)c->count.stall[i]); // so far: the release of reset
  tap->event.core = c->index;
  if (c->engine != hub->clocks->cluster)
    tap->attention = TAP_OTHER_CLOCK;
}

static void clear_stalls(struct tap *tap) {
  for (uint32_t m = tap->given; m; m &= m - 1)
    tap->stalls[__builtin_ctz(m)] = 0;
  tap->given = 0;
}

// Mostly there is but one cause.
static bool take_single(struct tap *tap) {
  struct pulpsim_insn_event *e = &tap->event;
  unsigned i = (unsigned)__builtin_ctz(tap->waits);
  int32_t n = tap->waiting[i];
  if ((tap->waits & (tap->waits - 1)) || n <= 0)
    return false;
  tap->waiting[i] = 0;
  tap->given = tap->waits;
  tap->waits = 0;
  tap->stalls[i] = (uint32_t)n;
  tap->told[i] += (uint32_t)n;
  e->stall = (uint32_t)n;
  e->stalls = tap->stalls;
  e->stall_cause = (uint8_t)i;
  return true;
}

// What remains owed: a jump that is fetched while an access still waits hides part of its own cost,
// and the fast engine takes that off in front of the jump; it belongs behind it.
cycle_t tap_take_stalls(struct tap *tap) {
  struct pulpsim_insn_event *e = &tap->event;
  uint32_t owing = 0;
  int32_t most = 0, owed = 0;
  clear_stalls(tap);
  if (take_single(tap))
    return 0;
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

static void show_source(struct tap *tap, const struct core *c, unsigned number) {
  struct pulpsim_insn_event *e = &tap->event;
  e->read[e->read_count++] = (struct pulpsim_operand){(uint8_t)number, c->r[number]};
}

void tap_show_sources(struct tap *tap, const struct core *c) {
  const struct tap_insn *u = tap->insn;
  tap->event.read_count = 0;
  if (u->shows & TAP_RS1)
    show_source(tap, c, u->rs1);
  if (u->shows & TAP_RS2)
    show_source(tap, c, u->rs2);
  if (u->shows & TAP_RS3)
    show_source(tap, c, u->rs3);
}

static void show_write(struct tap *tap, const struct core *c, unsigned number) {
  struct pulpsim_insn_event *e = &tap->event;
  e->write[e->write_count++] = (struct pulpsim_operand){(uint8_t)number, c->r[number]};
}

static void show_writes(struct tap *tap, const struct core *c) {
  const struct tap_insn *u = tap->insn;
  tap->event.write_count = 0;
  if (u->shows & TAP_RD)
    show_write(tap, c, u->rd);
  if (u->shows & TAP_RS1_OUT)
    show_write(tap, c, u->rs1);
  if (u->shows & TAP_CALL)
    show_write(tap, c, A0);
}

static void show_access(struct tap *tap, struct tap_access a) {
  struct pulpsim_insn_event *e = &tap->event;
  e->has_memory = a.access != NULL;
  if (!e->has_memory)
    return;
  e->memory_write = a.access->kind == ACCESS_STORE;
  e->memory_size = a.access->size;
  e->memory_address = a.access->addr;
  e->memory_data = tap_data(a);
}

static void show_csr(struct tap *tap, struct core *c) {
  struct pulpsim_insn_event *e = &tap->event;
  e->has_csr = false;
  if (!(tap->insn->shows & TAP_CSR))
    return;
  e->csr = (uint16_t)(e->word >> 20);
  e->has_csr = csr_read(c, e->csr, c->t, &e->csr_value);
}

static void to_cluster_time(struct tap *tap) {
  struct pulpsim_insn_event *e = &tap->event;
  const struct clocks *k = tap->hub->clocks;
  e->since = clocks_to_cluster(k, e->since);
  e->cycle = clocks_to_cluster(k, e->cycle);
  e->done = clocks_to_cluster(k, e->done);
}

uint32_t tap_new_site(struct tap *tap, const struct tap_insn *u, const struct access *access) {
  struct site s = {.pc = u->pc, .word = u->word, .writes = u->writes};
  if (u->writes > 0)
    s.number[0] = u->first;
  if (u->writes > 1)
    s.number[1] = u->rs1_out;
  if (access)
    s.access = (uint8_t)(access->size | (access->kind == ACCESS_STORE ? SITE_STORES : 0));
  return ((struct tap_insn *)u)->site = sites_find(tap->hub->sites, &s);
}

void tap_tell(struct tap *tap, struct core *c, cycle_t done, struct tap_access a) {
  struct pulpsim_insn_event *e = &tap->event;
  e->pc = tap->insn->pc;
  e->word = tap->insn->word;
  e->encoding = tap->insn->enc;
  e->size = tap->insn->size;
  e->done = done;
  e->since = e->cycle - e->stall;
  if (tap->attention & TAP_OTHER_CLOCK)
    to_cluster_time(tap);
  show_writes(tap, c);
  show_access(tap, a);
  show_csr(tap, c);
  if (tap->hub->log)
    log_record_event(tap->hub->log, tap->hub->sites, e);
  for (const struct tap_listener *l = tap->hub->listener; l->insn; l++)
    l->insn(l->user, e);
}

enum { AT_ONCE = 4 };
_Static_assert((CAUSE_COUNT - 1) % AT_ONCE == 0, "all but CAUSE_ISSUE, which nobody counts");

static void collect(struct tap *tap, unsigned cause, int32_t cycles) {
  tap->seen.stall[cause] += (uint64_t)(int64_t)cycles;
  tap_stall(tap, cause, cycles);
}

void tap_collect(struct tap *tap, const struct core *c) {
  for (unsigned i = 1; i < CAUSE_COUNT; i += AT_ONCE) {
    uint64_t any = 0;
    for (unsigned j = i; j < i + AT_ONCE; j++)
      any |= c->count.stall[j] ^ tap->seen.stall[j];
    for (unsigned j = i; any && j < i + AT_ONCE; j++)
      if (c->count.stall[j] != tap->seen.stall[j])
        collect(tap, j, (int32_t)(int64_t)(c->count.stall[j] - tap->seen.stall[j]));
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
