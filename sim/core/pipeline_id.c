// ID: interlocks, and what happens when an instruction leaves.
#include "core/perf_counter.h"
#include "core/pipeline_stages.h"
#include "isa_ops.h"

static bool compares(const struct id_insn *id, unsigned reg) {
  return id->compared & reg_bit(reg);
}

// Before the controller has said so.
static bool is_decoding(const struct pipeline *p) {
  if (!p->id.valid || interrupt_wanted(p->core, &p->interrupt) >= 0)
    return false;
  return p->ctrl.state == CTRL_DECODE_HWLOOP ||
         (p->ctrl.state == CTRL_DECODE && !(p->ex.branch && p->ex.taken));
}

bool id_jump_awaits_float(const struct pipeline *p) {
  uint64_t pending = fpu_dispatch_pending_still(&p->fpu, p->ex.fpu, p->ex.insn.fpu_rd);
  return is_decoding(p) && (p->id.insn.fpu_compared & pending);
}

// Rule jump-register: a jump reads its register from the register file only, so it waits for
// whoever writes that: the ALU port, a load in EX or WB, a float operation. What is left of a jump
// in ID after it has gone is compared as well: a jump whose link register is its jump register
// stalls the fetch of its target for a cycle.
bool id_jump_stall(const struct pipeline *p) {
  const struct pipeline_signals *s = &p->now;
  const struct id_insn *id = &p->id.insn;
  if (id->kind != ID_JALR)
    return false;
  return (s->wb_we && compares(id, s->wb_rd)) || (p->ex.load_we && compares(id, p->ex.load_rd)) ||
         (s->alu_fw && compares(id, s->alu_fw_rd)) ||
         (p->config.id.model == CORE_CV32E40P && id_jump_awaits_float(p));
}

// Rule load-use: the instruction in ID waits while a load in EX (or one whose data are late) writes
// a register that it reads, or that it would write through the ALU port: x0 included.
static bool load_stall(const struct pipeline *p, bool decoding) {
  const struct id_insn *id = &p->id.insn;
  bool pending = (p->ex.access && p->ex.load_we) || (!p->lsu.ready_wb && p->now.wb_we);
  if (!pending)
    return false;
  if (compares(id, p->ex.load_rd))
    return true;
  return decoding && id->alu_we && !p->now.split_stall && p->ex.load_rd == id->alu_rd;
}

static uint64_t written(const struct id_insn *id) {
  return (id->alu_we ? reg_bit(id->alu_rd) : 0) | (id->load_we ? reg_bit(id->load_rd) : 0);
}

static bool fpu_stall(const struct pipeline *p, bool decoding) {
  const struct pipeline_signals *s = &p->now;
  const struct id_insn *id = &p->id.insn;
  if (!p->fpu.count && !p->ex.fpu)
    return false;
  // Rule csr-fpu: a CSR access waits for float operations that are still to set flags.
  if (id->csr_access && (p->fpu.count || p->ex.insn.fpu_type >= 2))
    return true;
  bool gated = !decoding || s->load_stall || s->in.jump_stall || s->in.kind == ID_ILLEGAL;
  bool looks = decoding || p->config.id.model == CORE_RI5CY;
  uint64_t waits_for = id->fpu_compared;
  if (!gated && id->unit != ID_FPU)
    waits_for |= written(id);
  return looks && (fpu_dispatch_pending(&p->fpu, p->ex.insn.fpu_rd) & waits_for);
}

void id_stalls(struct pipeline *p) {
  p->now.load_stall = load_stall(p, p->now.out.decoding);
  p->now.fpu_stall = fpu_stall(p, p->now.out.decoding);
}

// Rule loop-count: a loop's counter goes down when the marked instruction goes on (or is thrown
// away).
void id_count_loops(struct pipeline *p) {
  struct pipeline_signals *s = &p->now;
  s->counted = 0;
  if (!p->id.valid || !(s->id_ready || s->out.halt_id || s->in.branch_taken))
    return;
  uint8_t which = s->out.decrement;
  if (p->config.id.model == CORE_RI5CY)
    which = p->id.loop_round ? p->id.loop_decrement : 0;
  for (unsigned i = 0; i < 2; i++)
    p->core->loop[i].count -= which >> i & 1;
  s->counted = which & 3;
}

