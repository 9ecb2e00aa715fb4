#include "core/controller.h"

// Where the program counter in ID is relative to the hardware loops.
struct loop_view {
  bool inside[2]; // start <= pc <= last instruction
  bool last[2];   // at the last instruction
  bool before[2]; // at the one before, taken as four bytes long
};

// The loop has never been set up: its end register is 0, behind no instruction.
static bool is_unused(const struct hwloop *l) {
  return (l->start | l->count) == 0 && l->last == UINT32_C(0xfffffffc);
}

static uint32_t loop_end(const struct hwloop *l) {
  return (l->last + 4) & ~UINT32_C(3);
}
static uint32_t loop_start(const struct hwloop *l) {
  return l->start & ~UINT32_C(3);
}

static void look_at_loops(const struct hwloop loop[2], uint32_t pc, struct loop_view *v) {
  *v = (struct loop_view){0};
  for (unsigned i = 0; i < 2; i++) {
    if (is_unused(&loop[i]))
      continue;
    uint32_t end = loop_end(&loop[i]);
    v->inside[i] = loop_start(&loop[i]) <= pc && end >= pc + 4;
    v->last[i] = end == pc + 4;
    v->before[i] = end == pc + 8;
  }
}

// Also returns where the fetch would go back to.
static uint32_t follow_loops(enum controller_state state, const struct hwloop loop[2], uint32_t pc,
                             struct loop_view *v) {
  look_at_loops(loop, pc, v);
  if (state == CTRL_DECODE_HWLOOP)
    for (unsigned i = 0; i < 2; i++)
      if (v->before[i] && loop[i].count > 1)
        return loop_start(&loop[i]);
  return loop_start(&loop[v->inside[1] && !v->inside[0]]);
}

// Rule loop-body: ID counts as inside a loop if that has more than one round left.
static bool in_body(const struct loop_view *v, const struct hwloop loop[2]) {
  return (v->inside[0] && loop[0].count > 1) || (v->inside[1] && loop[1].count > 1);
}

unsigned controller_loops(enum controller_state state, uint32_t pc, const struct hwloop loop[2],
                          uint32_t *start) {
  struct loop_view v;
  *start = follow_loops(state, loop, pc, &v);
  unsigned all = 0;
  bool acts = state == CTRL_DECODE && in_body(&v, loop);
  for (unsigned i = 0; i < 2; i++) {
    bool many = loop[i].count > 1, last = v.last[i] && loop[i].count != 0;
    unsigned one = v.inside[i] && many;
    if (last || v.before[i])
      one += many + (last ? 2 : 5);
    all |= one << 3 * i;
    acts |= state == CTRL_DECODE ? last && !many : last || v.before[i];
  }
  return acts ? all : 0;
}

bool controller_meets_loop(enum controller_state state, const struct hwloop *loop, uint32_t first,
                           uint32_t span) {
  uint32_t last = loop_end(loop) - 4;
  if (is_unused(loop))
    return false;
  if (state == CTRL_DECODE_HWLOOP)
    return last - first <= span || last - 4 - first <= span;
  return loop_start(loop) <= first + span && last >= first;
}

static void redirect(struct controller_out *out, uint32_t target, enum cause cause) {
  out->fetch.redirect = true;
  out->fetch.target = target & ~UINT32_C(1);
  out->cause = (uint8_t)cause;
}

// CV32E40P takes an interrupt in place of the instruction in ID. RI5CY empties the pipeline first.
static void take_interrupt(const struct controller *k, const struct controller_in *in,
                           struct controller_out *out) {
  out->halt_if = out->halt_id = true;
  if (k->model == CORE_RI5CY)
    return;
  redirect(out, in->interrupt_handler, CAUSE_CSR);
  out->interrupted = true;
}

static bool empties_pipeline(const struct controller_in *in, const struct controller *k) {
  switch (in->kind) {
  case ID_ILLEGAL:
  case ID_ECALL:
  case ID_EBREAK:
    return true;
  case ID_FENCE:
  case ID_MRET:
  case ID_DRET:
  case ID_WFI:
    return k->state == CTRL_DECODE; // DECODE_HWLOOP does not know them
  default:
    return false;
  }
}

// Rule loop-last: the last instruction of a loop reached in DECODE (a body of one instruction, a
// return from a trap, behind a slow CSR access) makes the fetch jump as a taken jump does.
static void decode_plain(const struct controller *k, const struct loop_view *v,
                         const struct hwloop loop[2], struct controller_out *out) {
  bool body = in_body(v, loop);
  for (unsigned i = 0; i < 2; i++) {
    if (!v->last[i])
      continue;
    if (body && loop[i].count > 1 && !k->jump_done) {
      redirect(out, out->fetch.loop_start, CAUSE_JUMP);
      out->jumps = true;
      out->decrement |= (uint8_t)(1 << i);
    }
    if (loop[i].count == 1)
      out->decrement |= (uint8_t)(1 << i);
  }
}

