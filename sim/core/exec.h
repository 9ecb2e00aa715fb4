// sim/core/exec.h: what straight lines of instructions do, fast.
//
// Each instruction of a segment (segment.h) is a micro-operation: the function that its row in isa/
// became, and its operands. A micro-operation ends by calling the next one, so that a line of them
// is one call. None of them knows of time; step.h has the same rows one at a time.
#ifndef PULPSIM_EXEC_H
#define PULPSIM_EXEC_H

#include "core/core.h"
#include "isa_ops.h"

struct uop;

// How a line ends.
enum exec_result {
  EXEC_DONE,
  EXEC_TAKEN, // by a branch, which is taken
  EXEC_LEFT,  // in front of its end, at core.ahead.left_at
  EXEC_RESULTS
};

// `given`: what the one in front has computed, if it says so.
typedef enum exec_result uop_exec(struct core *c, const struct uop *u, uint32_t given);
#define EXEC_LINE(c, u) ((u)->exec((c), (u), 0))

struct uop {
  uop_exec *exec;
  int32_t imm;
  uint32_t pc;
  uint16_t op : 12, size : 4; // enum isa_op
  uint8_t rd, rs1, rs2, rs3;  // indices into core.r; `rd` of x0 is the sink
  uint8_t rs1_out;            // rs1, or the sink when rs1 is x0
  uint8_t imm2;
};

enum exec_part {
  EXEC_WHOLE,  // all of it, and on to the next; an access is left in EX (`ex.whole`), a branch is
               // taken, or not, and either ends the line
  EXEC_ACCESS, // makes the access in EX, to the window, and goes on
};

void exec_fill(struct uop *u, const struct isa_insn *insn, uint32_t pc, enum exec_part part);

// So many rounds of the hardware loops are counted.
void exec_count_down(struct uop *u, const uint8_t rounds[2]);

// Behind the last micro-operation of a line.
void exec_end(struct uop *u);

// `u` leaves ID with an access, which gets its bank, and is made, at once. If it is none that can
// be, it is left in EX, core.ahead.left_at is `u`, and nothing follows.
void exec_access_at_once(struct uop *u);

// Lets `length` micro-operations (none of them an EXEC_ACCESS) use executors for the usual case.
void exec_choose_quick(struct uop *u, unsigned length);

// Lets `length` micro-operations take what they can from those in front of them, instead of the
// registers.
void exec_forward(struct uop *u, unsigned length);

// Executors for the usual case (exec_quick.h), by operation; NULL: there is none. Of float rows,
// for those whose rounding mode is dynamic. The second for hosts with AVX2, FMA, F16C and BMI2.
extern uop_exec *const quick_table[ISA_OP_COUNT];
extern uop_exec *const avx2_table[ISA_OP_COUNT];
// Executes `u` for all cases.
uop_exec exec_in_full;

#endif