unsigned id_divider(bool is_signed, uint32_t divisor) {
  if (divisor == 0)
    return 35;
  if (is_signed && divisor >> 31) {
    uint32_t zeros = ~divisor;
    return 2 + (zeros ? (unsigned)__builtin_clz(zeros) : 32);
  }
  return 3 + (unsigned)__builtin_clz(divisor);
}

static unsigned divider_holds(const struct pipeline *p, const struct id_insn *id) {
  return id_divider(id->is_signed, p->core->r[id->insn.rs2]);
}

// The cycle in which the unit of the instruction that enters EX in cycle `entered` is done.
static cycle_t unit_ready(const struct pipeline *p, const struct id_insn *id, cycle_t entered) {
  if (id->unit == ID_MULH)
    return entered + 4;
  if (id->unit == ID_DIV)
    return entered + divider_holds(p, id) - 1;
  return 0;
}

static const struct {
  uint8_t format; // enum fpu_format
  bool root;
} divsqrt[ISA_OP_COUNT] = {
    [ISA_OP_fsqrt_s] = {FPU_BINARY32, true},     [ISA_OP_fdiv_h] = {FPU_BINARY16, false},
    [ISA_OP_vfdiv_h] = {FPU_BINARY16, false},    [ISA_OP_vfdiv_r_h] = {FPU_BINARY16, false},
    [ISA_OP_fsqrt_h] = {FPU_BINARY16, true},     [ISA_OP_vfsqrt_h] = {FPU_BINARY16, true},
    [ISA_OP_fdiv_ah] = {FPU_BFLOAT16, false},    [ISA_OP_vfdiv_ah] = {FPU_BFLOAT16, false},
    [ISA_OP_vfdiv_r_ah] = {FPU_BFLOAT16, false}, [ISA_OP_fsqrt_ah] = {FPU_BFLOAT16, true},
    [ISA_OP_vfsqrt_ah] = {FPU_BFLOAT16, true}};

// The serial float divider: cycles to its result, and whether it takes the operation one late.
static unsigned float_divider_holds(const struct pipeline *p, const struct id_insn *id,
                                    bool *prepares) {
  bool sqrt = divsqrt[id->insn.op].root;
  uint32_t a = p->core->r[id->insn.rs1], b = p->core->r[id->insn.rs2];
  *prepares = !sqrt && fpu_division_prepares(p->config.id.divider, a, b);
  return fpu_divsqrt_latency(p->config.id.divider, (enum fpu_format)divsqrt[id->insn.op].format,
                             sqrt, a, b);
}

unsigned id_time_by_operands(const struct pipeline *p, const struct id_insn *id) {
  if (id->unit == ID_DIV)
    return divider_holds(p, id);
  bool prepares;
  unsigned cycles = float_divider_holds(p, id, &prepares);
  return 2 * cycles + prepares;
}

static void enter_ex(struct pipeline *p, bool acts, cycle_t now) {
  struct ex_stage *ex = &p->ex;
  struct pipeline_signals *s = &p->now;
  const struct id_insn *id = &p->id.insn;
  bool ri5cy = p->config.id.model == CORE_RI5CY;
  // Rule phantom-division (RI5CY): the divider's enable is not masked. Whatever division is left
  // in ID starts, except right behind a taken branch.
  bool phantom = ri5cy && !acts && id->unit == ID_DIV && !s->in.branch_taken;
  ex->busy = acts ? id->unit != ID_FPU : ri5cy && (id->unit != ID_FPU || s->in.branch_taken);
  ex->unit_ready = acts || phantom ? unit_ready(p, id, now + 1) : 0;
  ex->entered = ex->kept_until = now + 1;
  ex->insn = *id;
  ex->pc = p->id.pc;
  ex->csr = id->csr_access;
  ex->fpu = acts && id->unit == ID_FPU;
  ex->load_we = acts && id->load_we;
  if (ex->load_we)
    ex->load_rd = id->load_rd;
  ex->alu_we = acts && id->alu_we;
  ex->alu_rd = ex->alu_we ? id->alu_rd : 0;
  ex->access = acts && id->unit == ID_LSU;
  ex->branch = acts && id->kind == ID_BRANCH;
  ex->taken = ex->second = ex->fpu_prepares = ex->fpu_prepared = false;
  ex->fpu_latency = 0;
  ex->sums_taken = 0;
}

bool id_sets_up_loop(const struct id_insn *id) {
  return id->insn.op == ISA_OP_lp_setup || id->insn.op == ISA_OP_lp_setupi;
}

