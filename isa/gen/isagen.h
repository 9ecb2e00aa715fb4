// isa/gen/isagen.h: the rows as the generator sees them.
#ifndef PULPSIM_ISAGEN_H
#define PULPSIM_ISAGEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "isa/isa.h"
#include "isa/tables.h"

enum enc_kind { ENC_END, ENC_REAL, ENC_ALIAS, ENC_DOC };

// One entry of a row's list of encodings, as written. In a DOC entry `mnemonic` is the text.
struct enc_source {
  enum enc_kind kind;
  int set; // enum isa_set
  const char *mnemonic, *syntax, *pattern;
};

// A row, as written.
struct row {
  const char *id, *class_name, *body;
  int macs;
  const struct enc_source *encs; // ends with ENC_END
  const char *file;
  int line;
};

#define MAX_STEPS 24

// A bit pattern, understood.
struct pattern {
  uint32_t mask, match;
  uint16_t uses;
  int size; // bytes
  bool no_zfinx;
  int step_count;
  struct isa_step steps[MAX_STEPS];
};

extern const struct row rows[];
extern const int row_count;
extern const char *const set_names[ISA_SET_COUNT];
extern const char *const class_names[ISA_CLASS_COUNT];

// Understands `text` into `out`. A mistake ends the program with a message that names
// `row` and `mnemonic`.
void pattern_parse(const struct row *row, const struct enc_source *enc, struct pattern *out);

// The first real encoding of `row` in `set`, NULL if there is none.
const struct enc_source *row_encoding(const struct row *row, int set);
// The phrase of the row's DOC entry, NULL if there is none.
const char *row_doc(const struct row *row);

// Operands of the generated macros and intrinsics: the assembler operands by the names of
// their slots (or loop, target), with the address register in front of what is added to it;
// "rs2,imm(rs1!)" gives rs2 rs1 imm. The rounding mode is left out: it is always dynamic.
#define MAX_OPERANDS 6
int operand_list(const char *syntax, char names[MAX_OPERANDS][16]);

// Calls `print` for every further XpulpV2 spelling of a row that has an XpulpV2 encoding, with
// the spelling as a name; not for one that is another row's name.
void each_alias(FILE *out, void (*print)(FILE *out, const struct row *row,
                                         const struct enc_source *e, const char *name));
// The spelling leaves out an immediate, which is 0.
bool fixes_imm(const struct enc_source *e);

// How a 32-bit encoding is written with the stock assembler's .insn.
enum form_kind {
  FORM_R,     // .insn r  opcode, funct3, upper, a, b, c
  FORM_R4,    // .insn r4 opcode, funct3, upper, a, b, c, d
  FORM_I,     // .insn i  opcode, funct3, a, b, upper
  FORM_S,     // .insn s  opcode, funct3, c, imm(b)
  FORM_BRANCH // .insn b  opcode, funct3, b, x<imm2>, target
};

// Registers are slots, or -1 for x<number> with the number in `fixed`.
struct form {
  enum form_kind kind;
  unsigned opcode, funct3;
  int a, b, c, d;    // slots in bits 11:7, 19:15, 24:20, 31:27
  unsigned fixed[3]; // contents of the fields a, b, c where they are no registers
  unsigned upper;    // constant part of funct7, funct2 or the 12-bit immediate
  int upper_lo;      // lowest bit that `upper` stands for: 25 or 20
};

struct form form_of(const struct pattern *p);

// The contents of the word from bit `lo` on, as an expression: the constant, and the bits of
// the immediates, whose names are written between `open` and `close`. `signed12` makes it a
// signed 12-bit number.
void upper_expression(const struct pattern *p, const struct form *f, const char *open,
                      const char *close, bool signed12, char *buf, int size);

// Smallest and largest value of an immediate.
void immediate_range(const struct pattern *p, enum isa_slot slot, long *min, long *max);

// The row that takes the place of `row` in CORE-V: itself, or the one whose name has cv_ in
// front (a result that differs in a corner). NULL if there is none.
const struct row *corev_row(const struct row *row);

void emit_ops(FILE *out);
void emit_table(FILE *out);
void emit_intrinsics(FILE *out);
void emit_asm(FILE *out);
void emit_builtins(FILE *out);
void emit_docs(FILE *out);

// Ends the program with a message about a row.
_Noreturn void row_error(const struct row *row, const char *mnemonic, const char *what,
                         const char *detail);

#endif
