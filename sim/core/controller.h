// sim/core/controller.h: the core's main controller: what ID does in this cycle, where the fetch
// goes.
//
// A state machine that decodes, empties the pipeline for slow instructions, jumps, and (on
// CV32E40P) follows hardware loops with the program counter in ID. States that debuggers need are
// left out.
//
// Facts: cv32e40p_controller.sv (6033d2b), riscv_controller.sv (RI5CY, November 2019).
#ifndef PULPSIM_CONTROLLER_H
#define PULPSIM_CONTROLLER_H

#include "core/id_insn.h"
#include "core/prefetch.h"

enum __attribute__((packed)) controller_state {
  CTRL_RESET,
  CTRL_BOOT,        // sets the program counter
  CTRL_FIRST_FETCH, // behind it, instructions are fetched
  CTRL_DECODE,
  CTRL_DECODE_HWLOOP, // CV32E40P: inside a hardware loop
  CTRL_XRET_JUMP,
  CTRL_IRQ_TAKEN_ID, // RI5CY: enters a handler, to return to the instruction in ID ...
  CTRL_IRQ_TAKEN_IF, // ... or in IF
  CTRL_FLUSH_EX,     // from here on IF and ID are halted: waits until EX is empty
  CTRL_FLUSH_WB,
  CTRL_ELW_EXE,    // an event load is in EX
  CTRL_ELW_DONE,   // an interrupt is taken here, and the event load repeated behind it
  CTRL_IRQ_FLUSH,  // RI5CY: empties the pipeline for an interrupt
  CTRL_WAIT_SLEEP, // from here on, no instructions are fetched
  CTRL_SLEEP,
};

struct controller {
  enum core_model model;
  MEMBERS(controller_held, held, {
    enum controller_state state;
    bool jump_done; // the jump in ID has been made; ID is stalled
    bool trap;      // the instruction in ID traps
    bool loop_told; // CV32E40P: the loop-back has been announced to the fetch
  });
};

// CV32E40P: what hardware loops do to the instruction at `pc`, decoded in `state`, in bits; 0:
// nothing. The fetch may go to *start then.
unsigned controller_loops(enum controller_state state, uint32_t pc, const struct hwloop loop[2],
                          uint32_t *start);
// Whether it could be anything else for some `pc` in first..first+span, whatever the loop's count.
bool controller_meets_loop(enum controller_state state, const struct hwloop *loop, uint32_t first,
                           uint32_t span);

// What the controller looks at.
struct controller_in {
  enum id_kind kind; // of the instruction in ID: a CSR access may turn out to be illegal
  int32_t imm;       // of a jump
  uint32_t pc;       // of the instruction in ID
  bool valid;        // ID holds an instruction
  bool branch_taken; // by the branch in EX
  uint32_t branch_target;
  bool jump_stall;        // the jump register is not there yet
  uint32_t jump_register; // its value
  uint32_t resume;        // where it boots, where a trap's handler is, or where that returns
  bool wake;              // leaves sleep
  bool interrupt;         // an interrupt is to be taken ...
  bool interrupt_stands;  // RI5CY: ... and its line is still high
  uint32_t interrupt_handler;
};

// For ID to let its instruction go; for EX to be done.
enum __attribute__((packed)) controller_wait { FOR_NOTHING, FOR_ID, FOR_EX };

struct controller_out {
  struct fetch_command fetch;
  bool decoding; // the instruction in ID may be executed
  bool halt_if, halt_id;
  bool jumps;         // the jump in ID is made in this cycle (or has been)
  bool announces;     // CV32E40P: a loop-back is due (level; the fetch gets a pulse)
  uint8_t decrement;  // bit i: hardware loop i has one round less, if ID moves on
  uint8_t cause;      // enum cause of the cycles that a redirect costs
  bool interrupted;   // enters the handler of an interrupt
  bool returns_to_if; // ... and will return to the instruction in IF, else to that in ID
  bool drops;         // RI5CY: goes on although an interrupt was pending
  bool traps;         // the instruction in ID traps, or the one that the pipeline is emptied for
  enum controller_state next;
  enum controller_wait waits; // until then it stays where it is
};

void controller_cycle(const struct controller *k, const struct controller_in *in,
                      const struct hwloop loop[2], struct controller_out *out);

// `enters_trap`: executing the instruction in ID found that it traps.
void controller_edge(struct controller *k, const struct controller_out *out, bool id_ready,
                     bool ex_valid, bool enters_trap);

#endif
