#include "core/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "core/csr.h"
#include "core/perf_counter.h"
#include "core/pipeline_stages.h"
#include "isa_ops.h"

struct pipeline *pipeline_new(struct core *c, const struct pipeline_config *config,
                              const struct isa_decoder *decoder, const struct pipeline_code *code) {
  struct pipeline *p = calloc(1, sizeof *p);
  if (!p)
    return NULL;
  p->core = c;
  p->config = *config;
  p->config.issue = step_issue;
  p->config.complete = step_complete;
  p->decoder = decoder;
  id_insn_fill(&p->decoded[0].insn, 0, decoder, &p->config.id);
  p->ctrl.model = p->lsu.model = config->id.model;
  p->code = *code;
  static const uint64_t no_epoch = CODE_EPOCH;
  if (!code->epoch)
    p->code.epoch = &no_epoch;
  if (!code->written)
    p->code.written = &no_epoch;
  c->ahead.code_epoch = p->code.epoch;
  return p;
}

void pipeline_free(struct pipeline *p) {
  free(p);
}

cycle_t pipeline_start(struct pipeline *p, uint32_t pc, cycle_t first) {
  cycle_t boot = first >= 2 ? first - 2 : 0;
  p->interrupt = (struct interrupt_controller){0};
  p->answers = 0;
  p->fetch_posted = p->data_posted = false;
  p->data_since = CYCLE_NEVER;
  p->waited = 0;
  p->loops_written = 0;
  p->frm_late = CYCLE_NEVER;
  p->walk = (struct memo_walk){.memo = p->walk.memo};
  p->now.split_stall = p->now.traps = false;
  p->code_size = 0;
  p->last_edge = boot - 1;
  // CV32E40P compares with the end address, the one after the last instruction: 0 after reset.
  uint32_t last = p->config.id.model == CORE_CV32E40P ? (uint32_t)-4 : 0;
  for (unsigned i = 0; i < 2; i++)
    p->core->loop[i] = (struct hwloop){.last = last};
  step_update_context(p->core);
  memset(&p->fetch, 0, sizeof p->fetch);
  memset(&p->id, 0, sizeof p->id);
  memset(&p->ex, 0, sizeof p->ex);
  memset(&p->wb, 0, sizeof p->wb);
  memset(&p->fpu, 0, sizeof p->fpu);
  p->id.insn.kind = p->ex.insn.kind = ID_ILLEGAL;
  p->lsu = (struct lsu){.model = p->config.id.model};
  p->ctrl = (struct controller){.model = p->config.id.model, .state = CTRL_BOOT};
  p->resume = pc;
  p->quiet = 0;
  p->standing = p->id_was_valid = false;
  p->refill_until = 0;
  return boot;
}

static bool awaits_code(const struct pipeline *p) {
  return fetch_outstanding(p) > p->answers || p->fetch_posted ||
         (p->fetch_granted && !p->fetch_hits);
}

bool pipeline_move(struct pipeline *p, uint32_t pc) {
  struct core *c = p->core;
  if (c->ahead.promised)
    return false;
  memo_leave(p);
  if (p->lsu.outstanding || p->ex.access || p->data_posted || awaits_code(p))
    return false;
  cycle_t boot = p->last_edge + 1;
  struct hwloop loop[2] = {c->loop[0], c->loop[1]};
  pipeline_start(p, pc, boot + 2);
  memcpy(c->loop, loop, sizeof loop);
  step_update_context(c);
  return true;
}

// CV32E40P: a CSR access is illegal if there is no such register, or if it writes a read-only one.
static bool illegal_csr(struct pipeline *p, cycle_t now) {
  unsigned number = (unsigned)p->id.insn.insn.imm & 0xfff;
  bool lacks_floats = number >= 1 && number <= 3 && !p->config.id.fpu; // fflags, frm, fcsr
  bool writes_constant = number >> 10 == 3 && p->id.insn.csr_writes;
  uint32_t value;
  return lacks_floats || writes_constant || !csr_read(p->core, number, now + 1, &value);
}

