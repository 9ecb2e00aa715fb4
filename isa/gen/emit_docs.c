// isa/gen/emit_docs.c: docs/isa.md, the instruction reference.
#include <string.h>

#include "isagen.h"

static const char prologue[] =
    "# Instructions\n\n"
    "Made from `isa/rows/*.def` by `isagen`; change a row there, not here. `pulpsim isa NAME` "
    "looks\n"
    "one up on the terminal, [add-an-instruction.md](add-an-instruction.md) tells how to write a\n"
    "row.\n\n"
    "Each entry names the operation (which is also the C intrinsic and the assembler macro), its\n"
    "timing class, the multiply-accumulates it counts as, its meaning, and its encodings: set,\n"
    "assembler form, and bit pattern with the most significant bit first. `-` is a bit that the\n"
    "decoder ignores, `imm[12|10:5]` the bits of the immediate that stand there (`imm`\n"
    "sign-extended, `uimm` zero-extended), `rd'` a three-bit register field (x8 to x15), `rs1!` a\n"
    "register that is also written, `frd` a float register; `rs3=rd`, `imm=0`, `rd!=0` follow the\n"
    "bits and say that an operand is another one, is fixed, or must not have that value.\n\n"
    "In the meanings, `RS1`, `RS2`, `RS3` are register values (32 bits, unsigned unless cast), "
    "`RD`\n"
    "and `RS1_OUT` are written, `IMM` and `IMM2` are the immediates, `LOAD(type, address)` "
    "extends\n"
    "as its type says. Functions such as `dotsp_b` are in `isa/semantics.h`, those of floats in\n"
    "`isa/fp.h`; `FP_RD` writes RD and raises the flags.\n";

// What the rows of a file are, for the heading.
static const char *title(const char *file) {
  static const char *const titles[][2] = {
      {"rv32i.def", "RV32I and its compressed forms"},
      {"rv32m.def", "RV32M"},
      {"system.def", "CSRs, fences, system"},
      {"xpulp_ls.def", "Loads and stores with post-increment and register offset"},
      {"xpulp_flow.def", "Hardware loops, branches with an immediate"},
      {"xpulp_alu.def", "ALU and bit manipulation"},
      {"xpulp_arith.def", "Normalizing sums, 16-bit products, multiply-accumulate"},
      {"xpulp_simd.def", "Packed arithmetic"},
      {"xpulp_bits.def", "Packed shifts and logic"},
      {"xpulp_cmp.def", "Packed comparison"},
      {"xpulp_dot.def", "Packed dot products"},
      {"xpulp_lane.def", "Lanes and complex numbers"},
      {"xpulpnn_simd.def", "XpulpNN: nibbles and crumbs"},
      {"xpulpnn_dot.def", "XpulpNN: dot products and mac&load"},
      {"rv32f.def", "RV32F"},
      {"xf16.def", "Xf16: binary16"},
      {"xf16alt.def", "Xf16alt: bfloat16"},
      {"xfvec16.def", "Xfvec: two lanes of binary16"},
      {"xfvec16alt.def", "Xfvec: two lanes of bfloat16"},
  };
  for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
    if (strcmp(file, titles[i][0]) == 0)
      return titles[i][1];
  return file;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

enum { WIDEST_BESIDE = 64 }; // a longer body has a line of its own, within 100 characters

static void print_row(FILE *out, const struct row *row) {
  const char *note = row_doc(row);
  fprintf(out, "\n**%s** (%s", row->id, row->class_name);
  if (row->macs > 0)
    fprintf(out, ", %d MAC", row->macs);
  fprintf(out, "):%s`%s`%s%s\n\n", strlen(row->body) > WIDEST_BESIDE ? "\n" : " ", row->body,
          note ? ";\n" : "", note ? note : "");
  for (const struct enc_source *e = row->encs; e->kind != ENC_END; e++) {
    if (e->kind == ENC_DOC)
      continue;
    fprintf(out, "- %s `%s%s%s` `%s`%s\n", set_names[e->set], e->mnemonic, e->syntax[0] ? " " : "",
            e->syntax, e->pattern, e->kind == ENC_ALIAS ? " (only written)" : "");
  }
}

void emit_docs(FILE *out) {
  int encodings = 0;
  for (int i = 0; i < row_count; i++)
    for (const struct enc_source *e = rows[i].encs; e->kind != ENC_END; e++)
      encodings += e->kind != ENC_DOC;
  fputs(prologue, out);
  fprintf(out, "\n%d operations, %d encodings.\n", row_count, encodings);
  const char *file = "";
  for (int i = 0; i < row_count; i++) {
    if (strcmp(base_name(rows[i].file), file) != 0) {
      file = base_name(rows[i].file);
      fprintf(out, "\n## %s\n", title(file));
    }
    print_row(out, &rows[i]);
  }
}