// Rule loop-announce: in DECODE_HWLOOP the fetch is told to go back while the instruction before
// the last one (end - 8) is in ID: once, even if ID is stalled.
static void decode_in_loop(const struct controller *k, const struct loop_view *v,
                           const struct hwloop loop[2], struct controller_out *out) {
  for (unsigned i = 0; i < 2; i++) {
    out->announces |= v->before[i] && loop[i].count > 1;
    if (v->last[i] && loop[i].count != 0)
      out->decrement |= (uint8_t)(1 << i);
  }
  out->fetch.loop_back = out->announces && !k->loop_told;
}

static void decode(const struct controller *k, const struct controller_in *in,
                   const struct loop_view *v, const struct hwloop loop[2],
                   struct controller_out *out) {
  bool in_loop = k->state == CTRL_DECODE_HWLOOP;
  enum id_kind kind = in->kind;
  if (in->interrupt) {
    take_interrupt(k, in, out);
    return;
  }
  out->decoding = true;
  out->drops = true;
  if (empties_pipeline(in, k)) {
    out->halt_if = true;
    // RI5CY holds the instruction back; CV32E40P lets it through without effect.
    out->halt_id = k->model == CORE_RI5CY || (in_loop && kind == ID_ILLEGAL);
    return;
  }
  bool jump = kind == ID_JAL || kind == ID_JALR;
  if (jump && !in_loop) {
    out->jumps = k->jump_done;
    if (in->jump_stall || k->jump_done)
      return;
    uint32_t base = kind == ID_JAL ? in->pc : in->jump_register;
    redirect(out, base + (uint32_t)in->imm, CAUSE_JUMP);
    out->jumps = true;
    return;
  }
  if (kind == ID_CSR_SLOW || kind == ID_ELW) {
    out->halt_if = true;
    if (kind == ID_CSR_SLOW && k->model == CORE_CV32E40P)
      out->decrement = (uint8_t)(v->last[0] | v->last[1] << 1);
    return;
  }
  if (k->model == CORE_RI5CY)
    return;
  if (in_loop)
    decode_in_loop(k, v, loop, out);
  else
    decode_plain(k, v, loop, out);
}

static void flush_wb(const struct controller *k, const struct controller_in *in,
                     const struct loop_view *v, const struct hwloop loop[2],
                     struct controller_out *out) {
  out->halt_if = out->halt_id = true;
  if (k->trap) {
    redirect(out, in->handler, CAUSE_CSR);
    return;
  }
  switch (in->kind) {
  case ID_CSR_SLOW:
    // Rule csr-ends-loop: the fetch was halted while the CSR access left ID, so the
    // loop's jump is made here. The count was decremented before.
    if (k->model == CORE_CV32E40P &&
        ((v->last[0] && loop[0].count != 0) || (v->last[1] && loop[1].count != 0)))
      redirect(out, out->fetch.loop_start, CAUSE_CSR);
    break;
  case ID_FENCE:
    redirect(out, in->pc + 4, CAUSE_CSR);
    break;
  default:
    break;
  }
}

void controller_cycle(const struct controller *k, const struct controller_in *in,
                      const struct hwloop loop[2], struct controller_out *out) {
  struct loop_view v = {0};
  *out = (struct controller_out){.fetch.enable = true, .cause = CAUSE_FETCH};
  if (k->model == CORE_CV32E40P) // RI5CY's fetch follows the loops by itself
    out->fetch.loop_start = follow_loops(k->state, loop, in->pc, &v);
  switch (k->state) {
  case CTRL_RESET:
    out->fetch.enable = false;
    break;
  case CTRL_BOOT:
    redirect(out, in->boot, CAUSE_FETCH);
    break;
  case CTRL_FIRST_FETCH:
    if (in->interrupt)
      take_interrupt(k, in, out);
    out->returns_to_if = out->interrupted;
    break;
  case CTRL_DECODE:
    if (in->branch_taken)
      redirect(out, in->branch_target, CAUSE_BRANCH);
    else if (in->valid)
      decode(k, in, &v, loop, out);
    break;
  case CTRL_DECODE_HWLOOP: // Rule loop-branch: a branch taken in a loop's body is ignored.
    if (in->valid)
      decode(k, in, &v, loop, out);
    break;
  case CTRL_FLUSH_EX:
  case CTRL_ELW_EXE:
    out->halt_if = out->halt_id = true;
    break;
  case CTRL_ELW_DONE:
    out->halt_if = out->halt_id = true;
    if (k->model == CORE_CV32E40P && in->interrupt)
      take_interrupt(k, in, out);
    out->drops = !in->interrupt_stands;
    break;
  case CTRL_IRQ_FLUSH:
    out->halt_if = out->halt_id = true;
    out->drops = !in->interrupt_stands;
    break;
  case CTRL_IRQ_TAKEN_IF:
  case CTRL_IRQ_TAKEN_ID:
    redirect(out, in->interrupt_handler, CAUSE_CSR);
    out->interrupted = true;
    out->returns_to_if = k->state == CTRL_IRQ_TAKEN_IF;
    break;
  case CTRL_FLUSH_WB:
    flush_wb(k, in, &v, loop, out);
    break;
  case CTRL_XRET_JUMP:
    redirect(out, in->epc, CAUSE_CSR);
    break;
  case CTRL_WAIT_SLEEP:
  case CTRL_SLEEP:
    out->fetch.enable = false;
    out->halt_if = out->halt_id = true;
    break;
  }
}

