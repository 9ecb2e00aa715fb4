// EX and WB: units, data accesses, write ports.
#include "core/pipeline_stages.h"

// Rule fpu-result-waits: who else may need the ALU write port for a result of type 3.
static bool port_blocked(const struct pipeline *p, cycle_t now) {
  const struct ex_stage *ex = &p->ex;
  if (p->config.id.model == CORE_RI5CY)
    return false;
  bool crosses = p->now.split_stall || ex->second;
  bool moves_pointer = (p->lsu.request || p->lsu.responds) && ex->alu_we;
  bool high_product =
      ex->insn.unit == ID_MULH && ex->busy && now > ex->entered && ex->unit_ready > ex->entered;
  bool jump = p->id.insn.kind == ID_JALR && ex->alu_we && !id_jump_awaits_float(p);
  return crosses || moves_pointer || high_product || jump;
}

static void write_ports(struct pipeline *p, cycle_t now) {
  struct pipeline_signals *s = &p->now;
  const struct fpu_dispatch *f = &p->fpu;
  bool ex_writes = p->ex.alu_we && !p->ex.fpu;
  s->alu_fw = f->alu_port || ex_writes;
  s->alu_fw_rd = f->alu_port ? f->result_rd : p->ex.alu_rd;
  s->contention = f->alu_port && ex_writes;
  if (s->contention && p->ex.kept_until == now)
    p->ex.kept_until++;
  bool on_load_port = f->result && !f->alu_port;
  s->wb_we = p->wb.load_we || on_load_port;
  s->wb_rd = on_load_port && !p->wb.load_we ? f->result_rd : p->wb.load_rd;
}

void ex_cycle(struct pipeline *p, cycle_t now) {
  struct pipeline_signals *s = &p->now;
  struct ex_stage *ex = &p->ex;
  const struct float_port *port = &p->config.shared_fpu;
  lsu_request(&p->lsu, ex->access, now);
  s->split_stall = ex->access && !ex->second && access_crosses_word(&p->core->in_ex);
  s->fpu = (struct fpu_cycle){.enable = ex->fpu,
                              .type = ex->insn.fpu_type,
                              .rd = ex->insn.fpu_rd,
                              .latency = ex->fpu_latency,
                              .granted = !ex->fpu_prepares || ex->fpu_prepared};
  if (port->self && ex->fpu)
    s->fpu.granted &= port->served(port->self, p->core->index, now);
  s->fpu_active = ex->fpu || p->fpu.count || p->fpu.kept;
  if (s->fpu_active) {
    s->fpu.port_blocked = port_blocked(p, now);
    fpu_dispatch_cycle(&p->fpu, &s->fpu, now);
  } else {
    p->fpu.stalls = p->fpu.request = false;
    p->fpu.result = p->fpu.comes = p->fpu.alu_port = false;
  }
  write_ports(p, now);
  if (p->fpu.alu_port && !ex->fpu && p->core->fpnew06)
    wb_contention_product(p, now);
}

// Of a load's half that may not belong to the other, the whole word is needed.
static bool wants_word(const struct pipeline *p) {
  const struct ex_stage *ex = &p->ex;
  bool may = ex->second ? ex->astray : p->core->fpnew06 && p->now.fpu_active;
  return p->core->in_ex.kind == ACCESS_LOAD && may;
}

// The part of the access that is on the bus.
static void describe_part(struct pipeline *p) {
  struct access *acc = &p->core->acc;
  const struct access *whole = &p->core->in_ex;
  *acc = *whole;
  acc->since = acc->until = p->data_since;
  if (!access_crosses_word(whole))
    return;
  unsigned offset = whole->addr & 3;
  if (!p->ex.second) {
    acc->size = (uint8_t)(4 - offset);
    acc->data = lsu_low_bytes(acc->data, acc->size);
  } else {
    offset = p->ex.second_at & 3;
    acc->addr = p->ex.second_at - offset;
    acc->size = (uint8_t)(whole->size < 4 ? 1 : offset);
    acc->data = offset ? whole->data >> 8 * (4 - offset) : whole->data;
  }
  if (wants_word(p)) {
    acc->addr &= ~UINT32_C(3);
    acc->size = 4;
  }
}

void ex_put(struct pipeline *p, cycle_t now) {
  if (p->data_posted)
    return;
  if (p->data_since == CYCLE_NEVER)
    p->data_since = now;
  if (now - p->data_since < p->config.data_grant_delay)
    return;
  p->data_posted = true;
  describe_part(p);
  p->config.present(p->core, now);
}

void ex_present(struct pipeline *p, cycle_t now) {
  if (p->lsu.request && !p->walk.requested)
    ex_put(p, now);
}

// The ALU port writes the pointer with the first half of an access that crosses a word; all the
// model's registers are written with the second. A jump in ID reads it in between.
static void keep_moved_pointer(struct pipeline *p) {
  struct core *c = p->core;
  const struct id_insn *insn = &p->ex.insn;
  if (!insn->alu_we || p->id.insn.kind != ID_JALR)
    return;
  uint32_t pointer = c->r[insn->alu_rd], loaded = c->r[insn->load_rd];
  p->config.complete(c, &insn->insn, p->ex.pc, 0);
  p->ex.moved = c->r[insn->alu_rd];
  c->r[insn->load_rd] = loaded;
  c->r[insn->alu_rd] = pointer;
}

