#include "core/interrupt.h"

static void enter(struct core *c, uint32_t pc, uint32_t cause) {
  uint32_t status = c->csr.mstatus;
  uint32_t mpie = status & MSTATUS_MIE ? MSTATUS_MPIE : 0;
  c->csr.mstatus = (status & ~(uint32_t)(MSTATUS_MIE | MSTATUS_MPIE)) | mpie | MSTATUS_MPP;
  c->csr.mepc = pc;
  c->csr.mcause = cause;
}

// ---- exceptions

static const char *const trap_text[] = {
    [TRAP_ILLEGAL] = "illegal instruction", [TRAP_BREAKPOINT] = "ebreak without a handler"};

// Without a handler a host call is answered and returns; anything else ends the run.
static uint32_t trap_to_host(struct core *c, uint32_t pc, uint32_t cause) {
  cycle_t now = c->engine->now;
  bool goes_on = cause == TRAP_ECALL && c->host->call(c->host->self, c, now);
  if (cause != TRAP_ECALL)
    c->host->trap(c->host->self, c, pc, trap_text[cause], now);
  if (!goes_on)
    c->phase = CORE_HALTED;
  return pc + 4;
}

static enum core_breakpoint breakpoint(struct core *c, uint32_t pc) {
  return c->host->breakpoint ? c->host->breakpoint(c->host->self, c, pc, c->engine->now)
                             : CORE_BREAKPOINT_TRAPS;
}

// Whether the program has written mtvec, or moved the boot address away from where mtvec is after
// reset.
static bool has_handler(const struct core *c) {
  return c->csr.mtvec_written || ((trap_base(c) ^ c->csr.mtvec) & ~c->mtvec_low) != 0;
}

uint32_t trap_enter(struct core *c, uint32_t pc, uint32_t cause) {
  enum core_breakpoint b = cause == TRAP_BREAKPOINT ? breakpoint(c, pc) : CORE_BREAKPOINT_TRAPS;
  if (b == CORE_BREAKPOINT_ENDS)
    c->phase = CORE_HALTED;
  if (b != CORE_BREAKPOINT_TRAPS)
    return pc + 4;
  if (!has_handler(c))
    return trap_to_host(c, pc, cause);
  enter(c, pc, cause);
  uint32_t handler = trap_base(c);
  c->csr.handler_missed |= c->csr.mtvec_written && (c->csr.mtvec_given & ~UINT32_C(3)) != handler;
  return handler;
}

// ---- interrupts

enum { EXTERNAL = 11, SOFTWARE = 3, TIMER = 7, FAST = 16 };
static const uint32_t cv32e40p_lines = UINT32_C(0xffff0888);

void interrupt_set_lines(struct core *c, uint32_t lines, cycle_t from) {
  struct core_interrupts *i = &c->interrupts;
  if (lines == i->lines)
    return;
  if (from > i->since)
    i->before = i->lines;
  i->lines = lines;
  i->since = from;
  if (c->phase == CORE_RUNS)
    engine_wake(c->engine, c->actor, from);
}

static unsigned highest(uint32_t lines) {
  return 31 - (unsigned)__builtin_clz(lines);
}

static unsigned choose(uint32_t lines) {
  if (lines >> FAST)
    return highest(lines);
  return lines >> EXTERNAL & 1 ? EXTERNAL : lines >> SOFTWARE & 1 ? SOFTWARE : TIMER;
}

int interrupt_wanted(const struct core *c, const struct interrupt_controller *k) {
  if (!interrupt_possible(c))
    return -1;
  if (c->model == CORE_RI5CY)
    return k->pending ? k->id : -1;
  uint32_t lines = k->lines & c->csr.mie;
  return lines ? (int)choose(lines) : -1;
}

bool interrupt_wakes(const struct core *c, cycle_t now) {
  uint32_t lines = interrupt_lines(c, now);
  return (c->model == CORE_RI5CY ? lines : lines & c->csr.mie) != 0;
}

uint32_t interrupt_handler(const struct core *c, unsigned id) {
  uint32_t base = trap_base(c);
  bool vectored = c->model == CORE_RI5CY || (c->csr.mtvec & 1);
  return vectored ? base + 4 * id : base;
}

void interrupt_take(struct core *c, struct interrupt_controller *k, uint32_t pc, cycle_t now) {
  enter(c, pc, UINT32_C(1) << 31 | k->id);
  k->pending = false;
  k->done = true;
  c->interrupts.acknowledge(c->interrupts.self, c->index, k->id, now);
}

static void edge_ri5cy(const struct core *c, struct interrupt_controller *k, bool dropped,
                       cycle_t now) {
  uint32_t lines = interrupt_lines(c, now);
  if (k->done) {
    k->done = false;
  } else if (k->pending) {
    k->pending = !dropped;
  } else if (interrupt_possible(c) && lines) {
    k->pending = true;
    k->id = (uint8_t)highest(lines);
  }
}

bool interrupt_edge(struct core *c, struct interrupt_controller *k, bool dropped, cycle_t now) {
  if (!c->interrupts.acknowledge)
    return false;
  struct interrupt_controller before = *k;
  if (c->model == CORE_RI5CY)
    edge_ri5cy(c, k, dropped, now);
  else
    c->csr.mip = k->lines = interrupt_lines(c, now) & cv32e40p_lines;
  return k->lines != before.lines || k->pending != before.pending || k->done != before.done;
}
