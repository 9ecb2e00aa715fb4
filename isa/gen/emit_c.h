// isa/gen/emit_c.h: what the writers of C intrinsics share.
#ifndef PULPSIM_EMIT_C_H
#define PULPSIM_EMIT_C_H

#include "isagen.h"

// The text of the asm statement; operands and `upper` as they stand in it, e.g. "%0".
void print_asm_text(FILE *out, const struct form *f, const char *const operand[SLOT_COUNT],
                    const char *upper);

// The body with the words of the vocabulary replaced by C operands: rd, imm, imm2, and the
// sources with `prefix` in front of rs1, rs2, rs3.
void print_body_with(FILE *out, const char *body, const char *prefix);

// The intrinsics of small floats, for RISC-V or for any other host.
void emit_float_intrinsics(FILE *out, bool host);

#endif
