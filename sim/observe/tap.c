#include "observe/tap.h"

#include "core/csr.h"
#include "engine/clocks.h"

enum { ECALL = 0x73, A0 = 10 };

void tap_init(struct tap *tap, struct tap_hub *hub, const struct core *c) {
  *tap = (struct tap){.hub = hub, .seen = c->count};
  for (unsigned i = 0; i < CAUSE_COUNT; i++)
    tap_stall(tap, i, (int32_t)c->count.stall[i]); // so far: the release of reset
  tap->event.core = c->index;
}

static void clear_stalls(struct tap *tap) {
  for (uint32_t m = tap->given; m; m &= m - 1)
    tap->stalls[__builtin_ctz(m)] = 0;
  tap->given = 0;
}

// Moves the waiting cycles to the event of the instruction that ends the wait. Returns what remains
// owed: a jump that is fetched while an access still waits hides part of its own cost, and the fast
// engine takes that off in front of the jump; it belongs behind it.
static cycle_t take_stalls(struct tap *tap) {
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

void tap_time(struct tap *tap, cycle_t t) {
  struct pulpsim_insn_event *e = &tap->event;
  e->cycle = t;
  e->stall = 0;
  e->stalls = NULL;
  e->stall_cause = CAUSE_ISSUE;
  if (tap->waits)
    e->cycle += take_stalls(tap);
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