static enum controller_state after_loop(const struct loop_view *v, const struct hwloop loop[2],
                                        bool body) {
  for (unsigned i = 0; i < 2; i++)
    if (v->before[i])
      return loop[i].count > 1 || body ? CTRL_DECODE_HWLOOP : CTRL_DECODE;
  return CTRL_DECODE_HWLOOP;
}

static enum controller_state after_decode(const struct controller *k,
                                          const struct controller_in *in,
                                          const struct hwloop loop[2],
                                          const struct controller_edge_in *e) {
  bool in_loop = k->state == CTRL_DECODE_HWLOOP;
  if (in->interrupt)
    return k->model == CORE_RI5CY ? CTRL_IRQ_FLUSH : CTRL_DECODE;
  bool at_once = k->model == CORE_RI5CY || (in_loop && in->kind == ID_ILLEGAL);
  if (empties_pipeline(in, k))
    return e->id_ready || at_once ? CTRL_FLUSH_EX : k->state;
  if (e->enters_trap)
    return CTRL_FLUSH_EX;
  switch (in->kind) {
  case ID_CSR_SLOW:
    return e->id_ready ? CTRL_FLUSH_EX : k->state;
  case ID_ELW:
    return e->id_ready ? CTRL_ELW_EXE : k->state;
  case ID_JAL:
  case ID_JALR:
    if (!in_loop)
      return CTRL_DECODE;
    break;
  default:
    break;
  }
  if (k->model == CORE_RI5CY)
    return CTRL_DECODE;
  struct loop_view v;
  look_at_loops(loop, in->pc, &v);
  bool body = in_body(&v, loop);
  if (in_loop)
    return after_loop(&v, loop, body);
  // Rule loop-entry: a body whose last but one instruction is the first one seen stays in DECODE.
  return body && !v.before[0] && !v.before[1] ? CTRL_DECODE_HWLOOP : CTRL_DECODE;
}

static enum controller_state after_flush_wb(const struct controller *k,
                                            const struct controller_in *in) {
  if (k->trap)
    return CTRL_DECODE;
  if (in->kind == ID_MRET || in->kind == ID_DRET)
    return CTRL_XRET_JUMP;
  if (in->kind == ID_WFI)
    return CTRL_WAIT_SLEEP;
  return CTRL_DECODE;
}

static enum controller_state controller_next(const struct controller *k,
                                             const struct controller_in *in,
                                             const struct hwloop loop[2],
                                             const struct controller_edge_in *e) {
  switch (k->state) {
  case CTRL_RESET:
    return CTRL_BOOT;
  case CTRL_BOOT:
    return CTRL_FIRST_FETCH;
  case CTRL_FIRST_FETCH:
    return in->interrupt && k->model == CORE_RI5CY ? CTRL_IRQ_TAKEN_IF : CTRL_DECODE;
  case CTRL_IRQ_FLUSH:
    return in->interrupt_stands ? CTRL_IRQ_TAKEN_ID : CTRL_DECODE;
  case CTRL_DECODE:
  case CTRL_DECODE_HWLOOP:
    if (!in->valid || (k->state == CTRL_DECODE && in->branch_taken))
      return k->state;
    return after_decode(k, in, loop, e);
  case CTRL_FLUSH_EX:
    return e->ex_valid ? CTRL_FLUSH_WB : CTRL_FLUSH_EX;
  case CTRL_FLUSH_WB:
    return after_flush_wb(k, in);
  case CTRL_ELW_EXE:
    return e->id_ready ? CTRL_ELW_DONE : CTRL_ELW_EXE;
  case CTRL_WAIT_SLEEP:
    return CTRL_SLEEP;
  case CTRL_SLEEP:
    return in->wake ? CTRL_FIRST_FETCH : CTRL_SLEEP;
  case CTRL_ELW_DONE:
    return in->interrupt_stands && k->model == CORE_RI5CY ? CTRL_IRQ_TAKEN_ID : CTRL_DECODE;
  default: // CTRL_IRQ_TAKEN_ID, CTRL_IRQ_TAKEN_IF, CTRL_XRET_JUMP
    return CTRL_DECODE;
  }
}

void controller_edge(struct controller *k, const struct controller_in *in,
                     const struct controller_out *out, const struct hwloop loop[2],
                     const struct controller_edge_in *e) {
  bool decoding = (k->state == CTRL_DECODE && !in->branch_taken) || k->state == CTRL_DECODE_HWLOOP;
  bool traps = k->trap;
  if (decoding && in->valid) {
    enum id_kind kind = in->interrupt ? ID_PLAIN : in->kind;
    traps = e->enters_trap || kind == ID_ILLEGAL || kind == ID_ECALL || kind == ID_EBREAK;
  }
  if (k->state == CTRL_FLUSH_WB)
    traps = false;
  enum controller_state next = controller_next(k, in, loop, e);
  k->jump_done = (k->jump_done || out->jumps) && !e->id_ready;
  k->loop_told = out->announces;
  k->trap = traps;
  k->state = next;
}
