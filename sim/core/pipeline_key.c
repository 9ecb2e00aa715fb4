#include "core/pipeline_key.h"

#include <string.h>

#include "core/csr.h"
#include "core/pipeline_stages.h"

static uint16_t ahead(cycle_t at, cycle_t now) {
  return at <= now ? 0 : (uint16_t)(at - now);
}

static cycle_t behind(uint16_t after, cycle_t now) {
  return after ? now + after : 0;
}

// What is in a register that nobody looks at before it is written is left out.
static void pack_ex(const struct pipeline *p, cycle_t now, struct pipeline_key *k) {
  const struct ex_stage *ex = &p->ex;
  k->ex = ex->state;
  if (ex->access || ex->fpu) {
    k->ex_pc = ex->pc;
    k->ex_word = ex->insn.insn.word;
  }
  if (ex->branch && ex->taken)
    k->target = ex->target;
  k->unit_ready = ahead(ex->unit_ready, now);
}

void pipeline_key_pack(struct pipeline_key *k, const struct pipeline *p, cycle_t now) {
  memset(k, 0, sizeof *k);
  if (p->config.id.model == CORE_RI5CY)
    k->fetch.ri = p->fetch.ri.state;
  else
    k->fetch.cv = p->fetch.cv.state;
  pack_ex(p, now, k);
  k->state = p->state;
  k->id = p->id.state;
  k->wb = p->wb;
  k->fpu = p->fpu.state;
  for (unsigned i = 0; i < p->fpu.due_count; i++)
    k->float_due[i] = ahead(p->fpu.due[i], now);
  k->lsu = p->lsu.state;
  for (unsigned i = 0; i < p->lsu.outstanding; i++)
    k->data_due[i] = ahead(p->lsu.due[i], now);
  k->ctrl = p->ctrl.held;
  k->refill = (uint8_t)ahead(p->refill_until, now);
  if (!k->refill)
    k->state.refill_cause = 0;
  if (p->ctrl.state == CTRL_BOOT)
    k->target = p->resume;
}

static void unpack_ex(struct pipeline *p, const struct pipeline_key *k, const struct id_insn *in_ex,
                      cycle_t now) {
  struct ex_stage *ex = &p->ex;
  ex->state = k->ex;
  ex->insn.unit = ID_ALU; // or a product, where nobody asks which
  if (in_ex) {
    ex->insn = *in_ex;
    ex->pc = k->ex_pc;
  }
  ex->second = false;
  ex->target = k->target;
  ex->unit_ready = behind(k->unit_ready, now);
}

void pipeline_key_unpack(const struct pipeline_key *k, const struct id_insn *id,
                         const struct id_insn *ex, struct pipeline *p, cycle_t now) {
  if (p->config.id.model == CORE_RI5CY)
    p->fetch.ri.state = k->fetch.ri;
  else
    p->fetch.cv.state = k->fetch.cv;
  unpack_ex(p, k, ex, now);
  p->state = k->state;
  p->id.insn = *id;
  p->id.state = k->id;
  p->wb = k->wb;
  p->fpu.state = k->fpu;
  for (unsigned i = 0; i < FPU_IN_FLIGHT; i++)
    p->fpu.due[i] = behind(k->float_due[i], now);
  p->lsu.state = k->lsu;
  for (unsigned i = 0; i < LSU_OUTSTANDING; i++)
    p->lsu.due[i] = behind(k->data_due[i], now);
  p->ctrl.held = k->ctrl;
  p->resume = k->target;
  p->loops_written = 0;
  p->refill_until = behind(k->refill, now);
  p->quiet = 0;
}

// 1 in every byte: also a bool.
static void scramble(void *at, size_t size) {
  memset(at, 1, size);
}

static void scramble_ex(struct ex_stage *ex) {
  struct ex_stage kept = *ex;
  scramble(ex, sizeof *ex);
  ex->first_half = kept.first_half;
  ex->moved = kept.moved;
  ex->before = kept.before;
}

void pipeline_key_scramble(struct pipeline *p) {
  struct fetch_port port = p->fetch.port; // which whoever looks at it sees
  scramble(&p->fetch, sizeof p->fetch);
  p->fetch.port = port;
  scramble(&p->id, sizeof p->id);
  scramble_ex(&p->ex);
  scramble(&p->wb, sizeof p->wb);
  scramble(&p->fpu, sizeof p->fpu);
  p->lsu = (struct lsu){.model = p->lsu.model, .stalled = true, .outstanding = 1};
  scramble(p->lsu.due, sizeof p->lsu.due);
  scramble(&p->ctrl.held, sizeof p->ctrl.held);
  p->resume = 1;
  scramble(&p->state, sizeof p->state);
  p->loop_decrement_if = 3;
  p->refill_until = CYCLE_NEVER;
}