static void look_at_interrupts(struct pipeline *p, cycle_t now) {
  const struct core *c = p->core;
  struct controller_in *in = &p->now.in;
  int id = interrupt_wanted(c, &p->interrupt);
  in->wake = interrupt_wakes(c, now);
  in->interrupt = id >= 0;
  in->interrupt_stands = interrupt_comes(c, now);
  if (in->interrupt)
    p->interrupt.id = (uint8_t)id;
  in->interrupt_handler = interrupt_handler(c, p->interrupt.id);
}

// Rule jump-overtakes: in the cycle in which a float result takes the ALU's write port, a jump does
// not see that what is in EX writes its register, and reads what is there: what that held before,
// if nothing has been written since the instruction came to EX.
static uint32_t jump_register(const struct pipeline *p, cycle_t now) {
  unsigned rs1 = p->id.insn.insn.rs1;
  const struct ex_stage *ex = &p->ex;
  if (p->now.contention && now < ex->kept_until && !ex->access && ex->alu_rd == rs1)
    return rs1 ? ex->before : 0;
  bool moved = ex->second && ex->insn.alu_we && ex->insn.alu_rd == rs1;
  return moved ? ex->moved : p->core->r[rs1];
}

static void look_at_id(struct pipeline *p, cycle_t now) {
  struct controller_in *in = &p->now.in;
  *in = (struct controller_in){
      .kind = (enum id_kind)p->id.insn.kind,
      .imm = p->id.insn.insn.imm,
      .pc = p->id.pc,
      .valid = p->id.valid,
      .branch_taken = p->ex.branch && p->ex.taken,
      .branch_target = p->ex.target,
      .resume = p->resume,
  };
  if (in->kind == ID_JALR)
    in->jump_register = jump_register(p, now);
  bool cv = p->config.id.model == CORE_CV32E40P;
  if (cv && p->id.insn.csr_access && p->id.valid && illegal_csr(p, now))
    in->kind = ID_ILLEGAL;
  if (p->core->interrupts.acknowledge)
    look_at_interrupts(p, now);
}

// RI5CY: the fetch follows the loop that ends where IF is.
static void follow_loops_ri5cy(struct pipeline *p) {
  struct prefetch_ri5cy *f = &p->fetch.ri;
  const struct hwloop *loop = p->core->loop;
  bool deciding = p->id.loop_round && p->id.valid;
  int i = fetch_loop_that_ends(loop, f->port.pc, deciding ? p->id.loop_decrement : 0);
  f->loop_seen = (uint8_t)(i < 0 ? 0 : 1 << i);
  // 0: what the fetch sees when it goes back after IF has left the loop's end.
  f->loop_start = i < 0 ? 0 : loop[i].start;
}

__attribute__((flatten)) void pipeline_request(struct pipeline *p, cycle_t now) {
  struct pipeline_signals *s = &p->now;
  p->fetch.port.responds = fetch_arrives(p, now, &p->fetch.port.response);
  bool cv = p->config.id.model == CORE_CV32E40P;
  ex_cycle(p, now);
  look_at_id(p, now);
  s->in.jump_stall = id_jump_stall(p);
  controller_cycle(&p->ctrl, &s->in, p->core->loop, &s->out);
  id_stalls(p);
  if (cv) {
    prefetch_request(&p->fetch.cv, &s->out.fetch);
    s->offered = p->fetch.port.valid;
  } else {
    prefetch_ri5cy_look(&p->fetch.ri);
    follow_loops_ri5cy(p);
    prefetch_ri5cy_request(&p->fetch.ri, &s->out.fetch);
    s->offered = p->fetch.port.valid && !s->out.fetch.redirect && !p->fetch.ri.restart;
  }
  fetch_present(p, now);
  ex_present(p, now);
}

// Traps and returns: the registers change while the pipeline is being emptied.
static void change_level(struct pipeline *p) {
  struct core *c = p->core;
  enum id_kind kind = p->now.in.kind;
  uint32_t cause = kind == ID_ECALL    ? TRAP_ECALL
                   : kind == ID_EBREAK ? TRAP_BREAKPOINT
                                       : TRAP_ILLEGAL; // in itself, or by what it asked for
  if (p->ctrl.state == CTRL_FLUSH_EX && p->now.ex_valid && p->ctrl.trap)
    p->resume = trap_enter(c, p->id.pc, cause);
  bool back = p->id.insn.kind == ID_MRET || p->id.insn.kind == ID_DRET;
  if (p->ctrl.state == CTRL_FLUSH_WB && !p->ctrl.trap && back) {
    struct step_outcome out;
    p->config.issue(c, &p->id.insn.insn, p->id.pc, &out);
    p->resume = out.target;
  }
}

