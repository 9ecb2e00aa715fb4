// sim/core/exec_forward.h: compiles what computes and what branches once more for each of its first
// two operands, which it takes from `given` instead of the register file. A part of
// exec_flavour.h, for the bare flavour.
//
// In a chain of instructions, each of which needs what the one in front has written, the host would
// wait for each store into core.r until it could be loaded again.
#define FORWARD_ALU(name, id, ...)    ROW_FUNCTION(name, id, ALU, __VA_ARGS__)
#define FORWARD_BRANCH(name, id, ...) ROW_FUNCTION(name, id, BRANCH, __VA_ARGS__)
#define FORWARD_MULH(...)
#define FORWARD_DIV(...)
#define FORWARD_LOAD(...)
#define FORWARD_STORE(...)
#define FORWARD_ELW(...)
#define FORWARD_MACLOAD(...)
#define FORWARD_JAL(...)
#define FORWARD_JALR(...)
#define FORWARD_CSR(...)
#define FORWARD_FENCE(...)
#define FORWARD_SYSTEM(...)
#define FORWARD_HWLOOP(...)
#define FORWARD_FP_ADDMUL(...)
#define FORWARD_FP_DIVSQRT(...)
#define FORWARD_FP_NONCOMP(...)
#define FORWARD_FP_CONV(...)
#define FORWARD_FP_DOTP(...)
#define FORWARD_FP_LOAD(...)
#define FORWARD_FP_STORE(...)

#pragma push_macro("RS1")
#undef RS1
#define RS1                                   given
#define INSN(id, CLASS, MACS, ENCODINGS, ...) FORWARD_##CLASS(rs1_##id, id, __VA_ARGS__)
#include "core/exec_forward_rows.def"
#undef INSN
#pragma pop_macro("RS1")

#pragma push_macro("RS2")
#undef RS2
#define RS2                                   given
#define INSN(id, CLASS, MACS, ENCODINGS, ...) FORWARD_##CLASS(rs2_##id, id, __VA_ARGS__)
#include "core/exec_forward_rows.def"
#undef INSN
#pragma pop_macro("RS2")

#define FORWARDED_ALU(name)        FLAVOUR(name)
#define FORWARDED_BRANCH(name)     FLAVOUR(name)
#define FORWARDED_MULH(name)       NULL
#define FORWARDED_DIV(name)        NULL
#define FORWARDED_LOAD(name)       NULL
#define FORWARDED_STORE(name)      NULL
#define FORWARDED_ELW(name)        NULL
#define FORWARDED_MACLOAD(name)    NULL
#define FORWARDED_JAL(name)        NULL
#define FORWARDED_JALR(name)       NULL
#define FORWARDED_CSR(name)        NULL
#define FORWARDED_FENCE(name)      NULL
#define FORWARDED_SYSTEM(name)     NULL
#define FORWARDED_HWLOOP(name)     NULL
#define FORWARDED_FP_ADDMUL(name)  NULL
#define FORWARDED_FP_DIVSQRT(name) NULL
#define FORWARDED_FP_NONCOMP(name) NULL
#define FORWARDED_FP_CONV(name)    NULL
#define FORWARDED_FP_DOTP(name)    NULL
#define FORWARDED_FP_LOAD(name)    NULL
#define FORWARDED_FP_STORE(name)   NULL
// Those that take their first or second operand from the instruction in front; NULL: none do.
static const struct forwarding {
  uop_exec *rs1, *rs2;
} FLAVOUR(forwarding)[UOP_OP_COUNT] = {
#define INSN(id, CLASS, ...)                                                                       \
  [ISA_OP_##id] = {FORWARDED_##CLASS(rs1_##id), FORWARDED_##CLASS(rs2_##id)},
#include "core/exec_forward_rows.def"
#undef INSN
};