// RI5CY: lp.setup takes as start what is in IF; writes to loop CSRs act from EX.
static void late_loops(struct pipeline *p, const struct hwloop before[2]) {
  struct core *c = p->core;
  const struct id_insn *id = &p->id.insn;
  if (id_sets_up_loop(id))
    c->loop[id->insn.rd & 1].start = p->fetch.port.pc;
  if (!id->csr_access)
    return;
  memcpy(p->loop_written, c->loop, sizeof c->loop);
  memcpy(c->loop, before, sizeof c->loop);
  step_update_context(c);
  p->loops_written = 1;
}

// Rule frm-late (RI5CY): a float operation that leaves ID right behind a write of frm, while that
// is in EX, has the rounding mode from before. Rule mask-unseen: a mask is as it was, too.
static void perform(struct pipeline *p, struct step_outcome *out, cycle_t now) {
  struct core *c = p->core;
  const struct id_insn *id = &p->id.insn;
  uint8_t frm = c->csr.frm;
  bool late = id->unit == ID_FPU && p->frm_late == now;
  if (late)
    c->csr.frm = p->frm_before;
  uint32_t *b = &c->r[id->insn.rs2], is = *b;
  bool was = id->hides_b && c->fpnew06 &&
             (fpu_dispatch_pending(&p->fpu, p->ex.insn.fpu_rd) & reg_bit(id->insn.rs2));
  if (was)
    *b = p->float_before;
  p->config.issue(c, &id->insn, p->id.pc, out);
  if (was)
    *b = is;
  if (late)
    c->csr.frm = frm;
  if (p->config.id.model != CORE_RI5CY || !c->fpnew06 || c->csr.frm == frm)
    return;
  p->frm_before = frm;
  p->frm_late = now + 1;
}

static void execute(struct pipeline *p, cycle_t now) {
  struct core *c = p->core;
  struct pipeline_signals *s = &p->now;
  struct id_insn *id = &p->id.insn;
  struct step_outcome out = {0};
  struct hwloop before[2] = {c->loop[0], c->loop[1]};
  cycle_t unit = unit_ready(p, id, now + 1);
  unsigned latency = id->fpu_latency;
  bool prepares = false;
  if (id->fpu_divides) {
    latency = float_divider_holds(p, id, &prepares);
    latency += p->config.shared_fpu.divider_frame;
  }
  uint32_t overwritten = id->alu_we ? c->r[id->alu_rd] : 0;
  if (id->unit == ID_FPU)
    p->float_before = c->r[id->fpu_rd];
  c->t = now + 1;
  if (id->csr_access)
    perf_access(c, (unsigned)id->insn.imm & 0xfff);
  if (id->kind != ID_MRET && id->kind != ID_DRET)
    perform(p, &out, now);
  s->traps = out.kind == STEP_TRAP;
  enter_ex(p, !s->traps, now);
  if (s->traps)
    return;
  p->ex.unit_ready = unit;
  p->ex.fpu_latency = (uint8_t)latency;
  p->ex.fpu_prepares = prepares;
  p->core->in_ex = out.mem;
  p->ex.before = overwritten;
  p->ex.taken = p->ex.branch && out.taken;
  p->ex.target = out.target;
  c->count.instructions++;
  c->count.macs += isa_ops[id->insn.op].macs;
  events_add(c->count.event, events_of(isa_ops[id->insn.op].cls, id->insn.size));
  c->count.event[EVENT_TAKEN] += p->ex.taken;
  if (p->config.id.model == CORE_RI5CY)
    late_loops(p, before);
}

void id_issue(struct pipeline *p, cycle_t now) {
  struct pipeline_signals *s = &p->now;
  enum id_kind kind = s->in.kind;
  s->traps = false;
  // RI5CY holds some instructions back in ID; they count as gone when the controller has seen them.
  bool stays = p->config.id.model == CORE_RI5CY && id_serializes((enum id_kind)p->id.insn.kind);
  s->leaves = s->out.decoding && (s->id_valid || stays);
  if (s->leaves && !s->id_valid) {
    p->core->count.instructions++;
    p->core->count.event[EVENT_UNSEEN]++;
  } else if (s->leaves && !id_traps(kind)) {
    execute(p, now);
  } else if (s->id_valid) {
    enter_ex(p, s->leaves && kind != ID_ILLEGAL, now);
  }
  if (s->leaves && p->watch)
    p->watch(p->watch_self, p->core, &p->id.insn.insn, p->id.pc, id_traps(kind) || s->traps, now);
}