static void enter_interrupt(struct pipeline *p, cycle_t now) {
  if (!p->now.out.interrupted)
    return;
  uint32_t pc = p->now.out.returns_to_if ? p->fetch.port.pc : p->id.pc;
  interrupt_take(p->core, &p->interrupt, pc, now);
}

// Rule loop-write-lost (RI5CY): a loop instruction that leaves ID takes the write port from the CSR
// access in EX.
static void write_loops(struct pipeline *p) {
  bool lost = p->now.id_valid && p->now.out.decoding && p->id.insn.kind == ID_HWLOOP;
  if (p->loops_written && !lost) {
    memcpy(p->core->loop, p->loop_written, sizeof p->loop_written);
    step_update_context(p->core);
  }
  p->loops_written = 0;
}

// Did this edge change anything that is not a mere wait?
static bool changed(const struct pipeline *p, enum controller_state before) {
  const struct pipeline_signals *s = &p->now;
  return s->leaves || s->if_taken || p->fetch_granted || p->fetch.port.responds ||
         s->out.fetch.redirect || p->lsu.granted || p->lsu.responds || p->fpu.comes ||
         p->fpu.kept || p->interrupt_moved || p->ctrl.state != before;
}

static cycle_t next_clock(struct pipeline *p, enum controller_state before, cycle_t now) {
  // A request to shared units is repeated, and is to be decided, in every cycle.
  bool asks = p->config.shared_fpu.self && p->ex.fpu;
  if (asks || changed(p, before)) {
    p->quiet = 0;
    return now + 1;
  }
  if (p->quiet < QUIET_EDGES && ++p->quiet < QUIET_EDGES)
    return now + 1;
  return first_of_two(ex_next(p, now), fetch_next(p, now));
}

// A region begins and ends behind its hint.
static void mark_region(struct pipeline *p, cycle_t now) {
  const struct isa_insn *insn = &p->ex.insn.insn;
  struct core *c = p->core;
  if (p->now.leaves && !p->now.traps && c->host && step_marks_region(insn))
    c->host->region(c->host->self, c, insn->rs1, insn->imm == 1, now + 1);
}

__attribute__((flatten)) cycle_t pipeline_edge(struct pipeline *p, cycle_t now) {
  struct pipeline_signals *s = &p->now;
  struct core *c = p->core;
  enum controller_state before = p->ctrl.state;
  ex_find_ready(p, now);
  cause_left_out(p, p->standing, now);
  if (now <= c->csr.settled)
    perf_settle(c, now);
  p->interrupt_moved = interrupt_edge(c, &p->interrupt, s->out.drops, now);
  // An operation that is held in EX behind its grant, by late data, is requested once more.
  if (p->fpu.request && p->ex.fpu_prepares)
    p->ex.fpu_prepared = !s->fpu.granted;
  lsu_edge(&p->lsu, s->ex_valid);
  write_loops(p);
  id_count_loops(p);
  ex_write_back(p);
  bool split = s->split_stall;
  id_issue(p, now);
  if (split)
    ex_second_half(p);
  else if (!s->id_valid)
    ex_bubble(p);
  if (s->traps)
    s->out.halt_if = true;
  bool there = p->config.id.model == CORE_CV32E40P ? p->fetch.cv.fetch_valid : s->offered;
  s->if_taken = there && s->id_ready && !s->out.halt_if;
  change_level(p);
  enter_interrupt(p, now);
  cause_account(p, now);
  mark_region(p, now);
  controller_edge(&p->ctrl, &s->out, s->id_ready, s->ex_valid, s->traps);
  fetch_edge(p, now);
  // Rule interrupt-withdrawn (RI5CY): what was in ID is still good.
  if (before == CTRL_IRQ_FLUSH && p->ctrl.state == CTRL_DECODE)
    p->id.valid = true;
  if (s->fpu_active)
    fpu_dispatch_edge(&p->fpu, &s->fpu, now);
  if (p->config.shared_fpu.self)
    ex_announce_fpu(p, now);
  return next_clock(p, before, now);
}
