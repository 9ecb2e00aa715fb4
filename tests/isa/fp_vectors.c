// tests/isa/fp_vectors.c: the float rows give what the RTL gave, result and flags.
//
// tests/data/isa: rv32f-vectors.tsv.gz, measured on the RTL of CV32E40P with cvfpu, and
// sdotp-vectors.tsv.gz, on the unit of expanding dot products (isa/fp_sdotp.c), three quarters of
// it cases that one rounding of the exact sum would give otherwise. One instruction per line: word,
// operands, destination register, fflags, all in hexadecimal.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "interp.h"
#include "reference.h"

Suite *fp_vectors_suite(void);

enum { WORD, A, B, C, RESULT, FLAGS, MODE, COLUMNS };

static uint32_t hex(const char *s) {
  return (uint32_t)strtoul(s, NULL, 16);
}

static void check_vector(const struct isa_decoder *dec, const char *const f[], unsigned frm) {
  struct isa_insn insn;
  struct interp m;
  char text[64];
  memset(&m, 0, sizeof m);
  m.frm = frm;
  ck_assert_msg(isa_decode(dec, hex(f[WORD]), &insn), "%s does not decode", f[WORD]);
  isa_disassemble(&insn, 0, text, sizeof text);
  m.x[insn.rs1] = hex(f[A]);
  if (insn.uses & ISA_USES_RS2)
    m.x[insn.rs2] = hex(f[B]);
  if (insn.uses & ISA_USES_RS3)
    m.x[insn.rs3] = hex(f[C]);
  interp_step(&m, &insn);
  ck_assert_msg(m.x[insn.rd] == hex(f[RESULT]) && m.fflags == hex(f[FLAGS]),
                "%s with %s %s %s: %08x flags %02x, RTL: %s flags %s", text, f[A], f[B], f[C],
                m.x[insn.rd], m.fflags, f[RESULT], f[FLAGS]);
}

static int check_file(const char *path, bool has_mode) {
  static const char *const names[] = {"encoding",  "rs1",    "rs2", "rs3",
                                      "rd|rd_out", "fflags", "frm"};
  struct isa_decoder *dec =
      isa_decoder_new(ISA_BIT(ISA_RV32I) | ISA_BIT(ISA_RV32F) | ISA_BIT(ISA_XFVEC), false);
  struct reference r;
  int count = 0;
  reference_open(&r, path, names, has_mode ? COLUMNS : MODE);
  for (; reference_next(&r); count++)
    check_vector(dec, r.field, has_mode ? hex(r.field[MODE]) : 0);
  reference_close(&r);
  isa_decoder_free(dec);
  return count;
}

START_TEST(as_the_rtl) {
  ck_assert_int_ge(check_file("tests/data/isa/rv32f-vectors.tsv.gz", false), 9754);
  ck_assert_int_ge(check_file("tests/data/isa/sdotp-vectors.tsv.gz", true), 5227);
}
END_TEST

START_TEST(as_the_reference) {
  const char *path = reference_full("semantics/rv32f-semantics.tsv");
  if (path != NULL) // an optional set
    ck_assert_int_gt(check_file(path, false), 0);
}
END_TEST

Suite *fp_vectors_suite(void) {
  Suite *s = suite_create("fp_vectors");
  TCase *c = tcase_create("RTL");
  tcase_add_test(c, as_the_rtl);
  tcase_add_test(c, as_the_reference);
  suite_add_tcase(s, c);
  return s;
}