static bool id_decides_alone(const struct pipeline *p) {
  const struct id_insn *id = &p->id.insn;
  if (!p->id.valid)
    return true;
  bool shows = p->core->fpnew06 && id->fpu_type >= 2 && id->fpu_rd < 32; // what it overwrites
  if (id->unit == ID_FPU && (p->config.shared_fpu.self || shows))
    return false;
  if (id->hides_b && p->core->fpnew06 && (p->ex.fpu || p->fpu.count))
    return false;
  switch (id->kind) {
  case ID_PLAIN:
    return !step_marks_region(&id->insn);
  case ID_BRANCH:
  case ID_JAL:
  case ID_JALR:
  case ID_ELW:
    return true;
  case ID_HWLOOP: // but if it begins that loop's next round
    return !p->core->strict &&
           !(p->id.loop_round && (p->id.loop_decrement >> (id->insn.rd & 1) & 1));
  case ID_CSR:
    return !id->csr_writes && csr_is_constant(p->core, (unsigned)id->insn.imm & 0xfff);
  default:
    return false;
  }
}

// A float result that will take the ALU's write port decides what an access does (rule
// access-repeated) and what a jump reads (rule jump-overtakes).
static bool port_may_be_taken(const struct pipeline *p, cycle_t now) {
  const struct fpu_dispatch *f = &p->fpu;
  // What leaves ID and stays in EX may be there still when a jump comes.
  bool stays = p->id.insn.unit == ID_MULH || p->ex.insn.unit == ID_MULH ||
               (p->lsu.outstanding && p->lsu.due[0] > now + 1);
  bool decides = p->ex.access || p->id.insn.kind == ID_JALR || stays;
  bool comes = (f->count && f->type3) || (p->ex.fpu && p->ex.insn.fpu_type == 3);
  return decides && comes;
}

static bool ex_decides_alone(const struct pipeline *p, cycle_t now) {
  const struct ex_stage *ex = &p->ex;
  if (port_may_be_taken(p, now))
    return false;
  if (ex->second || (ex->access && access_crosses_word(&p->core->in_ex)))
    return false;
  return !ex->fpu || !p->config.shared_fpu.self;
}

// A CSR access writes back what the loops' registers hold.
static bool loops_are_kept(const struct pipeline *p) {
  const struct core *c = p->core;
  return !p->loops_written || memcmp(p->loop_written, c->loop, sizeof c->loop) == 0;
}

// States of the controller that end by themselves, without an interrupt in sight.
static bool controller_decides_alone(const struct controller *k) {
  bool runs = k->state >= CTRL_BOOT && k->state <= CTRL_DECODE_HWLOOP;
  return !k->trap && (runs || k->state == CTRL_ELW_EXE || k->state == CTRL_ELW_DONE);
}

// CV32E40P: an instruction that has been held back for a cycle is still there (it may have been
// thrown away by a hardware loop).
static bool aligner_has_its_word(const struct pipeline *p) {
  const struct prefetch *f = &p->fetch.cv;
  return p->config.id.model == CORE_RI5CY || f->aligner != ALIGNER_DELAYED || f->count > 0;
}

static bool is_near(cycle_t at, cycle_t now) {
  return at <= now || at - now <= UINT16_MAX;
}

bool pipeline_key_exists(const struct pipeline *p, cycle_t now) {
  const struct core *c = p->core;
  for (unsigned i = 0; i < p->lsu.outstanding; i++)
    if (i >= LSU_OUTSTANDING || p->lsu.due[i] <= now || !is_near(p->lsu.due[i], now))
      return false;
  const struct interrupt_controller *k = &p->interrupt;
  bool interrupts = interrupt_comes(c, now) || (interrupt_possible(c) && k->lines) || k->pending ||
                    k->done || p->interrupt_moved;
  return controller_decides_alone(&p->ctrl) && c->phase == CORE_RUNS && !interrupts &&
         loops_are_kept(p) && !p->now.traps && p->frm_late != now + 1 && c->csr.settled <= now &&
         is_near(p->ex.unit_ready, now) && id_decides_alone(p) && ex_decides_alone(p, now) &&
         aligner_has_its_word(p);
}

uint32_t pipeline_key_hash(const struct pipeline_key *k) {
  uint64_t part[sizeof *k / sizeof(uint64_t)], h = 0;
  memcpy(part, k, sizeof part);
  for (unsigned i = 0; i < sizeof part / sizeof *part; i++) {
    h = (h ^ part[i]) * UINT64_C(0x9e3779b97f4a7c15); // Fibonacci hashing
    h ^= h >> 29;
  }
  return (uint32_t)(h >> 32);
}
