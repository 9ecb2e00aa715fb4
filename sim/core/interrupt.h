// sim/core/interrupt.h: what takes a core out of its program: exceptions, its interrupt lines and
// its interrupt controller, and what they do to the machine's CSRs.
//
// 32 level-sensitive lines; whoever drives them learns which one was taken and lowers it. With
// mstatus.MIE set the core is clocked cycle by cycle, so that an interrupt is taken in exactly the
// cycle in which the RTL takes it; writes of mstatus are the cycle model's anyway.
//
// CV32E40P registers the lines; mie enables lines 16 to 31, 11 (external), 3 (software) and 7
// (timer), in this order of priority. RI5CY knows one request and its number (here the highest
// line), keeps it from the cycle in which interrupts were enabled, and has no mie. Handlers are at
// mtvec + 4 line (CV32E40P: if mtvec says so, which it does after reset).
//
// Facts: cv32e40p_int_controller.sv (6033d2b), riscv_int_controller.sv (RI5CY, November 2019).
#ifndef PULPSIM_INTERRUPT_H
#define PULPSIM_INTERRUPT_H

#include "core/core.h"

// Bits of mstatus.
enum { MSTATUS_MIE = 1 << 3, MSTATUS_MPIE = 1 << 7, MSTATUS_MPP = 3 << 11 };

// mcause values (RISC-V privileged manual, table 3.6).
enum trap { TRAP_ILLEGAL = 2, TRAP_BREAKPOINT = 3, TRAP_ECALL = 11 };

// Where core `c` has its handlers: what mtvec keeps, or, where mtvec is not kept, at the boot
// address, in multiples of 256.
static inline uint32_t trap_base(const struct core *c) {
  return c->boots_at ? *c->boots_at & ~UINT32_C(0xff) : c->csr.mtvec & ~c->mtvec_low;
}

// Core `c` traps at `pc`. Returns where it goes on: at the handler, or if the program has never
// said where that is, behind a host call; so it does behind a request by semihosting. Any other
// trap ends the run there.
uint32_t trap_enter(struct core *c, uint32_t pc, uint32_t cause);

// ---- interrupts

// The core's side, from clock edge to clock edge.
struct interrupt_controller {
  uint32_t lines;     // CV32E40P: as of the last edge
  bool pending, done; // RI5CY: a request has been kept; it has just been taken
  uint8_t id;         // of the one that is to be taken
};

static inline uint32_t interrupt_lines(const struct core *c, cycle_t now) {
  return now < c->interrupts.since ? c->interrupts.before : c->interrupts.lines;
}

// Whether the core may be interrupted at any time: somebody drives its lines, and MIE is set.
static inline bool interrupt_possible(const struct core *c) {
  return c->interrupts.acknowledge && (c->csr.mstatus & MSTATUS_MIE);
}

// ... and may be in cycle `now`, or at its edge. RI5CY: the request still stands when the pipeline
// has been emptied for it.
static inline bool interrupt_comes(const struct core *c, cycle_t now) {
  return interrupt_possible(c) && interrupt_lines(c, now);
}

// In this cycle: which interrupt is to be taken, or -1; is there a line that ends a sleep?
int interrupt_wanted(const struct core *c, const struct interrupt_controller *k);
bool interrupt_wakes(const struct core *c, cycle_t now);

// Where interrupt `id` goes.
uint32_t interrupt_handler(const struct core *c, unsigned id);

// The core takes interrupt k->id in this cycle and will return to `pc`.
void interrupt_take(struct core *c, struct interrupt_controller *k, uint32_t pc, cycle_t now);

// Clock edge, before instructions act. `dropped`: RI5CY's pipeline went on although a request was
// pending. Returns whether anything changed.
bool interrupt_edge(struct core *c, struct interrupt_controller *k, bool dropped, cycle_t now);

#endif
