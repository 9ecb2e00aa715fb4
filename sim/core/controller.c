#include "core/controller.h"

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

// Where the program counter in ID is relative to the hardware loops.
struct loop_view {
  uint32_t count[2];
  bool inside[2]; // start <= pc <= last instruction
  bool last[2];   // at the last instruction
  bool before[2]; // at the one before, taken as four bytes long
  bool body;      // rule loop-body: inside one that has more than one round left
  uint32_t start; // where the fetch would go back to
};

static void look_at_loops(enum controller_state state, const struct hwloop loop[2], uint32_t pc,
                          struct loop_view *v) {
  *v = (struct loop_view){.count = {loop[0].count, loop[1].count}};
  for (unsigned i = 0; i < 2; i++) {
    if (is_unused(&loop[i]))
      continue;
    uint32_t end = loop_end(&loop[i]);
    v->inside[i] = loop_start(&loop[i]) <= pc && end >= pc + 4;
    v->last[i] = end == pc + 4;
    v->before[i] = end == pc + 8;
    v->body |= v->inside[i] && loop[i].count > 1;
  }
  v->start = loop_start(&loop[v->inside[1] && !v->inside[0]]);
  for (int i = 1; i >= 0; i--)
    if (state == CTRL_DECODE_HWLOOP && v->before[i] && loop[i].count > 1)
      v->start = loop_start(&loop[i]);
}