// Rule access-repeated: a float result that takes the ALU's write port in the cycle of the grant
// keeps an access that moves its pointer in EX, and so does a full dispatcher any access. It is
// asked for once more, at the same address, and has acted only then. (In no state that has been
// recorded: see pipeline_key.c.)
static bool stays_in_ex(const struct pipeline *p) {
  return !p->walk.at && (p->now.contention || p->fpu.stalls);
}

// What goes past L1 (pulp_cluster core_demux.sv, perf_l2_*).
static void count_outside(struct core *c, cycle_t grant) {
  if (!c->banks || c->acc.addr - c->window_base < c->window_size ||
      c->wait_cause == CAUSE_TCDM_CONFLICT)
    return;
  unsigned store = c->acc.kind == ACCESS_STORE;
  c->count.event[EVENT_FAR_LOAD + store]++;
  c->count.event[EVENT_FAR_LOADING + store] += grant - c->acc.since + 1;
  c->csr.outside_at = grant;
}

void pipeline_data_grant(struct pipeline *p, cycle_t grant, cycle_t valid) {
  struct core *c = p->core;
  cycle_t due = valid + p->config.data_data_delay;
  if (!p->walk.at)
    due = lsu_grant(&p->lsu, due);
  p->walk.data_after = (uint16_t)(due - grant);
  p->walk.data_due = due;
  p->data_posted = false;
  p->data_since = CYCLE_NEVER;
  c->count.stall[c->wait_cause] += p->waited;
  p->waited = 0;
  count_outside(c, grant);
  if (stays_in_ex(p)) {
    c->count.event[EVENT_LOAD + (c->in_ex.kind == ACCESS_STORE)]++;
    return;
  }
  uint32_t data = lsu_low_bytes(c->acc.data, c->acc.size);
  if (p->now.split_stall) {
    p->ex.first_half = data << 8 * (c->acc.addr & 3);
    keep_moved_pointer(p);
    return;
  }
  if (p->ex.second)
    data = wb_contention_loaded(p->ex.first_half, data, p->ex.second_at & 3, c->in_ex.size);
  p->config.complete(c, memo_insn_in_ex(p), memo_pc_in_ex(p), data);
}

void ex_announce_fpu(struct pipeline *p, cycle_t now) {
  const struct ex_stage *ex = &p->ex;
  const struct float_port *port = &p->config.shared_fpu;
  bool ready = !ex->fpu_prepares || ex->fpu_prepared;
  if (!ex->fpu || !ready || fpu_dispatch_waits(&p->fpu, true, ex->insn.fpu_type))
    return;
  port->ask(port->self, p->core->index, ex->insn.fpu_divides ? ex->fpu_latency : 0, now + 1);
}

void ex_find_ready(struct pipeline *p, cycle_t now) {
  struct pipeline_signals *s = &p->now;
  const struct ex_stage *ex = &p->ex;
  const struct fpu_dispatch *f = &p->fpu;
  lsu_find_ready(&p->lsu, ex->access);
  s->unit_ready = now >= ex->unit_ready;
  bool moves = s->unit_ready && p->lsu.ready_ex && p->lsu.ready_wb;
  bool denied = f->stalls || (f->request && !s->fpu.granted) || s->contention;
  s->ex_ready = (moves && !denied) || ex->branch;
  s->ex_valid = moves && (f->result || ex->busy || ex->csr || ex->access);
  s->id_ready =
      s->ex_ready && !s->split_stall && !s->in.jump_stall && !s->load_stall && !s->fpu_stall;
  s->id_valid = s->id_ready && !s->out.halt_id;
}

void ex_write_back(struct pipeline *p) {
  if (p->now.ex_valid && p->ex.load_we)
    p->wb = (struct wb_stage){true, p->ex.load_rd};
  else if (p->now.ex_valid || p->lsu.ready_wb)
    p->wb = (struct wb_stage){0};
}

void ex_second_half(struct pipeline *p) {
  if (!p->now.ex_ready)
    return;
  p->ex.second = true;
  if (p->config.id.model == CORE_RI5CY)
    p->core->count.event[EVENT_LOAD + (p->core->in_ex.kind == ACCESS_STORE)]++;
  p->ex.second_at = p->core->in_ex.addr + 4;
  wb_contention_access(p);
  p->ex.alu_we = false;
}

void ex_bubble(struct pipeline *p) {
  struct ex_stage *ex = &p->ex;
  if (p->now.ex_ready) {
    ex->load_we = ex->alu_we = ex->access = false;
    ex->branch = ex->taken = ex->fpu = ex->second = false;
    ex->busy = true;
    ex->alu_rd = ex->fpu_latency = 0;
    ex->fpu_prepares = ex->fpu_prepared = false;
    ex->unit_ready = 0;
  } else if (ex->csr) {
    ex->alu_we = false;
  }
}

cycle_t ex_next(const struct pipeline *p, cycle_t now) {
  cycle_t next = p->ex.unit_ready > now ? p->ex.unit_ready : CYCLE_NEVER;
  if (p->lsu.outstanding > 0)
    next = first_of_two(next, p->lsu.due[0]);
  if (p->fpu.due_count > 0)
    next = first_of_two(next, p->fpu.due[0]);
  if (p->data_since != CYCLE_NEVER && !p->data_posted)
    next = first_of_two(next, p->data_since + p->config.data_grant_delay);
  return next <= now ? now + 1 : next;
}
