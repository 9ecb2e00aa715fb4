#include "core/trap.h"

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
  uint32_t status = c->csr.mstatus;
  uint32_t mpie = status & MSTATUS_MIE ? MSTATUS_MPIE : 0;
  c->csr.mstatus = (status & ~(uint32_t)(MSTATUS_MIE | MSTATUS_MPIE)) | mpie | MSTATUS_MPP;
  c->csr.mepc = pc;
  c->csr.mcause = cause;
  uint32_t handler = trap_base(c);
  c->csr.handler_missed |= c->csr.mtvec_written && (c->csr.mtvec_given & ~UINT32_C(3)) != handler;
  return handler;
}