unsigned controller_loops(enum controller_state state, uint32_t pc, const struct hwloop loop[2],
                          uint32_t *start) {
  struct loop_view v;
  look_at_loops(state, loop, pc, &v);
  *start = v.start;
  unsigned all = 0;
  bool acts = state == CTRL_DECODE && v.body;
  for (unsigned i = 0; i < 2; i++) {
    bool many = v.count[i] > 1, last = v.last[i] && v.count[i] != 0;
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

static void goes_to(struct controller_out *out, enum controller_state next,
                    enum controller_wait waits) {
  out->next = next;
  out->waits = waits;
}

// CV32E40P takes an interrupt in place of the instruction in ID. RI5CY has a state for that.
static void take_interrupt(const struct controller *k, const struct controller_in *in,
                           struct controller_out *out, enum controller_state of_ri5cy) {
  out->halt_if = out->halt_id = true;
  out->next = k->model == CORE_RI5CY ? of_ri5cy : CTRL_DECODE;
  if (k->model == CORE_RI5CY)
    return;
  redirect(out, in->interrupt_handler, CAUSE_CSR);
  out->interrupted = true;
}

// Rule loop-last: the last instruction of a loop reached in DECODE (a body of one instruction, a
// return from a trap, behind a slow CSR access) makes the fetch jump as a taken jump does.
static void decode_plain(const struct controller *k, const struct loop_view *v,
                         struct controller_out *out) {
  for (unsigned i = 0; i < 2; i++) {
    if (!v->last[i])
      continue;
    if (v->body && v->count[i] > 1 && !k->jump_done) {
      redirect(out, v->start, CAUSE_JUMP);
      out->jumps = true;
      out->decrement |= (uint8_t)(1 << i);
    }
    if (v->count[i] == 1)
      out->decrement |= (uint8_t)(1 << i);
  }
  // Rule loop-entry: a body whose last but one instruction is the first one seen stays in DECODE.
  if (v->body && !v->before[0] && !v->before[1])
    out->next = CTRL_DECODE_HWLOOP;
}

// Rule loop-announce: in DECODE_HWLOOP the fetch is told to go back while the instruction before
// the last one (end - 8) is in ID: once, even if ID is stalled.
static void decode_in_loop(const struct controller *k, const struct loop_view *v,
                           struct controller_out *out) {
  for (unsigned i = 0; i < 2; i++) {
    out->announces |= v->before[i] && v->count[i] > 1;
    if (v->last[i] && v->count[i] != 0)
      out->decrement |= (uint8_t)(1 << i);
  }
  out->fetch.loop_back = out->announces && !k->loop_told;
  unsigned ends = !v->before[0]; // the inner one, if both do
  if (v->before[ends] && v->count[ends] <= 1 && !v->body)
    out->next = CTRL_DECODE;
}

static void decode(const struct controller *k, const struct controller_in *in,
                   const struct loop_view *v, struct controller_out *out) {
  bool in_loop = k->state == CTRL_DECODE_HWLOOP;
  enum id_kind kind = in->kind;
  out->traps = !in->interrupt && id_traps(kind);
  if (in->interrupt) {
    take_interrupt(k, in, out, CTRL_IRQ_FLUSH);
    return;
  }
  out->decoding = true;
  out->drops = true;
  if (id_traps(kind) || (id_serializes(kind) && !in_loop)) { // DECODE_HWLOOP knows only the former
    out->halt_if = true;
    // RI5CY holds the instruction back; CV32E40P lets it through without effect.
    out->halt_id = k->model == CORE_RI5CY || (in_loop && kind == ID_ILLEGAL);
    goes_to(out, CTRL_FLUSH_EX, out->halt_id ? FOR_NOTHING : FOR_ID);
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
    goes_to(out, kind == ID_ELW ? CTRL_ELW_EXE : CTRL_FLUSH_EX, FOR_ID);
    if (kind == ID_CSR_SLOW)
      out->decrement = (uint8_t)(v->last[0] | v->last[1] << 1);
    return;
  }
  if (k->model == CORE_RI5CY)
    return;
  if (in_loop)
    decode_in_loop(k, v, out);
  else
    decode_plain(k, v, out);
}

static void flush_wb(const struct controller *k, const struct controller_in *in,
                     const struct loop_view *v, struct controller_out *out) {
  out->traps = false;
  if (k->trap) {
    redirect(out, in->resume, CAUSE_CSR);
    return;
  }
  switch (in->kind) {
  case ID_CSR_SLOW:
    // Rule csr-ends-loop: the fetch was halted while the CSR access left ID, so the
    // loop's jump is made here. The count was decremented before.
    if ((v->last[0] && v->count[0] != 0) || (v->last[1] && v->count[1] != 0))
      redirect(out, v->start, CAUSE_CSR);
    break;
  case ID_FENCE:
    redirect(out, in->pc + 4, CAUSE_CSR);
    break;
  case ID_MRET:
  case ID_DRET:
    out->next = CTRL_XRET_JUMP;
    break;
  case ID_WFI:
    out->next = CTRL_WAIT_SLEEP;
    break;
  default:
    break;
  }
}

void controller_cycle(const struct controller *k, const struct controller_in *in,
                      const struct hwloop loop[2], struct controller_out *out) {
  bool ri5cy = k->model == CORE_RI5CY;
  struct loop_view v = {0};
  *out = (struct controller_out){.fetch.enable = k->state < CTRL_WAIT_SLEEP,
                                 .halt_if = k->state >= CTRL_FLUSH_EX,
                                 .halt_id = k->state >= CTRL_FLUSH_EX,
                                 .cause = CAUSE_FETCH,
                                 .traps = k->trap,
                                 .next = CTRL_DECODE};
  if (!ri5cy) // whose fetch follows the loops by itself
    look_at_loops(k->state, loop, in->pc, &v);
  out->fetch.loop_start = v.start;
  switch (k->state) {
  case CTRL_BOOT:
    redirect(out, in->resume, CAUSE_FETCH);
    out->next = CTRL_FIRST_FETCH;
    break;
  case CTRL_FIRST_FETCH:
    if (in->interrupt)
      take_interrupt(k, in, out, CTRL_IRQ_TAKEN_IF);
    out->returns_to_if = out->interrupted;
    break;
  case CTRL_DECODE:
  case CTRL_DECODE_HWLOOP: // Rule loop-branch: a branch taken in a loop's body is ignored.
    out->next = k->state;
    if (in->branch_taken && k->state == CTRL_DECODE)
      redirect(out, in->branch_target, CAUSE_BRANCH);
    else if (in->valid)
      decode(k, in, &v, out);
    break;
  case CTRL_FLUSH_EX:
    goes_to(out, CTRL_FLUSH_WB, FOR_EX);
    break;
  case CTRL_FLUSH_WB:
    flush_wb(k, in, &v, out);
    break;
  case CTRL_XRET_JUMP:
    redirect(out, in->resume, CAUSE_CSR);
    break;
  case CTRL_ELW_EXE:
    goes_to(out, CTRL_ELW_DONE, FOR_ID);
    break;
  case CTRL_ELW_DONE:
  case CTRL_IRQ_FLUSH:
    if (ri5cy ? in->interrupt_stands : in->interrupt)
      take_interrupt(k, in, out, CTRL_IRQ_TAKEN_ID);
    out->drops = !in->interrupt_stands;
    break;
  case CTRL_IRQ_TAKEN_IF:
  case CTRL_IRQ_TAKEN_ID:
    redirect(out, in->interrupt_handler, CAUSE_CSR);
    out->interrupted = true;
    out->returns_to_if = k->state == CTRL_IRQ_TAKEN_IF;
    break;
  case CTRL_RESET: // is not clocked
  case CTRL_WAIT_SLEEP:
  case CTRL_SLEEP:
    out->next = k->state == CTRL_SLEEP && in->wake ? CTRL_FIRST_FETCH : CTRL_SLEEP;
    break;
  }
}

void controller_edge(struct controller *k, const struct controller_out *out, bool id_ready,
                     bool ex_valid, bool enters_trap) {
  const bool comes[] = {[FOR_NOTHING] = true, [FOR_ID] = id_ready, [FOR_EX] = ex_valid};
  if (enters_trap)
    k->state = CTRL_FLUSH_EX;
  else if (comes[out->waits])
    k->state = out->next;
  k->jump_done = (k->jump_done || out->jumps) && !id_ready;
  k->loop_told = out->announces;
  k->trap = out->traps || enters_trap;
}
